/**
 * The room in front of the loopback port's gate. Anybody on this machine can connect, so whoever has shown no good token yet
 * has little room and is put out when it is needed; a client that has shown one is never in the way of that.
 */
import type { Server, Socket } from 'node:net';
import { foreignPeerPorts } from '#companion/lib/tcp-peers.ts';
import type { Log } from '#companion/lib/log.ts';

/** Connections without a good token. */
const MAX_STRANGERS = 256;

/** The limit of all connections, so that file descriptors are left for everything else. */
const MAX_SOCKETS = 1_280;

/** Connections that come within this time are looked up in the system's table together. */
const LOOK_AFTER_MS = 20;

export class Threshold {
  readonly #port: () => number;
  readonly #log: Log;
  /** Connections without a good token, the oldest first. */
  readonly #strangers = new Set<Socket>();
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, options: { port: () => number; log: Log }) {
    this.#port = options.port;
    this.#log = options.log;
    server.maxConnections = MAX_SOCKETS;
    server.on('connection', (socket) => this.#meet(socket));
    server.on('close', () => clearTimeout(this.#timer));
  }

  /** The connection has shown a good token. */
  readonly admit = (socket: Socket): void => void this.#strangers.delete(socket);

  #meet(socket: Socket): void {
    this.#strangers.add(socket);
    socket.once('close', () => this.#strangers.delete(socket));
    if (this.#strangers.size > MAX_STRANGERS) {
      const [oldest] = this.#strangers;
      oldest?.destroy();
    }
    this.#timer ??= setTimeout(() => this.#dropForeign(), LOOK_AFTER_MS).unref();
  }

  #dropForeign(): void {
    this.#timer = undefined;
    const foreign = foreignPeerPorts(this.#port());
    if (foreign.size === 0) return;
    let count = 0;
    for (const socket of this.#strangers) {
      if (socket.remotePort === undefined || !foreign.has(socket.remotePort)) continue;
      socket.destroy();
      count += 1;
    }
    if (count > 0) this.#log.info('gate.other_user', { count });
  }
}
