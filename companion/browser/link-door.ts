/** Where the native messaging host comes in: an upgrade on the private socket, proven by key, then frames as Chrome has them. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import * as z from 'zod';
import { MAX_MESSAGE_BYTES } from '#protocol/version.ts';
import { FrameReader, encodeFrame } from '#companion/lib/framing.ts';
import { LINK_HEADERS, LINK_PROTOCOL, isNonce, isProof, prove } from '#companion/reach/link-proof.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Bridge } from './bridge.ts';
import { HalfSent } from './half-sent.ts';
import type { Welcome } from './connection.ts';

/** A host that stops reading is dropped when this much waits for it; the extension connects anew. No call's arguments are larger. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;

export interface LinkDoor {
  /** For `GET /link` with `Upgrade: pilotfish-link`, on the private socket only. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** `key` is this user's, from reach/link-key.ts. */
export const createLinkDoor = (options: { bridge: Bridge; key: Buffer; welcome: Welcome; log: Log }): LinkDoor => ({
  handleUpgrade: (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const nonce = request.headers[LINK_HEADERS.nonce];
    if (request.method !== 'GET' || request.headers.upgrade !== LINK_PROTOCOL || !isNonce(nonce)) return refuse(socket, '400 Bad Request');
    if (!isProof(options.key, 'host', nonce, request.headers[LINK_HEADERS.proof])) {
      options.log.warn('link.wrong_proof');
      return refuse(socket, '403 Forbidden');
    }
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${LINK_PROTOCOL}\r\n${LINK_HEADERS.proof}: ${prove(options.key, 'daemon', nonce)}\r\n\r\n`,
    );
    return carry(socket, head, options);
  },
});

const halfSent = new HalfSent();

const carry = (socket: Duplex, head: Buffer, { bridge, welcome, log }: { bridge: Bridge; welcome: Welcome; log: Log }): void => {
  const end = bridge.attach(
    {
      send: (json) => {
        if (socket.destroyed) return;
        socket.write(encodeFrame(json));
        if (socket.writableLength > MAX_WAITING_BYTES) socket.destroy();
      },
      close: () => void socket.end(() => socket.destroy()),
    },
    welcome,
  );
  const reader = new FrameReader({
    maxBytes: MAX_MESSAGE_BYTES,
    onFrame: (body) => {
      const frame = parse(body);
      if (!isUnfinished(frame)) halfSent.clear(socket);
      if (frame === undefined) log.warn('link.frame_invalid', { reason: 'not JSON', sizeBytes: body.length });
      else end.receive(frame);
    },
    onTooLarge: (announcedBytes) => {
      log.warn('link.frame_too_large', { announcedBytes });
      socket.destroy();
    },
  });
  socket.on('data', (chunk: Buffer) => {
    if (halfSent.add(socket, chunk.length) !== null) log.warn('link.too_much_half_sent');
    if (!socket.destroyed) reader.push(chunk);
  });
  // The host half-closes when Chrome has gone.
  socket.on('end', () => socket.destroy());
  socket.on('close', () => {
    halfSent.clear(socket);
    end.closed();
  });
  reader.push(head);
};

/** A part of a message whose other parts have yet to come. */
const isUnfinished = (frame: unknown): boolean => {
  const chunk = Chunk.safeParse(frame).data;
  return chunk !== undefined && chunk.index < chunk.count - 1;
};

const Chunk = z.object({ type: z.literal('chunk'), index: z.number(), count: z.number() });

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
