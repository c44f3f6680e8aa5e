/** The door of the native messaging host: an upgrade on the private socket, proven by a key, and then frames in Chrome's form. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { MAX_MESSAGE_BYTES } from '#protocol/version.ts';
import { FrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { LINK_HEADERS, LINK_PROTOCOL, isNonce, isProof, prove } from '#companion/reach/link-proof.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Caller } from '#companion/lib/peer.ts';
import type { Bridge } from './bridge.ts';
import { HalfSent } from './half-sent.ts';
import type { Reception } from './connection.ts';

/**
 * A host that stops reading is disconnected when this much waits for it; the extension connects again. The arguments of a call
 * are always smaller.
 */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export class LinkDoor {
  readonly #bridge: Bridge;
  readonly #key: Buffer;
  readonly #receive: (caller: Caller | null) => Reception;
  readonly #log: Log;
  readonly #halfSent = new HalfSent();

  /** `key` is the key of this user, from reach/link-key.ts; `receive` says how a process is received that came with it. */
  constructor({ bridge, key, receive, log }: { bridge: Bridge; key: Buffer; receive: (caller: Caller | null) => Reception; log: Log }) {
    this.#bridge = bridge;
    this.#key = key;
    this.#receive = receive;
    this.#log = log;
  }

  /** Takes `GET /link` with `Upgrade: pilotfish-link`, on the private socket only. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller | null): void {
    socket.on('error', () => socket.destroy());
    const nonce = request.headers[LINK_HEADERS.nonce];
    if (request.method !== 'GET' || request.headers.upgrade !== LINK_PROTOCOL || !isNonce(nonce)) return refuse(socket, '400 Bad Request');
    if (!isProof(this.#key, 'host', nonce, request.headers[LINK_HEADERS.proof])) {
      this.#log.warn('link.wrong_proof');
      return refuse(socket, '403 Forbidden');
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINK_PROTOCOL}\r\n${LINK_HEADERS.proof}: ${prove(this.#key, 'daemon', nonce)}\r\n\r\n`,
    );
    return this.#carry(socket, head, this.#receive(caller));
  }

  #carry(socket: Duplex, head: Buffer, reception: Reception): void {
    const end = this.#bridge.attach(
      {
        send: (json) => {
          if (socket.destroyed) return;
          socket.write(encodeFrame(json));
          if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy();
        },
        close: () => void socket.end(() => socket.destroy()),
      },
      reception,
    );
    const reader = new FrameReader({
      maxBytes: MAX_MESSAGE_BYTES,
      onFrame: (body) => {
        const frame = parse(body);
        if (!isUnfinished(frame)) this.#halfSent.clear(socket);
        if (frame === undefined) this.#log.warn('link.frame_invalid', { reason: 'not JSON', sizeBytes: body.length });
        else end.receive(frame);
      },
      onTooLarge: (announcedBytes) => {
        this.#log.warn('link.frame_too_large', { announcedBytes });
        socket.destroy();
      },
    });
    socket.on('data', (chunk: Buffer) => {
      if (this.#halfSent.add(socket, chunk.length) !== null) this.#log.warn('link.too_much_half_sent');
      if (!socket.destroyed) reader.push(chunk);
    });
    // The host half-closes when Chrome has gone.
    socket.on('end', () => socket.destroy());
    socket.on('close', () => {
      this.#halfSent.clear(socket);
      end.closed();
    });
    reader.push(head);
  }
}

/** Whether it is a part of a message whose other parts have yet to come. */
const isUnfinished = (frame: unknown): boolean => {
  if (typeof frame !== 'object' || frame === null || !('type' in frame) || frame.type !== 'chunk') return false;
  const chunk = Chunk.safeParse(frame).data;
  return chunk !== undefined && chunk.index < chunk.count - 1;
};

const Chunk = z.object({ index: z.number(), count: z.number() });

const parse = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
};
