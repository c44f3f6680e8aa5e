/** The rooms behind the doors, in memory and real enough to be folded, streamed and called: doubles of sessions, projects, engines and bridge. */
import type { LogInEngine } from '#protocol/errands.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import type { CustomEngineInput, EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import type { Project, ProjectInput, SessionSummary, TrustedProject } from '#protocol/api.ts';
import {
  TOOL_ARGUMENTS_META,
  TOOL_CLASS_META,
  TOOL_TITLE_META,
  type BrowserInfo,
  type CallSubject,
  type Grant,
  type TabTarget,
  type ToolClass,
  type ToolInfo,
  type ToolResult,
} from '#protocol/browser.ts';
import type { Command } from '#protocol/commands.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { defaultSettings, type EventBody, type SessionEvent } from '#protocol/events.ts';
import type { CallAccount } from '#protocol/link.ts';
import { CallId, ItemId, ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { UsageQuery, UsageRow } from '#protocol/usage.ts';
import type { SearchAnswer, SearchQuery } from '#protocol/search.ts';
import { newestPage, pageBefore } from '#protocol/pages.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import type { Notice } from '#companion/sessions/notifier.ts';
import type { FilePlace } from '#companion/desktop/programs.ts';
import type { CallerDeps } from '#companion/mcp/caller.ts';
import type { CallInput, DownloadsHeld } from '#companion/browser/bridge.ts';
import type { CallOptions } from '#companion/browser/routing.ts';
import { AT, sampleEngine, sampleProject, sampleSession, sampleStatus, sampleUsage } from '#test/fixtures/samples.ts';
import { type Exported, toExport } from '#companion/sessions/export.ts';
import type { ImportSource } from '#companion/sessions/import.ts';
import { inOnePart } from '#companion/sessions/session-log.ts';
import type { AskOptions } from '#companion/sessions/session.ts';

interface MemorySession {
  readonly epoch: string;
  readonly events: SessionEvent[];
  view: SessionView;
  readonly listeners: Set<(event: SessionEvent, view: SessionView) => void>;
}

/** Sessions that record what they are told and do nothing else. */
export const createSessionsDouble = () => {
  const sessions = new Map<SessionId, MemorySession>();
  const noticeListeners = new Set<(notice: Notice) => void>();
  const listListeners = new Set<(rows: SessionSummary[]) => void>();
  const commands: Command[] = [];
  const recorded: { name: string; outcome: ToolResult | ErrorBody | null }[] = [];
  let count = 0;
  /** What the user does with a request. */
  let answerRequest: (request: RequestBody, signal: AbortSignal, options?: AskOptions) => Promise<RequestAnswer | null> = () =>
    Promise.resolve(null);

  const find = (sessionId: SessionId): MemorySession => {
    const session = sessions.get(sessionId);
    if (session === undefined) throw new CompanionError('SESSION_NOT_FOUND');
    return session;
  };
  const list = (): SessionSummary[] => [...sessions.values()].map(({ view }) => toSummary(view));
  const publishList = (): void => {
    for (const listener of listListeners) listener(list());
  };
  const emit = (sessionId: SessionId, ...bodies: EventBody[]): void => {
    const session = find(sessionId);
    for (const body of bodies) {
      const event: SessionEvent = { ...body, sessionId, seq: session.events.length + 1, at: 1_700_000_000_000 + session.events.length };
      session.events.push(event);
      session.view = project(session.view, event);
      for (const listener of session.listeners) listener(event, session.view);
    }
  };
  const create = (
    over: {
      sessionId?: SessionId;
      kind?: 'agent' | 'client';
      projectId?: ProjectId | null;
      name?: string;
      epoch?: string;
      engine?: string;
    } = {},
  ): SessionId => {
    count += 1;
    const sessionId = over.sessionId ?? SessionId.parse(`session_${count}`);
    sessions.set(sessionId, { epoch: over.epoch ?? `epoch${count}`, events: [], view: emptyView(sessionId), listeners: new Set() });
    emit(sessionId, {
      type: 'session.created',
      projectId: over.projectId ?? null,
      engine: over.engine ?? 'claude',
      name: over.name ?? 'A session',
      kind: over.kind ?? 'agent',
      settings: defaultSettings,
    });
    publishList();
    return sessionId;
  };
  const handlers: { [Type in Command['type']]: (command: Extract<Command, { type: Type }>) => { sessionId: SessionId; turnId?: TurnId } } =
    {
      'session.create': (command) => {
        const sessionId = create({
          ...(command.sessionId === undefined ? {} : { sessionId: command.sessionId }),
          kind: command.kind ?? 'agent',
          projectId: command.projectId,
          ...(command.name === undefined ? {} : { name: command.name }),
        });
        if (command.settings !== undefined) emit(sessionId, { type: 'session.updated', settings: command.settings });
        return { sessionId };
      },
      'session.update': ({ sessionId, name, settings }) => {
        emit(sessionId, {
          type: 'session.updated',
          ...(name === undefined ? {} : { name }),
          ...(settings === undefined ? {} : { settings }),
        });
        return { sessionId };
      },
      'session.reset': ({ sessionId }) => {
        emit(sessionId, { type: 'session.reset' });
        return { sessionId };
      },
      'session.seen': ({ sessionId }) => {
        emit(sessionId, { type: 'session.seen' });
        return { sessionId };
      },
      'session.restore': ({ sessionId }) => ({ sessionId }),
      'session.fork': ({ sessionId: from, newSessionId, engine }) => {
        const { projectId, name } = find(from).view;
        if (newSessionId !== undefined && sessions.has(newSessionId)) return { sessionId: newSessionId };
        const sessionId = create({
          ...(newSessionId === undefined ? {} : { sessionId: newSessionId }),
          projectId,
          name,
          engine: engine ?? 'claude',
        });
        emit(sessionId, { type: 'session.forked', from, turnId: null });
        return { sessionId };
      },
      'session.delete': ({ sessionId }) => {
        find(sessionId);
        sessions.delete(sessionId);
        publishList();
        return { sessionId };
      },
      'turn.start': ({ sessionId, turnId = TurnId.parse('turn_1'), prompt }) => {
        emit(sessionId, { type: 'turn.started', turnId, prompt: { text: prompt.text, attachments: [] } });
        return { sessionId, turnId };
      },
      'message.add': ({ sessionId, turnId, item }) => {
        const itemId = ItemId.parse(turnId);
        if (find(sessionId).view.items.some((known) => known.itemId === itemId)) return { sessionId };
        emit(
          sessionId,
          { type: 'turn.started', turnId, prompt: { text: '', attachments: [] } },
          { type: 'item.started', turnId, itemId, item },
          { type: 'item.completed', turnId, itemId, status: 'completed' },
          { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 0 },
        );
        return { sessionId };
      },
      'turn.cancel': ({ sessionId, turnId }) => {
        const running = turnId ?? TurnId.parse('turn_1');
        emit(sessionId, { type: 'turn.completed', turnId: running, outcome: 'cancelled', durationMs: 1 });
        return { sessionId, turnId: running };
      },
      'task.stop': ({ sessionId, itemId }) => {
        emit(sessionId, { type: 'item.completed', turnId: TurnId.parse('turn_1'), itemId, status: 'cancelled' });
        return { sessionId };
      },
      'request.answer': ({ sessionId, requestId, answer, by }) => {
        emit(sessionId, { type: 'request.resolved', requestId, outcome: 'allowed', optionId: answer.optionId, by });
        return { sessionId };
      },
    };
  return {
    commands,
    recorded,
    create,
    emit,
    onAsk: (answer: typeof answerRequest) => (answerRequest = answer),
    dispatch: async (command: Command) => {
      commands.push(command);
      if (command.type !== 'session.create') find(command.sessionId);
      return (handlers[command.type] as (command: Command) => { sessionId: SessionId; turnId?: TurnId })(command);
    },
    view: (sessionId: SessionId) => find(sessionId).view,
    page: async (sessionId: SessionId, before: ItemId | null, limit: number) =>
      before === null ? newestPage(find(sessionId).view, limit) : pageBefore(find(sessionId).view, before, limit),
    inParts: async (sessionId: SessionId) => inOnePart(find(sessionId).view),
    whereSaid: (itemId: ItemId, ids: readonly SessionId[]) =>
      ids.find((sessionId) => find(sessionId).view.items.some((item) => item.itemId === itemId)),
    lastSeq: (sessionId: SessionId) => find(sessionId).view.seq,
    epoch: (sessionId: SessionId) => find(sessionId).epoch,
    subscribeNotices: (listener: (notice: Notice) => void) => {
      noticeListeners.add(listener);
      return () => noticeListeners.delete(listener);
    },
    notice: (notice: Notice) => noticeListeners.forEach((listener) => listener(notice)),
    export: async (sessionId: SessionId): Promise<Exported> => {
      const { view } = find(sessionId);
      return toExport(inOnePart(view), toSummary(view), Date.parse(AT));
    },
    import: async ({ head: { session } }: ImportSource, { projectId, engine }: { projectId: ProjectId | null; engine: string }) =>
      create({ name: session.name, engine, ...(projectId === null ? {} : { projectId }) }),
    list,
    summary: (sessionId: SessionId) => toSummary(find(sessionId).view),
    has: (sessionId: SessionId) => sessions.has(sessionId),
    removed: () => [],
    read: (sessionId: SessionId, afterSeq: number, limit: number) => find(sessionId).events.slice(afterSeq, afterSeq + limit),
    readTask: (sessionId: SessionId, itemId: string) => {
      find(sessionId);
      if (itemId !== 'item_1') return Promise.reject(new CompanionError('TASK_NOT_RUNNING', itemId));
      return Promise.resolve({ text: 'so far', totalBytes: 6, isTruncated: false });
    },
    search: (query: SearchQuery): SearchAnswer => ({
      titles: list().map((session) => ({ session, marks: [[0, query.q.length]] })),
      hits: [],
      next: null,
      indexing: null,
    }),
    subscribe: (sessionId: SessionId, listener: (event: SessionEvent, view: SessionView) => void) => {
      find(sessionId).listeners.add(listener);
      return () => void sessions.get(sessionId)?.listeners.delete(listener);
    },
    subscribeList: (listener: (rows: SessionSummary[]) => void) => {
      listListeners.add(listener);
      return () => void listListeners.delete(listener);
    },
    ask: (_: SessionId, request: RequestBody, signal: AbortSignal, options?: AskOptions) => answerRequest(request, signal, options),
    recordCall: (sessionId: SessionId, { name }: { name: string }) => {
      if (find(sessionId).view.kind !== 'client') return { finish: () => {} };
      const entry: { name: string; outcome: ToolResult | ErrorBody | null } = { name, outcome: null };
      recorded.push(entry);
      return { finish: (outcome: ToolResult | ErrorBody) => void (entry.outcome = outcome) };
    },
    recordEndedCall: (sessionId: SessionId, { name }: { name: string }, { result }: { result: ToolResult | ErrorBody }) => {
      if (find(sessionId).view.kind === 'client') recorded.push({ name, outcome: result });
    },
    work: createWorkDouble((sessionId) => void find(sessionId)),
    watchers: (sessionId: SessionId) => find(sessionId).listeners.size,
  };
};
/** Sessions in no repository; `check` throws for a session that is not there. */
const createWorkDouble = (check: (sessionId: SessionId) => void) => {
  const refuse = async (sessionId: SessionId): Promise<never> => {
    check(sessionId);
    throw new CompanionError('GIT_NO_REPOSITORY');
  };
  return {
    files: async () => ({ files: [], isCut: false }),
    changes: refuse,
    patch: refuse,
    stage: refuse,
    revert: refuse,
    checkpoints: refuse,
    goBack: refuse,
    finish: refuse,
  };
};

export type SessionsDouble = ReturnType<typeof createSessionsDouble>;

const toSummary = (view: SessionView): SessionSummary =>
  sampleSession({
    id: view.sessionId,
    projectId: view.projectId,
    kind: view.kind,
    engineName: view.engine,
    messageCount: view.items.length,
    name: view.name,
    model: view.settings.model,
    mode: view.settings.mode,
    status: view.status,
    engineSessionId: view.engineSessionId,
    openRequests: view.requests.length,
  });

export const aProject = sampleProject({ id: ProjectId.parse('project_1') });

/** Projects that note what was saved. */
export const createProjectsDouble = (saved: ProjectInput[] = []) => {
  const made: Project[] = [];
  return {
    list: () => [aProject, ...made],
    find: (projectId: ProjectId) => [aProject, ...made].find(({ id }) => id === projectId) ?? null,
    save: (input: ProjectInput): Promise<Project> => {
      const { name, rootPath, preferredCli, selectedModel } = input;
      const chosen = typeof preferredCli === 'string' && typeof selectedModel === 'string' ? { preferredCli, selectedModel } : {};
      const project = { ...aProject, ...chosen, name, rootPath, id: ProjectId.parse(`project_${saved.push(input) + 1}`) };
      made.push(project);
      return Promise.resolve(project);
    },
    remove: () => {},
    defaultWorkspace: () => Promise.resolve('/home/somebody/Pilotfish'),
    foldersLike: async (typed: string) => [`${typed}-one`, `${typed}-two`],
    servedOn: async () => ({ folder: null, root: null, project: null, sessionId: null }),
    subscribe: () => () => {},
  };
};

export const anEngine = sampleEngine();

export const createEnginesDouble = (engines: readonly EngineInfo[] = [anEngine]) => ({
  list: () => [...engines],
  look: () => Promise.resolve([...engines]),
  refresh: () => Promise.resolve([...engines]),
  login: (name: string): Promise<LogInEngine> => {
    if (!engines.some((engine) => engine.name === name)) throw new CompanionError('ENGINE_UNKNOWN', name);
    return Promise.resolve({
      type: 'log_in',
      name,
      label: name,
      shown: `${name} login`,
      command: `/bin/${name}`,
      args: ['login'],
      env: {},
    });
  },
  subscribe: () => () => {},
  tell: () => {},
});

/** Setups that note what they are told. */
export const createEngineSetupsDouble = () => {
  const changes: unknown[][] = [];
  const setup: EngineSetup = {
    engine: anEngine,
    isDisabled: false,
    settings: { args: [], envNames: [] },
    hasEndpoint: false,
    secrets: [{ name: 'ANTHROPIC_API_KEY', isSet: false }],
    hasOpenSecrets: false,
  };
  const note = (...change: unknown[]): EngineSetup => {
    changes.push(change);
    return setup;
  };
  return {
    changes,
    list: () => [setup],
    read: () => setup,
    checkChange: () => {},
    ownCommand: () => [],
    change: (name: string, change: EngineSettingsInput) => note('change', name, change),
    setSecret: async (name: string, secretName: string, value: string | null) => note('secret', name, secretName, value),
    add: (input: CustomEngineInput) => note('add', input),
    remove: async (name: string) => void note('remove', name),
    warnings: [],
  };
};

/** What the tools of the double say they do; one that is not named here says its name. */
const titles = new Map([
  ['browser_click', 'Click {element}'],
  ['browser_snapshot', 'Look at the page'],
]);

export const aTool = (name: string, toolClass: ToolClass): ToolInfo => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: 'object', properties: { url: { type: 'string' } } },
  _meta: { [TOOL_CLASS_META]: toolClass, [TOOL_TITLE_META]: titles.get(name) ?? name, [TOOL_ARGUMENTS_META]: { address: 'url' } },
});

