/** The log of one session and the view folded from it: append, then publish, in that order for every event. */
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Durability, SessionRow } from '#companion/store/event-log.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody, SessionEvent } from '#protocol/events.ts';
import { ItemId, type ProjectId, type RequestId, type SessionId } from '#protocol/ids.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import { summarize } from './summary.ts';

export type SessionListener = (event: SessionEvent, view: SessionView) => void;

const PAGE = 5000;
const RETRY_MS = 1000;
/** Events of a running engine that wait for a disk that is full; past it the engine's are dropped. */
const MAX_HELD = 20_000;

export interface Journal {
  readonly row: Omit<SessionRow, 'lastSeq' | 'summary' | 'summarySeq'>;
  view(): SessionView;
  summary(): SessionSummary;
  /** Whether a request with this id was ever opened. */
  hadRequest(requestId: RequestId): boolean;
  /** Appends durably and publishes, or throws and changes nothing: for what a user is promised. */
  commit(bodies: readonly EventBody[]): void;
  /** Appends and publishes; when the disk refuses, the events wait and are published once they are stored. */
  record(bodies: readonly EventBody[]): void;
  subscribe(listener: SessionListener): () => void;
  /** Whether the view is in memory. */
  readonly isLoaded: boolean;
  /** How many events wait for the disk. */
  readonly heldCount: number;
  /** Keeps the row for lists on disk. */
  saveSummary(): void;
  /** Forgets the view until it is asked for again. False while somebody watches or events wait. */
  unload(): boolean;
  /** The session is deleted: nothing is written any more. */
  discard(): void;
  close(): void;
}

/** The journal of `row`; `onEvent` hears every event first, as long as the journal lives. */
export const createJournal = (options: {
  row: SessionRow;
  store: Store;
  log: Log;
  now: () => number;
  onEvent: SessionListener;
}): Journal => {
  const { row, store, log, now, onEvent } = options;
  const listeners = new Set<SessionListener>();
  const requestIds = new Set<RequestId>();
  let loaded: SessionView | null = null;
  let cached = row.summarySeq === row.lastSeq ? row.summary : null;
  let held: EventBody[] = [];
  let retry: NodeJS.Timeout | null = null;
  let isDiscarded = false;

  const view = (): SessionView => {
    if (loaded !== null) return loaded;
    let folded = emptyView(row.sessionId);
    for (;;) {
      const events = store.events.read(row.sessionId, folded.seq, PAGE);
      for (const event of events) {
        folded = project(folded, event);
        if (event.type === 'request.opened') requestIds.add(event.requestId);
      }
      if (events.length < PAGE) break;
    }
    loaded = folded;
    return folded;
  };

  const outbox: { event: SessionEvent; seen: SessionView }[] = [];
  let isPublishing = false;
  const append = (bodies: readonly EventBody[], durability: Durability): void => {
    let next = view();
    const at = now();
    const events = bodies.map((body, index): SessionEvent => ({ ...body, sessionId: row.sessionId, seq: next.seq + 1 + index, at }));
    store.events.append(events, durability);
    for (const event of events) {
      next = project(next, event);
      if (event.type === 'request.opened') requestIds.add(event.requestId);
      outbox.push({ event, seen: next });
    }
    loaded = next;
    cached = null;
    publish();
  };
  /** A listener may append again: its events go out after those it is being told of. */
  const publish = (): void => {
    if (isPublishing) return;
    isPublishing = true;
    for (let next = outbox.shift(); next !== undefined; next = outbox.shift()) {
      for (const listener of [onEvent, ...listeners]) {
        try {
          listener(next.event, next.seen);
        } catch (error) {
          // A broken subscriber must not stop the session, nor the ones after it.
          log.error('sessions.listener_failed', { sessionId: row.sessionId, error });
        }
      }
    }
    isPublishing = false;
  };
  const flushHeld = (): void => {
    const batch = held;
    // First: who is told of them may record something of its own.
    held = [];
    try {
      if (batch.length > 0) append(batch, 'normal');
    } catch (error) {
      held = batch;
      throw error;
    }
    // Only now: while they cannot be written, it is tried again.
    if (retry !== null) clearTimeout(retry);
    retry = null;
  };
  const hold = (bodies: readonly EventBody[], error: unknown): void => {
    log.error('store.append_failed', { sessionId: row.sessionId, waiting: held.length, error });
    // What was cut is told: the turn's end still comes, and with it a view that is whole.
    held.push(...bodies.filter((body) => held.length < MAX_HELD || body.type !== 'item.delta'));
    retry ??= setTimeout(() => {
      retry = null;
      record([]);
    }, RETRY_MS).unref();
  };
  const record = (bodies: readonly EventBody[]): void => {
    if (isDiscarded) return;
    try {
      flushHeld();
    } catch (error) {
      hold(bodies, error);
      return;
    }
    if (bodies.length === 0) return;
    try {
      append(bodies, 'normal');
    } catch (error) {
      hold(bodies, error);
    }
  };
  const saveSummary = (): void => {
    if (isDiscarded || loaded === null) return;
    cached ??= summarize(loaded, row.createdAt);
    try {
      store.sessions.save({ ...row, summary: cached, summarySeq: loaded.seq });
    } catch (error) {
      // Only a shortcut: without it the list is made from the events.
      log.warn('store.summary_failed', { sessionId: row.sessionId, error });
    }
  };

  return {
    row,
    view,
    summary: () => (cached ??= summarize(view(), row.createdAt)),
    hadRequest: (requestId) => {
      view();
      return requestIds.has(requestId);
    },
    commit: (bodies) => {
      if (isDiscarded) throw sessionNotFound(row.sessionId);
      if (bodies.length === 0) return;
      flushHeld();
      append(bodies, 'full');
    },
    record,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get isLoaded() {
      return loaded !== null;
    },
    get heldCount() {
      return held.length;
    },
    saveSummary,
    unload: () => {
      if (listeners.size > 0 || held.length > 0 || loaded === null) return false;
      saveSummary();
      loaded = null;
      requestIds.clear();
      return true;
    },
    discard: () => {
      isDiscarded = true;
      listeners.clear();
      held = [];
    },
    close: () => {
      record([]);
      if (retry !== null) clearTimeout(retry);
      if (held.length > 0) log.error('store.events_lost', { sessionId: row.sessionId, count: held.length });
      saveSummary();
    },
  };
};

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
