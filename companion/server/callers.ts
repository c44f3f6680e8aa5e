/** Who is at the other end of each connection of the private socket, and what only a person may do there. */
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Caller } from '#companion/lib/peer.ts';
import type { Principal } from '#companion/mcp/tokens.ts';

export type Identify = (socket: Duplex) => Caller;

const callers = new WeakMap<Duplex, Caller>();

/** Looks at every connection in the moment it comes: later its process may be gone, and its number another's. */
export const noteCallers = (server: Server, identify: Identify): void => {
  server.on('connection', (socket) => callers.set(socket, identify(socket)));
};

export const callerOf = (socket: Duplex): Caller | undefined => callers.get(socket);

/** An agent, or what cannot be told from one. */
export const isAgent = (principal: Principal): boolean =>
  principal.type === 'local' && principal.caller !== undefined && principal.caller.actsFor !== 'person';

/** What agents do through `pilotfish mcp`: each call asks policy, as those of their own session do. */
const OPEN_TO_AGENTS: ReadonlySet<string> = new Set([
  'POST /api/mcp-sessions',
  'DELETE /api/mcp-sessions/:sessionId',
  'POST /api/mcp-sessions/:sessionId/call',
]);

/** Reading a token is acting: whoever holds it is taken for another client. */
const TELLS_A_TOKEN = '/api/mcp-config';

/** Whether a route acts for the person. A new route does so until it is named above; looking only shows what the user's files hold. */
export const isForPerson = (method: string, route: string): boolean =>
  method === 'GET' ? route === TELLS_A_TOKEN : !OPEN_TO_AGENTS.has(`${method} ${route}`);