/** For calls that hand no files over. */
export const noFiles: CallerDeps['files'] = { read: () => Promise.reject(new Error('no call here has files')) };

export const aTab: TabTarget = {
  tabId: 7,
  frameId: 0,
  documentId: 'document-1',
  url: 'https://shop.example/cart',
  title: 'Cart',
  origin: 'https://shop.example',
  owner: 'session',
};

/** A bridge to a browser that does what the test says. */
/** A tool that stands for those that an extension brings and the build does not know. */
export const FOREIGN_TOOL = 'browser_foreign';

export const createBridgeDouble = () => {
  let tellDownloads: (held: DownloadsHeld) => void = () => {};
  const calls: CallInput[] = [];
  /** What the browser was asked, in order. */
  const questions: ('describe' | 'call' | 'callOn')[] = [];
  const started = new Set<SessionId>();
  const ended: SessionId[] = [];
  const listeners = new Set<() => void>();
  let tools = [aTool('browser_snapshot', 'read'), aTool('browser_navigate', 'navigate'), aTool('browser_click', 'write')];
  let tab: TabTarget | null = aTab;
  let elements = ['Pay'];
  let onlyLooks = false;
  let foreign: BrowserInfo | null = null;
  let perform: (input: CallInput, options: CallOptions) => Promise<ToolResult> = () =>
    Promise.resolve({ content: [{ type: 'text', text: 'done' }] });
  const describe = (): CallSubject => ({
    target: tab,
    lines: elements.map((element) => ({ label: 'Element, as the page names it', text: `[e7 button "${element}"]`, element })),
    ...(onlyLooks ? { onlyLooks } : {}),
  });
  const make = (input: CallInput, options: CallOptions): Promise<ToolResult> => {
    calls.push(input);
    return perform(input, options);
  };
  let recall: (call: Pick<CallInput, 'callId'>) => Promise<ToolResult | 'new' | null> = () =>
    Promise.reject(new CompanionError('DAEMON_NOT_RUNNING'));
  let reach = (): Promise<BrowserInfo> => Promise.reject(new CompanionError('BROWSER_NOT_CONNECTED'));
  return {
    calls,
    get started() {
      return [...started];
    },
    setTab: (next: TabTarget | null) => (tab = next),
    setTools: (next: ToolInfo[]) => {
      tools = next;
      for (const listener of listeners) listener();
    },
    onCall: (next: typeof perform) => (perform = next),
    browsers: () => [],
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tools: () => tools,
    foreignBrowser: (): BrowserInfo | null => foreign,
    setForeign: (next: BrowserInfo | null) => (foreign = next),
    allowBrowser: () => void (foreign = null),
    onDownloads: (listener: (held: DownloadsHeld) => void) => {
      tellDownloads = listener;
    },
    /** A browser holds these; resolves with nothing, for nobody waits. */
    holdDownloads: (held: DownloadsHeld) => tellDownloads(held),
    savedFiles: () => Promise.resolve([]),
    mark: () => Promise.resolve(),
    handTab: () => {
      if (tab !== null) tab = { ...tab, owner: 'session' };
    },
    tool: (name: string) => tools.find((tool) => tool.name === name),
    isBuilt: (name: string) => name !== FOREIGN_TOOL,
    describe: (): Promise<CallSubject> => {
      questions.push('describe');
      return Promise.resolve(describe());
    },
    /** Of a call that another daemon has sent. */
    onRecall: (next: typeof recall) => (recall = next),
    recall: (input: Pick<CallInput, 'callId'>): Promise<ToolResult | 'new' | null> => recall(input),
    /** As an extension does: in a tab of the session's own, on this origin. */
    callOn: async (origin: string, input: CallInput, options: CallOptions): Promise<CallAccount> => {
      questions.push('callOn');
      const target = tab?.owner === 'session' && tab.origin === origin && URL.parse(tab.url)?.origin === origin ? tab : null;
      return target === null ? describe() : { ...describe(), result: await make({ ...input, target }, options) };
    },
    setElement: (...names: string[]) => (elements = names),
    /** The call changes nothing, though its tool may. */
    setOnlyLooks: () => (onlyLooks = true),
    call: (input: CallInput, options: CallOptions) => {
      questions.push('call');
      return make(input, options);
    },
    questions,
    reach: () => reach(),
    onReach: (next: typeof reach) => (reach = next),
    sessionStarted: (sessionId: SessionId) => void started.add(sessionId),
    ended,
    sessionEnded: (sessionId: SessionId) => {
      ended.push(sessionId);
      started.delete(sessionId);
    },
  };
};
export type BridgeDouble = ReturnType<typeof createBridgeDouble>;

