/**
 * Whether a request that is late has come all the same. Node asks its clock before it reads, so a process that was stopped, or had no time
 * from a busy machine, takes for late what lies whole in its sockets: https://nodejs.org/en/learn/asynchronous-work/event-loop-timers-and-nexttick
 */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate as whatCameIsRead } from 'node:timers/promises';

/** The requests of a server, as far as they have come. */
export class Arrivals {
  readonly #last = new WeakMap<Duplex, { readonly complete: boolean }>();

  constructor(server: Server) {
    server.on('request', (request) => this.#last.set(request.socket, request));
    server.on('upgrade', (_, socket) => this.#last.set(socket, { complete: true }));
  }

  /** Reads what has reached this machine by now; gives whether the request for which the connection is late is whole with it. */
  async isWhole(socket: Duplex): Promise<boolean> {
    const before = this.#last.get(socket);
    const isBegun = before?.complete === false;
    await whatCameIsRead();
    const last = this.#last.get(socket);
    return last?.complete === true && (isBegun || last !== before);
  }
}
