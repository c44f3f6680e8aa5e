/** What a tool is. One per file, declared with `defineTool`; it reaches nothing but its context, so it loads in plain Node too. */
import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import {
  TOOL_ARGUMENTS_META,
  TOOL_CLASS_META,
  TOOL_OFFERED_META,
  TOOL_PERMISSIONS_META,
  TOOL_SET_META,
  TOOL_SILENCE_META,
  TOOL_TITLE_META,
  TOOL_WIDE_META,
  NO_EFFECT,
  UNLISTED,
  type ArgumentParts,
  type BrowserName,
  type CallSubject,
  type HandedFile,
  type OptionalPermission,
  type ToolClass,
  type ToolInfo,
  type ToolResult,
} from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { ToolSet } from '#protocol/tool-sets.ts';
import type { Page } from './page.ts';
import type { Recorder, Tracer } from './records.ts';
import { readRef } from './ref.ts';
import { saveResult } from './save-result.ts';

/** A tab as browser_tabs shows it. */
export interface TabRow {
  readonly tabId: number;
  readonly url: string;
  readonly title: string;
  readonly isActive: boolean;
  readonly windowId: number;
  /** Whether it is one of a private window. */
  readonly isPrivate: boolean;
  /** Whether the session opened it, and so may close it. */
  readonly isOwn: boolean;
  /** Whether it is the tab for calls of the session that name none. */
  readonly isCurrent: boolean;
}

/** A tab that was closed. */
export interface ClosedTab {
  readonly tabId: number;
  readonly wasCurrent: boolean;
  /** The tab for calls that name none, from then on. */
  readonly current: number | null;
}

export interface Tabs {
  list(): Promise<readonly TabRow[]>;
  /** Opens an empty tab in the session's group, in the background, and makes it current. */
  open(): Promise<Page>;
  /** Closes a tab that was opened for a call which was given up; the one before it is current again. */
  takeBack(tabId: number): Promise<void>;
  /** Closes a tab, without an id the current one. */
  close(tabId: number | undefined): Promise<ClosedTab>;
  /** Makes it the current tab and shows it. */
  select(tabId: number): Promise<TabRow>;
  /** Checks an address before it is opened. */
  toAddress(text: string): string;
  /** Whether the session works in this tab alone, so that none of its calls means another one. */
  worksOnlyIn(tabId: number): Promise<boolean>;
  /** The name of the browser profile. */
  readonly browser: string;
}

/** A download of the session. */
export interface DownloadRow {
  readonly name: string;
  readonly url: string;
  readonly origin: string;
  /** Where the file is, once it is there. */
  readonly path: string | null;
  /** In Pilotfish's own words. */
  readonly state: string;
  readonly sizeBytes: number | null;
}

/** A bookmark of the person. */
export interface BookmarkRow {
  readonly id: string;
  readonly title: string;
  readonly url: string;
  /** The name of its folder. */
  readonly folder: string;
}

/** A page that the person has visited. */
export interface VisitRow {
  readonly title: string;
  readonly url: string;
  /** The last time. */
  readonly at: number;
  readonly visits: number;
}

/** What belongs to the browser profile and to no tab. */
export interface ProfileData {
  readClipboard(): Promise<string>;
  writeClipboard(text: string): Promise<void>;
  findBookmarks(wanted: { query: string; folder: string | undefined; maxResults: number }): Promise<BookmarkRow[]>;
  addBookmark(made: { url: string; title: string; folder: string | undefined; createFolder: boolean }): Promise<{ readonly id: string }>;
  /** Those that `removeBookmarks` would delete; null as long as the browser has not given the right to look. */
  bookmarksOf(which: { id: string | undefined; url: string | undefined }): Promise<BookmarkRow[] | null>;
  /** Resolves with how many there were. */
  removeBookmarks(which: { id: string | undefined; url: string | undefined }): Promise<number>;
  findVisits(wanted: { text: string; from: number; to: number; maxResults: number; excludeCurrentTabs: boolean }): Promise<VisitRow[]>;
  /** Puts a file among the person's downloads; resolves with its path. */
  save(file: { name: string; mimeType: string; dataBase64: string }, signal: AbortSignal): Promise<string>;
}

/** A snapshot of the whole page, as text. */
export interface TakenSnapshot {
  readonly url: string;
  readonly text: string;
}

/** Keeps the newest snapshot of a tab for the session. */
export interface LastSnapshot {
  read(): TakenSnapshot | null;
  keep(taken: TakenSnapshot): void;
}

/** Lines of the card that asks the person; see `CallSubject`. */
export type SubjectLines = CallSubject['lines'];

