/** All sessions: finds, makes and removes them, and publishes their list. */
import { setImmediate } from 'node:timers/promises';
import type { EngineCatalogue } from '#companion/catalogue/engine-catalogue.ts';
import type { Git } from '#companion/git/git.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { checkWorktree } from '#companion/projects/session-folder.ts';
import { openRun, type RunDeps } from '#companion/runs/open-run.ts';
import { secretsOfProject } from '#companion/runs/run-secrets.ts';
import { WarmPool } from '#companion/runs/warm-pool.ts';
import type { SessionRow } from '#companion/store/event-log.ts';
import { Trust } from '#companion/trust/trust.ts';
import type { RemovedSession, SessionSummary, TaskOutput } from '#protocol/api.ts';
import type { Command } from '#protocol/commands.ts';
import { isInside } from '#companion/lib/inside.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { type ItemId, type ProjectId, SessionId, type TurnId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { Page } from '#protocol/pages.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import type { SearchAnswer, SearchQuery } from '#protocol/search.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Worktree } from '#protocol/work.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import { clearRuns, reapOrphans } from './boot.ts';
import type { CallEnd, CallRecord, ClientCall } from './client-calls.ts';
import type { DayBudget } from './decision.ts';
import { type CopyInput, copySlices, outlineOf } from './copy.ts';
import { type Exported, toExport } from './export.ts';
import { FolderQueue } from './folder-queue.ts';
import { turnsOf } from './fork.ts';
import { HalfMade } from './half-made.ts';
import { type ImportSource, keepAttachments, type Keeping } from './import.ts';
import { ListFeed } from './list-feed.ts';
import { Notifier, type Notice } from './notifier.ts';
import { outdated, timeForAges } from './outdated.ts';
import { RemovedSessions } from './removed-sessions.ts';
import { Search } from './search.ts';
import { type AskOptions, type PageProof, Session } from './session.ts';
import { newRow, type SessionListener, sessionNotFound, type ViewInParts } from './session-log.ts';
import { SessionWork } from './session-work.ts';
import { hasNothingOpen } from './summary.ts';

/** How often it is looked for sessions that are too old to be kept. */
const OUTDATED_EVERY_MS = 60 * 60_000;

/** How many views of sessions that nobody looks at are kept in memory. */
const MAX_IDLE_VIEWS = 32;
/** How long a view that was read stays at least. */
const TRIM_AFTER_MS = 1000;

export type SessionsDeps = RunDeps & { readonly engines: EngineCatalogue; readonly git: Git; readonly now: () => number };

type Create = Extract<Command, { type: 'session.create' }>;

/** Says what a session begins with, and keeps what is attached to that. */
type Fill = (keeping: Keeping) => Promise<CopyInput>;

/** A session of which nobody has asked for anything but its row in the list since the daemon began: more of it is not made. */
interface Resting {
  readonly row: SessionRow;
  readonly summary: SessionSummary;
}

export class Sessions {
  readonly #deps: SessionsDeps;
  /** Null: a session of which nothing was asked yet, not even its row in the list; nothing is open in it. */
  readonly #sessions = new Map<SessionId, Session | Resting | null>();
  /** Whether the map has such. */
  #hasUnread = false;
  readonly #trust: Trust;
  readonly #pool: WarmPool;
  readonly #bin: RemovedSessions;
  readonly #halfMade: HalfMade;
  readonly #feed = new ListFeed(() => this.list());
  readonly #search: Search;
  readonly #notifier = new Notifier(() => this.#deps.store.settings.current());
  readonly #folders = new FolderQueue();
  /** Sessions whose folder is being changed by us: no turn begins there. */
  readonly #held = new Set<SessionId>();
  /** Sessions that are being made: a command that is repeated meanwhile makes no second one. */
  readonly #making = new Map<SessionId, Promise<SessionId>>();
  /** What sessions do in git repositories. */
  readonly work: SessionWork;
  /** Sessions in whose logs a dead daemon may have left something open. */
  #unclosed: SessionRow[] = [];
  #outdatedTimer: NodeJS.Timeout | null = null;
  #trimTimer: NodeJS.Timeout | null = null;
  /** When it began, by the clock of the wall and by one that nobody sets. */
  readonly #started: { readonly at: number; readonly clock: number };
  #isClosing = false;

