/** Follows the log of the session on screen and folds it into the state, once per frame. */
import { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { runningTurn } from '#protocol/view.ts';
import { EventStream, type ServerEvent, type StreamState } from '#stream/event-stream.ts';
import { applyEvents, emptyConversation, type Conversation } from './fold.ts';
import { dropArrived } from './outbox.ts';
import type { Store } from './state.ts';
import { streamOf, type Endpoint } from '#extension/shared/wire.ts';

/** Sessions kept in memory, so that going back to one costs nothing. */
const KEPT_SESSIONS = 6;

interface Kept {
  conversation: Conversation;
  lastEventId: string | null;
}

interface LogSyncOptions {
  readonly store: Store;
  /** Runs a callback before the next paint. */
  readonly nextFrame: (run: () => void) => void;
  /** Asks the worker for a new token. */
  readonly onUnauthorized: () => void;
}

export class LogSync {
  readonly #options: LogSyncOptions;
  readonly #kept = new Map<SessionId, Kept>();
  #endpoint: Endpoint | null = null;
  #current: SessionId | null = null;
  #reading: AbortController | null = null;
  #buffer: SessionEvent[] = [];
  #skipped = 0;
  #isFlushPlanned = false;
  /** The server sends the log from the beginning: what is shown stays until the first event of it arrives. */
  #isReset = false;

  constructor(options: LogSyncOptions) {
    this.#options = options;
  }

  /** Shows a session: what is known of it at once, and the rest from its log. Null shows an empty conversation. */
  open(sessionId: SessionId | null): void {
    // Events of the old session that wait for their frame belong to its kept copy.
    this.#flush();
    this.#current = sessionId;
    this.#options.store.set({
      sessionId,
      conversation: sessionId === null ? null : this.#keep(sessionId).conversation,
      log: null,
      skippedEvents: 0,
      stopping: null,
      answering: null,
    });
    this.#restart();
  }

  /** The daemon has another address now, or is back. */
  connect(endpoint: Endpoint): void {
    this.#flush();
    this.#endpoint = endpoint;
    this.#restart();
  }

  close(): void {
    this.#reading?.abort();
  }

  #restart(): void {
    this.close();
    this.#reading = null;
    this.#buffer = [];
    this.#isReset = false;
    if (this.#current === null || this.#endpoint === null) return;
    const entry = this.#keep(this.#current);
    const { signal } = (this.#reading = new AbortController());
    const stream = new EventStream({
      open: streamOf(this.#endpoint, routes.watchSession, { params: { sessionId: this.#current }, query: {} }),
      lastEventId: entry.lastEventId,
      signal,
      onEvent: (event) => this.#takeEvent(entry, event),
      onState: (state) => this.#takeState(state, signal),
      onFault: (error) => console.error('the stream of a session ended by a fault', error),
    });
    void stream.run();
  }

  #takeState(state: StreamState, signal: AbortSignal): void {
    if (signal.aborted) return;
    if (state.state === 'waiting' && state.error.code === 'UNAUTHORIZED') this.#options.onUnauthorized();
    this.#options.store.set({ log: state });
  }

  #takeEvent(entry: Kept, event: ServerEvent): void {
    if (event.name === 'heartbeat') return;
    entry.lastEventId = event.lastEventId;
    if (event.name === 'resync') {
      this.#isReset = true;
      this.#buffer = [];
      return;
    }
    const parsed = parseEvent(event.data);
    if (parsed === null) this.#skipped += 1;
    else this.#buffer.push(parsed);
    this.#planFlush();
  }

  #planFlush(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    this.#options.nextFrame(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    const entry = this.#current === null ? undefined : this.#kept.get(this.#current);
    if (this.#current === null || entry === undefined || (this.#buffer.length === 0 && this.#skipped === 0)) return;
    if (this.#isReset && this.#buffer.length > 0) {
      entry.conversation = emptyConversation(this.#current);
      this.#isReset = false;
    }
    entry.conversation = applyEvents(entry.conversation, this.#buffer);
    this.#buffer = [];
    const { store } = this.#options;
    const { view } = entry.conversation;
    const { outbox, stopping, skippedEvents } = store.state;
    store.set({
      conversation: entry.conversation,
      skippedEvents: skippedEvents + this.#skipped,
      outbox: dropArrived(outbox, view),
      stopping: runningTurn(view)?.turnId === stopping ? stopping : null,
    });
    this.#skipped = 0;
  }

  /** The kept copy of a session, which is now the one used last; the one not used for longest makes room. */
  #keep(sessionId: SessionId): Kept {
    const entry = this.#kept.get(sessionId) ?? { conversation: emptyConversation(sessionId), lastEventId: null };
    this.#kept.delete(sessionId);
    this.#kept.set(sessionId, entry);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= KEPT_SESSIONS) break;
      this.#kept.delete(oldest);
    }
    return entry;
  }
}

const parseEvent = (data: string): SessionEvent | null => {
  try {
    const parsed = SessionEvent.safeParse(JSON.parse(data));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
};
