/** The log of one session and the view folded from it: append, then publish, in that order for every event. */
import { setImmediate } from 'node:timers/promises';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Durability } from '#companion/store/database.ts';
import type { SessionRow } from '#companion/store/event-log.ts';
import type { SearchChange } from '#companion/store/search-index.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { Fold } from '#protocol/fold.ts';
import { ItemId, type ProjectId, type RequestId, type SessionId, type TurnId } from '#protocol/ids.ts';
import { newestPage, type Page, pageBefore } from '#protocol/pages.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';
import { promptIn } from './prompt-ids.ts';
import { searchChanges } from './search-changes.ts';
import { StoredFold } from './stored-fold.ts';
import { StoredView, type ViewPart } from './stored-view.ts';
import { summarize } from './summary.ts';

export type SessionListener = (event: SessionEvent, view: SessionView) => void;

/** Hears that a view came into memory. */
type LoadListener = () => void;

/** Hears what an append changes in the index of what was said, and the view after it. */
type AppendListener = (changes: readonly SearchChange[], view: SessionView) => void;

interface CatchUpOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onRead?: (seq: number) => void;
}

/** A view whose lists are read a part at a time, as often as wanted. */
export interface ViewInParts {
  /** What it says beside its lists. */
  readonly head: Omit<SessionView, keyof ViewPart>;
  /** Its lists from their beginnings. */
  parts(): AsyncIterable<ViewPart>;
}

/** Events read at a time. */
const PAGE = 5000;
/** A log that is this much longer than its stored view is read in slices. */
const LONG = 5000;
const SLICE = 1000;
const RETRY_MS = 1000;
/** After so many events the view is stored again at the end of a turn: a daemon that dies has that much to fold at most. */
const STORED_EVERY = 1000;
/** Events of a running agent that wait for a full disk; beyond this number deltas are dropped. */
const MAX_HELD = 20_000;

/** The log of one session. What is appended is on disk before anybody is told of it. */
export class SessionLog {
  readonly sessionId: SessionId;
  readonly epoch: string;
  readonly row: SessionRow;
  readonly #store: Pick<Store, 'events' | 'sessions' | 'views'>;
  readonly #stored: StoredView;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #onEvent: SessionListener;
  readonly #onAppend: AppendListener;
  readonly #onLoad: LoadListener;
  readonly #onHeld: () => void;
  readonly #listeners = new Set<SessionListener>();
  readonly #outbox: { event: SessionEvent; seen: SessionView }[] = [];
  #isPublishing = false;
  #loaded: SessionView | null = null;
  /** The ids of all prompts that a person sent: a prompt that is repeated changes nothing, whatever became of the first. */
  readonly #promptIds = new Set<string>();
  #summary: SessionSummary | null;
  /** The row as it was stored. */
  #storedSummary: SessionSummary | null;
  #held: EventBody[] = [];
  #retry: NodeJS.Timeout | null = null;
  #isDiscarded = false;
  #catchingUp: Promise<void> | null = null;

  /** `onEvent` hears every event before all others, as long as the log is open. */
  constructor(options: {
    readonly row: SessionRow;
    readonly store: Pick<Store, 'events' | 'sessions' | 'views'>;
    readonly log: Log;
    readonly now: () => number;
    readonly onEvent: SessionListener;
    readonly onAppend?: AppendListener;
    readonly onLoad?: LoadListener;
    /** Events begin or end to wait for the disk. */
    readonly onHeld?: () => void;
  }) {
    const { row } = options;
    this.row = row;
    this.#store = options.store;
    this.#log = options.log;
    this.#now = options.now;
    this.#onEvent = options.onEvent;
    this.#onAppend = options.onAppend ?? (() => {});
    this.#onLoad = options.onLoad ?? (() => {});
    this.#onHeld = options.onHeld ?? (() => {});
    this.#summary = row.summarySeq === row.lastSeq ? row.summary : null;
    this.#storedSummary = this.#summary;
    this.sessionId = row.sessionId;
    this.epoch = row.epoch;
    this.#stored = new StoredView(options.store.views, row.sessionId);
  }

