/**
 * A session as JSON patches over a WebSocket, resumable with `?after=<id>`. It takes prompts too. When the work is done it says
 * finished and ends, unless `?keepOpen=true`.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Operation } from 'fast-json-patch';
import { WebSocketServer, type WebSocket } from 'ws';
import * as z from 'zod';
import { MessageBody } from '#companion/compat/bodies.ts';
import { Patcher, fromEarlier, fromNothing } from '#companion/compat/patches.ts';
import { MAX_BODY_BYTES } from '#protocol/attachment-limits.ts';
import { CompanionError, type ErrorBody, toErrorBody } from '#protocol/errors.ts';
import { Fold } from '#protocol/fold.ts';
import { SessionId } from '#protocol/ids.ts';
import { emptyView, queuedTurns, type SessionView } from '#protocol/view.ts';
import { resolveCursor, toCursor, type Position } from './cursor.ts';
import type { SessionsDoor } from './deps.ts';
import { eventsBetween, Feed } from './feed.ts';
import { parse } from './http-error.ts';
import { isTooDeep } from './json-body.ts';
import { Unread } from './unread.ts';

interface PatchPart {
  readonly seq: number;
  readonly patch: Operation[];
  readonly isFinished: boolean;
  readonly error: ErrorBody | null;
}

/** Carries out a prompt that came over the socket; it may refuse. */
type OnPrompt = (request: IncomingMessage, sessionId: SessionId, prompt: z.output<typeof MessageBody>) => Promise<unknown>;

/** What a client writes into the socket. */
const Incoming = MessageBody.extend({ type: z.literal('user_message').optional() });

const SUBPROTOCOL = 'pilotfish.v1';

/** Operations in one message, so that a long session does not come as one frame. */
const BATCH = 200;
const PING_MS = 30_000;

export class PatchStream {
  readonly #sessions: SessionsDoor;
  readonly #onCount: () => void;
  readonly #onPrompt: OnPrompt;
  readonly #feed: Feed<PatchPart>;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
  });

  /** `onCount` is called when a stream opens or ends. */
  constructor(sessions: SessionsDoor, { onCount, onPrompt }: { readonly onCount: () => void; readonly onPrompt: OnPrompt }) {
    this.#sessions = sessions;
    this.#onCount = onCount;
    this.#onPrompt = onPrompt;
    this.#feed = new Feed(sessions, (sessionId) => {
      const patcher = new Patcher(sessions.view(sessionId));
      return (event, view) => [
        {
          seq: event.seq,
          patch: patcher.patchTo(view),
          isFinished: event.type === 'turn.completed' && view.status === 'idle' && queuedTurns(view).length === 0,
          error: event.type === 'turn.completed' ? (event.error ?? null) : null,
        },
      ];
    });
  }

  /** The request has passed the gate. What else is wrong is told in a message, because a browser hides why an upgrade was refused. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, sessionId: string | undefined): void {
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      keepAlive(webSocket, this.#onCount);
      try {
        const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
        const id = SessionId.parse(sessionId);
        this.#start(webSocket, id, { cursor: searchParams.get('after'), isKeptOpen: searchParams.get('keepOpen') === 'true' });
        webSocket.on(
          'message',
          (data, isBinary) => void this.#take(webSocket, request, id, !isBinary && Buffer.isBuffer(data) ? data.toString() : ''),
        );
      } catch (error) {
        sendError(webSocket, error);
        webSocket.close(1000);
      }
    });
  }

  count(): number {
    return this.#server.clients.size;
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate();
  }

  /** What is wrong with a prompt is told in a message, and the socket stays. */
  async #take(socket: WebSocket, request: IncomingMessage, sessionId: SessionId, text: string): Promise<void> {
    try {
      if (isTooDeep(text)) throw new CompanionError('INPUT_INVALID', 'The JSON is nested too deeply.');
      const { type: _, ...prompt } = parse(Incoming, parseJson(text), 'message');
      const accepted = await this.#onPrompt(request, sessionId, prompt);
      if (prompt.requestId !== undefined) send(socket, { accepted });
    } catch (error) {
      sendError(socket, error);
    }
  }

  #start(
    socket: WebSocket,
    sessionId: SessionId,
    { cursor, isKeptOpen }: { readonly cursor: string | null; readonly isKeptOpen: boolean },
  ): void {
    const epoch = this.#sessions.epoch(sessionId);
    const view = this.#sessions.view(sessionId);
    const position = resolveCursor(cursor, { epoch, seq: view.seq });
    const detach = this.#feed.attach(sessionId, {
      next: ({ firstSeq, lastSeq, parts }) => {
        const fresh = firstSeq > view.seq ? parts : parts.filter(({ seq }) => seq > view.seq);
        const bytes = encode(fresh, toCursor(epoch, lastSeq));
        if (bytes !== null) sendBytes(socket, bytes);
        for (const { error } of fresh) if (error !== null) send(socket, { error: error.message, ...error });
        if (fresh.at(-1)?.isFinished !== true) return;
        send(socket, { finished: true });
        if (!isKeptOpen) socket.close(1000);
      },
      ended: () => {
        send(socket, { finished: true });
        socket.close(1000);
      },
    });
    socket.on('close', detach);
    this.#sendPresent(socket, view, position, toCursor(epoch, view.seq));
  }

  /** Sends the difference between what the reader has and the current state, in messages of limited size. */
  #sendPresent(socket: WebSocket, view: SessionView, { after, resync }: Position, id: string): void {
    if (resync !== null) send(socket, { JsonPatch: [{ op: 'replace', path: '/entries', value: [] }], resync });
    const patch = after === 0 ? fromNothing(view.sessionId, view) : fromEarlier(this.#viewAt(view.sessionId, after), view);
    for (let index = 0; index < patch.length; index += BATCH) {
      // A reader can resume only after the last message.
      const isLast = index + BATCH >= patch.length;
      socket.send(JSON.stringify({ JsonPatch: patch.slice(index, index + BATCH), ...(isLast ? { id } : {}) }));
    }
    unreadOf(socket).begin();
    send(socket, { Ready: true });
  }

  #viewAt(sessionId: SessionId, seq: number): SessionView {
    const fold = new Fold(emptyView(sessionId));
    for (const event of eventsBetween(this.#sessions, sessionId, 0, seq)) fold.take(event);
    return fold.view();
  }
}

/** The bytes of a frame are shared by all readers. */
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

const sendError = (socket: WebSocket, error: unknown): void => {
  const body = toErrorBody(error);
  send(socket, { error: body.message, ...body });
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new CompanionError('INPUT_INVALID', 'A message must be JSON text.');
  }
};

const send = (socket: WebSocket, message: unknown): void => sendBytes(socket, Buffer.from(JSON.stringify(message)));

const unread = new WeakMap<WebSocket, Unread>();

const unreadOf = (socket: WebSocket): Unread => {
  const known = unread.get(socket) ?? new Unread(() => socket.bufferedAmount);
  unread.set(socket, known);
  return known;
};

const sendBytes = (socket: WebSocket, bytes: Buffer): void => {
  if (unreadOf(socket).isFull()) socket.close(1013, 'too slow');
  else socket.send(bytes, { binary: false });
};

/** Ends a connection whose other end has not answered a ping until the next one is due. */
const keepAlive = (socket: WebSocket, onCount: () => void): void => {
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
