/** The `RealtimeEvent` stream of a session, for clients that merge messages by id. */
import type { ServerResponse } from 'node:http';
import { changesOf, createRealtimeConverter, presentOf, toConnected, toHeartbeat, type RealtimeEvent } from '#companion/compat/realtime.ts';
import type { SessionEvent } from '#protocol/events.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import { resolveCursor, toCursor } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { Feed } from './feed.ts';
import { toSse, type SseServer } from './sse.ts';

const PAGE = 1000;

export class RealtimeStream {
  readonly #sessions: SessionsDoor;
  readonly #sse: SseServer;
  readonly #feed: Feed<Buffer>;

  constructor(sessions: SessionsDoor, sse: SseServer) {
    this.#sessions = sessions;
    this.#sse = sse;
    this.#feed = new Feed(sessions, (sessionId) => {
      const convert = createRealtimeConverter();
      const epoch = sessions.epoch(sessionId);
      return (event, view) => encode(convert(view, event), toCursor(epoch, event.seq));
    });
  }

  /** `take` gives the response; it is not called when there is no such session, which throws. */
  open(take: () => ServerResponse, sessionId: SessionId, cursor: string | null): void {
    const epoch = this.#sessions.epoch(sessionId);
    const view = this.#sessions.view(sessionId);
    const { after, resync } = resolveCursor(cursor, { epoch, seq: view.seq });
    const reader = this.#sse.open(take(), { heartbeat });
    const detach = this.#feed.attach(sessionId, {
      next: ({ lastSeq, parts }) => {
        if (lastSeq <= view.seq || parts.length === 0) return;
        reader.write(Buffer.concat(parts));
        // What it missed is in the log; it comes back with its last id.
        if (reader.isFull()) reader.close();
      },
      ended: () => reader.close(),
    });
    reader.onClosed(detach);
    const isResuming = cursor !== null && resync === null;
    const missed = isResuming ? changesOf(view, this.#eventsAfter(view, after)) : presentOf(view);
    reader.write(Buffer.concat(encode([...toConnected(sessionId, resync), ...missed], toCursor(epoch, view.seq))));
  }

  #eventsAfter(view: SessionView, after: number): SessionEvent[] {
    const events: SessionEvent[] = [];
    for (let seq = after; seq < view.seq;) {
      const page = this.#sessions.read(view.sessionId, seq, PAGE).filter((event) => event.seq <= view.seq);
      if (page.length === 0) break;
      events.push(...page);
      seq = page.at(-1)?.seq ?? view.seq;
    }
    return events;
  }
}

/** Only the last of the events that one log event made is a place to resume from. */
const encode = (events: readonly RealtimeEvent[], cursor: string): Buffer[] =>
  events.map((event, index) => toSse({ ...(index === events.length - 1 ? { id: cursor } : {}), data: event }));

const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: toHeartbeat() });
