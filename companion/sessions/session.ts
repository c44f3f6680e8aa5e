/**
 * One session at work. All that happens comes to `#decide`: commands from above, reports of the agent from below, and the time.
 * What is decided is appended to the log, and only then carried out.
 */
import { capabilitiesOf, runFactsOf } from '#companion/catalogue/engine-facts.ts';
import type { EngineCatalogue } from '#companion/catalogue/engine-catalogue.ts';
import type { EngineEvent, EnginePrompt } from '#companion/engines/engine.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import { noteUse } from '#companion/projects/projects.ts';
import { LiveRun, type RunOwner } from '#companion/runs/live-run.ts';
import { RawBuffer } from '#companion/runs/raw-buffer.ts';
import type { Run, RunListener } from '#companion/runs/run.ts';
import type { WarmPool } from '#companion/runs/warm-pool.ts';
import { type WatchLimits, Watchdog, type WatchOwner } from '#companion/runs/watchdog.ts';
import type { SessionRow } from '#companion/store/event-log.ts';
import type { Store } from '#companion/store/store.ts';
import type { TrustAsker } from '#companion/trust/trust.ts';
import type { TaskOutput } from '#protocol/api.ts';
import type { Command } from '#protocol/commands.ts';
import { CompanionError, type ErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { LoggedPrompt } from '#protocol/events.ts';
import { type ItemId, RequestId, TurnId } from '#protocol/ids.ts';
import type { AttachmentRef, Proof } from '#protocol/items.ts';
import type { PagePicture } from '#protocol/link.ts';
import type { Notice } from '#protocol/notices.ts';
import type { RequestAnswer, RequestBody } from '#protocol/requests.ts';
import { queuedTurns, runningTurn, type SessionView } from '#protocol/view.ts';
import { type CallEnd, type CallRecord, type ClientCall, toCallEnd, toCallItem } from './client-calls.ts';
import type { Worktree } from '#protocol/work.ts';
import { type AskingCall, type AskingPlace, findAskingItem } from './asking-call.ts';
import { decide } from './decide.ts';
import { homeTurn } from './decide-report.ts';
import {
  type DayBudget,
  type Decision,
  type Effect,
  type Facts,
  type Input,
  noWork,
  type SessionState,
  type TimerName,
  type Work,
} from './decision.ts';
import { mustBeTold, withConversation } from './fork.ts';
import { OpenRequests } from './open-requests.ts';
import { Reports } from './reports.ts';
import type { Search } from './search.ts';
import { newItemId, SessionLog, type SessionListener } from './session-log.ts';

/** How long to wait for space on a full disk before the next prompt is begun. */
const QUEUE_RETRY_MS = 1000;
/** How long an agent may take to end when the daemon does. */
const CLOSE_GRACE_MS = 500;

export interface SessionDeps {
  readonly store: Store;
  readonly log: Log;
  readonly engines: EngineCatalogue;
  readonly pool: WarmPool;
  readonly now: () => number;
  /** Opens a run for the session that `view` shows. */
  readonly openRun: (view: () => SessionView, listener: RunListener, asker: Omit<TrustAsker, 'workspace' | 'madeFrom'>) => Promise<Run>;
  readonly onEvent: SessionListener;
  /** Its view came into memory. */
  readonly onLoad: () => void;
  /** What it has to say begins or ends to wait for the disk. */
  readonly onHeld: () => void;
  readonly search: Pick<Search, 'note'>;
  /** Keeps the state of its folder; never rejects. */
  /** Resolves with what the conversation is told of it. */
  readonly beforeTurn: (view: SessionView, turnId: TurnId) => Promise<Notice | null>;
  /** What may be used today, and what was. */
  readonly day: () => DayBudget;
  /** A turn has ended, and the next that waited has begun. */
  readonly onTurnEnd: () => void;
}

/** Another place where the person may answer a question of Pilotfish. */
export interface Elsewhere {
  /** For those who see the question on another surface. */
  readonly by: string;
  /** Resolves with null when they answered nothing there; `signal` tells that the question is over. */
  ask(request: RequestBody, signal: AbortSignal): Promise<RequestAnswer | null>;
}

export interface AskOptions {
  readonly elsewhere?: Elsewhere | undefined;
  /** The browser call that it is about. */
  readonly call?: AskingCall | undefined;
}

/** What became of a page, with the pictures themselves. */
export interface PageProof extends Omit<Proof, 'pairs'> {
  readonly pairs: readonly {
    readonly element: string;
    readonly isThere: boolean;
    readonly before?: PagePicture | undefined;
    readonly after?: PagePicture | undefined;
  }[];
}

export class Session implements RunOwner, WatchOwner {
  readonly log: SessionLog;
  readonly #deps: SessionDeps;
  readonly #requests = new OpenRequests();
  /** The entries of calls that have asked, so that one that asks again asks there. */
  readonly #askingItems = new WeakMap<AskingCall, ItemId>();
  /** The calls of questions whose entry is not certain yet: an agent's own line may be read after its call has come. */
  readonly #uncertain = new Map<RequestId, AskingCall>();
  readonly #reports: Reports;
  readonly #live: LiveRun;
  readonly #watchdog = new Watchdog(this);
  readonly #timers = new Map<TimerName, NodeJS.Timeout>();
  readonly #raw: RawBuffer;
  readonly #facts: Facts;
  #work: Work = noWork;
  /** A turn that has ended, of which the copies have not been kept yet. */
  #uncopied: TurnId | null = null;
  #isClosed = false;

  constructor(row: SessionRow, deps: SessionDeps) {
    const { store, log, engines, pool } = deps;
    const { sessionId } = row;
    this.#deps = deps;
    this.log = new SessionLog({
      row,
      store,
      log,
      now: deps.now,
      onEvent: deps.onEvent,
      onLoad: deps.onLoad,
      onHeld: deps.onHeld,
      onAppend: (changes, view) => deps.search.note(sessionId, changes, view),
    });
    this.#raw = new RawBuffer(store, sessionId, log);
    this.#live = new LiveRun({ owner: this, pool, log });
    this.#reports = new Reports({
      requests: this.#requests,
      sessionId,
      log,
      deliver: (report) => this.#guard(() => this.#record({ type: 'report', report })),
    });
    this.#facts = {
      newTurnId: () => TurnId.parse(randomId('turn')),
      newItemId,
      clock: () => performance.now(),
      engine: () => {
        const name = this.view().engine;
        return { ...capabilitiesOf(engines, name), ...runFactsOf(engines, name) };
      },
      day: deps.day,
      endOfRequest: (requestId) => this.log.endOfRequest(requestId),
      wasSaid: (turnId) => this.log.hadPrompt(turnId),
    };
  }

  view(): SessionView {
    return this.log.view();
  }

  /** Carries out a command that returns nothing; throws when it cannot be carried out. `worktree` was made for a session that begins. */
  dispatch(command: Exclude<Command, { type: 'turn.start' }>, worktree: Worktree | null = null): void {
    const decision = this.#decide({ type: 'command', command, attachments: [], worktree });
    this.#carryOut(decision, (events) => {
      try {
        this.log.commit(events);
      } catch (error) {
        // A full disk must not keep anybody from stopping an agent.
        if (command.type !== 'turn.cancel') throw error;
        this.log.record(events);
      }
    });
  }

  /** Something became of its worktree: its agent, whose folder is gone, is ended by then. */
  noteWorktree(worktree: Worktree): void {
    this.#carryOut(this.#decide({ type: 'worktree', worktree }), (events) => this.log.commit(events));
  }

  /** Ends the agent between two turns; the next turn starts it again. */
  async rest(): Promise<void> {
    await this.#live.end();
  }

  /** Begins the prompt that has waited longest, if nothing runs. */
  beginWaiting(): void {
    this.#advanceQueue();
  }

  /** Starts a turn, or adds to the one that runs, or lets it wait when it is held; returns its id. A command that is repeated changes nothing. */
  start(command: Extract<Command, { type: 'turn.start' }>, { isHeld }: { readonly isHeld: boolean }): TurnId {
    const { store } = this.#deps;
    const turnId = command.turnId ?? this.#facts.newTurnId();
    // This is checked before the attachments are kept, so that a repeated command does not keep them twice.
    if (this.log.hadPrompt(turnId)) return turnId;
    const attachments: AttachmentRef[] = [];
    try {
      attachments.push(...store.attachments.saveAll(command.prompt.attachments));
      const decision = this.#decide({ type: 'command', command: { ...command, turnId }, attachments, isHeld });
      this.#carryOut(decision, (events) => this.log.commit(events));
      for (const attached of command.prompt.attachments) if ('uploadId' in attached) store.attachments.uploads.letGo(attached.uploadId);
      const [first] = decision.events;
      return first?.type === 'item.started' ? first.turnId : turnId;
    } catch (error) {
      if (!this.log.hadPrompt(turnId)) for (const ref of attachments) store.attachments.remove(ref);
      throw error;
    }
  }

  /** Puts a question of Pilotfish itself to the user; resolves with the answer, or with null when it was withdrawn. */
  async ask(given: RequestBody, signal: AbortSignal, { elsewhere, call }: AskOptions = {}): Promise<RequestAnswer | null> {
    if (signal.aborted || this.#isClosed) return null;
    const requestId = RequestId.parse(randomId('request'));
    const { promise, resolve } = Promise.withResolvers<RequestAnswer | null>();
    const withdraw = (): void => {
      if (this.#requests.has(requestId)) this.#record({ type: 'ask.withdrawn', requestId });
    };
    // A call may repeat what its agent was given, and a card is kept.
    const request = this.#deps.store.known.redactor.value(given);
    const over = new AbortController();
    this.#requests.add(requestId, { origin: 'companion', resolve });
    try {
      const place = this.#placeOf(call);
      if (call !== undefined && place?.isCertain !== true) this.#uncertain.set(requestId, call);
      // Nobody is shown a question that cannot be stored, and so nobody would answer it.
      const asked = this.#decide({ type: 'ask', requestId, itemId: place?.itemId ?? null, request });
      this.#carryOut(asked, (events) => this.log.commit(events));
      void elsewhere?.ask(request, over.signal).then(
        (answer) => this.#answeredElsewhere(requestId, answer, elsewhere.by),
        // What cannot ask there asks here alone.
        () => {},
      );
      signal.addEventListener('abort', withdraw, { once: true });
      return await promise;
    } finally {
      signal.removeEventListener('abort', withdraw);
      this.#requests.take(requestId);
      this.#uncertain.delete(requestId);
      over.abort();
    }
  }

  /** An answer that cannot be kept (the disk is full) counts as none: the question stays open here. */
  #answeredElsewhere(requestId: RequestId, answer: RequestAnswer | null, by: string): void {
    if (answer === null || !this.#requests.has(requestId)) return;
    const { sessionId } = this.log;
    try {
      this.dispatch({ type: 'request.answer', sessionId, requestId, answer, by });
    } catch (error) {
      this.#deps.log.error('request.answer_failed', { sessionId, requestId, by, error });
    }
  }

  /** The entry of the call that asks. `own` is what it asks, where that is asked already. */
  #placeOf(call: AskingCall | undefined, own?: RequestId): AskingPlace | null {
    if (call === undefined) return null;
    const { items, requests, answered } = this.view();
    const before = this.#askingItems.get(call);
    if (before !== undefined) return { itemId: before, isCertain: true };
    const { redactor } = this.#deps.store.known;
    const args = call.args.map((given) => redactor.value(given));
    const asked = new Set([...requests, ...answered].flatMap(({ requestId, itemId }) => (requestId === own ? [] : (itemId ?? []))));
    const place = findAskingItem(items, { ...call, args }, this.#reports.items.idOf(call.agentItemId), asked);
    if (place?.isCertain === true) this.#askingItems.set(call, place.itemId);
    return place;
  }

  /** The entry of a call that has asked may have come, or be certain now. */
  #placeRequests(): void {
    for (const [requestId, call] of this.#uncertain) {
      const place = this.#requests.has(requestId) ? this.#placeOf(call, requestId) : null;
      if (place === null) continue;
      if (place.isCertain) this.#uncertain.delete(requestId);
      const { itemId } = place;
      const asked = this.view().requests.find((request) => request.requestId === requestId);
      if (asked?.itemId !== itemId) this.#record({ type: 'ask.placed', requestId, itemId });
    }
  }

  /** Records a browser call of an outside client; an agent reports its calls itself, and its log does not get them twice. */
  recordCall(call: ClientCall): CallRecord {
    if (this.view().kind !== 'client') return { finish: () => {} };
    const itemId = newItemId();
    const { known } = this.#deps.store;
    this.#record({ type: 'call.started', itemId, item: toCallItem(known.redactor.value(call)) });
    return { finish: (result) => this.#record({ type: 'call.ended', itemId, ...toCallEnd(known.redactor.value(result)) }) };
  }

  /** Records such a call that is over already. */
  recordEndedCall(call: ClientCall, { result, durationMs }: CallEnd): void {
    if (this.view().kind !== 'client') return;
    const { redactor } = this.#deps.store.known;
    const [item, end] = [toCallItem(redactor.value(call)), toCallEnd(redactor.value(result))];
    this.#record({ type: 'call.made', itemId: newItemId(), item, ...end, durationMs });
  }

  /** Notes what has become of a page after a turn that is over, with its pictures, which are kept like attachments. */
  noteProof(turnId: TurnId, { url, outcome, buildError, pairs }: PageProof): void {
    const { attachments, known } = this.#deps.store;
    const kept: AttachmentRef[] = [];
    const keep = (name: string, picture: PagePicture | undefined): AttachmentRef | undefined => {
      if (picture === undefined) return undefined;
      const saved = attachments.saveAll([{ kind: 'screenshot', name, ...picture }]);
      kept.push(...saved);
      return saved[0];
    };
    try {
      const proof: Proof = {
        url,
        outcome,
        ...(buildError === undefined ? {} : { buildError }),
        pairs: pairs.map(({ element, isThere, before, after }) => {
          const [then, now] = [keep('before', before), keep('after', after)];
          return { element, isThere, ...(then === undefined ? {} : { before: then }), ...(now === undefined ? {} : { after: now }) };
        }),
      };
      const decision = this.#decide({ type: 'proof', turnId, proof: known.redactor.value(proof) });
      this.#carryOut(decision, (events) => this.log.commit(events));
      if (decision.events.length === 0) for (const ref of kept) attachments.remove(ref);
    } catch (error) {
      for (const ref of kept) attachments.remove(ref);
      throw error;
    }
  }

  /** What a background task has written so far; throws TASK_NOT_RUNNING. */
  async readTask(itemId: ItemId): Promise<TaskOutput> {
    const agentItemId = this.#reports.items.agentIdOf(itemId);
    const output = agentItemId === undefined ? null : await this.#live.current?.readTask?.(agentItemId);
    if (output === null || output === undefined) throw new CompanionError('TASK_NOT_RUNNING', itemId);
    return output;
  }

  /** The budget of the day may be spent. */
  checkDay(): void {
    if (this.#work.turn !== null) this.#record({ type: 'day.spent' });
  }

  /** The next turn gets a new process: what its agent is started with has changed. */
  renew(): void {
    this.#live.expire();
  }

  /** Ends what runs; a turn that is interrupted ends with `outcome`. Resolves when nothing is left of the agent. */
  async stop(outcome: 'cancelled' | 'interrupted'): Promise<void> {
    this.#isClosed = true;
    // A session whose log is not loaded has no turn, and hundreds of logs must not be read only to end the daemon.
    if (this.log.isLoaded) this.#record({ type: 'stop', outcome });
    this.#keepCopies();
    await this.#live.end({ graceMs: CLOSE_GRACE_MS });
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Closes what a daemon that died left open in the log. */
  closeOpen(): void {
    this.#record({ type: 'close' });
  }

  /** Called after `stop`: closes what is open in the log, and the log. */
  close(): void {
    if (this.log.isLoaded) this.closeOpen();
    this.#requests.close();
    this.log.close();
  }

  /** The session is deleted: nothing more is written, and nobody waits any more. */
  discard(): void {
    this.log.discard();
    this.#requests.close();
    void this.stop('cancelled');
  }

  // LiveRun calls the methods from here on.

  async openRun(listener: RunListener): Promise<Run> {
    return this.#deps.openRun(() => this.view(), listener, {
      ask: (request, signal) => this.ask(request, signal),
      isWanted: () => !this.#isClosed && runningTurn(this.view()) !== undefined,
    });
  }

  canSleep(): boolean {
    const view = this.view();
    const hasTask = this.#reports.items.openItems().some(({ outlivesTurn }) => outlivesTurn);
    const { canResume } = capabilitiesOf(this.#deps.engines, view.engine);
    return this.#work.turn === null && view.requests.length === 0 && !hasTask && canResume;
  }

  runStarts(): void {
    this.#reports.beginRun(this.view().usage);
    this.#record({ type: 'run.starting' });
  }

  takeLine(line: string): void {
    this.#guard(() => {
      const { turn } = this.#work;
      this.#watchdog.feed();
      if (turn?.isSent === true && !turn.hasOutput) this.#record({ type: 'run.spoke' });
      this.#raw.add(line, turn?.turnId ?? null);
    });
  }

  takeEvent(event: EngineEvent): void {
    this.#guard(() => {
      this.#watchdog.feed();
      this.#reports.take(event, homeTurn(this.#work, this.view()));
    });
  }

  runEnded(error: ErrorBody, isUnexpected: boolean): void {
    this.#guard(() => this.#record({ type: 'run.ended', error, isUnexpected }));
  }

  /** A fault of Pilotfish while it handles what a run reports ends that run, never the process that holds all sessions. */
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      const { sessionId } = this.log;
      this.#deps.log.error('run.report_failed', { sessionId, error });
      void this.#live.current?.stop({ graceMs: 0, error: toErrorBody(error) });
    }
  }

  // The watchdog calls the methods from here on.

  limits(): WatchLimits {
    const { maxSilenceMs, maxTurnMs } = this.view().settings;
    const { hangMs, turnLimitMs } = this.#deps.store.settings.current();
    return { maxSilenceMs: maxSilenceMs ?? hangMs, maxTurnMs: maxTurnMs ?? turnLimitMs };
  }

  isAsking(): boolean {
    return this.view().requests.length > 0;
  }

  noticeQuiet(silentMs: number): void {
    this.#record({ type: 'watch.quiet', silentMs, lastWords: this.#live.current?.lastWords?.() ?? null });
  }

  noticeHung(): void {
    this.#record({ type: 'watch.hung' });
  }

  noticeOvertime(limitMs: number): void {
    this.#record({ type: 'watch.overtime', limitMs });
  }

  /** Records what has happened already: when the disk refuses, the events wait for it, but the effects do not. */
  #record(input: Input): void {
    this.#carryOut(this.#decide(input), (events) => this.log.record(events));
  }

  #decide(input: Input): Decision {
    // What the agent said earlier must come first; a batch of its deltas may still wait.
    if (input.type !== 'report') this.#reports.items.flush();
    return decide(this.#state(), input, this.#facts);
  }

  #state(): SessionState {
    return {
      view: this.view(),
      work: this.#work,
      openItems: () => this.#reports.items.openItems(),
      agentRequests: () => this.#requests.ofAgent(),
    };
  }

  #carryOut({ work, events, effects }: Decision, append: (events: Decision['events']) => void): void {
    const before = this.#work;
    this.#work = work;
    try {
      append(events);
    } catch (error) {
      this.#work = before;
      throw error;
    }
    for (const effect of effects) this.#perform(effect);
    if (this.#uncertain.size > 0 && events.some(({ type }) => type.startsWith('item.'))) this.#placeRequests();
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'run.open':
        void this.#openFor(effect.turnId);
        return;
      case 'run.prompt':
        this.#prompt(effect.turnId, effect.prompt);
        return;
      case 'run.steer':
        this.#steer(effect.turnId, effect.prompt);
        return;
      case 'run.interrupt':
        this.#live.current?.interrupt();
        return;
      case 'run.kill':
        void this.#live.end({ isForced: true });
        return;
      case 'run.end':
        void this.#live.end();
        return;
      case 'run.expire':
        this.#live.expire();
        return;
      case 'run.configure':
        this.#live.current?.configure(effect.settings);
        return;
      case 'run.stopTask':
        this.#stopTask(effect.itemId);
        return;
      case 'request.tell':
        this.#tellAsker(effect.requestId, effect.answer);
        return;
      case 'watch.start':
        this.#watchdog.start();
        return;
      case 'watch.feed':
        this.#watchdog.feed();
        return;
      case 'watch.renew':
        this.#watchdog.renew();
        return;
      case 'watch.stop':
        this.#watchdog.stop();
        return;
      case 'timer.start':
        this.#startTimer(effect.timer, effect.ms);
        return;
      case 'timer.stop':
        this.#stopTimer(effect.timer);
        return;
      case 'items.endTurn':
        this.#reports.items.endTurn();
        return;
      case 'items.endRun':
        this.#reports.items.endRun();
        return;
      case 'log.empty':
        this.log.emptyBefore(effect.beforeSeq);
        return;
      case 'turn.begun':
        noteUse(this.#deps.store, this.view().projectId, this.#deps.now(), this.#deps.log);
        return;
      case 'turn.ended':
        this.#afterTurn(effect.turnId);
        return;
    }
  }

  async #openFor(turnId: TurnId): Promise<void> {
    try {
      // The agent must not write before the state of its folder is kept.
      const kept = this.#deps.beforeTurn(this.view(), turnId);
      const [told] = await Promise.all([kept, this.#live.ready(() => this.#work.turn?.turnId === turnId)]);
      if (told !== null) this.#record({ type: 'report', report: { type: 'notice', level: 'warning', ...told } });
      this.#record({ type: 'run.ready', turnId });
    } catch (error) {
      this.#record({ type: 'run.failed', turnId, error: toErrorBody(error), hasRun: this.#live.current !== null });
    }
  }

  #prompt(turnId: TurnId, prompt: LoggedPrompt): void {
    try {
      const view = this.view();
      const text = mustBeTold(view) ? withConversation(view, prompt.text) : prompt.text;
      this.#live.current?.prompt(this.#withAttachments(turnId, { ...prompt, text }));
    } catch (error) {
      this.#record({ type: 'run.failed', turnId, error: toErrorBody(error), hasRun: true });
    }
  }

  #steer(turnId: TurnId, prompt: LoggedPrompt): void {
    try {
      this.#live.current?.steer(this.#withAttachments(turnId, prompt));
    } catch (error) {
      this.#deps.log.warn('run.steer_failed', { sessionId: this.log.sessionId, error });
    }
  }

  #withAttachments(turnId: TurnId, { text, attachments }: LoggedPrompt): EnginePrompt {
    const { store } = this.#deps;
    return {
      turnId,
      text,
      attachments: attachments.map((ref) => store.attachments.load(ref)),
    };
  }

  #stopTask(itemId: ItemId): void {
    const agentItemId = this.#reports.items.agentIdOf(itemId);
    if (agentItemId !== undefined) this.#live.current?.stopTask(agentItemId);
  }

  #tellAsker(requestId: RequestId, answer: RequestAnswer | null): void {
    const asker = this.#requests.take(requestId);
    if (asker?.origin === 'companion') asker.resolve(answer);
    else if (asker !== undefined && answer !== null) this.#live.current?.answer(asker.agentRequestId, answer);
  }

  #startTimer(timer: TimerName, ms: number): void {
    if (this.#timers.has(timer)) return;
    const started = setTimeout(() => {
      this.#timers.delete(timer);
      if (timer === 'queue') this.#advanceQueue();
      else this.#record({ type: 'timer', timer });
    }, ms);
    this.#timers.set(timer, started.unref());
  }

  #stopTimer(timer: TimerName): void {
    clearTimeout(this.#timers.get(timer));
    this.#timers.delete(timer);
  }

  #afterTurn(turnId: TurnId): void {
    this.#keepCopies();
    this.#uncopied = turnId;
    // Readers are told of the end first: the user waits for it, and nobody for the copies. They are made before anything else comes in.
    if (queuedTurns(this.view()).length > 0) this.#keepCopies();
    else setImmediate(() => this.#keepCopies());
    this.#advanceQueue();
    this.#deps.onTurnEnd();
    // This comes last: a prompt that waited has begun by now, so its process is not put to sleep.
    this.#live.touch();
  }

  #keepCopies(): void {
    if (this.#uncopied === null) return;
    this.#raw.flush(this.#uncopied);
    this.#uncopied = null;
    this.log.saveSummary();
  }

  /** Begins the next prompt that waits, after its beginning is on disk; otherwise it would be begun again after a crash. */
  #advanceQueue(): void {
    if (this.#isClosed) return;
    // As long as events wait for the disk, the view does not say what runs.
    if (this.log.heldCount > 0) this.#startTimer('queue', QUEUE_RETRY_MS);
    else if (runningTurn(this.view()) === undefined) this.#beginQueued();
  }

  #beginQueued(): void {
    try {
      this.#carryOut(this.#decide({ type: 'queue.next' }), (events) => this.log.commit(events));
    } catch (error) {
      this.#deps.log.warn('sessions.queue_waits', { sessionId: this.log.sessionId, error });
      this.#startTimer('queue', QUEUE_RETRY_MS);
    }
  }
}
