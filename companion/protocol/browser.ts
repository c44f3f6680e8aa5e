/** Browsers, tabs and tools as the companion knows them. */
import * as z from 'zod';
import { ErrorBody } from './errors.ts';
import { BrowserId, SessionId } from './ids.ts';
import { SaidSchema } from './said-schema.ts';
import { TOOL_SETS } from './tool-sets.ts';

/** read: looks · navigate: loads a page or changes tabs · write: changes a page · sensitive: code, cookies, files, network bodies. */
export const ToolClass = z.enum(['read', 'navigate', 'write', 'sensitive']);
export type ToolClass = z.infer<typeof ToolClass>;

/** Keys in a tool's `_meta`: what the companion must know of a call before it asks a browser. */
export const TOOL_CLASS_META = 'pilotfish/class';
/** The set that a tool belongs to; without it the default one. */
export const TOOL_SET_META = 'pilotfish/set';
/** What Chrome must give the extension before the tool works, which the person agrees to in its side panel. */
export const TOOL_PERMISSIONS_META = 'pilotfish/permissions';
/** For how many milliseconds a call may say nothing, where a person is waited for in the page. */
export const TOOL_SILENCE_META = 'pilotfish/silence_ms';
/** The tool is for what a page offers, and is listed once a page does. */
export const TOOL_OFFERED_META = 'pilotfish/offered';
/** A call without an argument means something wider than one with it: an argument that the tool does not know is a fault then. */
export const TOOL_WIDE_META = 'pilotfish/wide';
export const TOOL_TITLE_META = 'pilotfish/title';
export const TOOL_ARGUMENTS_META = 'pilotfish/arguments';

/** In a result: the origin of the page that it is from. */
export const ORIGIN_META = 'pilotfish/origin';

/** Key in a result's `_meta`: the tools for what the page offers. */
export const OFFERS_META = 'pilotfish/offers';

/** Key in a result's `_meta`: where the server of an address sent the browser on to, which was not followed. */
export const SENT_ON_META = 'pilotfish/sent_on';

/** Key in a result's `_meta`: what of a call's consequences its caller could not expect, in a few words. */
export const SURPRISE_META = 'pilotfish/surprise';

/** Key in a result's `_meta`: the code and the message of the error that it tells of. */
export const ERROR_META = 'pilotfish/error';

/** Marks a parameter in a tool's schema that a call may have and the list for models leaves out. */
export const UNLISTED = 'pilotfish/unlisted';

/** On a parameter that other products have and that changes nothing here: a call that gives it is told so. */
export const NO_EFFECT = 'pilotfish/noEffect';

/** A tool's schema as a model is shown it. */
export const listedSchema = (schema: Readonly<Record<string, unknown>>): Record<string, unknown> => {
  const { data = {} } = z.record(z.string(), z.looseObject({})).safeParse(schema['properties']);
  if (!Object.values(data).some((property) => UNLISTED in property)) return { ...schema };
  return { ...schema, properties: Object.fromEntries(Object.entries(data).filter(([, property]) => !(UNLISTED in property))) };
};

/** Which of a tool's arguments play a part outside the browser. The companion knows no argument by its name, only by its part. */
export const ArgumentParts = z.object({
  /** The address that the call opens. */
  address: z.string().optional(),
  /** The id of the browser that the call goes to. */
  browser: z.string().optional(),
  /** The tab that the call acts in. */
  tab: z.string().optional(),
  /** The paths of files whose contents the call hands to the page. */
  files: z.string().optional(),
  /** The name of a file on the person's disk that the call's result is saved as. */
  saves: z.string().optional(),
  /** What the person is asked before the call runs. */
  question: z.string().optional(),
  /** What the person can choose from then. */
  choices: z.string().optional(),
  /** Calls that are made one after the other in place of this one. */
  calls: z.string().optional(),
  /** Sites on which the session wants to act, for how many minutes and what for: the person is asked before the call runs. */
  sites: z.string().optional(),
  minutes: z.string().optional(),
  reason: z.string().optional(),
});
export type ArgumentParts = z.infer<typeof ArgumentParts>;

/** Rights of the extension that Chrome gives only when the person agrees. */
export const OptionalPermission = z.enum(['bookmarks', 'clipboardRead', 'clipboardWrite', 'history']);
export type OptionalPermission = z.infer<typeof OptionalPermission>;

/** A tool as tools/list gives it (MCP 2025-11-25, `Tool`). */
export const ToolInfo = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  annotations: z.record(z.string(), z.unknown()).optional(),
  _meta: z.object({
    [TOOL_CLASS_META]: ToolClass,
    /** What a call does, for a person: `Open {url}`. `{a|b}` stands for the first of these arguments that was given. */
    [TOOL_TITLE_META]: z.string().optional(),
    [TOOL_ARGUMENTS_META]: ArgumentParts.optional(),
    [TOOL_SILENCE_META]: z.number().optional(),
    [TOOL_OFFERED_META]: z.boolean().optional(),
    [TOOL_WIDE_META]: z.union([z.boolean(), z.string()]).optional(),
    [TOOL_PERMISSIONS_META]: z.array(OptionalPermission).optional(),
    [TOOL_SET_META]: z.enum(TOOL_SETS).optional(),
  }),
});
export type ToolInfo = z.infer<typeof ToolInfo>;

