/** `WS /api/agent-sessions/:sessionId/stream`: a session as JSON patches, resumable with `?after=<id>`. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Operation } from 'fast-json-patch';
import { WebSocketServer, type WebSocket } from 'ws';
import { toErrorBody } from '#protocol/errors.ts';
import { SessionId } from '#protocol/ids.ts';
import { emptyView, project, type SessionView } from '#protocol/view.ts';
import { resolveCursor, toCursor } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { createFeed } from './feed.ts';
import { createPatcher, fromEarlier, fromNothing } from './patches.ts';
import { MAX_UNREAD_BYTES } from './sse.ts';

export interface PatchStream {
  /** The request has passed the gate; what else is wrong is told in-band, since a browser hides a refused upgrade's reason. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, sessionId: string): void;
  count(): number;
  close(): void;
}

interface PatchPart {
  readonly seq: number;
  readonly patch: Operation[];
  readonly isFinished: boolean;
}

const SUBPROTOCOL = 'pilotfish.v1';

/** Operations in one message: a long session must not come as one frame. */
const BATCH = 200;
const PAGE = 1000;
const PING_MS = 30_000;

/** Readers say nothing; this is room for a close reason. */
const MAX_INCOMING_BYTES = 4096;

export const createPatchStream = (sessions: SessionsDoor, onCount: () => void): PatchStream => {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_INCOMING_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });
  const feed = createFeed<PatchPart>(sessions, (sessionId) => {
    const toPatch = createPatcher(sessions.view(sessionId));
    return (event, view) => [
      { seq: event.seq, patch: toPatch(view), isFinished: event.type === 'turn.completed' && view.status === 'idle' },
    ];
  });

  const viewAt = (sessionId: SessionId, seq: number): SessionView => {
    let view = emptyView(sessionId);
    while (view.seq < seq) {
      const page = sessions.read(sessionId, view.seq, PAGE).filter((event) => event.seq <= seq);
      if (page.length === 0) return view;
      view = page.reduce(project, view);
    }
    return view;
  };

  /** Readers of one frame share its bytes. */
  const encoded = new WeakMap<readonly PatchPart[], Buffer>();
  const encode = (parts: readonly PatchPart[], id: string): Buffer | null => {
    const known = encoded.get(parts);
    if (known !== undefined) return known;
    const patch = parts.flatMap((part) => part.patch);
    if (patch.length === 0) return null;
    const bytes = Buffer.from(JSON.stringify({ JsonPatch: patch, id }));
    encoded.set(parts, bytes);
    return bytes;
  };

  const start = (socket: WebSocket, sessionId: SessionId, cursor: string | null): void => {
    const epoch = sessions.epoch(sessionId);
    const view = sessions.view(sessionId);
    const { after, resync } = resolveCursor(cursor, { epoch, seq: view.seq });
    const sendBytes = (bytes: Buffer): void => {
      if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.close(1013, 'too slow');
      else socket.send(bytes, { binary: false });
    };
    const send = (message: unknown): void => sendBytes(Buffer.from(JSON.stringify(message)));
    const detach = feed.attach(sessionId, {
      next: ({ firstSeq, lastSeq, parts }) => {
        const fresh = firstSeq > view.seq ? parts : parts.filter(({ seq }) => seq > view.seq);
        const bytes = encode(fresh, toCursor(epoch, lastSeq));
        if (bytes !== null) sendBytes(bytes);
        if (fresh.some(({ isFinished }) => isFinished)) send({ finished: true });
      },
      ended: () => {
        send({ finished: true });
        socket.close(1000);
      },
    });
    socket.on('close', detach);
    if (resync !== null) send({ JsonPatch: [{ op: 'replace', path: '/entries', value: [] }], resync });
    const patch = after === 0 ? fromNothing(sessionId, view) : fromEarlier(viewAt(sessionId, after), view);
    for (let index = 0; index < patch.length; index += BATCH) {
      // Only the last message is a place to resume from.
      const isLast = index + BATCH >= patch.length;
      const part = patch.slice(index, index + BATCH);
      socket.send(JSON.stringify({ JsonPatch: part, ...(isLast ? { id: toCursor(epoch, view.seq) } : {}) }));
    }
    send({ Ready: true });
  };

  const keepAlive = (socket: WebSocket): void => {
    let isAlive = true;
    const timer = setInterval(() => {
      if (!isAlive) return socket.terminate();
      isAlive = false;
      return socket.ping();
    }, PING_MS);
    socket.on('pong', () => (isAlive = true));
    socket.on('close', () => {
      clearInterval(timer);
      onCount();
    });
    socket.on('error', () => socket.terminate());
    onCount();
  };

  return {
    accept: (request, socket, head, sessionId) => {
      server.handleUpgrade(request, socket, head, (webSocket) => {
        keepAlive(webSocket);
        try {
          const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
          start(webSocket, SessionId.parse(sessionId), searchParams.get('after'));
        } catch (error) {
          const { message, code, remedy } = toErrorBody(error);
          webSocket.send(JSON.stringify({ error: message, code, remedy }));
          webSocket.close(1000);
        }
      });
    },
    count: () => server.clients.size,
    close: () => {
      for (const socket of server.clients) socket.terminate();
    },
  };
};
