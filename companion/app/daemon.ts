/** The daemon: every room, wired once. The only place with state, one per user. */
import { stat } from 'node:fs';
import os from 'node:os';
import type { Status } from '#protocol/api.ts';
import { classInAudit, inAudit } from '#protocol/audit-lines.ts';
import type { BrowserId, SessionId } from '#protocol/ids.ts';
import type { ToolSet } from '#protocol/tool-sets.ts';
import { toErrorBody } from '#protocol/errors.ts';
import type { NotificationKind } from '#protocol/notifications.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import type { Warning } from '#protocol/warnings.ts';
import { Admissions } from '#companion/admission/admissions.ts';
import { GrantBook } from '#companion/admission/grant-book.ts';
import { SiteBook } from '#companion/admission/site-book.ts';
import { Bridge } from '#companion/browser/bridge.ts';
import { LinkDoor } from '#companion/browser/link-door.ts';
import { Pairing } from '#companion/browser/pairing.ts';
import { RemoteDoor } from '#companion/browser/remote-door.ts';
import { readRemoteKey, type RemoteKey } from '#companion/browser/remote-key.ts';
import { ToolPins } from '#companion/browser/tool-pins.ts';
import { EngineCatalogue } from '#companion/catalogue/engine-catalogue.ts';
import { EngineProposals } from '#companion/catalogue/engine-proposals.ts';
import { EngineSetups } from '#companion/catalogue/engine-setups.ts';
import { Desktop } from '#companion/desktop/desktop.ts';
import { Errands } from '#companion/desktop/errands.ts';
import { customEngine } from '#companion/engines/acp.ts';
import { engines } from '#companion/engines/index.ts';
import { Git } from '#companion/git/git.ts';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { FileLog } from '#companion/lib/log.ts';
import { createPaths, type Paths } from '#companion/lib/paths.ts';
import { settleTrial } from '#companion/lib/update-trial.ts';
import { ToolCaller } from '#companion/mcp/caller.ts';
import { Tokens } from '#companion/mcp/tokens.ts';
import { CrossedFiles } from '#companion/projects/crossed-files.ts';
import { HandedFiles } from '#companion/projects/handed-files.ts';
import { Proofs } from '#companion/proof/proofs.ts';
import { Projects } from '#companion/projects/projects.ts';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { START_FAILED_EVENT } from '#companion/reach/start-failure.ts';
import { startServer, type Server } from '#companion/server/server.ts';
import { lockSocket, type SocketLock } from '#companion/server/single-instance.ts';
import type { Notice } from '#companion/sessions/notifier.ts';
import { Sessions } from '#companion/sessions/sessions.ts';
import { type Found, readAhead } from '#companion/store/database.ts';
import { migrateAhead } from '#companion/store/migrate-ahead.ts';
import { Store } from '#companion/store/store.ts';
import { readTools } from './assets.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { IdleExit } from './idle-exit.ts';
import { PanelAccess } from './panel-access.ts';
import { Comers, createReception, receptionOfPaired } from './reception.ts';
import { RunAccess } from './run-access.ts';
import { ShownSessions } from './shown-sessions.ts';
import { Ending, type EndReason } from './signals.ts';
import { sendStderrTo } from './stderr.ts';
import { McpToolBridge } from './tool-bridge.ts';

const LOG_BYTES = 4 * 1024 * 1024;

/** Runs until it is told to end, nobody needs it any more, or another daemon has the place; resolves with the exit code. */
export const runDaemon = async ({ env, isKeptAlive }: { env: NodeJS.ProcessEnv; isKeptAlive: boolean }): Promise<number> => {
  const paths = createPaths(env);
  const known = new KnownSecrets();
  const log = new FileLog({ file: paths.daemonLog, maxBytes: LOG_BYTES, known });
  const ending = new Ending(log);
  makeThreads();
  const doorkeeper = new Doorkeeper(log);
  let lock: SocketLock | null = null;
  try {
    lock = await lockSocket({ socket: paths.socket, log, signal: ending.signal, identify: doorkeeper.identify });
    if (lock === null) return 0;
    lock.onLost(() => ending.end('lost'));
    sendStderrTo(paths.daemonLog);
    const tell = lock.tell.bind(lock);
    const found = await readAhead(paths.dbFile, log, (total) => tell({ step: 'check', done: 0, total }));
    const onProgress = (done: number, total: number): void => tell({ step: 'migrate', done, total });
    await migrateAhead(paths.dbFile, found, { log, signal: ending.signal, onProgress });
    if (ending.signal.aborted) {
      await lock.release();
      return 0;
    }
    await new Daemon({ env, isKeptAlive, paths, log, known, found, ending, doorkeeper, lock }).run();
    return 0;
  } catch (error) {
    // The process that started it sees no output of it, so the reason must be in the log too.
    log.error(START_FAILED_EVENT, { ...toErrorBody(error), error });
    // It answers /health from the moment it has the place, and must not be taken for a daemon any longer.
    await lock?.release();
    // Nothing else that was opened may keep it alive either.
    ending.end('failed');
    throw error;
  } finally {
    doorkeeper.close();
    log.close();
  }
};

