/** The `RealtimeEvent` stream of a session, for clients that merge messages by id. */
import type { ServerResponse } from 'node:http';
import { changesOf, RealtimeConverter, presentOf, toConnected, toHeartbeat, type RealtimeEvent } from '#companion/compat/realtime.ts';
import type { SessionId } from '#protocol/ids.ts';
import { resolveCursor, toCursor } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { eventsBetween, Feed } from './feed.ts';
import { toSse, type SseServer } from './sse.ts';

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

  /** `take` returns the response. It is not called when there is no such session, in which case this throws. */
  open(take: () => ServerResponse, sessionId: SessionId, cursor: string | null): void {
    const epoch = this.#sessions.epoch(sessionId);
    const view = this.#sessions.view(sessionId);
    const { after, resync } = resolveCursor(cursor, { epoch, seq: view.seq });
    const reader = this.#sse.open(take(), { heartbeat });
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
    reader.write(Buffer.concat(encode([...toConnected(sessionId, resync), ...missed], toCursor(epoch, view.seq))));
  }
}

/** A log event may become several events; a reader can resume only after the last of them. */
const encode = (events: readonly RealtimeEvent[], cursor: string): Buffer[] =>
  events.map((event, index) => toSse({ ...(index === events.length - 1 ? { id: cursor } : {}), data: event }));

const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: toHeartbeat() });
