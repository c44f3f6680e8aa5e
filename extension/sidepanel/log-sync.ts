/** Follows the log of the session on screen and folds it into the state, once per frame. */
import { toErrorBody } from '#protocol/errors.ts';
import { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import { runningTurn } from '#protocol/view.ts';
import { EventStream, type ServerEvent, type StreamState } from '#stream/event-stream.ts';
import { applyEvents, emptyConversation, fromPage, trimmed, withPage, type Conversation } from './fold.ts';
import { dropArrived } from './outbox.ts';
import type { Store } from './state.ts';
import { streamOf, type Call, type Endpoint } from '#extension/shared/wire.ts';

/** Sessions kept in memory, so that going back to one costs nothing. */
const KEPT_SESSIONS = 6;

/** Items in one part of a conversation. */
const PART = 100;

/** Items in one part while an item is looked for. */
const SOUGHT = 1000;

/** A conversation that is followed at its end is not kept beyond this; what is cut off is read again when somebody scrolls to it. */
const MAX_FOLLOWED = 400;

interface Kept {
  conversation: Conversation;
  lastEventId: string | null;
}

interface LogSyncOptions {
  readonly store: Store;
  readonly call: Call;
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
  #isReadingEarlier = false;

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
      reveal: null,
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

  /** Reads the part before what is shown. Rejects when that fails. */
  async readEarlier(limit = PART): Promise<void> {
    const sessionId = this.#current;
    const entry = sessionId === null ? undefined : this.#kept.get(sessionId);
    if (sessionId === null || entry === undefined || entry.conversation.earlier === 0 || this.#isReadingEarlier) return;
    const { first } = entry.conversation;
    this.#isReadingEarlier = true;
    try {
      const query = { limit, ...(first === null ? {} : { before: first }) };
      const page = await this.#options.call(routes.readPage, { params: { sessionId }, query });
      // What came meanwhile, an emptied session for instance, decides.
      if (entry.conversation.first !== first) return;
      entry.conversation = withPage(entry.conversation, page);
      if (this.#current === sessionId) this.#options.store.set({ conversation: entry.conversation });
    } finally {
      this.#isReadingEarlier = false;
    }
  }

  /** Reads earlier parts until the item that is looked for is there. */
  seek(): void {
    const { store } = this.#options;
    const { reveal, conversation } = store.state;
    // Before its newest part is here there is nothing to look in; then it is looked again.
    if (reveal === null || conversation === null || conversation.view.seq === 0) return;
    if (conversation.view.items.some(({ itemId }) => itemId === reveal)) return;
    if (conversation.earlier === 0) store.set({ reveal: null });
    else
      this.readEarlier(SOUGHT).then(
        () => this.seek(),
        (error: unknown) => store.set({ reveal: null, failure: toErrorBody(error) }),
      );
  }

  /** The person is at the end, so what stands far before it is let go of. */
  forgetEarlier(): void {
    const entry = this.#current === null ? undefined : this.#kept.get(this.#current);
    const isBusy = this.#isReadingEarlier || this.#options.store.state.reveal !== null;
    if (entry === undefined || entry.conversation.view.items.length <= MAX_FOLLOWED || isBusy) return;
    entry.conversation = trimmed(entry.conversation, MAX_FOLLOWED / 2);
    this.#options.store.set({ conversation: entry.conversation });
  }

  #restart(): void {
    this.close();
    this.#reading = null;
    this.#buffer = [];
    this.#isReset = false;
    if (this.#current === null || this.#endpoint === null) return;
    const entry = this.#keep(this.#current);
    const { signal } = (this.#reading = new AbortController());
    const open = streamOf(this.#endpoint, routes.watchSession, { params: { sessionId: this.#current }, query: {} });
    const stream = new EventStream({
      open: async (lastEventId, until) => open(lastEventId ?? (await this.#readNewest(entry, signal)), until),
      lastEventId: entry.lastEventId,
      signal,
      onEvent: (event) => this.#takeEvent(entry, event),
      onState: (state) => this.#takeState(state, signal),
      onFault: (error) => console.error('the stream of a session ended by a fault', error),
    });
    void stream.run();
  }

  /** Shows the newest part, and gives the place from which its events go on: null is the beginning of the log. */
  async #readNewest(entry: Kept, signal: AbortSignal): Promise<string | null> {
    const { sessionId } = entry.conversation.view;
    try {
      const page = await this.#options.call(routes.readPage, { params: { sessionId }, query: { limit: PART } });
      if (signal.aborted) return null;
      entry.conversation = fromPage(page);
      entry.lastEventId = `${page.epoch}-${page.seq}`;
      this.#show(entry);
      this.seek();
      return entry.lastEventId;
    } catch (error) {
      // A companion from before there were parts tells everything from the beginning.
      if (toErrorBody(error).code === 'ROUTE_NOT_FOUND') return null;
      throw error;
    }
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
    this.#show(entry);
  }

  #show(entry: Kept): void {
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
