/** A private socket under a name of its own that already answers /health, and lets everything else wait for the daemon behind it. */
import { lstatSync } from 'node:fs';
import type { Server } from 'node:http';
import path from 'node:path';
import { randomBytes } from 'node:crypto';
import { noteCallers, type Identify } from './callers.ts';
import { createDoorServer, type DoorListeners } from './doors.ts';
import { toHealth } from './health.ts';

export interface Contender {
  /** Its own name, never used again by anybody. */
  readonly file: string;
  readonly server: Server;
  isOwner: boolean;
  /** Behind the door from now on; who knocked earlier comes first. */
  open(listeners: DoorListeners): void;
  close(): Promise<void>;
}

/** Names in the socket's folder: as short as the socket's own, since a path holds about a hundred bytes. */
export const spareName = (folder: string): string => path.join(folder, `s-${randomBytes(4).toString('hex')}`);

export const SPARE_NAME = /^s-[0-9a-f]{8}$/;

export const createContender = async (file: string, identify?: Identify): Promise<Contender> => {
  const server = createDoorServer('private');
  if (identify !== undefined) noteCallers(server, identify);
  const opened = Promise.withResolvers<DoorListeners>();
  let listeners: DoorListeners | null = null;
  const contender: Contender = {
    file,
    server,
    isOwner: false,
    open: (inside) => {
      listeners = inside;
      opened.resolve(inside);
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  server.on('request', (request, response) => {
    if (listeners !== null) return listeners.request(request, response);
    if (request.url !== '/health') return void opened.promise.then((inside) => inside.request(request, response));
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify(toHealth(contender.isOwner, null)));
  });
  server.on('upgrade', (request, socket, head) => {
    if (listeners !== null) listeners.upgrade(request, socket, head);
    else void opened.promise.then((inside) => inside.upgrade(request, socket, head));
  });
  await listenPrivately(server, file);
  return contender;
};

/** The socket is never open to others, not even between bind and chmod. */
const listenPrivately = (server: Server, file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    const before = process.platform === 'win32' ? 0 : process.umask(0o177);
    try {
      // Node binds before this call returns, so the mask is needed no longer than that.
      server.listen(file, () => {
        server.off('error', reject);
        resolve();
      });
    } finally {
      if (process.platform !== 'win32') process.umask(before);
    }
  });

/** Which file a name leads to now; null when to none. */
export const identityOf = (file: string): string | null => {
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat === undefined ? null : `${stat.dev}:${stat.ino}`;
};
