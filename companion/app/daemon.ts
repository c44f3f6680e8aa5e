/** The daemon: every room, wired once. The only place with state, one per user. */
import type { SessionSummary, Status } from '#protocol/api.ts';
import { toErrorBody } from '#protocol/errors.ts';
import type { BrowserId, SessionId } from '#protocol/ids.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import { createBridge } from '#companion/browser/bridge.ts';
import { createLinkDoor } from '#companion/browser/link-door.ts';
import { customEngine } from '#companion/engines/acp.ts';
import { engines } from '#companion/engines/index.ts';
import { FileLog, type Log } from '#companion/lib/log.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { START_FAILED_EVENT } from '#companion/reach/start-failure.ts';
import { createToolCaller } from '#companion/mcp/caller.ts';
import { createTokens, type Tokens } from '#companion/mcp/tokens.ts';
import { lockSocket, type SocketLock } from '#companion/server/single-instance.ts';
import { startServer } from '#companion/server/server.ts';
import { createEngineDirectory } from '#companion/catalogue/engine-directory.ts';
import { createEngineSetups } from '#companion/catalogue/engine-setup.ts';
import { createProjects } from '#companion/projects/projects.ts';
import { createSessions } from '#companion/sessions/sessions.ts';
import { Store } from '#companion/store/store.ts';
import { readTools } from './assets.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { createIdleExit } from './idle.ts';
import { createMcpAccess } from './mcp-access.ts';
import { createToolBridge } from './tool-bridge.ts';
import { endWith, type Ending } from './signals.ts';
import { sendStderrTo } from './stderr.ts';

const LOG_BYTES = 4 * 1024 * 1024;

/** Runs until it is told to end, nobody needs it any more, or another daemon has the place; the exit code. */
export const runDaemon = async (options: { env: NodeJS.ProcessEnv; isKeptAlive: boolean }): Promise<number> => {
  const paths = createPaths(options.env);
  const lineListeners = new Set<(line: string) => void>();
  const log = new FileLog({
    file: paths.daemonLog,
    maxBytes: LOG_BYTES,
    onLine: (line) => {
      for (const listener of lineListeners) listener(line);
    },
  });
  const ending = endWith(log);
  const doorkeeper = new Doorkeeper(log);
  let lock: SocketLock | null = null;
  try {
    lock = await lockSocket({ socket: paths.socket, log, signal: ending.signal, identify: doorkeeper.identify });
    return lock === null ? 0 : await serve({ ...options, paths, log, lineListeners, ending, doorkeeper, lock });
  } catch (error) {
    // Whoever started it sees no output of it, so the reason has to stand in the log too.
    log.error(START_FAILED_EVENT, { ...toErrorBody(error) });
    // It answers /health from the moment it has the place; nobody may take it for a daemon any longer.
    await lock?.release();
    // Whatever else was opened must not keep it alive either.
    ending.end('failed');
    throw error;
  } finally {
    doorkeeper.close();
    log.close();
  }
};