/**
 * Node makes the threads for files, names and keys when something needs them first, and aborts when the system gives it none: this way it does so
 * before anybody relies on this daemon, and never in the midst of its work.
 */
const makeThreads = (): void => stat(process.execPath, () => {});

interface Surroundings {
  readonly env: NodeJS.ProcessEnv;
  readonly isKeptAlive: boolean;
  readonly paths: Paths;
  readonly log: FileLog;
  readonly known: KnownSecrets;
  readonly found: Found;
  readonly ending: Ending;
  readonly doorkeeper: Doorkeeper;
  readonly lock: SocketLock;
}

class Daemon {
  readonly #around: Surroundings;
  readonly #startedAt = new Date().toISOString();
  readonly #store: Store;
  readonly #tokens = new Tokens();
  readonly #admissions: Admissions;
  readonly #sites: SiteBook;
  readonly #grants: GrantBook;
  readonly #bridge: Bridge;
  readonly #linkDoor: LinkDoor;
  readonly #pairing = new Pairing();
  readonly #remoteDoor: RemoteDoor;
  readonly #toolPins: ToolPins;
  readonly #catalogue: EngineCatalogue;
  readonly #sessions: Sessions;
  readonly #projects: Projects;
  readonly #desktop: Desktop;
  readonly #proofs: Proofs;
  readonly #comers: Comers;
  readonly #caller: ToolCaller;
  #remoteKey: RemoteKey | null = null;
  /** Known when the server listens. */
  #port = 0;