export const BrowserInfo = z.object({
  browserId: BrowserId,
  /** Chrome, Chromium, Edge … */
  name: z.string(),
  /** The profile's label: what the user called it, or a made-up one. */
  label: z.string(),
  extensionVersion: z.string(),
  connectedAt: z.number(),
  toolCount: z.number(),
});
export type BrowserInfo = z.infer<typeof BrowserInfo>;

/** What the way from the daemon into a browser took, as it was just gone: the link to its extension, then a tool call over it. */
export const BrowserCheck = z.object({
  hops: z.array(z.object({ hop: z.enum(['link', 'tool']), ms: z.number().int(), error: ErrorBody.nullable() })),
});
export type BrowserCheck = z.infer<typeof BrowserCheck>;

/**
 * Where a call would act: one document in one frame of a tab, and no other that may be shown there later.
 * `origin` is the frame's, parsed and exact, never a prefix; `url` and `title` are the tab's.
 */
export const TabTarget = z.object({
  tabId: z.number(),
  frameId: z.number(),
  /** Chrome's id of the document; each navigation makes a new one. */
  documentId: z.string(),
  /** By what the document was known when the call was described: its content may be replaced as a whole without a navigation. */
  mark: z.string().optional(),
  /** For a call that answers a native dialog: the one that was open when the call was described; empty when none was. */
  dialog: z.string().optional(),
  url: z.string(),
  title: z.string(),
  origin: z.string(),
  /** Whose tab it is: the session's own, opened by it or handed to it, or the person's. */
  owner: z.enum(['session', 'person']),
});
export type TabTarget = z.infer<typeof TabTarget>;

/** What a call is about, as the tool itself tells it before anything is decided. */
export const CallSubject = z.object({
  /** Null when the call acts on no page, or would open a tab. */
  target: TabTarget.nullable(),
  /** What the call does, for the person who is asked. `text` may be a page's or an agent's; `label` says whose. */
  lines: z.array(
    z.object({
      label: z.string(),
      text: z.string(),
      /** The name that the page gives to the element of this line, alone; empty for an element without a name. */
      element: z.string().optional(),
      /** What the line says. */
      told: SaidSchema.optional(),
    }),
  ),
  /** The call changes nothing, though its tool may: then it is allowed as looking is. */
  onlyLooks: z.boolean().optional(),
});
export type CallSubject = z.infer<typeof CallSubject>;

/** Of a call about which nothing is known but itself. */
export const noSubject: CallSubject = { target: null, lines: [] };

/** A file that the companion has read for a call, on its way to a page. */
export const HandedFile = z.object({
  name: z.string(),
  /** Empty when it is not known. */
  type: z.string(),
  modifiedAt: z.number(),
  dataBase64: z.string(),
  /** The checksum of its bytes, in hexadecimal digits, which the receiver compares. An older companion does not send it. */
  sha256: z.string().optional(),
});
export type HandedFile = z.infer<typeof HandedFile>;

/** A browser as the others name it. */
export const BrowserName = z.object({ browserId: BrowserId, name: z.string(), label: z.string() });
export type BrowserName = z.infer<typeof BrowserName>;

/** Result of an MCP tools/call (MCP 2025-11-25, `CallToolResult`); extra keys pass through. */
export const ToolResult = z.looseObject({
  content: z.array(z.looseObject({ type: z.string() })),
  isError: z.boolean().optional(),
  _meta: z.record(z.string(), z.unknown()).optional(),
});
export type ToolResult = z.infer<typeof ToolResult>;

/** For whom a permission is: the agents of one engine, or one program from outside. */
export const GrantClient = z.object({
  id: z.string(),
  /** For a person. That of a program from outside is its own word. */
  name: z.string(),
});
export type GrantClient = z.infer<typeof GrantClient>;

/** A remembered yes: one client, one origin, one tool class, for one session (`sessionId`) or for all (`null`). Never implies another class. */
export const Grant = z.object({
  id: z.string(),
  /** Parsed and exact: scheme, host and port. */
  origin: z.string(),
  toolClass: ToolClass,
  /** Sensitive tools are granted one by one; `null` for every other class. */
  tool: z.string().nullable(),
  sessionId: SessionId.nullable(),
  /** No other client is served by it. */
  client: GrantClient,
  createdAt: z.number(),
  expiresAt: z.number().nullable(),
});
export type Grant = z.infer<typeof Grant>;

/** One as it is stored, with what was left of it at a moment: by the clock (`at`), and by how long the machine had been up. */
export const KeptGrant = Grant.extend({ noted: z.object({ leftMs: z.number(), at: z.number(), upMs: z.number() }).optional() });
export type KeptGrant = z.infer<typeof KeptGrant>;

/** How long several sites are allowed, where nothing else is said. */
export const SITES_MINUTES = 60;

/** Sites on which a session may act without being asked, all allowed at once and for a while. */
export const GrantsInput = z.strictObject({
  sessionId: SessionId,
  origins: z
    .array(
      z
        .string()
        .max(300)
        .regex(/^https?:\/\/[^/?#@\s]+$/, 'must be an origin, such as https://example.org'),
    )
    .min(1)
    .max(50),
  minutes: z.number().int().min(1).max(1440).default(SITES_MINUTES),
});
export type GrantsInput = z.infer<typeof GrantsInput>;
