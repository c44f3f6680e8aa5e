/**
 * Frames between the extension and the daemon, over native messaging (through the host) or any other carrier.
 * The extension is an MCP server: `mcp_message` carries plain JSON-RPC 2.0 in `payload`, whose methods are in `linkMethods`.
 *
 * Order: host → `host` at once; extension → `hello`; daemon → `welcome` or `refused`; extension → `mcp_register`;
 * then `mcp_message` both ways. Anything above the frame limit goes as `chunk` frames (chunk.ts).
 * After `resting` everything begins again with `host`.
 */
import * as z from 'zod';
import { Admission } from './admission.ts';
import { BrowserName, CallSubject, HandedFile, TabTarget, ToolInfo, ToolResult } from './browser.ts';
import { FilePart, FileTaken, OfferedFile, ReadFileParams } from './crossing.ts';
import { ErrorBody } from './errors.ts';
import { Preparing } from './health.ts';
import { BrowserId, CallId, SessionId } from './ids.ts';
import { Proof } from './items.ts';
import { SiteRule } from './sites.ts';

/** The name of the extension's MCP server on the link. */
export const LINK_SERVER = 'browser';

const ProtocolRange = z.object({ current: z.number().int(), oldest: z.number().int() });
export type ProtocolRange = z.infer<typeof ProtocolRange>;

/** JSON-RPC 2.0 message, checked for shape only. */
export const JsonRpc = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
  result: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string(), data: z.unknown().optional() }).optional(),
});
export type JsonRpc = z.infer<typeof JsonRpc>;

/** A permission that lasts, and when it ends; null for never. */
export const HeldGrant = z.object({ id: z.string(), expiresAt: z.number().nullable() });
export type HeldGrant = z.infer<typeof HeldGrant>;

/** What goes with every call. */
const CallMeta = z.object({
  callId: CallId,
  sessionId: SessionId,
  /** The permission by which it was allowed, where it was one that lasts: what outlasts the call ends with it. */
  grant: HeldGrant.optional(),
  /** Whose call it is, as the page in which it acts shows it to the person. */
  actor: z.string().max(200).optional(),
  /** The other browsers that are connected. */
  otherBrowsers: z.array(BrowserName),
});

const CallParams = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  _meta: CallMeta.extend({
    /** What was agreed to: the call runs in this document or not at all. */
    target: TabTarget.optional(),
    /** The origins where a navigation of this call may arrive, whatever a server says; without it anywhere. */
    arrivals: z.array(z.string()).optional(),
    /** What the files are that the call names, in its order. */
    files: z.array(HandedFile).optional(),
  }),
});

const OutcomeParams = z.object({ callId: CallId });

/** What became of a call, by the journal of the browser; a call that only looks is not in it. */
const CallOutcome = z.object({ state: z.enum(['new', 'begun', 'ended']), result: ToolResult.optional() });
export type CallOutcome = z.infer<typeof CallOutcome>;

/** A download that a tab of a session began. The browser holds it, unfinished, until the person has answered. */
export const HeldDownload = z.object({
  downloadId: z.number(),
  /** As the page or its server names the file. */
  name: z.string(),
  /** Negative when nobody knows it yet. */
  sizeBytes: z.number(),
  mimeType: z.string(),
  /** Where it comes from, after all redirects. */
  url: z.string(),
  /** The origin of that address, or of the page when the address has none. */
  origin: z.string(),
});
export type HeldDownload = z.infer<typeof HeldDownload>;

const DownloadsDecided = z.object({ downloadIds: z.array(z.number()), isAllowed: z.boolean() });
const DownloadsTaken = z.object({
  /** Those that were still held. A browser holds a download for seconds only, and has dropped the others. */
  taken: z.array(z.number()),
});

const SavedFilesParams = z.object({ sessionId: SessionId });

/** A file that a call of a session has put among the person's downloads, whole. */
export const SavedFile = z.object({
  path: z.string(),
  /** The name that was wanted; the browser adds a number to it where there is such a file already. */
  name: z.string(),
  sizeBytes: z.number(),
  savedAt: z.number(),
  /** The site that it is from; empty where none is known. */
  origin: z.string(),
  /** The checksum of its bytes, where the extension itself has made it. */
  sha256: z.string().optional(),
});
export type SavedFile = z.infer<typeof SavedFile>;

/** The newest last. */
const SavedFiles = z.object({ files: z.array(SavedFile) });

const DescribeParams = z.object({ sessionId: SessionId, tool: z.string(), args: z.record(z.string(), z.unknown()) });

const DescribeCallParams = DescribeParams.extend({
  /** A permission that was given already: where the call would act on this origin, in a tab of the session's own, it runs at once. An older extension only describes it. */
  allowed: z.object({ origin: z.string(), _meta: CallMeta }).optional(),
});

/** What a call would do, or, with its result, has done. */
const CallAccount = CallSubject.extend({ result: ToolResult.optional() });
export type CallAccount = z.infer<typeof CallAccount>;

/** A picture on its way from a page. */
export const PagePicture = z.object({ mimeType: z.enum(['image/jpeg', 'image/png']), dataBase64: z.base64() });
export type PagePicture = z.infer<typeof PagePicture>;