const serve = async ({
  env,
  isKeptAlive,
  paths,
  log,
  lineListeners,
  ending,
  doorkeeper,
  lock,
}: {
  env: NodeJS.ProcessEnv;
  isKeptAlive: boolean;
  paths: ReturnType<typeof createPaths>;
  log: Log;
  lineListeners: Set<(line: string) => void>;
  ending: Ending;
  doorkeeper: Doorkeeper;
  lock: SocketLock;
}): Promise<number> => {
  sendStderrTo(paths.daemonLog);
  const startedAt = new Date().toISOString();
  const now = Date.now;
  const store = new Store(paths, log);
  doorkeeper.knowRuns(() => store.processes.list().map(({ pid }) => pid));
  const tokens = createTokens();
  let port = 0;

  const bridge = createBridge({ tools: readTools(), log, waitForBrowserMs: store.settings.current().waitForBrowserMs });
  const directory = createEngineDirectory({
    store,
    paths,
    log,
    env,
    engines,
    fromCustom: ({ name, label, command, args }) => customEngine(name, [command, ...args], label),
  });
  const access = createMcpAccess({ tokens, port: () => port });
  const sessions = createSessions({
    store,
    paths,
    log,
    engines: directory,
    now,
    mcpAccess: access.open,
    revokeMcpAccess: access.revoke,
    toolBridge: (sessionId) => createToolBridge({ connect: () => access.open(sessionId), onClosed: () => access.revoke(sessionId) }),
  });
  const engineSetups = createEngineSetups({
    store,
    directory,
    log,
    onChange: (name) => {
      directory.forget(name);
      sessions.renew(name);
    },
  });
  const projects = createProjects({ store, paths, now });
  const caller = createToolCaller({ bridge, sessions, grants: store.grants, port: () => port, log });
  const linkDoor = createLinkDoor({ bridge, key: readLinkKey(paths), welcome: createWelcome(tokens, () => port), log });

  const status = (): Status => ({
    version: VERSION,
    isRunning: true,
    pid: process.pid,
    socket: paths.socket,
    port,
    protocol: PROTOCOL.current,
    startedAt,
    extensionPath: paths.extensionDir,
    browsers: bridge.browsers(),
    engines: directory.list(),
    sessions: sessions.list(),
    projects: projects.list(),
    warnings: [...store.warnings, ...sessions.warnings, ...doorkeeper.warnings],
  });
  const server = await startServer({
    paths,
    lock,
    log,
    onLogLine: (listener) => {
      lineListeners.add(listener);
      return () => lineListeners.delete(listener);
    },
    sessions,
    projects,
    engines: directory,
    engineSetups,
    bridge,
    linkDoor,
    tokens,
    caller,
    status,
    settings: store.settings,
    grants: store.grants,
    trusted: sessions.trusted,
    attachments: store.attachments,
    requestShutdown: () => ending.end('asked'),
  });
  port = server.port;
  lock.onLost(() => ending.end('lost'));

  const shown = showSessions(sessions, bridge);
  const { keepAlive, idleExitMs } = store.settings.current();
  const idle = createIdleExit({
    idleMs: () => (isKeptAlive || keepAlive ? 0 : idleExitMs),
    isBusy: () => server.streamCount() > 0 || bridge.browsers().length > 0 || sessions.list().some(isWorking),
    lastBusyAt: server.lastRequestAt,
    now,
    onIdle: () => ending.end('idle'),
  });
  const stops = [shown, server.onStreamCount(idle.check), bridge.subscribe(idle.check), sessions.subscribeList(idle.check)];
  // The first look at the agents takes seconds; whoever opens the panel finds it done.
  const look = directory.refresh(undefined, ending.signal);

  const reason = await ending.ended;
  log.info('daemon.ending', { reason });
  idle.close();
  for (const stop of stops) stop();
  // An agent that is being tried has files of its own to clear away.
  await Promise.all([sessions.close(), look.catch(() => {})]);
  bridge.close();
  await server.close();
  store.close();
  return 0;
};

const isWorking = ({ status, backgroundTasks }: SessionSummary): boolean => status !== 'idle' || (backgroundTasks ?? 0) > 0;

/** A profile that connects again gets a new token, and its old one is void. */
const createWelcome = (
  tokens: Tokens,
  port: () => number,
): ((hello: { browserId: BrowserId; extensionVersion: string }) => WelcomeInfo) => {
  const issued = new Map<BrowserId, string>();
  return ({ browserId, extensionVersion }) => {
    const old = issued.get(browserId);
    if (old !== undefined) tokens.revoke(old);
    const token = tokens.issue({ type: 'panel', browserId });
    issued.set(browserId, token);
    return { port: port(), token, ...(extensionVersion === VERSION ? {} : { advice: adviceFor(extensionVersion) }) };
  };
};

interface WelcomeInfo {
  port: number;
  token: string;
  advice?: string;
}

const adviceFor = (extensionVersion: string): string =>
  `The extension is ${extensionVersion}, the program ${VERSION}. Run \`pilotfish install\`, then reload the extension at chrome://extensions.`;

/** The browsers' badge counts what waits for the user; a session's tab group has its name while it is there. */
const showSessions = (
  sessions: ReturnType<typeof createSessions>,
  bridge: Pick<ReturnType<typeof createBridge>, 'setAttention' | 'sessionStarted' | 'sessionEnded'>,
): (() => void) => {
  const known = new Map<SessionId, string>();
  const show = (list: ReturnType<typeof sessions.list>): void => {
    bridge.setAttention(list.reduce((sum, session) => sum + session.openRequests, 0));
    const agents = list.filter((session) => session.kind === 'agent' && session.status !== 'idle');
    for (const { id, name } of agents) {
      if (known.get(id) === name) continue;
      known.set(id, name);
      bridge.sessionStarted(id, name);
    }
    const alive = new Set(list.map(({ id }) => id));
    for (const id of known.keys()) {
      if (alive.has(id)) continue;
      known.delete(id);
      bridge.sessionEnded(id);
    }
  };
  show(sessions.list());
  return sessions.subscribeList(show);
};
