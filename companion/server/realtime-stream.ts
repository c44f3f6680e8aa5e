/** The `RealtimeEvent` stream of a session, for clients that merge messages by id. */
import type { ServerResponse } from 'node:http';
import type { SessionEvent } from '#protocol/events.ts';
import type { ItemId, SessionId } from '#protocol/ids.ts';
import { createRealtimeConverter, toAgentMessage, type RealtimeEvent, type RealtimeStatus } from '#protocol/realtime.ts';
import { runningTurn, type SessionStatus, type SessionView } from '#protocol/view.ts';
import { resolveCursor, toCursor, type Position } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { createFeed } from './feed.ts';
import { toSse, type SseServer } from './sse.ts';

export interface RealtimeStream {
  /** Throws before the response is touched when there is no such session. */
  open(response: ServerResponse, sessionId: SessionId, cursor: string | null): void;
}

const PAGE = 1000;

export const createRealtimeStream = (sessions: SessionsDoor, sse: SseServer): RealtimeStream => {
  const feed = createFeed(sessions, (sessionId) => {
    const convert = createRealtimeConverter();
    const epoch = sessions.epoch(sessionId);
    return (event, view) => encode(convert(view, event), toCursor(epoch, event.seq));
  });
  return {
    open: (response, sessionId, cursor) => {
      const epoch = sessions.epoch(sessionId);
      const view = sessions.view(sessionId);
      const position = resolveCursor(cursor, { epoch, seq: view.seq });
      const reader = sse.open(response, { heartbeat });
      const detach = feed.attach(sessionId, {
        next: ({ lastSeq, parts }) => {
          if (lastSeq <= view.seq || parts.length === 0) return;
          reader.write(Buffer.concat(parts));
          // What it missed is in the log; it comes back with its last id.
          if (reader.isFull()) reader.close();
        },
        ended: () => reader.close(),
      });
      reader.onClosed(detach);
      const isResuming = cursor !== null && position.resync === null;
      const missed = isResuming ? changesSince(sessions, view, position) : present(view);
      reader.write(Buffer.concat(encode([...opening(sessionId, position), ...missed], toCursor(epoch, view.seq))));
    },
  };
};

/** Only the last of the events that one log event made is a place to resume from. */
const encode = (events: readonly RealtimeEvent[], cursor: string): Buffer[] =>
  events.map((event, index) => toSse({ ...(index === events.length - 1 ? { id: cursor } : {}), data: event }));

const opening = (sessionId: SessionId, { resync }: Position): RealtimeEvent[] => [
  { type: 'connected', data: { sessionId, transport: 'sse', timestamp: new Date().toISOString() } },
  ...(resync === null ? [] : [{ type: 'resync' as const, data: { sessionId, reason: resync } }]),
];

/** For a reader that has the history from elsewhere: what is going on. */
const present = (view: SessionView): RealtimeEvent[] => {
  const turn = runningTurn(view);
  const status = statuses[view.status];
  return [
    ...view.items
      .filter((item) => item.status === 'running')
      .map((item): RealtimeEvent => ({ type: 'message', data: toAgentMessage(view, item) })),
    ...view.requests.map(({ requestId, turnId, request }): RealtimeEvent => ({
      type: 'request',
      data: { sessionId: view.sessionId, requestId, ...(turnId === null ? {} : { turnId }), state: 'open', request },
    })),
    { type: 'status', data: { sessionId: view.sessionId, status, ...(turn === undefined ? {} : { requestId: turn.turnId }) } },
  ];
};

const statuses: Record<SessionStatus, RealtimeStatus> = {
  idle: 'ready',
  starting: 'starting',
  running: 'running',
  waiting: 'running',
  stopping: 'running',
};

/** For a reader that comes back: each item that changed, once, as it stands now, and what else happened. */
const changesSince = (sessions: SessionsDoor, view: SessionView, { after }: Position): RealtimeEvent[] => {
  const missed: SessionEvent[] = [];
  for (let seq = after; seq < view.seq;) {
    const page = sessions.read(view.sessionId, seq, PAGE).filter((event) => event.seq <= view.seq);
    if (page.length === 0) break;
    missed.push(...page);
    seq = page.at(-1)?.seq ?? view.seq;
  }
  const newest = new Map(missed.map((event) => [changedItem(event), event.seq]));
  const convert = createRealtimeConverter();
  return missed
    .filter((event) => changedItem(event) === null || newest.get(changedItem(event)) === event.seq)
    .flatMap((event) => convert(view, event));
};

const changedItem = (event: SessionEvent): ItemId | null =>
  event.type === 'item.started' || event.type === 'item.delta' || event.type === 'item.updated' || event.type === 'item.completed'
    ? event.itemId
    : null;

const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: { type: 'heartbeat', data: { timestamp: new Date().toISOString() } } });
