/** A session's own events, in order and without gaps, from wherever the reader was: panel and terminal fold them. */
import type { ServerResponse } from 'node:http';
import type { SessionId } from '#protocol/ids.ts';
import { resolveCursor, toCursor } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { Feed } from './feed.ts';
import { heartbeat, toSse, type SseReader, type SseServer } from './sse.ts';

const PAGE = 500;

/** How long a reader may take nothing before it is disconnected. */
const STALLED_MS = 60_000;

type Logs = Pick<SessionsDoor, 'epoch' | 'lastSeq' | 'read' | 'subscribe' | 'subscribeList'>;

export class LogStream {
  readonly #sessions: Logs;
  readonly #sse: SseServer;
  readonly #feed: Feed<Buffer>;

  constructor(sessions: Logs, sse: SseServer) {
    this.#sessions = sessions;
    this.#sse = sse;
    this.#feed = new Feed(sessions, (sessionId) => {
      const epoch = sessions.epoch(sessionId);
      return (event) => [toSse({ id: toCursor(epoch, event.seq), data: event })];
    });
  }

  /** `take` returns the response. It is not called when there is no such session, in which case this throws. */
  open(take: () => ServerResponse, sessionId: SessionId, cursor: string | null): void {
    const epoch = this.#sessions.epoch(sessionId);
    const position = resolveCursor(cursor, { epoch, seq: this.#sessions.lastSeq(sessionId) });
    const reader = this.#sse.open(take(), { heartbeat });
    if (position.resync !== null) {
      reader.write(toSse({ id: toCursor(epoch, 0), name: 'resync', data: { type: 'resync', reason: position.resync, epoch } }));
    }
    new LogReader(this.#sessions, reader, sessionId, position.after).follow(this.#feed);
  }
}

/** One reader. The log itself is its buffer: while the reader is behind, live frames are ignored, and read from the log later. */
class LogReader {
  readonly #sessions: Logs;
  readonly #reader: SseReader;
  readonly #sessionId: SessionId;
  readonly #epoch: string;
  #sentSeq: number;
  #isBehind = false;
  #stalled: NodeJS.Timeout | undefined;

  constructor(sessions: Logs, reader: SseReader, sessionId: SessionId, after: number) {
    this.#sessions = sessions;
    this.#reader = reader;
    this.#sessionId = sessionId;
    this.#epoch = sessions.epoch(sessionId);
    this.#sentSeq = after;
  }

  follow(feed: Feed<Buffer>): void {
    const detach = feed.attach(this.#sessionId, {
      next: ({ firstSeq, lastSeq, parts }) => this.#takeLive(firstSeq, lastSeq, parts),
      ended: () => this.#reader.close(),
    });
    this.#reader.onClosed(() => {
      clearTimeout(this.#stalled);
      detach();
    });
    this.#catchUp();
  }

  #takeLive(firstSeq: number, lastSeq: number, parts: readonly Buffer[]): void {
    if (this.#isBehind || lastSeq <= this.#sentSeq) return;
    if (firstSeq !== this.#sentSeq + 1) return this.#catchUp();
    this.#reader.write(joined(parts));
    this.#sentSeq = lastSeq;
    if (this.#reader.isFull()) this.#waitForReader();
  }

  #catchUp(): void {
    while (!this.#reader.isFull()) {
      const events = this.#sessions.read(this.#sessionId, this.#sentSeq, PAGE);
      if (events.length === 0) return;
      this.#reader.write(Buffer.concat(events.map((event) => toSse({ id: toCursor(this.#epoch, event.seq), data: event }))));
      this.#sentSeq = events.at(-1)?.seq ?? this.#sentSeq;
    }
    this.#waitForReader();
  }

  #waitForReader(): void {
    this.#isBehind = true;
    this.#stalled = setTimeout(() => this.#reader.close(), STALLED_MS);
    this.#reader.onceDrained(() => {
      clearTimeout(this.#stalled);
      this.#isBehind = false;
      this.#catchUp();
    });
  }
}

/** The bytes of a frame are put together once, for all readers. */
const frames = new WeakMap<readonly Buffer[], Buffer>();

const joined = (parts: readonly Buffer[]): Buffer => {
  const known = frames.get(parts) ?? Buffer.concat(parts);
  frames.set(parts, known);
  return known;
};
