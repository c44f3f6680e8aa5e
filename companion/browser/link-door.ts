/** The door of the native messaging host: an upgrade on the private socket, proven by a key, and then frames in Chrome's form. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { LINK_PROTOCOL, MAX_MESSAGE_BYTES } from '#protocol/version.ts';
import { FrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { LINK_HEADERS, isNonce, isProof, prove } from '#companion/reach/link-proof.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Caller } from '#companion/lib/peer.ts';
import type { Bridge } from './bridge.ts';
import { HalfSent } from './half-sent.ts';
import type { Carrier, Reception } from './connection.ts';

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
  #isClosed = false;

  /** `key` is the key of this user, from reach/link-key.ts; `receive` says how a process is received that came with it. */
  constructor({ bridge, key, receive, log }: { bridge: Bridge; key: Buffer; receive: (caller: Caller | null) => Reception; log: Log }) {
    this.#bridge = bridge;
    this.#key = key;
    this.#receive = receive;
    this.#log = log;
  }

  /** The daemon ends: no host comes in any more. */
  close(): void {
    this.#isClosed = true;
  }

  /** Takes `GET /link` with `Upgrade: pilotfish-link`, on the private socket only. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller | null): void {
    socket.on('error', () => socket.destroy());
    // A host that is cut off asks again, and finds the next daemon.
    if (this.#isClosed) return void socket.destroy();
    const nonce = request.headers[LINK_HEADERS.nonce];
    if (request.method !== 'GET' || request.headers.upgrade !== LINK_PROTOCOL || !isNonce(nonce)) return refuse(socket, '400 Bad Request');
    if (!isProof(this.#key, 'host', nonce, request.headers[LINK_HEADERS.proof])) {
      this.#log.warn('link.wrong_proof');
      return refuse(socket, '403 Forbidden');
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINK_PROTOCOL}\r\n${LINK_HEADERS.proof}: ${prove(this.#key, 'daemon', nonce)}\r\n\r\n`,
    );
    const link = { bridge: this.#bridge, reception: this.#receive(caller), halfSent: this.#halfSent, log: this.#log };
    return new HostLink(socket, link).begin(head);
  }
}

interface HostLinkOptions {
  readonly bridge: Bridge;
  readonly reception: Reception;
  readonly halfSent: HalfSent;
  readonly log: Log;
}

/** The connection of one host. It carries frames both ways until an end of it closes. */
class HostLink implements Carrier {
  /** A host waits in the folder of the socket for the next daemon; Windows has no such folder. */
  readonly canRest = process.platform !== 'win32';
  readonly #socket: Duplex;
  readonly #halfSent: HalfSent;
  readonly #log: Log;
  readonly #connection: ReturnType<Bridge['attach']>;
  readonly #reader: FrameReader;

  constructor(socket: Duplex, { bridge, reception, halfSent, log }: HostLinkOptions) {
    this.#socket = socket;
    this.#halfSent = halfSent;
    this.#log = log;
    this.#connection = bridge.attach(this, reception);
    this.#reader = new FrameReader({
      maxBytes: MAX_MESSAGE_BYTES,
      onFrame: (body) => this.#take(body),
      onTooLarge: (announcedBytes) => {
        this.#log.warn('link.frame_too_large', { announcedBytes });
        this.#socket.destroy();
      },
    });
  }

  /** `head` are the first bytes of the host. */
  begin(head: Buffer): void {
    this.#socket.on('data', (chunk: Buffer) => this.#read(chunk));
    // The host half-closes when Chrome has gone.
    this.#socket.on('end', () => this.#socket.destroy());
    this.#socket.on('close', () => {
      this.#halfSent.clear(this.#socket);
      this.#connection.closed();
    });
    this.#reader.push(head);
  }

  send(json: string): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(encodeFrame(json));
    if (this.#socket.writableLength > MAX_WAITING_BYTES) this.#socket.destroy();
  }

  close(): void {
    this.#socket.end(() => this.#socket.destroy());
  }

  #read(chunk: Buffer): void {
    if (this.#halfSent.add(this.#socket, chunk.length) !== null) this.#log.warn('link.too_much_half_sent');
    if (!this.#socket.destroyed) this.#reader.push(chunk);
  }

  #take(body: Buffer): void {
    const frame = parse(body);
    if (!isUnfinished(frame)) this.#halfSent.clear(this.#socket);
    if (frame === undefined) this.#log.warn('link.frame_invalid', { reason: 'not JSON', sizeBytes: body.length });
    else this.#connection.receive(frame);
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
