/** Who is at the other end of each connection of the private socket. */
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Caller } from '#companion/lib/peer.ts';
import type { Principal } from '#companion/mcp/tokens.ts';

export type Identify = (socket: Duplex) => Caller;

const callers = new WeakMap<Duplex, Caller>();

/** Looks at every connection in the moment it comes: later its process may have ended, and its number may belong to another. */
export const noteCallers = (server: Server, identify: Identify): void => {
  server.on('connection', (socket) => callers.set(socket, identify(socket)));
};

export const callerOf = (socket: Duplex): Caller | undefined => callers.get(socket);

/** The panel of a browser that the person has not let in. */
export const isNewcomer = (principal: Principal, admissions: { isAllowed(id: string): boolean }): boolean =>
  principal.type === 'panel' && !admissions.isAllowed(principal.admissionId);

/** Whether it is an agent, or cannot be told from one. */
export const isAgent = (principal: Principal): boolean =>
  principal.type === 'local' && principal.caller !== undefined && principal.caller.actsFor !== 'person';
