/** The daemon's API as the terminal UI, the command line and `pilotfish mcp` use it. */
import { Readable } from 'node:stream';
import type { ToolSet } from '#protocol/tool-sets.ts';
import type {
  ForkInput,
  McpCallInput,
  McpSessionInput,
  Project,
  ProjectInput,
  RemovedSession,
  SessionChange,
  SessionDetail,
  SessionPage,
  SessionInput,
  SessionSummary,
  StateEvent,
  Status,
  TaskOutput,
  TrustedProject,
  TurnAccepted,
  TurnSent,
} from '#protocol/api.ts';
import type { AttachmentStats, RemovedAttachments } from '#protocol/attachments.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Admission } from '#protocol/admission.ts';
import type { AuditReport } from '#protocol/audit.ts';
import type * as z from 'zod';
import type { Grant, GrantsInput, ToolResult } from '#protocol/browser.ts';
import type { RuledSite, SiteRule } from '#protocol/sites.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { Health, Preparing } from '#protocol/health.ts';
import type { ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { Preferences, PreferencesChange } from '#protocol/preferences.ts';
import type { PairingState } from '#protocol/remote.ts';
import { routes } from '#protocol/routes.ts';
import type { ExportFormat, ImportInput } from '#protocol/session-export.ts';
import type { SearchAnswer, SearchQuery } from '#protocol/search.ts';
import type { UsageQuery, UsageReport } from '#protocol/usage.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { OnDaemonEnd } from '#companion/reach/reach-daemon.ts';
import { startDaemon } from '#companion/reach/start-daemon.ts';
import { connect } from './connect.ts';
import { createEngineClient, type EngineClient } from './engine-client.ts';
import { CutCallError } from './cut-call.ts';
import { McpSessions, type CallHandlers } from './mcp-sessions.ts';
import { OneStart } from './one-start.ts';
import { streamSession, streamState, type Resync, type StreamState } from './streams.ts';
import { importSession } from './import-session.ts';
import { type Sending, upload, uploadSession } from './uploads.ts';
import { chunksOf, Transport } from './transport.ts';
import { createWorkClient, type WorkClient } from './work-client.ts';

export type { Resync, StreamState } from './streams.ts';
export { CutCallError };

export interface Client {
  /** Resolves when a daemon answers; with `start`, starts one when none does. */
  connect(options: { start: boolean; signal?: AbortSignal; onPreparing?: (preparing: Preparing) => void }): Promise<Health>;
  status(signal?: AbortSignal): Promise<Status>;
  readonly projects: {
    list(): Promise<Project[]>;
    save(input: ProjectInput): Promise<Project>;
    remove(projectId: ProjectId): Promise<void>;
    /** Its files by their paths, without what git ignores. */
    files(projectId: ProjectId): Promise<string[]>;
    defaultWorkspace(): Promise<string>;
    /** Resolves with the folder that the person chose in the system's dialog, or with null when it was closed; throws where there is none. */
    pickFolder(signal?: AbortSignal): Promise<string | null>;
    /** The folders that go on from a path that is being typed. */
    foldersLike(typed: string): Promise<string[]>;
    open(projectId: ProjectId, target: 'editor' | 'terminal'): Promise<void>;
    openFile(projectId: ProjectId, filePath: string, place?: { line?: number; column?: number }): Promise<void>;
  };
  readonly sessions: {
    list(): Promise<SessionSummary[]>;
    create(projectId: ProjectId, input: SessionInput): Promise<SessionSummary>;
    update(sessionId: SessionId, change: SessionChange): Promise<SessionSummary>;
    reset(sessionId: SessionId): Promise<void>;
    /** For an hour it can be brought back, unless it is removed for ever. */
    remove(sessionId: SessionId, options?: { isForever: boolean }): Promise<void>;
    /** Those that can be brought back. */
    removed(): Promise<RemovedSession[]>;
    restore(sessionId: SessionId): Promise<SessionSummary>;
    /** The person has looked at it. */
    see(sessionId: SessionId): Promise<void>;
    /** A new session that goes on from this one. */
    fork(sessionId: SessionId, input: ForkInput): Promise<SessionSummary>;
    /** The newest part of a conversation, or the one before an item. */
    page(sessionId: SessionId, part: { before?: ItemId; limit: number }): Promise<SessionPage>;
    /** As a text for people, or as JSON that can be imported. */
    export(sessionId: SessionId, format: ExportFormat, signal?: AbortSignal): Promise<Readable>;
    /** A new session of a file that was exported. */
    import(input: ImportInput, sending?: Sending): Promise<SessionSummary>;
    /** A session as it is now. */
    read(sessionId: SessionId): Promise<SessionDetail>;
    /** Opens the folder in which it works. */
    open(sessionId: SessionId, target: 'editor' | 'terminal'): Promise<void>;
  };
  /** What was used, added up. */
  usage(query: Partial<UsageQuery>): Promise<UsageReport>;
  /** Sessions by their names, and what was said or run in them. */
  search(query: SearchAsked, signal?: AbortSignal): Promise<SearchAnswer>;
  /** What sessions do in git repositories. */
  readonly work: WorkClient;
  readonly engines: EngineClient;
  readonly grants: {
    list(): Promise<Grant[]>;
    add(input: z.input<typeof GrantsInput>): Promise<Grant[]>;
    remove(id: string): Promise<void>;
  };
  /** Each resolves with the rules as they are then. */
  readonly sites: {
    list(): Promise<RuledSite[]>;
    set(site: string, rule: SiteRule): Promise<RuledSite[]>;
    remove(site: string): Promise<RuledSite[]>;
  };
  /** Browsers and programs from outside that may use the browser tools. */
  readonly admissions: {
    list(): Promise<Admission[]>;
    decide(id: string, isAllowed: boolean): Promise<void>;
    remove(id: string): Promise<void>;
  };
  /** Lets one browser that is elsewhere come, by a code that is confirmed at both ends. */
  readonly pairing: {
    open(address?: string): Promise<PairingState>;
    read(): Promise<PairingState>;
    answer(code: string, isSame: boolean): Promise<PairingState>;
  };
  /** Projects whose own files may start programs. */
  readonly trusted: { list(): Promise<TrustedProject[]>; revoke(path: string): Promise<TrustedProject[]> };
  readonly preferences: { read(): Promise<Preferences>; change(change: PreferencesChange): Promise<Preferences> };
  /** Folders in which agents may work, beside the home folder. */
  readonly roots: { list(): Promise<string[]>; add(path: string): Promise<string[]>; remove(path: string): Promise<string[]> };
  /** Sends a prompt; resolves when it is on disk. */
  startTurn(sessionId: SessionId, input: TurnSent): Promise<TurnAccepted>;
  /** Sends files for a prompt, which names them by the ids that are returned. */
  upload(files: readonly string[]): Promise<string[]>;
  /** Sends a session that was exported; resolves with the id of its upload. */
  uploadSession(file: string, sending?: Sending): Promise<string>;
  readonly attachments: {
    stats(): Promise<AttachmentStats>;
    /** Without a project those of all. */
    remove(projectIds?: readonly (ProjectId | '')[]): Promise<RemovedAttachments>;
  };
  /** Cancels one turn, or without `turnId` the one that runs and those that wait. */
  cancel(sessionId: SessionId, turnId?: TurnId): Promise<void>;
  /** Ends a task that runs in the background. */
  stopTask(sessionId: SessionId, itemId: ItemId): Promise<void>;
  /** Gives the end of what a command in the background has written so far. */
  readTask(sessionId: SessionId, itemId: ItemId): Promise<TaskOutput>;
  answer(sessionId: SessionId, requestId: RequestId, answer: RequestAnswer): Promise<void>;
  /**
   * Passes on a session's events after the cursor `after` until `signal` aborts, also when the daemon restarts. A `resync`
   * makes the earlier events void.
   */
  streamSession(
    sessionId: SessionId,
    after: string | null,
    onEvent: (event: SessionEvent | Resync, cursor: string | null) => void,
    signal: AbortSignal,
    onState?: (state: StreamState) => void,
  ): Promise<void>;
  streamState(onEvent: (event: StateEvent) => void, signal: AbortSignal, onState?: (state: StreamState) => void): Promise<void>;
  /** Makes a session for an MCP client; it ends with `closeMcpSession`, with `close`, or with this process. */
  openMcpSession(input: McpSessionInput): Promise<SessionId>;
  /** Whether the daemon that knows it was there a moment ago. */
  isMcpSessionHeld(sessionId: SessionId): boolean;
  closeMcpSession(sessionId: SessionId): Promise<void>;
  callTool(sessionId: SessionId, call: McpCallInput, options: CallHandlers): Promise<ToolResult>;
  /** Gives the newest entries of the audit, and whether it is whole. */
  audit(last: number, signal?: AbortSignal): Promise<AuditReport>;
  /** Gives the configuration that an MCP client needs; the one for HTTP has a fresh token. */
  mcpConfig(transport: 'stdio' | 'http', sets?: readonly ToolSet[]): Promise<Record<string, unknown>>;
  shutdown(): Promise<void>;
  close(): Promise<void>;
}

/** What is looked for, and where. */
export type SearchAsked = Pick<SearchQuery, 'q'> & Partial<SearchQuery>;

/** A client of the daemon of the user whose paths these are. Close it: its connections keep a process alive. */
export const createClient = ({
  paths,
  start = (onEnd) => startDaemon(process.env, onEnd),
  onPreparing,
}: {
  paths: Pick<Paths, 'socket' | 'daemonLog'>;
  start?: (onEnd: OnDaemonEnd) => void;
  /** Hears why connecting takes long, where the one who connects does not want to hear it. */
  onPreparing?: (preparing: Preparing) => void;
}): Client => {
  const transport = new Transport(paths.socket);
  const mcp = new McpSessions(transport);
  const oneStart = new OneStart(start);
  return {
    connect: async (options) => {
      const startDaemon = (onEnd: OnDaemonEnd): void => oneStart.begin(onEnd);
      try {
        return await connect({ onPreparing, ...options, transport, startDaemon, paths });
      } finally {
        oneStart.over();
      }
    },
    status: (signal) => transport.call(routes.status, {}, { signal }),
    projects: projectClient(transport),
    sessions: sessionClient(transport),
    upload: (files) => upload(transport, files),
    uploadSession: (file, sending = {}) => uploadSession(transport, file, sending),
    attachments: {
      stats: () => transport.call(routes.attachmentStats, {}),
      remove: (projectIds) =>
        transport.call(routes.removeAttachments, { body: projectIds === undefined ? {} : { projectIds: [...projectIds] } }),
    },
    usage: (query) => transport.call(routes.readUsage, { query }),
    search: (query, signal) => transport.call(routes.search, { query }, { signal }),
    work: createWorkClient(transport),
    engines: createEngineClient(transport),
    ...rightsClient(transport),
    ...turnClient(transport),
    streamSession: (id, after, onEvent, signal, onState) => streamSession(transport, id, after, { onEvent, signal, onState }),
    streamState: (onEvent, signal, onState) => streamState(transport, { onEvent, signal, onState }),
    openMcpSession: (input) => mcp.open(input),
    isMcpSessionHeld: (sessionId) => mcp.isHeld(sessionId),
    closeMcpSession: (sessionId) => mcp.close(sessionId),
    callTool: (sessionId, call, options) => mcp.call(sessionId, call, options),
    audit: (last, signal) => transport.call(routes.readAudit, { query: { last } }, { signal }),
    mcpConfig: (kind, sets = []) =>
      transport.call(routes.mcpConfig, { query: { transport: kind, ...(sets.length === 0 ? {} : { tools: sets.join() }) } }),
    shutdown: async () => void (await transport.call(routes.shutDown, {})),
    close: async () => {
      mcp.letGo();
      await transport.close();
    },
  };
};

/** A person may look for a folder for a while. */
const DIALOG_MS = 30 * 60_000;

const projectClient = (transport: Transport): Client['projects'] => ({
  list: async () => (await transport.call(routes.listProjects, {})).projects,
  save: async (body) => (await transport.call(routes.saveProject, { body })).project,
  remove: async (projectId) => void (await transport.call(routes.removeProject, { params: { projectId } })),
  files: async (projectId) => (await transport.call(routes.listFiles, { params: { projectId } })).files,
  defaultWorkspace: async () => (await transport.call(routes.defaultWorkspace, {})).path,
  pickFolder: async (signal) => {
    const picked = await transport.call(routes.pickDirectory, {}, { signal, silenceMs: DIALOG_MS });
    if (picked.success) return picked.path;
    if (picked.cancelled) return null;
    throw new CompanionError('DESKTOP_FAILED', picked.error);
  },
  foldersLike: async (typed) => (await transport.call(routes.listFolders, { query: { path: typed } })).folders,
  open: async (projectId, target) => void (await transport.call(routes.openProject, { params: { projectId }, body: { target } })),
  openFile: async (projectId, filePath, place = {}) =>
    void (await transport.call(routes.openFile, { params: { projectId }, body: { filePath, ...place } })),
});

const sessionClient = (transport: Transport): Client['sessions'] => ({
  list: async () => (await transport.call(routes.listSessions, {})).sessions,
  create: async (projectId, body) => (await transport.call(routes.createSession, { params: { projectId }, body })).session,
  update: async (sessionId, body) => (await transport.call(routes.updateSession, { params: { sessionId }, body })).session,
  reset: async (sessionId) => void (await transport.call(routes.resetSession, { params: { sessionId } })),
  remove: async (sessionId, { isForever } = { isForever: false }) =>
    void (await transport.call(routes.removeSession, { params: { sessionId }, query: { forever: isForever ? 'true' : 'false' } })),
  removed: async () => (await transport.call(routes.listRemovedSessions, {})).sessions,
  restore: async (sessionId) => (await transport.call(routes.restoreSession, { params: { sessionId } })).session,
  see: async (sessionId) => void (await transport.call(routes.seeSession, { params: { sessionId } })),
  fork: async (sessionId, body) => (await transport.call(routes.forkSession, { params: { sessionId }, body })).session,
  page: (sessionId, query) => transport.call(routes.readPage, { params: { sessionId }, query }),
  export: async (sessionId, format, signal) => {
    const answer = await transport.stream(routes.exportSession, { params: { sessionId }, query: { format } }, { signal });
    return Readable.from(chunksOf(answer, signal), { objectMode: false });
  },
  import: (body, sending) => importSession(transport, body, sending),
  read: (sessionId) => transport.call(routes.readSession, { params: { sessionId } }),
  open: async (sessionId, target) => void (await transport.call(routes.openSession, { params: { sessionId }, body: { target } })),
});

const rightsClient = (
  transport: Transport,
): Pick<Client, 'grants' | 'sites' | 'admissions' | 'pairing' | 'trusted' | 'preferences' | 'roots'> => ({
  grants: {
    list: async () => (await transport.call(routes.listGrants, {})).grants,
    add: async (body) => (await transport.call(routes.addGrants, { body })).grants,
    remove: async (id) => void (await transport.call(routes.removeGrant, { params: { id } })),
  },
  sites: {
    list: async () => (await transport.call(routes.listSites, {})).sites,
    set: async (site, rule) => (await transport.call(routes.setSite, { body: { site, rule } })).sites,
    remove: async (site) => (await transport.call(routes.removeSite, { params: { site } })).sites,
  },
  admissions: {
    list: async () => (await transport.call(routes.listAdmissions, {})).admissions,
    decide: async (id, isAllowed) => void (await transport.call(routes.decideAdmission, { params: { id }, body: { isAllowed } })),
    remove: async (id) => void (await transport.call(routes.removeAdmission, { params: { id } })),
  },
  pairing: {
    open: (address) => transport.call(routes.openPairing, { body: address === undefined ? {} : { address } }),
    read: () => transport.call(routes.readPairing, {}),
    answer: (code, isSame) => transport.call(routes.answerPairing, { body: { code, isSame } }),
  },
  trusted: {
    list: async () => (await transport.call(routes.listTrust, {})).projects,
    revoke: async (path) => (await transport.call(routes.revokeTrust, { query: { path } })).projects,
  },
  preferences: {
    read: () => transport.call(routes.readPreferences, {}),
    change: (body) => transport.call(routes.changePreferences, { body }),
  },
  roots: {
    list: async () => (await transport.call(routes.listRoots, {})).roots,
    add: async (path) => (await transport.call(routes.addRoot, { body: { path } })).roots,
    remove: async (path) => (await transport.call(routes.removeRoot, { query: { path } })).roots,
  },
});

const turnClient = (transport: Transport): Pick<Client, 'startTurn' | 'cancel' | 'stopTask' | 'readTask' | 'answer'> => ({
  startTurn: (sessionId, body) => transport.call(routes.startTurn, { params: { sessionId }, body }),
  cancel: async (sessionId, turnId) => {
    if (turnId === undefined) await transport.call(routes.cancelTurns, { params: { sessionId } });
    else await transport.call(routes.cancelTurn, { params: { sessionId, turnId } });
  },
  stopTask: async (sessionId, itemId) => void (await transport.call(routes.stopTask, { params: { sessionId, itemId } })),
  readTask: (sessionId, itemId) => transport.call(routes.readTask, { params: { sessionId, itemId } }),
  answer: async (sessionId, requestId, body) =>
    void (await transport.call(routes.answerRequest, { params: { sessionId, requestId }, body })),
});