  /** The view as of the newest event on disk. */
  view(): SessionView {
    if (this.#loaded !== null) return this.#loaded;
    const stored = this.#stored.read(this.lastSeq());
    const fold = new Fold(stored?.view ?? emptyView(this.sessionId));
    this.#promptIds.clear();
    for (const id of stored?.prompts ?? []) this.#promptIds.add(id);
    for (const event of this.#events(stored?.view.seq)) {
      fold.take(event);
      this.#notePrompt(event, fold);
    }
    this.#loaded = fold.view();
    this.#onLoad();
    return this.#loaded;
  }

  /**
   * Sees to it that the view of a long log need not be folded whole when it is asked for: what is stored is made anew where it is far
   * behind. That is done page by page, so that others work meanwhile; `onRead` hears the number of the last event that was read.
   */
  async catchUp(options: CatchUpOptions = {}): Promise<void> {
    this.#catchingUp ??= this.#refold(options).finally(() => (this.#catchingUp = null));
    return this.#catchingUp;
  }

  /** A part of the conversation: the newest, or the one before an item. A view that is not in memory is not loaded for it, where it is stored. */
  page(before: ItemId | null, limit: number): Page {
    const stored = this.#loaded === null ? this.#stored.page(this.lastSeq(), before, limit) : null;
    if (stored !== null) return stored;
    return before === null ? newestPage(this.view(), limit) : pageBefore(this.view(), before, limit);
  }

  /** The view as of now, part by part: one that is not in memory is not loaded for it, where it is stored. */
  inParts(): ViewInParts {
    const stored = this.#loaded === null ? this.#stored.inParts(this.lastSeq()) : null;
    if (stored === null) return inOnePart(this.#glance());
    return { head: stored.newest, parts: () => this.#parts(stored.newest.seq, stored.parts()) };
  }

  /** The number of the newest event on disk. */
  lastSeq(): number {
    return this.#loaded?.seq ?? this.#store.events.lastSeq(this.sessionId);
  }

  /** The session as a row of a list. As long as nothing has changed it is made without the view. */
  summary(): SessionSummary {
    this.#summary ??= summarize(this.view(), this.row.createdAt);
    return this.#summary;
  }

  /** How a request ended; null when none with this id was ever opened. It reads the whole log, and is only asked about answers that come too late. */
  endOfRequest(requestId: RequestId): 'answered' | 'withdrawn' | null {
    let end: 'answered' | 'withdrawn' | null = null;
    for (const event of this.#events()) {
      if (event.type !== 'request.opened' && event.type !== 'request.resolved') continue;
      if (event.requestId !== requestId) continue;
      end = event.type === 'request.opened' || event.outcome === 'withdrawn' ? 'withdrawn' : 'answered';
    }
    return end;
  }

  /** Whether a prompt with this id was ever taken, be it that it was cancelled before it began or that the session was emptied since. */
  hadPrompt(turnId: TurnId): boolean {
    this.view();
    return this.#promptIds.has(turnId);
  }

  /** Appends with full sync and publishes, or throws and changes nothing. It is for what a person is promised. */
  commit(bodies: readonly EventBody[]): void {
    if (this.#isDiscarded) throw sessionNotFound(this.sessionId);
    if (bodies.length === 0) return;
    this.#appendHeld();
    this.#append(bodies, 'full');
  }

  /** Appends what was said in another session, slice by slice: others work meanwhile, and nobody knows of this session before its end. */
  async fill(slices: AsyncIterable<readonly EventBody[]>): Promise<void> {
    this.unload();
    let seq = this.lastSeq();
    for await (const bodies of slices) {
      this.#enter(bodies, seq, 'normal', { areCopied: true });
      seq += bodies.length;
      await setImmediate();
    }
    this.#summary = null;
    await this.catchUp();
    if (this.#summary === null) this.#glance();
  }

  /** Appends and publishes. When the disk refuses, the events wait and are published once they are stored. */
  record(bodies: readonly EventBody[]): void {
    if (this.#isDiscarded) return;
    try {
      this.#appendHeld();
      if (bodies.length > 0) this.#append(bodies, 'normal');
    } catch (error) {
      this.#hold(bodies, error);
    }
  }

  /** Empties older entries on disk that the view no longer shows. */
  emptyBefore(seq: number): void {
    try {
      this.#store.events.empty(this.sessionId, seq);
    } catch (error) {
      // A failure does no harm: emptying only saves space.
      this.#log.warn('store.empty_failed', { sessionId: this.sessionId, error });
    }
  }

  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether somebody follows it now. */
  get isWatched(): boolean {
    return this.#listeners.size > 0;
  }

  /** Whether the view is in memory. */
  get isLoaded(): boolean {
    return this.#loaded !== null;
  }

  /** How many events wait for the disk. */
  get heldCount(): number {
    return this.#held.length;
  }

  /** Stores the row for lists, and the view for who opens the session. */
  saveSummary(): void {
    if (this.#isDiscarded || this.#loaded === null) return;
    const { seq, projectId } = this.#loaded;
    const summary = this.summary();
    try {
      // Who only read it has changed nothing.
      if (summary !== this.#storedSummary) this.#store.sessions.save({ ...this.row, projectId, summary, summarySeq: seq });
      this.#storedSummary = summary;
      this.#stored.save(this.#loaded, [...this.#promptIds]);
    } catch (error) {
      // A failure does no harm: without the row the list is made from the events.
      this.#log.warn('store.summary_failed', { sessionId: this.sessionId, error });
    }
  }

  /** Forgets the view until it is asked for again, unless somebody watches or events wait. */
  unload(): void {
    if (this.#listeners.size > 0 || this.#held.length > 0 || this.#loaded === null) return;
    this.saveSummary();
    this.#loaded = null;
    this.#stored.forget();
    this.#promptIds.clear();
  }

  /** The session is deleted: nothing is written any more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#listeners.clear();
    this.#held = [];
  }

  /** Tries a last time to write what waits. */
  close(): void {
    this.record([]);
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (this.#held.length > 0) this.#log.error('store.events_lost', { sessionId: this.sessionId, count: this.#held.length });
    this.saveSummary();
  }

  async #refold({ signal, onRead }: CatchUpOptions): Promise<void> {
    const last = this.#loaded === null ? this.lastSeq() : 0;
    if (last < LONG || last - this.#stored.newestSeq() < LONG || this.#store.views.isReadOnly) return;
    const fold = new StoredFold(this.#store.views, this.sessionId);
    for (let after = 0; after < last;) {
      const page = this.#store.events.read(this.sessionId, after, SLICE);
      if (!page.every((event) => fold.take(event))) return;
      after = page.at(-1)?.seq ?? last;
      onRead?.(after);
      await setImmediate();
      // Somebody needed the view at once, or nobody needs it any more.
      if (this.#loaded !== null || this.#isDiscarded || signal?.aborted === true) return;
    }
    fold.finish();
    this.#takeStoredSummary();
  }

  /** The row for lists, made without the view being loaded. */
  #takeStoredSummary(): void {
    const seq = this.lastSeq();
    const end = this.#stored.glance(seq);
    if (end === null) return;
    const { view, earlier } = end;
    this.#summary = { ...summarize(view, this.row.createdAt), messageCount: view.items.length + earlier };
    this.#store.sessions.save({ ...this.row, projectId: view.projectId, summary: this.#summary, summarySeq: seq });
    this.#storedSummary = this.#summary;
  }

  /** What of the stored parts cannot be read any more is taken from the events. */
  async *#parts(seq: number, stored: Iterable<ViewPart | null>): AsyncGenerator<ViewPart> {
    const given = { turns: 0, items: 0, answered: 0 };
    for (const part of stored) {
      if (part === null) {
        const view = this.#glance();
        if (view.seq !== seq) throw new CompanionError('SESSION_BUSY', explain('changed_while_read'));
        const { turns, items, answered } = view;
        yield { turns: turns.slice(given.turns), items: items.slice(given.items), answered: answered.slice(given.answered) };
        return;
      }
      given.turns += part.turns.length;
      given.items += part.items.length;
      given.answered += part.answered.length;
      yield part;
      // A long conversation is not read in one go: others work meanwhile.
      await setImmediate();
    }
  }

  /** The view, which is not kept in memory for that. */
  #glance(): SessionView {
    const wasLoaded = this.isLoaded;
    const view = this.view();
    if (!wasLoaded) this.unload();
    return view;
  }

  #notePrompt(event: SessionEvent, { kind }: Pick<SessionView, 'kind'>): void {
    const prompt = promptIn(event, kind);
    if (prompt !== null) this.#promptIds.add(prompt);
  }

  *#events(after = 0): Generator<SessionEvent> {
    for (let afterSeq = after; ;) {
      const page = this.#store.events.read(this.sessionId, afterSeq, PAGE);
      yield* page;
      if (page.length < PAGE) return;
      afterSeq = page.at(-1)?.seq ?? afterSeq;
    }
  }

  #append(bodies: readonly EventBody[], durability: Durability): void {
    let next = this.view();
    const events = this.#enter(bodies, next.seq, durability);
    const changes: SearchChange[] = [];
    for (const event of events) {
      const before = next;
      next = project(before, event);
      changes.push(...searchChanges(before, event, next));
      this.#notePrompt(event, next);
      this.#outbox.push({ event, seen: next });
    }
    this.#loaded = next;
    this.#summary = null;
    this.#onAppend(changes, next);
    if (next.status === 'idle' && next.seq - this.#stored.seq >= STORED_EVERY) this.saveSummary();
    this.#publish();
  }

  /** Puts into the log what has happened after its event of that number. */
  #enter(bodies: readonly EventBody[], after: number, durability: Durability, how = { areCopied: false }): SessionEvent[] {
    const at = this.#now();
    const events = bodies.map((body, index): SessionEvent => ({ ...body, sessionId: this.sessionId, seq: after + 1 + index, at }));
    this.#store.events.append(events, durability, how);
    return events;
  }

  /** A listener may append again; its events are published after those that it is being told of. */
  #publish(): void {
    if (this.#isPublishing) return;
    this.#isPublishing = true;
    for (let next = this.#outbox.shift(); next !== undefined; next = this.#outbox.shift()) {
      for (const listener of [this.#onEvent, ...this.#listeners]) this.#tell(listener, next.event, next.seen);
    }
    this.#isPublishing = false;
  }

  /** A broken listener must not stop the session, nor the listeners after it. */
  #tell(listener: SessionListener, event: SessionEvent, seen: SessionView): void {
    try {
      listener(event, seen);
    } catch (error) {
      this.#log.error('sessions.listener_failed', { sessionId: this.sessionId, error });
    }
  }

  #appendHeld(): void {
    const batch = this.#held;
    if (batch.length === 0) return;
    // The list is emptied first, because a listener that is told of the events may record something itself.
    this.#held = [];
    try {
      this.#append(batch, 'normal');
    } catch (error) {
      this.#held = batch;
      throw error;
    }
    if (this.#retry !== null) clearTimeout(this.#retry);
    this.#retry = null;
    this.#onHeld();
  }

  #hold(bodies: readonly EventBody[], error: unknown): void {
    this.#log.error('store.append_failed', { sessionId: this.sessionId, waiting: this.#held.length, error });
    const isFirst = this.#held.length === 0;
    // Only deltas are dropped: events that begin or end something are kept.
    this.#held.push(...bodies.filter((body) => this.#held.length < MAX_HELD || body.type !== 'item.delta'));
    this.#retry ??= setTimeout(() => {
      this.#retry = null;
      this.record([]);
    }, RETRY_MS).unref();
    if (isFirst) this.#onHeld();
  }
}

/** A view that is in memory. */
export const inOnePart = (view: SessionView): ViewInParts => ({
  head: view,
  async *parts() {
    const { turns, items, answered } = view;
    yield { turns, items: [], answered };
    for (let from = 0; from < items.length; from += SLICE) {
      await setImmediate();
      yield { turns: [], items: items.slice(from, from + SLICE), answered: [] };
    }
  },
});

export const newItemId = (): ItemId => ItemId.parse(randomId('item'));

/** The row of a session that begins now. */
export const newRow = (sessionId: SessionId, projectId: ProjectId | null, now: number): SessionRow => ({
  sessionId,
  projectId,
  epoch: randomId(),
  createdAt: now,
  lastSeq: 0,
  summary: null,
  summarySeq: 0,
});

/** The error of an id that names no session. */
export const sessionNotFound = (sessionId: string): CompanionError => new CompanionError('SESSION_NOT_FOUND', sessionId);
