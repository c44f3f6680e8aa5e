/**
 * How the end of a connection is said: the answer, then the half that we write is closed, and what the other end still sends is
 * read and thrown away for a while. Closed at once, a connection on which something is still on its way is reset, and the reset
 * can overtake the answer: https://www.rfc-editor.org/rfc/rfc9112.html#section-9.6
 */
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

const LINGER_MS = 2000;

const leaving = new WeakSet<Duplex>();

/** Ends every connection of a server in this way. */
export const addFarewell = (server: Server): void => {
  server.on('connection', (socket) => {
    // Node calls it after an answer with `connection: close`: https://nodejs.org/api/net.html#socketdestroysoon
    socket.destroySoon = () => leave(socket);
  });
};

/** Whether the end was said already: what comes now is no request any more. */
export const isLeaving = (socket: Duplex): boolean => leaving.has(socket);

/** Says the end; `last` is written before it. */
export const leave = (socket: Duplex, last?: string): void => {
  if (socket.destroyed || leaving.has(socket)) return;
  leaving.add(socket);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => socket.destroy());
  socket.end(last);
  socket.resume();
};