/** By what a picked element is found again; `looks` is a digest of its markup and styles. */
export const PickedMark = z.object({
  ref: z.number().int(),
  selector: z.string().max(10_000),
  role: z.string().max(500),
  name: z.string().max(2_000),
  looks: z.string().max(200),
});
export type PickedMark = z.infer<typeof PickedMark>;

/** A frame in a page, with the document that it showed when something in it was picked. */
export const PickedFrame = z.object({ frameId: z.number().int(), documentId: z.string().max(200), url: z.string().max(4_000) });
export type PickedFrame = z.infer<typeof PickedFrame>;

/** How many elements of a page are looked at again. */
export const MAX_PICKED = 8;

export const LookAgainParams = z.object({
  tabId: z.number().int(),
  /** Where the page must still be; what stands behind `?`, and a place behind `#`, may have changed. */
  url: z.string().max(4_000),
  /** The document that it was. */
  documentId: z.string().max(200),
  /** Where the elements are, when that is not the page itself. */
  frame: PickedFrame.optional(),
  elements: z.array(PickedMark).min(1).max(MAX_PICKED),
});
export type LookAgainParams = z.infer<typeof LookAgainParams>;

const MAX_BUILD_ERROR = 8_000;

/** How picked elements and their page are now; in the order in which they were asked for. */
export const LookedAgain = z.object({
  outcome: Proof.shape.outcome,
  buildError: z.string().max(MAX_BUILD_ERROR).optional(),
  elements: z.array(z.object({ isThere: z.boolean(), picture: PagePicture.optional() })).max(MAX_PICKED),
});
export type LookedAgain = z.infer<typeof LookedAgain>;

/** What the daemon asks of the extension by JSON-RPC, and what it is answered. */
export interface LinkMethods {
  readonly 'tools/call': { readonly params: z.infer<typeof CallParams>; readonly result: ToolResult };
  readonly 'pilotfish/describe_call': { readonly params: z.infer<typeof DescribeCallParams>; readonly result: CallAccount };
  /** Marks in the page what the call is about, until the request is cancelled. An extension that cannot do it refuses. */
  readonly 'pilotfish/mark_call': { readonly params: z.infer<typeof DescribeParams>; readonly result: Record<string, never> };
  /** Runs nothing. */
  readonly 'pilotfish/call_outcome': { readonly params: z.infer<typeof OutcomeParams>; readonly result: CallOutcome };
  readonly 'pilotfish/decide_downloads': {
    readonly params: z.infer<typeof DownloadsDecided>;
    readonly result: z.infer<typeof DownloadsTaken>;
  };
  /** What calls of a session have saved on the browser's machine. An extension that cannot tell refuses. */
  readonly 'pilotfish/saved_files': { readonly params: z.infer<typeof SavedFilesParams>; readonly result: z.infer<typeof SavedFiles> };
  /** Looks at what the person had picked, once the page has taken the changes to its source, or none for some time. */
  readonly 'pilotfish/look_again': { readonly params: LookAgainParams; readonly result: LookedAgain };
  /** A part of a file that was offered. */
  readonly 'pilotfish/read_file': { readonly params: z.infer<typeof ReadFileParams>; readonly result: z.infer<typeof FilePart> };
  /** What became of a file that was offered: it is not read any more. */
  readonly 'pilotfish/file_taken': { readonly params: FileTaken; readonly result: Record<string, never> };
}
export type LinkMethod = keyof LinkMethods;

/** The same as schemas: each end parses what the other sends. */
export const linkMethods: {
  readonly [M in LinkMethod]: {
    readonly params: z.ZodType<LinkMethods[M]['params']>;
    readonly result: z.ZodType<LinkMethods[M]['result']>;
  };
} = {
  'tools/call': { params: CallParams, result: ToolResult },
  'pilotfish/describe_call': { params: DescribeCallParams, result: CallAccount },
  'pilotfish/mark_call': { params: DescribeParams, result: z.strictObject({}) },
  'pilotfish/call_outcome': { params: OutcomeParams, result: CallOutcome },
  'pilotfish/decide_downloads': { params: DownloadsDecided, result: DownloadsTaken },
  'pilotfish/saved_files': { params: SavedFilesParams, result: SavedFiles },
  'pilotfish/look_again': { params: LookAgainParams, result: LookedAgain },
  'pilotfish/read_file': { params: ReadFileParams, result: FilePart },
  'pilotfish/file_taken': { params: FileTaken, result: z.strictObject({}) },
};

/** Whether a foreign string names a method of the link. */
export const isLinkMethod = (name: string): name is LinkMethod => Object.hasOwn(linkMethods, name);

/** The notification by which the daemon ends a request it has made, as MCP has it; `requestId` is the JSON-RPC id of that request. */
export const CANCELLED = 'notifications/cancelled';
export const CancelledParams = z.object({ requestId: z.string() });

const McpMessageFrame = z.object({ type: z.literal('mcp_message'), server: z.string(), payload: JsonRpc });
const Ping = z.object({ type: z.literal('ping'), at: z.number() });
const Pong = z.object({ type: z.literal('pong'), at: z.number() });

