/** One subscription for each session, however many readers watch it: the events of one tick are encoded once and sent as one frame. */
import type { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import type { SessionsDoor } from './deps.ts';

interface Frame<Part> {
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly parts: readonly Part[];
}

interface FeedListener<Part> {
  next(frame: Frame<Part>): void;
  /** The session was deleted. */
  ended(): void;
}

/** Makes what is sent from an event; it may remember what it has sent. */
type Encoder<Part> = (event: SessionEvent, view: SessionView) => Part[];

const PAGE = 1000;

/** The events of a log after one number up to another, in pages as they are read. */
export function* eventsBetween(
  sessions: Pick<SessionsDoor, 'read'>,
  sessionId: SessionId,
  after: number,
  last: number,
): Generator<SessionEvent> {
  for (let seq = after; seq < last;) {
    const page = sessions.read(sessionId, seq, PAGE).filter((event) => event.seq <= last);
    if (page.length === 0) return;
    yield* page;
    seq = page.at(-1)?.seq ?? last;
  }
}

type WatchedSessions = Pick<SessionsDoor, 'subscribe' | 'subscribeList'>;

export class Feed<Part> {
  readonly #sessions: WatchedSessions;
  readonly #createEncoder: (sessionId: SessionId) => Encoder<Part>;
  readonly #channels = new Map<SessionId, Channel<Part>>();
  #unsubscribeList: (() => void) | null = null;

  /** `createEncoder` makes one encoder for each session that is watched. */
  constructor(sessions: WatchedSessions, createEncoder: (sessionId: SessionId) => Encoder<Part>) {
    this.#sessions = sessions;
    this.#createEncoder = createEncoder;
  }

  /** Calls `listener` with every frame until the function it returns is called. */
  attach(sessionId: SessionId, listener: FeedListener<Part>): () => void {
    const channel = this.#channels.get(sessionId) ?? this.#open(sessionId);
    channel.listeners.add(listener);
    return () => {
      if (channel.listeners.delete(listener) && channel.listeners.size === 0) this.#close(sessionId, channel);
    };
  }

  #open(sessionId: SessionId): Channel<Part> {
    const channel = new Channel(this.#createEncoder(sessionId));
    channel.unsubscribe = this.#sessions.subscribe(sessionId, (event, view) => channel.take(event, view));
    this.#channels.set(sessionId, channel);
    this.#unsubscribeList ??= this.#sessions.subscribeList((rows) => this.#endWithout(new Set(rows.map(({ id }) => id))));
    return channel;
  }

  #close(sessionId: SessionId, channel: Channel<Part>): void {
    channel.unsubscribe();
    this.#channels.delete(sessionId);
    if (this.#channels.size > 0) return;
    this.#unsubscribeList?.();
    this.#unsubscribeList = null;
  }

  #endWithout(known: ReadonlySet<SessionId>): void {
    for (const [id, { listeners }] of this.#channels) if (!known.has(id)) for (const listener of listeners) listener.ended();
  }
}

/** The readers of one session. */
class Channel<Part> {
  readonly listeners = new Set<FeedListener<Part>>();
  unsubscribe: () => void = () => {};
  readonly #encode: Encoder<Part>;
  #pending: { firstSeq: number; lastSeq: number; parts: Part[] } | null = null;

  constructor(encode: Encoder<Part>) {
    this.#encode = encode;
  }

  take(event: SessionEvent, view: SessionView): void {
    if (this.#pending === null) {
      this.#pending = { firstSeq: event.seq, lastSeq: event.seq, parts: [] };
      queueMicrotask(() => this.#flush());
    }
    this.#pending.lastSeq = event.seq;
    this.#pending.parts.push(...this.#encode(event, view));
  }

  #flush(): void {
    const frame = this.#pending;
    this.#pending = null;
    if (frame !== null) for (const listener of this.listeners) listener.next(frame);
  }
}
