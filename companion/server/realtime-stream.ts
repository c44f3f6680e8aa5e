/** The `RealtimeEvent` stream of a session, for clients that merge messages by id. */
import type { ServerResponse } from 'node:http';
import { changesOf, RealtimeConverter, presentOf, toConnected, toHeartbeat, type RealtimeEvent } from '#companion/compat/realtime.ts';
import { CompanionError } from '#protocol/errors.ts';
import { isChosenId, type SessionId } from '#protocol/ids.ts';
import { resolveCursor, toCursor } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { eventsBetween, Feed } from './feed.ts';
import { toSse, type SseReader, type SseServer } from './sse.ts';

export class RealtimeStream {
  readonly #sessions: SessionsDoor;
  readonly #sse: SseServer;
  readonly #feed: Feed<Buffer>;

  constructor(sessions: SessionsDoor, sse: SseServer) {
    this.#sessions = sessions;
    this.#sse = sse;
    this.#feed = new Feed(sessions, (sessionId) => {
      const converter = new RealtimeConverter();
      const epoch = sessions.epoch(sessionId);
      return (event, view) => encode(converter.convert(view, event), toCursor(epoch, event.seq));
    });
  }

  /**
   * Existing clients open the stream before the first prompt makes the session, so a session that is not there is waited for.
   * `take` returns the response. It is not called for an id that no session can have, in which case this throws.
   */
  open(take: () => ServerResponse, sessionId: SessionId, cursor: string | null): void {
    const isThere = this.#sessions.has(sessionId);
    if (!isThere && !isChosenId(sessionId)) throw new CompanionError('SESSION_NOT_FOUND');
    const reader = this.#sse.open(take(), { heartbeat });
    reader.write(OPENING);
    if (isThere) return this.#follow(reader, sessionId, { cursor, greeting: toConnected });
    for (const event of toConnected(sessionId, null)) reader.write(toSse({ data: event }));
    const stop = this.#sessions.subscribeList(() => {
      if (!this.#sessions.has(sessionId)) return;
      stop();
      this.#follow(reader, sessionId, { cursor: toCursor(this.#sessions.epoch(sessionId), 0), greeting: () => [] });
    });
    reader.onClosed(stop);
  }

  #follow(
    reader: SseReader,
    sessionId: SessionId,
    { cursor, greeting }: { readonly cursor: string | null; readonly greeting: typeof toConnected },
  ): void {
    const epoch = this.#sessions.epoch(sessionId);
    const view = this.#sessions.view(sessionId);
    const { after, resync } = resolveCursor(cursor, { epoch, seq: view.seq });
    const detach = this.#feed.attach(sessionId, {
      next: ({ lastSeq, parts }) => {
        if (lastSeq <= view.seq || parts.length === 0) return;
        reader.write(Buffer.concat(parts));
        // The missed events are in the log; the reader comes back with its last id.
        if (reader.isFull()) reader.close();
      },
      ended: () => reader.close(),
    });
    reader.onClosed(detach);
    const isResuming = cursor !== null && resync === null;
    const missed = isResuming ? changesOf(view, [...eventsBetween(this.#sessions, sessionId, after, view.seq)]) : presentOf(view);
    reader.begin(Buffer.concat(encode([...greeting(sessionId, resync), ...missed], toCursor(epoch, view.seq))));
  }
}

/** An empty comment, by which existing clients see before the first event that the stream is open. */
const OPENING = Buffer.from(':\n\n');

/** A log event may become several events; a reader can resume only after the last of them. */
const encode = (events: readonly RealtimeEvent[], cursor: string): Buffer[] =>
  events.map((event, index) => toSse({ ...(index === events.length - 1 ? { id: cursor } : {}), data: event }));

/** It has no name of its own: the readers of this stream look at `type`, and an `EventSource` hands them only what is unnamed. */
const heartbeat = (): Buffer => toSse({ data: toHeartbeat() });