  /** Finds the sessions of the store. Nothing is asked of them before `begin` has resolved. */
  constructor(deps: SessionsDeps) {
    const { store, paths, log } = deps;
    this.#deps = deps;
    this.#started = { at: deps.now(), clock: performance.now() };
    this.#trust = new Trust(store, log);
    this.#pool = new WarmPool(() => store.settings.current().warm);
    for (const { path } of this.#trust.list()) store.known.learn(secretsOfProject(path));
    reapOrphans(store, log);
    clearRuns(paths.runsDir, log);
    this.#search = new Search({ store, log, list: () => this.list() });
    this.work = new SessionWork({
      store,
      paths,
      log,
      git: deps.git,
      view: (sessionId) => this.view(sessionId),
      whileIdle: (sessionId, work) => this.#whileIdle(sessionId, work),
      note: (sessionId, worktree) => this.#find(sessionId).noteWorktree(worktree),
      removed: (folder) => this.#trust.forget(folder),
    });
    this.#halfMade = new HalfMade({ store, log, search: this.#search });
    this.#bin = new RemovedSessions({
      store,
      log,
      now: deps.now,
      halfMade: this.#halfMade,
      onPurge: (head) => void this.work.forget(head),
    });
    const rows = store.sessions.begin();
    this.#search.catchUp(rows);
    for (const row of rows) {
      const isOpen = 'epoch' in row && row.removedAt === undefined && summaryAtRest(row) === null;
      if (isOpen) this.#unclosed.push(row);
      if (isOpen || !('epoch' in row)) this.#sessions.set(row.sessionId, null);
      else this.#take(row);
    }
    this.#hasUnread = [...this.#sessions.values()].includes(null);
  }

  /** Closes what a dead daemon left open. Others work meanwhile, since a long log takes a while; `onRead` hears how many of the events were read. */
  async begin({ signal, onRead }: { signal?: AbortSignal; onRead?: (done: number, total: number) => void } = {}): Promise<void> {
    const total = this.#unclosed.reduce((sum, { lastSeq }) => sum + lastSeq, 0);
    let done = 0;
    const isStopped = (): boolean => signal?.aborted === true;
    for (let row = this.#unclosed[0]; row !== undefined; row = this.#unclosed[0]) {
      const session = this.#add(row);
      const before = done;
      await session.log.catchUp({ signal, onRead: (seq) => onRead?.(before + seq, total) });
      if (isStopped()) return;
      this.#unclosed.shift();
      if (!hasNothingOpen(session.log.summary())) session.closeOpen();
      session.log.unload();
      done += row.lastSeq;
      onRead?.(done, total);
      await setImmediate();
    }
    this.work.clearLeft(() => this.#worktrees());
    this.#removeOutdated();
    this.#outdatedTimer = setInterval(() => this.#removeOutdated(), OUTDATED_EVERY_MS).unref();
  }

  /** Resolves when the intent is on disk. */
  async dispatch(command: Command): Promise<{ sessionId: SessionId; turnId?: TurnId }> {
    if (this.#isClosing) throw new CompanionError('DAEMON_NOT_RUNNING', explain('being_stopped'));
    if (command.type === 'session.create') return { sessionId: await this.#make(command) };
    if (command.type === 'session.restore') return { sessionId: this.#restore(command.sessionId) };
    if (command.type === 'session.fork') return { sessionId: await this.#fork(command) };
    const { sessionId } = command;
    const session = this.#find(sessionId);
    if (command.type === 'turn.start') return { sessionId, turnId: this.#start(session, command) };
    if (command.type === 'session.delete') await this.#remove(session, command.isForever ?? false);
    else {
      if (command.type === 'session.update') this.#checkMove(session, command.projectId ?? null);
      session.dispatch(command);
    }
    return { sessionId };
  }

  /** Throws SESSION_NOT_FOUND. */
  view(sessionId: SessionId): SessionView {
    return this.#find(sessionId).view();
  }

  /** A part of its conversation: the newest, or the one before an item. */
  async page(sessionId: SessionId, before: ItemId | null, limit: number): Promise<Page> {
    const { log } = this.#find(sessionId);
    await log.catchUp();
    return log.page(before, limit);
  }

  /** Its conversation part by part: a view that is not in memory is not loaded for that. */
  async inParts(sessionId: SessionId): Promise<ViewInParts> {
    const { log } = this.#find(sessionId);
    await log.catchUp();
    return log.inParts();
  }

  /** The one of these sessions in which something with this id was said. */
  whereSaid(itemId: ItemId, sessionIds: readonly SessionId[]): SessionId | undefined {
    return this.#search.whereSaid(itemId, sessionIds);
  }

  /** The number of its newest event. */
  lastSeq(sessionId: SessionId): number {
    return this.#find(sessionId).log.lastSeq();
  }

  epoch(sessionId: SessionId): string {
    return this.#find(sessionId).log.epoch;
  }

  /** All sessions, the most recently changed first. */
  list(): SessionSummary[] {
    this.#readRows();
    const rows = [...this.#sessions.values()].flatMap((session) => (session === null ? [] : summaryOf(session)));
    // Times as text, whose order is that of their characters: a comparison by language takes six times as long.
    return rows.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : one.updatedAt > other.updatedAt ? -1 : 0));
  }

  /** One row of the list. */
  summary(sessionId: SessionId): SessionSummary {
    return summaryOf(this.#sessions.get(sessionId) ?? this.#find(sessionId));
  }

  has(sessionId: SessionId): boolean {
    return this.#sessions.has(sessionId);
  }

  /** The ids of all, without their rows being read. */
  ids(): SessionId[] {
    return [...this.#sessions.keys()];
  }

  /** Whether an agent is at work, in a turn or in the background. */
  get isWorking(): boolean {
    return this.#awake().some(({ log }) => isWorking(log.summary()));
  }

  /** Sessions that were deleted and can still be brought back, the newest first. */
  removed(): RemovedSession[] {
    return this.#bin.list();
  }

  /** What was said or run, and sessions by their names. */
  search(query: SearchQuery): SearchAnswer {
    return this.#search.find(query);
  }

  read(sessionId: SessionId, afterSeq: number, limit: number): SessionEvent[] {
    this.#find(sessionId);
    return this.#deps.store.events.read(sessionId, afterSeq, limit);
  }

  /** Throws TASK_NOT_RUNNING, also when the agent does not tell the output. */
  async readTask(sessionId: SessionId, itemId: ItemId): Promise<TaskOutput> {
    return this.#find(sessionId).readTask(itemId);
  }

  subscribe(sessionId: SessionId, listener: SessionListener): () => void {
    return this.#find(sessionId).log.subscribe(listener);
  }

  /** Changes that follow each other quickly are published together. */
  subscribeList(listener: (sessions: SessionSummary[]) => void): () => void {
    return this.#feed.subscribe(listener);
  }

  /** What the person should be told who does not look. */
  subscribeNotices(listener: (notice: Notice) => void): () => void {
    return this.#notifier.subscribe(listener);
  }

  /** Asks the user on behalf of Pilotfish; resolves with null when the question was withdrawn. */
  async ask(sessionId: SessionId, request: RequestBody, signal: AbortSignal, options?: AskOptions): Promise<RequestAnswer | null> {
    return this.#find(sessionId).ask(request, signal, options);
  }

  /** Records a browser call that no agent reports. */
  recordCall(sessionId: SessionId, call: ClientCall): CallRecord {
    return this.#find(sessionId).recordCall(call);
  }

  /** Records one that is over already, at one go. */
  recordEndedCall(sessionId: SessionId, call: ClientCall, end: CallEnd): void {
    this.#find(sessionId).recordEndedCall(call, end);
  }

  /** What a session's agent may change: its worktree, or its project's folder. */
  folderOf({ projectId, worktree }: SessionSummary): string {
    if (worktree !== undefined) return worktree.path;
    const { store, paths } = this.#deps;
    return (projectId === null ? null : store.projects.find(projectId)?.rootPath) ?? paths.defaultWorkspace;
  }

  /** Notes what has become of a page after a turn. */
  noteProof(sessionId: SessionId, turnId: TurnId, proof: PageProof): void {
    this.#find(sessionId).noteProof(turnId, proof);
  }

  /** An agent's settings changed: its processes are started anew, each before its next turn. */
  renew(engineName: string): void {
    for (const session of this.#awake()) if (session.log.summary().engineName === engineName) session.renew();
  }

  /** Projects whose own files may act. */
  get trusted(): Pick<Trust, 'list' | 'revoke'> {
    return this.#trust;
  }

  /** Warnings for a person. */
  get warnings(): readonly Warning[] {
    const isHeld = this.#awake().some(({ log }) => log.heldCount > 0);
    return [...(isHeld ? [{ what: warn('history_held') }] : []), ...this.work.warnings];
  }

  /** Ends every run, and closes what is open in the logs. */
  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#outdatedTimer !== null) clearInterval(this.#outdatedTimer);
    if (this.#trimTimer !== null) clearTimeout(this.#trimTimer);
    this.#feed.close();
    this.#bin.close();
    this.#search.close();
    this.#pool.close();
    const sessions = this.#awake();
    await Promise.all(sessions.map(async (session) => session.stop('interrupted')));
    // One that is being filled ends at its next slice, and is left to the next daemon.
    await Promise.allSettled(this.#making.values());
    await this.#halfMade.close();
    for (const session of sessions) session.close();
    const { store } = this.#deps;
    const isSettled = (sessionId: SessionId): boolean => {
      const row = store.sessions.find(sessionId);
      return row !== null && summaryAtRest(row) !== null;
    };
    const ids = new Set([...sessions.map(({ log }) => log.sessionId), ...this.#unclosed.map(({ sessionId }) => sessionId)]);
    store.sessions.settle([...ids].filter((sessionId) => !isSettled(sessionId)));
  }

  /** Takes in a row as it was stored; what a dead daemon left open in its log is closed. */
  #take(row: SessionRow): void {
    if (this.#halfMade.isOne(row)) return void this.#halfMade.remove(row.sessionId);
    if (row.removedAt !== undefined) return this.#bin.put(row, row.removedAt);
    const summary = summaryAtRest(row);
    if (summary !== null) return void this.#sessions.set(row.sessionId, { row, summary });
    const session = this.#add(row);
    session.closeOpen();
    session.log.unload();
  }

  /** Reads all rows of the list that have not been read. */
  #readRows(): void {
    if (!this.#hasUnread) return;
    for (const row of this.#deps.store.sessions.list()) if (this.#sessions.get(row.sessionId) === null) this.#take(row);
    // What is left had a row that cannot be read any more.
    for (const [sessionId, session] of this.#sessions) if (session === null) this.#sessions.delete(sessionId);
    this.#hasUnread = false;
  }

  #find(sessionId: SessionId): Session {
    const session = this.#sessions.get(sessionId);
    if (session instanceof Session) return session;
    const row = session === null ? this.#deps.store.sessions.find(sessionId) : session?.row;
    if (row === null || row === undefined) throw sessionNotFound(sessionId);
    if (session === null) this.#take(row);
    const taken = this.#sessions.get(sessionId);
    return taken instanceof Session ? taken : this.#add(row);
  }

  /** Those in which something can happen. */
  #awake(): Session[] {
    return [...this.#sessions.values()].filter((session) => session instanceof Session);
  }

  #add(row: SessionRow): Session {
    const session = this.#open(row);
    this.#sessions.set(row.sessionId, session);
    return session;
  }

  #open(row: SessionRow): Session {
    const session: Session = new Session(row, {
      ...this.#deps,
      pool: this.#pool,
      openRun: async (view, listener, asker) => openRun({ ...this.#deps, trust: this.#trust }, view, listener, asker),
      onEvent: (event, view) => {
        if (event.type === 'item.delta') return;
        this.#feed.changed();
        this.#notifier.take(event, view, session.log.isWatched);
        if (event.type === 'usage.updated') this.#checkDay();
      },
      onLoad: () => this.#trimSoon(),
      // Warnings are looked at with the list.
      onHeld: () => this.#feed.changed(),
      day: () => this.#day(),
      search: this.#search,
      // An engine without a process has no hands for files.
      beforeTurn: async (view, turnId) =>
        this.#deps.engines.find(view.engine).type === 'process' ? this.work.beforeTurn(view, turnId) : null,
      onTurnEnd: () => {
        this.#folders.advance();
        this.#trim();
      },
    });
    return session;
  }

  /** What takes time comes first, so that a session is made with its worktree, and with what it begins with, or not at all. */
  async #make(command: Create, fill?: Fill): Promise<SessionId> {
    const { worktree: wish, projectId, name } = command;
    // Another session of this id may still be on its way out.
    if (command.sessionId !== undefined && this.#halfMade.isLeaving(command.sessionId)) await this.#halfMade.remove(command.sessionId);
    if (wish === undefined && fill === undefined) return this.#create(command, null);
    const sessionId = command.sessionId ?? SessionId.parse(randomId('session'));
    const known = this.#making.get(sessionId);
    if (known !== undefined) return known;
    if (this.#sessions.has(sessionId)) return sessionId;
    this.#checkProject(projectId);
    const making = (async () => {
      const worktree = wish === undefined ? null : await this.work.begin(projectId, { name: wish.name ?? name ?? '', key: sessionId });
      try {
        const whole = { ...command, sessionId };
        return fill === undefined ? this.#create(whole, worktree) : await this.#createFilled(whole, worktree, fill);
      } catch (error) {
        if (worktree !== null) await this.work.takeBack(projectId, worktree);
        throw error;
      }
    })().finally(() => this.#making.delete(sessionId));
    this.#making.set(sessionId, making);
    return making;
  }

  #create(command: Create, worktree: Worktree | null): SessionId {
    // A client that chose the id may send its command twice.
    if (command.sessionId !== undefined && this.#sessions.has(command.sessionId)) return command.sessionId;
    const row = this.#rowFor(command);
    const { store } = this.#deps;
    store.sessions.save(row);
    try {
      this.#add(row).dispatch(command, worktree);
    } catch (error) {
      this.#sessions.delete(row.sessionId);
      store.sessions.remove(row.sessionId);
      throw error;
    }
    return row.sessionId;
  }

  /** The row of a session that can be made. */
  #rowFor({ kind, engine, projectId, sessionId }: Create): SessionRow {
    if (kind !== 'client') this.#deps.engines.find(engine);
    this.#checkProject(projectId);
    if (sessionId !== undefined) this.#bin.checkIsFree(sessionId);
    return newRow(sessionId ?? SessionId.parse(randomId('session')), projectId, this.#deps.now());
  }

  async #createFilled(command: Create, worktree: Worktree | null, fill: Fill): Promise<SessionId> {
    const row = this.#rowFor(command);
    const { sessionId } = row;
    const { attached } = this.#deps.store;
    const keeping: Keeping = { kept: new Map(), note: (ref) => attached.add(sessionId, ref) };
    try {
      this.#halfMade.begin(row);
      const session = this.#open(row);
      session.dispatch(command, worktree);
      const { seq } = session.view();
      await session.log.fill(this.#whileOpen(copySlices(await fill(keeping))));
      this.#halfMade.finish(sessionId);
      this.#sessions.set(sessionId, session);
      this.#search.readIn(sessionId, seq);
      this.#feed.changed();
      return sessionId;
    } catch (error) {
      await this.#halfMade.remove(sessionId);
      throw error;
    }
  }

  async *#whileOpen(slices: AsyncIterable<readonly EventBody[]>): AsyncGenerator<readonly EventBody[]> {
    for await (const slice of slices) {
      if (this.#isClosing) throw new CompanionError('DAEMON_NOT_RUNNING', explain('being_stopped'));
      yield slice;
    }
  }

  /** Its agent ends at once; the history stays for a while, unless it is removed for ever. */
  async #remove(session: Session, isForever: boolean): Promise<void> {
    const { row } = session.log;
    const { now } = this.#deps;
    // What is open must not look as if it went on, when it is brought back.
    if (!hasNothingOpen(session.log.summary())) session.closeOpen();
    session.log.saveSummary();
    const summary = session.log.summary();
    const kept = { ...row, summary, projectId: summary.projectId };
    const gone = isForever ? this.#bin.purge(kept) : this.#bin.remove(kept, now());
    session.discard();
    this.#sessions.delete(row.sessionId);
    this.#feed.changed();
    this.#folders.remove(row.sessionId);
    this.#folders.advance();
    await gone;
  }

  /** The folders of sessions, also of those that can be brought back. */
  #worktrees(): ReadonlySet<string> {
    const sessions = [...this.list(), ...this.#bin.list().map(({ session }) => session)];
    return new Set(sessions.flatMap(({ worktree }) => worktree?.path ?? []));
  }

  /** As if the person deleted them: for a while they can be brought back. */
  #removeOutdated(): void {
    const { store, log, now } = this.#deps;
    const { keepDays } = store.settings.current();
    if (keepDays === null) return;
    const sessions = this.list();
    const elapsedMs = performance.now() - this.#started.clock;
    const time = timeForAges(sessions, keepDays, { startedAt: this.#started.at, elapsedMs, now: now() });
    const found = outdated(sessions, keepDays, time);
    for (const { id } of found) {
      this.dispatch({ type: 'session.delete', sessionId: id }).catch((error: unknown) => log.warn('sessions.outdated_kept', { error }));
    }
    if (found.length > 0) log.info('sessions.outdated', { count: found.length, keepDays });
  }

  #restore(sessionId: SessionId): SessionId {
    if (this.#sessions.has(sessionId)) return sessionId;
    const session = this.#add(this.#bin.restore(sessionId));
    session.closeOpen();
    session.dispatch({ type: 'session.restore', sessionId });
    this.#feed.changed();
    return sessionId;
  }

  async #fork(command: Extract<Command, { type: 'session.fork' }>): Promise<SessionId> {
    const { newSessionId } = command;
    const { log } = this.#find(command.sessionId);
    await log.catchUp();
    const { head, parts } = log.inParts();
    if (head.kind === 'client') throw new CompanionError('ENGINE_UNSUPPORTED', explain('client_cannot_go_on'));
    if (newSessionId !== undefined && this.#sessions.has(newSessionId)) {
      if (this.summary(newSessionId).forkedFrom === head.sessionId) return newSessionId;
      throw new CompanionError('INPUT_INVALID', explain('id_of_other', { session: newSessionId }));
    }
    const outline = await outlineOf(parts);
    const turns = turnsOf(outline.turns, command);
    const engine = command.engine ?? head.engine;
    // Another agent has other models, modes and tools; the limits stay.
    const others = { model: null, mode: null, effort: null, allowedTools: [] };
    const settings = engine === head.engine ? head.settings : { ...head.settings, ...others };
    const create: Create = {
      type: 'session.create',
      ...(newSessionId === undefined ? {} : { sessionId: newSessionId }),
      projectId: head.projectId,
      engine,
      name: command.name ?? head.name,
      ...(command.worktree === undefined ? {} : { worktree: command.worktree }),
      settings,
    };
    return this.#make(create, async (keeping) => {
      const copied = new Set(turns.map(({ turnId }) => turnId));
      await this.#copyAttachments(
        outline.attached.filter(({ turnId }) => copied.has(turnId)).map(({ ref }) => ref),
        keeping,
      );
      return { from: head.sessionId, outline, turns, parts, attachments: keeping.kept };
    });
  }

  /** Those that are there, as attachments of their own. */
  async #copyAttachments(refs: readonly AttachmentRef[], { kept, note }: Keeping): Promise<void> {
    const { attachments } = this.#deps.store;
    for (const ref of refs) {
      if (kept.has(ref.attachmentId) || !attachments.has(ref)) continue;
      kept.set(ref.attachmentId, attachments.copy(ref, note));
      await setImmediate();
    }
  }

  /** What stands in the file of a session that can be imported again. */
  async export(sessionId: SessionId): Promise<Exported> {
    const { log } = this.#find(sessionId);
    await log.catchUp();
    return toExport(log.inParts(), log.summary(), this.#deps.now());
  }

  /** Makes a new session of one that was exported: all of it, or none. Others work meanwhile. */
  async import(source: ImportSource, { projectId, engine }: { projectId: ProjectId | null; engine: string }): Promise<SessionId> {
    if (this.#isClosing) throw new CompanionError('DAEMON_NOT_RUNNING', explain('being_stopped'));
    const { attachments, known } = this.#deps.store;
    const { head } = source;
    const { model, effort, maxTurns, maxCostUsd, maxTokens, maxTurnMs, maxSilenceMs } = head.settings;
    const create: Create = {
      type: 'session.create',
      projectId,
      engine,
      name: known.redactor.value(head.session.name),
      // What an agent is told and may do without asking is chosen here, and not in a file.
      settings: {
        ...(engine === head.session.engineName ? { model, effort } : {}),
        maxTurns,
        maxCostUsd,
        maxTokens,
        maxTurnMs,
        maxSilenceMs,
      },
    };
    // The machine that wrote the file may not have known what is secret here.
    const parts = async function* () {
      for await (const part of source.parts()) yield known.redactor.value(part);
    };
    return this.#make(create, async ({ kept, note }) => {
      const outline = await outlineOf(parts);
      await keepAttachments(source, outline, { attachments, kept, note });
      return { from: head.session.id, outline, turns: outline.turns, parts, attachments: kept };
    });
  }

  /** Begins a turn, unless another session works in the folder and the command says what to do then. */
  #start(session: Session, command: Extract<Command, { type: 'turn.start' }>): TurnId {
    const { sessionId } = session.log;
    if (this.#held.has(sessionId)) throw new CompanionError('SESSION_BUSY', explain('folder_being_changed'));
    const { worktree } = session.log.summary();
    // What was acknowledged before its worktree was finished is so still.
    if (worktree !== undefined && (command.turnId === undefined || !session.log.hadPrompt(command.turnId))) checkWorktree(worktree);
    const holder = command.ifTaken === 'refuse' || command.ifTaken === 'queue' ? this.#holderOf(session) : null;
    // A prompt for a session that works already waits for its own turn.
    if (holder === null || session.log.summary().status !== 'idle') return session.start(command, { isHeld: false });
    if (command.ifTaken === 'refuse') throw folderTaken(holder);
    const turnId = session.start(command, { isHeld: true });
    this.#folders.add(sessionId, { isFree: () => this.#holderOf(session) === null, begin: () => session.beginWaiting() });
    return turnId;
  }

  /** The other session whose agent works in the same folder now. */
  #holderOf(session: Session): SessionSummary | null {
    const own = session.log.summary();
    const folder = this.folderOf(own);
    const works = (other: SessionSummary): boolean => other.id !== own.id && other.kind === 'agent' && other.status !== 'idle';
    return (
      this.#awake()
        .map(summaryOf)
        .find((other) => works(other) && this.folderOf(other) === folder) ?? null
    );
  }

  async #whileIdle<T>(sessionId: SessionId, work: () => Promise<T>): Promise<T> {
    const session = this.#find(sessionId);
    const { status } = session.view();
    if (status !== 'idle' || this.#held.has(sessionId)) throw new CompanionError('SESSION_BUSY');
    this.#held.add(sessionId);
    try {
      // Its process stands in the folder, and may hold files of it.
      await session.rest();
      return await work();
    } finally {
      this.#held.delete(sessionId);
    }
  }

  #day(): DayBudget {
    const { store, now } = this.#deps;
    const { dailyCostUsd, dailyTokens } = store.settings.current();
    return { dailyCostUsd, dailyTokens, spent: () => store.usage.today(now()) };
  }

  /** What one session uses may be the end of the day's budget for all. */
  #checkDay(): void {
    const { dailyCostUsd, dailyTokens } = this.#deps.store.settings.current();
    if (dailyCostUsd === null && dailyTokens === null) return;
    for (const session of this.#awake()) session.checkDay();
  }

  /** The worktree of a session belongs to the repository that it was made in. */
  #checkMove(session: Session, projectId: ProjectId | null): void {
    this.#checkProject(projectId);
    const { worktree } = session.view();
    if (projectId === null || worktree?.state !== 'open') return;
    const rootPath = this.#deps.store.projects.find(projectId)?.rootPath ?? '';
    if (isInside(worktree.repository, rootPath)) return;
    throw new CompanionError('INPUT_INVALID', explain('worktree_of_other', { repository: worktree.repository }));
  }

  #checkProject(projectId: ProjectId | null): void {
    if (projectId !== null && this.#deps.store.projects.find(projectId) === null) throw new CompanionError('PROJECT_NOT_FOUND', projectId);
  }

  /** Who reads one session after the other would have all of them in memory at the end. */
  #trimSoon(): void {
    this.#trimTimer ??= setTimeout(() => {
      this.#trimTimer = null;
      this.#trim();
    }, TRIM_AFTER_MS).unref();
  }

  /** Views of long sessions are large, and the list does not need them. */
  #trim(): void {
    const idle = this.#awake()
      .map(({ log }) => log)
      .filter((log) => log.isLoaded && log.view().status === 'idle');
    for (const log of idle.slice(0, Math.max(0, idle.length - MAX_IDLE_VIEWS))) log.unload();
  }
}

const summaryOf = (session: Session | Resting): SessionSummary => (session instanceof Session ? session.log.summary() : session.summary);

/** What the list shows of a session, where its row is as of the newest event and nothing is open in its log. */
const summaryAtRest = ({ summary, summarySeq, lastSeq }: SessionRow): SessionSummary | null =>
  summarySeq === lastSeq && summary !== null && hasNothingOpen(summary) ? summary : null;

const isWorking = ({ status, backgroundTasks }: SessionSummary): boolean => status !== 'idle' || (backgroundTasks ?? 0) > 0;

const folderTaken = ({ name, engineName }: SessionSummary): CompanionError =>
  new CompanionError('FOLDER_TAKEN', explain('folder_taken_by', { agent: engineName, name }), { choices: ['queue', 'worktree', 'anyway'] });
