/**
 * The room in front of the loopback port's gate. Anybody on this machine can connect, so a client that has shown no good token yet
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
  /** Connections that have yet to be looked up. */
  #unseen: Socket[] = [];
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
    this.#unseen.push(socket);
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_AFTER_MS).unref();
  }

  /** One look at a time: who comes meanwhile is in the next one. */
  async #look(): Promise<void> {
    while (this.#unseen.length > 0) {
      const sockets = this.#unseen.splice(0);
      const foreign = await foreignPeerPorts(this.#port());
      const dropped = sockets.filter((socket) => this.#strangers.has(socket) && foreign.has(socket.remotePort ?? 0));
      for (const socket of dropped) socket.destroy();
      if (dropped.length > 0) this.#log.info('gate.other_user', { count: dropped.length });
    }
    this.#timer = undefined;
  }
}