/** A tool as an extension offers it: what else it says of it does not count, and a newer one may say what is not known here. */
const OfferedTool = ToolInfo.pick({ name: true, description: true, inputSchema: true });
export type OfferedTool = z.infer<typeof OfferedTool>;

/** extension → daemon */
export const UpFrame = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('hello'),
    protocol: ProtocolRange,
    extensionVersion: z.string(),
    extensionId: z.string(),
    browserId: BrowserId,
    browserName: z.string(),
    label: z.string(),
    /** Names the profile's journal of call ids. While it is the same, a call sent again never runs twice. */
    journalId: z.string().max(200).optional(),
    /** Whether it knows `resting`: the daemon may end while this browser is connected. */
    canRest: z.boolean().optional(),
  }),
  z.object({ type: z.literal('mcp_register'), server: z.string(), tools: z.array(OfferedTool) }),
  z.object({ type: z.literal('mcp_unregister'), server: z.string() }),
  /** The user turned to a window of this browser. */
  z.object({ type: z.literal('focus') }),
  /** The person has pressed the button of a page in which an agent acts: the session is to stop. */
  z.object({ type: z.literal('session_stop'), sessionId: SessionId }),
  /** Tabs of the session began downloads, which wait for the person. */
  z.object({ type: z.literal('downloads_held'), sessionId: SessionId, downloads: z.array(HeldDownload).min(1) }),
  /** A call has brought a file to the browser's machine: a companion that has said it takes files reads it. */
  z.object({ type: z.literal('file_offered'), ...OfferedFile.shape }),
  /** For the host alone: somebody looks at this browser's panel, so the daemon that rests is needed. */
  z.object({ type: z.literal('wake') }),
  McpMessageFrame,
  Ping,
  Pong,
]);
export type UpFrame = z.infer<typeof UpFrame>;

/** daemon → extension; `host`, `preparing` and `host_failed` come from the host itself. */
export const DownFrame = z.discriminatedUnion('type', [
  /** Sent by the host the moment Chrome starts it, before the daemon is reached. */
  z.object({ type: z.literal('host'), version: z.string(), pid: z.number() }),
  /** The daemon is not ready yet, and says what it does; sent again and again until it lets the host in. */
  z.object({ type: z.literal('preparing'), preparing: Preparing }),
  z.object({ type: z.literal('host_failed'), error: ErrorBody }),
  z.object({
    type: z.literal('welcome'),
    protocol: ProtocolRange,
    companionVersion: z.string(),
    port: z.number(),
    /** Bearer token of this profile's panel: kept in chrome.storage.session only. New at each daemon start. */
    token: z.string(),
    /** What the other end should do about its age, if anything. */
    advice: z.string().optional(),
    /** Present while the person has not let this browser in: its tools are not used, and its panel shows this and nothing else. */
    admission: Admission.optional(),
    /** The companion is on another machine than the browser, and takes the files that calls bring there. */
    takesFiles: z.boolean().optional(),
  }),
  z.object({ type: z.literal('refused'), error: ErrorBody }),
  /** The daemon ends because nothing needs it. The host stays, and says `host` again when there is a daemon. */
  z.object({ type: z.literal('resting') }),
  /** Another browser is connected under this profile's id, as happens with a copied profile folder: take a new id and say hello again. */
  z.object({ type: z.literal('new_identity') }),
  z.object({ type: z.literal('mcp_registered'), server: z.string(), toolCount: z.number() }),
  /** A session may use this browser: its tab group is named so. */
  z.object({ type: z.literal('session_start'), sessionId: SessionId, name: z.string() }),
  /** Nothing runs in the session until its next prompt. */
  z.object({ type: z.literal('session_rests'), sessionId: SessionId }),
  /** The session is over: its own tabs are closed, or left to the person. */
  z.object({ type: z.literal('session_end'), sessionId: SessionId, closesTabs: z.boolean() }),
  /** The person hands a tab of theirs to a session. */
  z.object({ type: z.literal('tab_handed'), sessionId: SessionId, tabId: z.number() }),
  /** The person's rules for sites, whenever they change and before the first call: what is closed to agents is not read. */
  z.object({ type: z.literal('sites'), rules: z.record(z.string(), SiteRule) }),
  /** The permissions that hold, by their ids, whenever they change and before the first call: what was made by another one ends. */
  z.object({ type: z.literal('grants'), ids: z.array(z.string()) }),
  /** How many requests wait for the user, for the toolbar badge. */
  z.object({ type: z.literal('attention'), count: z.number() }),
  McpMessageFrame,
  Ping,
  Pong,
]);
export type DownFrame = z.infer<typeof DownFrame>;

/** The protocol version both ends can speak, or which end is too old. */
export const negotiate = (ours: ProtocolRange, theirs: ProtocolRange): { version: number } | { tooOld: 'ours' | 'theirs' } => {
  const version = Math.min(ours.current, theirs.current);
  if (version < ours.oldest) return { tooOld: 'theirs' };
  if (version < theirs.oldest) return { tooOld: 'ours' };
  return { version };
};