export const createGrantsDouble = () => {
  const grants: Grant[] = [];
  return {
    list: () => grants,
    add: (grant: Grant) => void grants.push(grant),
    remove: (id: string) => void grants.splice(0, grants.length, ...grants.filter((grant) => grant.id !== id)),
  };
};

export const aTrustedProject: TrustedProject = { path: aProject.rootPath, trustedAt: new Date(0).toISOString(), files: ['.mcp.json'] };

/** One session has used something; it notes what it was asked. */
export const createUsageDouble = () => {
  const asked: UsageQuery[] = [];
  return {
    asked,
    rows: (query: UsageQuery): UsageRow[] => {
      asked.push(query);
      return [{ ...sampleUsage, day: '2026-01-31', lastAt: '2026-01-31T12:00:00.000Z' }];
    },
    total: () => sampleUsage,
    today: () => ({ day: '2026-01-31', costUsd: 0.25, totalTokens: 18 }),
  };
};

export const createTrustedDouble = () => {
  const projects: TrustedProject[] = [aTrustedProject];
  return {
    list: () => projects,
    revoke: (path: string) => {
      const at = projects.findIndex((project) => project.path === path);
      return at !== -1 && projects.splice(at, 1).length === 1;
    },
  };
};

export const aStatus = sampleStatus();