  constructor(around: Surroundings) {
    this.#around = around;
    const { paths, log, known, found, env, doorkeeper, ending } = around;
    this.#store = new Store(paths, log, known, found);
    this.#store.onReplaced(() => ending.end('lost'));
    doorkeeper.knowRuns(() => this.#store.processes.list().map(({ pid }) => pid));
    const { settings, audit } = this.#store;
    this.#comers = new Comers(doorkeeper);
    this.#admissions = new Admissions({ settings, audit, log, now: Date.now });
    this.#sites = new SiteBook({ settings, audit });
    this.#grants = new GrantBook({ table: this.#store.grants, audit, log, now: Date.now, upMs: () => os.uptime() * 1000 });
    this.#bridge = new Bridge({
      tools: readTools(),
      log,
      waitForBrowserMs: settings.current().waitForBrowserMs,
      closesTabs: () => settings.current().closeTabs,
      usualBrowser: () => settings.current().defaultBrowser,
      bindings: settings.current().sessionBrowsers,
      sites: () => this.#sites.rules(),
      grants: () => this.#grants.holding(),
    });
    this.#sites.subscribe(() => this.#bridge.sitesChanged());
    this.#grants.subscribe(() => this.#bridge.grantsChanged());
    this.#bridge.onStop((sessionId, browserId) => this.#stopSession(sessionId, browserId));
    this.#toolPins = new ToolPins({ settings, log });
    this.#toolPins.checkBuilt(this.#bridge.tools());
    this.#catalogue = new EngineCatalogue({
      store: this.#store,
      paths,
      log,
      env,
      engines,
      fromCustom: ({ name, label, command, args }) => customEngine(name, [command, ...args], label),
      ending: ending.signal,
    });
    this.#sessions = this.#openSessions();
    const crossed = new CrossedFiles({
      directory: paths.downloadsDir,
      hasSession: (sessionId) => this.#sessions.has(sessionId),
      onArrived: ({ sessionId, from, path, sizeBytes, sha256 }) =>
        audit.add({
          kind: 'act',
          by: from,
          what: classInAudit('download'),
          sessionId,
          result: inAudit('came_file', { bytes: sizeBytes, sha256, path }),
        }),
      log,
    });
    this.#bridge.onFile((file) => void crossed.take(file));
    this.#proofs = new Proofs({ sessions: this.#sessions, bridge: this.#bridge, log });
    this.#projects = new Projects({ store: this.#store, paths, now: Date.now });
    this.#caller = this.#openCaller();
    const panels = new PanelAccess(this.#tokens, () => this.#port);
    this.#linkDoor = new LinkDoor({
      bridge: this.#bridge,
      key: readLinkKey(paths),
      receive: createReception(this.#admissions, panels),
      log,
    });
    this.#remoteDoor = new RemoteDoor({
      bridge: this.#bridge,
      pairing: this.#pairing,
      paired: this.#admissions,
      key: () => (this.#remoteKey ??= readRemoteKey(paths.remoteKeyFile)),
      receive: (admission) => receptionOfPaired(admission, this.#admissions, panels),
      log,
    });
    this.#desktop = new Desktop({ env, projectRoots: () => this.#projects.list().map(({ rootPath }) => rootPath) });
  }

  #openCaller(): ToolCaller {
    const { paths, log, lock } = this.#around;
    return new ToolCaller({
      bridge: this.#bridge,
      sessions: this.#sessions,
      grants: this.#grants,
      sites: this.#sites,
      admissions: this.#admissions,
      files: new HandedFiles({ store: this.#store, paths }),
      port: () => this.#port,
      isReplaced: () => lock.isLost,
      labelOf: (engine) => this.#labelOf(engine),
      log,
      audit: this.#store.audit,
    });
  }

  /** Serves until it is told to end; then everything is closed. */
  async run(): Promise<void> {
    const { ending, lock, paths } = this.#around;
    await this.#sessions.begin({ signal: ending.signal, onRead: (done, total) => lock.tell({ step: 'read', done, total }) });
    this.#store.audit.endCutCalls();
    const server = await this.#openServer();
    this.#port = server.port;
    settleTrial(paths, VERSION);
    const shown = new ShownSessions(this.#bridge, this.#sessions.ids());
    // A request that waited at the door may have begun something already.
    if (this.#sessions.isWorking) shown.show(this.#sessions.list());
    const idle = this.#watchIdleness(server);
    const stops = [
      this.#sessions.subscribeList(shown.show),
      server.onStreamCount(idle.check),
      this.#bridge.subscribe(idle.check),
      this.#bridge.subscribe(() => this.#toolPins.checkForeign(this.#bridge.tools().filter(({ name }) => !this.#bridge.isBuilt(name)))),
      this.#admissions.subscribe((id) => this.#bridge.readmit(id)),
      this.#sessions.subscribeList(idle.check),
      () => this.#proofs.close(),
      this.#sessions.subscribeNotices((notice) => this.#notify(notice, server)),
      () => idle.close(),
    ];
    const reason = await ending.ended;
    for (const stop of stops) stop();
    await this.#close(reason, server);
  }

  #openSessions(): Sessions {
    const { env, paths, log } = this.#around;
    const access = new RunAccess(
      this.#tokens,
      () => this.#port,
      (sessionId) => this.#toolSetsOf(sessionId),
    );
    return new Sessions({
      store: this.#store,
      paths,
      log,
      engines: this.#catalogue,
      git: new Git({ env, projectRoots: () => this.#store.projects.list().map(({ rootPath }) => rootPath) }),
      now: Date.now,
      mcpAccess: access.open,
      revokeMcpAccess: access.revoke,
      toolBridge: (sessionId) => new McpToolBridge({ connect: () => access.open(sessionId), onClosed: () => access.revoke(sessionId) }),
    });
  }

  /** What the project of a session says. */
  #toolSetsOf(sessionId: SessionId): readonly ToolSet[] {
    const { projectId } = this.#sessions.view(sessionId);
    return (projectId === null ? null : this.#store.projects.find(projectId))?.toolSets ?? [];
  }

  #openServer(): Promise<Server> {
    const { paths, log, lock, ending } = this.#around;
    const engineSetups = new EngineSetups({
      store: this.#store,
      catalogue: this.#catalogue,
      log,
      onChange: (name) => this.#renewEngine(name),
    });
    return startServer({
      paths,
      lock,
      log,
      onLogLine: log.subscribe,
      sessions: this.#sessions,
      projects: this.#projects,
      engines: this.#catalogue,
      engineSetups,
      proposals: new EngineProposals(engineSetups),
      bridge: this.#bridge,
      admissions: this.#admissions,
      comers: this.#comers,
      linkDoor: this.#linkDoor,
      remoteDoor: this.#remoteDoor,
      pairing: this.#pairing,
      tokens: this.#tokens,
      caller: this.#caller,
      status: () => this.#status(),
      warnings: () => this.#warnings(),
      settings: this.#store.settings,
      usage: this.#store.usage,
      proofs: this.#proofs,
      grants: this.#grants,
      sites: this.#sites,
      audit: this.#store.audit,
      trusted: this.#sessions.trusted,
      attachments: this.#store.attachments,
      attached: this.#store.attached,
      desktop: this.#desktop,
      errands: new Errands(),
      requestShutdown: () => ending.end('asked'),
    });
  }

  #labelOf(engine: string): string {
    return this.#catalogue.list().find(({ name }) => name === engine)?.label ?? engine;
  }

  /** The person has pressed the button of a page in which an agent acts. */
  #stopSession(sessionId: SessionId, browserId: BrowserId): void {
    if (!this.#sessions.has(sessionId)) return;
    this.#store.audit.add({
      kind: 'act',
      by: inAudit('who_page', { browser: browserId }),
      what: inAudit('about_stop'),
      sessionId,
      result: inAudit('came_asked'),
    });
    void this.#sessions.dispatch({ type: 'turn.cancel', sessionId }).catch((error: unknown) => {
      this.#around.log.warn('session.stop_failed', { sessionId, error: String(error) });
    });
  }

  /** What is known of the engine no longer holds, and its next run begins with the new settings. */
  #renewEngine(name: string): void {
    this.#catalogue.forget(name);
    this.#sessions.renew(name);
  }

  /** The system tells what no front end does: a panel or terminal that is open has its own way. */
  #notify(notice: Notice, server: Server): void {
    if (notice.type !== 'notification' || notice.isWatched || server.hasFrontEnd()) return;
    const { kind, sessionName, text } = notice.notification;
    const title = `Pilotfish: ${NOTICE_TITLES[kind]}`;
    const shown = [sessionName, text].filter((part) => part !== '').join('\n');
    this.#desktop.notify({ title, text: shown }).catch((error: unknown) => this.#around.log.info('desktop.not_notified', { error }));
  }

  #watchIdleness(server: Server): IdleExit {
    return new IdleExit({
      // As they are then: the person may have changed them.
      idleMs: () => {
        const { keepAlive, idleExitMs } = this.#store.settings.current();
        return this.#around.isKeptAlive || keepAlive ? 0 : idleExitMs;
      },
      isBusy: () =>
        server.streamCount() > 0 ||
        server.isAnswering ||
        this.#pairing.isOpen ||
        this.#bridge.needsDaemon ||
        this.#sessions.isWorking ||
        this.#comers.areExpected,
      lastBusyAt: () => server.lastRequestAt(),
      onIdle: () => this.#rest(),
    });
  }

  /** Nothing needs the daemon. Connected browsers stay with their hosts, and are back with the next one. */
  #rest(): void {
    this.#linkDoor.close();
    try {
      this.#store.settings.change({ sessionBrowsers: { ...this.#bridge.rest() } });
    } catch (error) {
      // Without it a session that has used one of several browsers goes on in the one that was used last.
      this.#around.log.warn('daemon.browsers_not_kept', { error });
    }
    this.#around.ending.end('idle');
  }

  #status(): Omit<Status, 'warnings' | 'told'> {
    const { paths } = this.#around;
    return {
      version: VERSION,
      isRunning: true,
      pid: process.pid,
      socket: paths.socket,
      port: this.#port,
      protocol: PROTOCOL.current,
      startedAt: this.#startedAt,
      extensionPath: paths.extensionDir,
      browsers: this.#bridge.browsers(),
      engines: this.#catalogue.list(),
      sessions: this.#sessions.list(),
      projects: this.#projects.list(),
    };
  }

  #warnings(): Warning[] {
    return [
      ...this.#store.warnings,
      ...this.#sessions.warnings,
      ...this.#bridge.warnings,
      ...this.#toolPins.warnings,
      ...this.#admissions.warnings,
      ...this.#around.doorkeeper.warnings,
    ];
  }

  /** Closes everything in the order of dependence; a failure does not keep the rest open. */
  async #close(reason: EndReason, server: Server): Promise<void> {
    const { log } = this.#around;
    log.info('daemon.ending', { reason });
    const steps: readonly (() => unknown)[] = [
      () => this.#caller.settle(),
      () => this.#sessions.close(),
      // A health check that runs has files of its own to remove.
      () => this.#catalogue.settled(),
      () => this.#bridge.close(),
      () => server.close(),
      () => this.#grants.close(),
      () => this.#store.close(),
    ];
    for (const step of steps) {
      try {
        await step();
      } catch (error) {
        log.error('daemon.close_failed', { error });
      }
    }
  }
}

const NOTICE_TITLES: Readonly<Record<NotificationKind, string>> = {
  approval: 'an agent needs your approval',
  question: 'an agent has a question',
  failed: 'a turn has failed',
  finished: 'an agent has finished',
};