export interface ToolContext {
  readonly sessionId: SessionId;
  readonly signal: AbortSignal;
  readonly tabs: Tabs;
  /** What the files are that the call names, in its order; the companion has read them. */
  readonly files: readonly HandedFile[];
  readonly profile: ProfileData;
  /** The session's downloads, newest first. */
  readonly downloads: () => Promise<readonly DownloadRow[]>;
  /** The last snapshot that the session took of the tab, with the page's address; null when there is none. */
  readonly lastSnapshot: LastSnapshot;
  /** The other browsers that are connected. */
  readonly otherBrowsers: readonly BrowserName[];
  /** Of the tab in which the call acts. */
  readonly recorder: Recorder;
  readonly tracer: Tracer;
  /** Where a tool of scope `page` or `tab` acts; tools of scope `browser` have none. */
  readonly page: Page;
}

/** `page`: an ordinary web page · `tab`: any tab, a new one when the session has none · `browser`: no tab in particular. */
export type ToolScope = 'page' | 'tab' | 'browser';

export interface Tool {
  readonly name: string;
  readonly toolClass: ToolClass;
  readonly scope: ToolScope;
  readonly timeoutMs: number;
  /** What Chrome must have given us before. */
  readonly permissions: readonly OptionalPermission[];
  readonly info: ToolInfo;
  /** Names every wrong argument and the right ones; null when `args` are right. */
  check(args: Record<string, unknown>): string | null;
  /**
   * The tab and frame in which the call acts, by its arguments, the address that it opens there, and the element it is about. Without a tab it is
   * the session's current one.
   */
  placeOf(args: Record<string, unknown>): {
    readonly tabId: number | undefined;
    readonly address: string | undefined;
    readonly frameId: number;
    readonly target: string | null;
  };
  /** Whether the call changes nothing, so that it may run twice. */
  isReading(args: Record<string, unknown>): boolean;
  /** Whether it reads all of a page as it is. */
  readsWhole(args: Record<string, unknown>): boolean;
  /** Whether it runs code in the page as a whole. */
  runsCode(args: Record<string, unknown>): boolean;
  /** What the call would do, for the person who is asked; `args` are checked already. */
  describe(args: Record<string, unknown>, page: Page, profile: ProfileData): Promise<SubjectLines>;
  run(args: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
}

/** Names the arguments that matter outside the browser, by what they are for. */
type Parts<S extends z.ZodObject> = { readonly [P in keyof ArgumentParts]: keyof z.output<S> & string };

interface Declaration<S extends z.ZodObject> {
  readonly name: string;
  /** It is for what a page may offer, and is listed once one does. */
  readonly isOffered?: boolean;
  /**
   * Without an argument a call, or its action of this name alone, means something wider: all, or the tab that is current. One that is not known is
   * refused, and not passed over.
   */
  readonly isWide?: true | string;
  /** The set that a client must ask for; without it every client gets the tool. */
  readonly set?: ToolSet;
  /** What a call does, in a line: `Open {url}`. */
  readonly title: string;
  readonly parts?: Parts<S>;
  /** The argument that names the element, for a tool that is about one; for one about several, the first of them. */
  readonly target?: (keyof z.output<S> & string) | ((args: z.output<S>) => string);
  /** The frame in which it acts, where no target tells. */
  readonly frameOf?: (args: z.output<S>) => number;
  /** One sentence that says when to use it. */
  readonly description: string;
  readonly input: S;
  readonly toolClass: ToolClass;
  readonly scope: ToolScope;
  readonly timeoutMs?: number;
  /** What Chrome gives only when the person agrees, which they do on the card that asks for the call. */
  readonly permissions?: readonly OptionalPermission[];
  /** For a tool that only looks when it has certain arguments; without it, the tool's class decides. */
  readonly isReading?: (args: Record<string, unknown>) => boolean;
  /** For a tool that reads all of a page when it has certain arguments: it may begin before the page was looked up. */
  readonly readsWhole?: (args: Record<string, unknown>) => boolean;
  /** For a tool that runs code in a page as a whole when it has certain arguments: what its answer must not tell may be asked before the page was looked up. */
  readonly runsCode?: (args: Record<string, unknown>) => boolean;
  /** For a tool that asks the person: what its title cannot say. */
  readonly describe?: (args: z.output<S>, page: Page, profile: ProfileData) => Promise<SubjectLines>;
  readonly run: (args: z.output<S>, context: ToolContext) => Promise<ToolResult>;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** The companion waits at least so long for any call. */
const USUAL_SILENCE_MS = 120_000;

/** A parameter that other products have: a call may use it, and no model pays for its description in the list of tools. */
export const unlisted = <S extends z.ZodType>(field: S): S => field.meta({ ...field.meta(), [UNLISTED]: true });

/** A parameter that other products have and that changes nothing here; its description says why. */
export const ofNoEffect = (why: string): z.ZodOptional<z.ZodUnknown> =>
  z
    .unknown()
    .optional()
    .describe(why)
    .meta({ [NO_EFFECT]: true });

/** For a tool whose result may be large; it is named as the part `saves`. */
export const filename = z.string().min(1).max(150).optional().describe("Save it among the user's downloads as this");

/** The argument `tabId`, which every page tool takes. */
export const tabId = z.number().optional().describe('Tab from browser_tabs; default: the current tab');

/** Makes a tool from its declaration. */
export const defineTool = <S extends z.ZodObject>(declaration: Declaration<S>): Tool => {
  const { name, description, input, toolClass, scope, timeoutMs = DEFAULT_TIMEOUT_MS, parts, target, describe, run } = declaration;
  const { permissions = [] } = declaration;
  const saves = (args: Record<string, unknown>): unknown => (parts?.saves === undefined ? undefined : args[parts.saves]);
  const isReading = (args: Record<string, unknown>): boolean =>
    saves(args) === undefined && (declaration.isReading?.(args) ?? toolClass === 'read');
  return {
    name,
    toolClass,
    scope,
    timeoutMs,
    permissions,
    info: {
      name,
      description,
      inputSchema: toJsonSchema(input),
      annotations: {
        readOnlyHint: toolClass === 'read',
        destructiveHint: toolClass === 'write' || toolClass === 'sensitive',
        openWorldHint: true,
      },
      _meta: {
        [TOOL_CLASS_META]: toolClass,
        [TOOL_TITLE_META]: declaration.title,
        [TOOL_ARGUMENTS_META]: { ...parts },
        ...(permissions.length === 0 ? {} : { [TOOL_PERMISSIONS_META]: [...permissions] }),
        ...(timeoutMs <= USUAL_SILENCE_MS ? {} : { [TOOL_SILENCE_META]: timeoutMs }),
        ...(declaration.isOffered === true ? { [TOOL_OFFERED_META]: true } : {}),
        ...(declaration.isWide === undefined ? {} : { [TOOL_WIDE_META]: declaration.isWide }),
        ...(declaration.set === undefined ? {} : { [TOOL_SET_META]: declaration.set }),
      },
    },
    check: (args) => {
      const parsed = input.safeParse(args);
      return parsed.success ? null : explain(input, parsed.error);
    },
    placeOf: (args) => {
      const tab = parts?.tab === undefined ? undefined : args[parts.tab];
      const address = parts?.address === undefined ? undefined : args[parts.address];
      const aim = typeof target === 'function' ? firstOf(target, input.safeParse(args)) : target === undefined ? undefined : args[target];
      return {
        tabId: typeof tab === 'number' ? tab : undefined,
        address: typeof address === 'string' ? address : undefined,
        frameId: (typeof aim === 'string' ? readRef(aim)?.frameId : firstOf(declaration.frameOf, input.safeParse(args))) ?? 0,
        target: typeof aim === 'string' ? aim : null,
      };
    },
    isReading,
    readsWhole: (args) => declaration.readsWhole?.(args) === true,
    runsCode: (args) => declaration.runsCode?.(args) === true,
    describe: async (args, page, profile) => {
      const lines = describe === undefined ? [] : await describe(input.parse(args), page, profile);
      const name = saves(args);
      return typeof name === 'string' ? [...lines, toolLine('line_saved', name)] : lines;
    },
    run: async (args, context) => {
      const result = await run(input.parse(args), context);
      const name = saves(args);
      return typeof name === 'string' ? saveResult(result, name, context) : result;
    },
  };
};

const firstOf = <A, T>(read: ((args: A) => T) | undefined, parsed: z.ZodSafeParseResult<A>): T | undefined =>
  parsed.success ? read?.(parsed.data) : undefined;

const toJsonSchema = (input: z.ZodObject): Record<string, unknown> => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return schema;
};

const explain = (input: z.ZodObject, error: z.ZodError): string => {
  const faults = error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys') return `unknown: ${issue.keys.join(', ')}; remove and retry`;
    return issue.path.length === 0 ? issue.message : `"${issue.path.join('.')}": ${issue.message}`;
  });
  const expected = Object.entries(input.shape).map(([key, field]) => (field.safeParse(undefined).success ? `${key}?` : key));
  return `${faults.join('; ')}. Expected arguments: ${expected.join(', ')}.`;
};
