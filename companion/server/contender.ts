/** A private socket under a name of its own that already answers /health, and lets everything else wait for the daemon behind it. */
import { lstatSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import type { Preparing } from '#protocol/health.ts';
import { HEALTH_PATH } from '#protocol/version.ts';
import { noteCallers, type Identify } from './callers.ts';
import { createDoorServer, type DoorListeners } from './doors.ts';
import { toHealth } from './health.ts';

/** Names in the socket's folder. They are as short as the socket's own, because a path has about a hundred bytes. */
export const spareName = (folder: string): string => path.join(folder, `s-${randomBytes(4).toString('hex')}`);

export const SPARE_NAME = /^s-[0-9a-f]{8}$/;

export class Contender {
  /** Its own name, which nobody uses again. */
  readonly file: string;
  isOwner = false;
  /** What those who ask before the daemon is ready are told. */
  preparing: Preparing | null = null;
  readonly #server = createDoorServer('private');
  readonly #opened = Promise.withResolvers<DoorListeners>();
  /** The daemon behind the door, once it is open. */
  #inside: DoorListeners | null = null;

  /** `identify` looks at each connection as it comes; without it nothing is known of callers. */
  constructor(file: string, identify?: Identify) {
    this.file = file;
    if (identify !== undefined) noteCallers(this.#server, identify);
    this.#server.on('request', (request, response) => this.#takeRequest(request, response));
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.#inside !== null) this.#inside.upgrade(request, socket, head);
      else void this.#opened.promise.then((inside) => inside.upgrade(request, socket, head));
    });
  }

  /** Resolves when the socket is there; it is never open to others, not even between bind and chmod. */
  listen(): Promise<void> {
    return listenPrivately(this.#server, this.file);
  }

  /** Lets in those who wait, in the order in which they came, and all who come from now on. */
  open(inside: DoorListeners): void {
    this.#inside = inside;
    this.#opened.resolve(inside);
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #takeRequest(request: IncomingMessage, response: ServerResponse): void {
    if (this.#inside !== null) return this.#inside.request(request, response);
    if (request.url !== HEALTH_PATH) return void this.#opened.promise.then((inside) => inside.request(request, response));
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(toHealth(this.isOwner, null, this.preparing)));
  }
}

const listenPrivately = (server: Server, file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.platform === 'win32' ? 0 : process.umask(0o177);
    try {
      // Node binds before this call returns, so the mask is not needed any longer.
      server.listen(file, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      if (process.platform !== 'win32') process.umask(before);
    }
  });

/** Which file a name leads to now, or null when there is none. */
export const identityOf = (file: string): string | null => {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
};