/** What no reader of the first session's log can have, and why a stream begins anew. */
export const CURSORS: readonly (readonly [cursor: string, reason: string])[] = [
  ['epoch9-2', 'epoch'],
  ['epoch1--1', 'epoch'],
  ['-1', 'epoch'],
  ['epoch1-99', 'ahead'],
  ['99', 'ahead'],
  ['epoch1-999999999999999', 'ahead'],
  ['epoch1-9007199254740993', 'malformed'],
  ['9'.repeat(40), 'malformed'],
  ['epoch1-1.5', 'malformed'],
  ['epoch1-1e2', 'malformed'],
  ['epoch1-x', 'malformed'],
  ['epoch1-', 'malformed'],
  ['rubbish', 'malformed'],
  ['__proto__', 'malformed'],
];

/** A turn with one streaming message, as an engine would report it. */
export const turn = (id: string) => {
  const turnId = TurnId.parse(`turn_${id}`);
  const itemId = ItemId.parse(`item_${id}`);
  return {
    turnId,
    itemId,
    started: (): EventBody[] => [
      { type: 'turn.started', turnId, prompt: { text: 'Hello', attachments: [] } },
      { type: 'item.started', turnId, itemId, item: { kind: 'message', role: 'assistant', text: '' } },
    ],
    delta: (text: string): EventBody => ({ type: 'item.delta', turnId, itemId, text }),
    completed: (): EventBody[] => [
      { type: 'item.completed', turnId, itemId, status: 'completed' },
      { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 5 },
    ],
  };
};

export const aCallId = CallId.parse('call_1');

/** A desktop that notes what is opened, and on which somebody chooses a folder. */
export const createDesktopDouble = (opened: unknown[][]) => ({
  openTerminal: async (folder: string) => void opened.push(['terminal', folder]),
  openTerminalWith: async (args: readonly string[]) => {
    opened.push(['window', ...args]);
    return { settled: Promise.resolve() };
  },
  openEditor: async (place: FilePlace, folder: string) => void opened.push(['editor', place, folder]),
  chooseFolder: (): Promise<string | null> => Promise.resolve('/home/somebody/chosen'),
});

/** Attachments of sessions that the test names. */
export const createAttachedDouble = () => {
  const kept: { sessionId: SessionId; ref: AttachmentRef }[] = [];
  return {
    add: (sessionId: SessionId, ref: AttachmentRef) => void kept.push({ sessionId, ref }),
    list: () => kept,
    remove: (ids: readonly string[]) => void kept.splice(0, kept.length, ...kept.filter(({ ref }) => !ids.includes(ref.attachmentId))),
  };
};
