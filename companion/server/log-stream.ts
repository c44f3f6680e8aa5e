/** A session's own events, in order and without gaps, from wherever the reader was: panel and terminal fold them. */
import type { ServerResponse } from 'node:http';
import type { SessionId } from '#protocol/ids.ts';
import { resolveCursor, toCursor } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { createFeed } from './feed.ts';
import { toSse, type SseReader, type SseServer } from './sse.ts';

export interface LogStream {
  /** Throws before the response is touched when there is no such session. */
  open(response: ServerResponse, sessionId: SessionId, cursor: string | null): void;
}

const PAGE = 500;

/** A reader that takes nothing for so long is dropped. */
const STALLED_MS = 60_000;

export const createLogStream = (sessions: SessionsDoor, sse: SseServer): LogStream => {
  const feed = createFeed(sessions, (sessionId) => {
    const epoch = sessions.epoch(sessionId);
    return (event) => [toSse({ id: toCursor(epoch, event.seq), data: event })];
  });

  return {
    open: (response, sessionId, cursor) => {
      const epoch = sessions.epoch(sessionId);
      const position = resolveCursor(cursor, { epoch, seq: sessions.view(sessionId).seq });
      const reader = sse.open(response, { heartbeat });
      if (position.resync !== null) {
        reader.write(toSse({ id: toCursor(epoch, 0), name: 'resync', data: { type: 'resync', reason: position.resync, epoch } }));
      }
      follow(reader, sessionId, epoch, position.after);
    },
  };

  /** The log itself is the buffer: while the reader is behind, live frames are ignored and read from the log later. */
  function follow(reader: SseReader, sessionId: SessionId, epoch: string, after: number): void {
    let sent = after;
    let isBehind = false;
    let stalled: NodeJS.Timeout | undefined;

    const waitForReader = (): void => {
      isBehind = true;
      stalled = setTimeout(() => reader.close(), STALLED_MS);
      reader.onceDrained(() => {
        clearTimeout(stalled);
        isBehind = false;
        catchUp();
      });
    };
    const catchUp = (): void => {
      while (!reader.isFull()) {
        const events = sessions.read(sessionId, sent, PAGE);
        if (events.length === 0) return;
        reader.write(Buffer.concat(events.map((event) => toSse({ id: toCursor(epoch, event.seq), data: event }))));
        sent = events.at(-1)?.seq ?? sent;
      }
      waitForReader();
    };

    const detach = feed.attach(sessionId, {
      next: ({ firstSeq, lastSeq, parts }) => {
        if (isBehind || lastSeq <= sent) return;
        if (firstSeq !== sent + 1) return catchUp();
        reader.write(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts));
        sent = lastSeq;
        if (reader.isFull()) waitForReader();
      },
      ended: () => reader.close(),
    });
    reader.onClosed(() => {
      clearTimeout(stalled);
      detach();
    });
    catchUp();
  }
};

const heartbeat = (): Buffer => toSse({ name: 'heartbeat', data: { type: 'heartbeat', at: Date.now() } });
