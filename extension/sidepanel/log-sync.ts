/** Follows the log of the session on screen and folds it into the state, once per frame. */
import { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import { runningTurn } from '#protocol/view.ts';
import type { Endpoint } from './api.ts';
import { runEventStream, type StreamState } from './event-stream.ts';
import { applyEvents, emptyConversation, type Conversation } from './fold.ts';
import { dropArrived } from './outbox.ts';
import type { ServerEvent } from './sse.ts';
import type { Store } from './state.ts';

export interface LogSync {
  /** Shows a session: what is known of it at once, the rest from its log. Null shows an empty conversation. */
  open(sessionId: SessionId | null): void;
  /** The daemon is at another place now, or back. */
  connect(endpoint: Endpoint): void;
  close(): void;
}

/** Sessions kept in memory, so that going back to one costs nothing. */
const KEPT_SESSIONS = 6;

interface Kept {
  conversation: Conversation;
  lastEventId: string | null;
}

/** `nextFrame` runs a callback before the next paint; `onUnauthorized` asks the worker for a new token. */
export const createLogSync = (options: { store: Store; nextFrame: (run: () => void) => void; onUnauthorized: () => void }): LogSync => {
  const { store } = options;
  const kept = new Map<SessionId, Kept>();
  let endpoint: Endpoint | null = null;
  let current: SessionId | null = null;
  let reading: AbortController | null = null;
  let buffer: SessionEvent[] = [];
  let skipped = 0;
  let isFlushPlanned = false;
  /** The server starts the log over: what is shown stays until the first of it is here. */
  let isReset = false;

  const flush = (): void => {
    isFlushPlanned = false;
    const entry = current === null ? undefined : kept.get(current);
    if (current === null || entry === undefined || (buffer.length === 0 && skipped === 0)) return;
    if (isReset && buffer.length > 0) {
      entry.conversation = emptyConversation(current);
      isReset = false;
    }
    entry.conversation = applyEvents(entry.conversation, buffer);
    buffer = [];
    const { view } = entry.conversation;
    const { outbox, stopping, skippedEvents } = store.state;
    store.set({
      conversation: entry.conversation,
      skippedEvents: skippedEvents + skipped,
      outbox: dropArrived(outbox, view),
      stopping: runningTurn(view)?.turnId === stopping ? stopping : null,
    });
    skipped = 0;
  };

  const planFlush = (): void => {
    if (isFlushPlanned) return;
    isFlushPlanned = true;
    options.nextFrame(flush);
  };

  const onEvent = (entry: Kept, event: ServerEvent): void => {
    if (event.name === 'heartbeat') return;
    if (event.name === 'resync') {
      isReset = true;
      buffer = [];
      entry.lastEventId = null;
      return;
    }
    entry.lastEventId = event.lastEventId;
    const parsed = parseEvent(event.data);
    if (parsed === null) skipped += 1;
    else buffer.push(parsed);
    planFlush();
  };

  const restart = (): void => {
    reading?.abort();
    reading = null;
    buffer = [];
    isReset = false;
    if (current === null || endpoint === null) return;
    const entry = keep(kept, current);
    const abort = new AbortController();
    reading = abort;
    void runEventStream({
      endpoint,
      path: `/api/agent-sessions/${encodeURIComponent(current)}/events`,
      lastEventId: entry.lastEventId,
      signal: abort.signal,
      onEvent: (event) => onEvent(entry, event),
      onState: (state) => {
        if (abort.signal.aborted) return;
        if (isUnauthorized(state)) options.onUnauthorized();
        store.set({ log: state });
      },
    });
  };

  return {
    open(sessionId) {
      // Events of the old session that wait for their frame belong to its kept copy.
      flush();
      current = sessionId;
      store.set({
        sessionId,
        conversation: sessionId === null ? null : keep(kept, sessionId).conversation,
        log: null,
        skippedEvents: 0,
        stopping: null,
        answering: null,
      });
      restart();
    },
    connect(place) {
      flush();
      endpoint = place;
      restart();
    },
    close() {
      reading?.abort();
    },
  };
};

const keep = (kept: Map<SessionId, Kept>, sessionId: SessionId): Kept => {
  const entry = kept.get(sessionId) ?? { conversation: emptyConversation(sessionId), lastEventId: null };
  kept.delete(sessionId);
  kept.set(sessionId, entry);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_SESSIONS) break;
    kept.delete(oldest);
  }
  return entry;
};

const parseEvent = (data: string): SessionEvent | null => {
  try {
    const parsed = SessionEvent.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};

const isUnauthorized = (state: StreamState): boolean => state.state === 'waiting' && state.error.code === 'UNAUTHORIZED';
