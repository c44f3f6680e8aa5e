/** Who may come in from the network: bearer tokens, made for one client each and gone with this process. */
import { hash, randomBytes } from 'node:crypto';
import type { BrowserId, SessionId } from '#protocol/ids.ts';
import type { Caller } from '#companion/lib/peer.ts';

/** panel: a browser profile's side panel · session: the MCP client of one session · local: whoever the private socket lets in. */
export type Principal =
  | { readonly type: 'panel'; readonly browserId: BrowserId }
  | { readonly type: 'session'; readonly sessionId: SessionId }
  | { readonly type: 'local'; readonly caller?: Caller };

export interface Tokens {
  issue(principal: Principal): string;
  revoke(token: string): void;
  check(token: string): Principal | null;
  /** A pass for one WebSocket, because a page cannot set the Authorization header of one. */
  issueTicket(principal: Principal): string;
  /** Works once. */
  redeemTicket(ticket: string): Principal | null;
  /** What was opened with a revoked token has to close. */
  onRevoked(listener: (principal: Principal) => void): () => void;
}

const TOKEN_BYTES = 32;
const TICKET_LIFE_MS = 30_000;
const MAX_TICKETS = 1000;

/** The tokens of one daemon; `now` is a clock that only goes forward. They are kept as hashes, so the time a look-up takes says nothing about a token. */
export const createTokens = (now: () => number = () => performance.now()): Tokens => {
  const principals = new Map<string, Principal>();
  const tickets = new Map<string, { principal: Principal; expiresAt: number }>();
  const listeners = new Set<(principal: Principal) => void>();
  return {
    issue: (principal) => {
      const token = random();
      principals.set(digest(token), principal);
      return token;
    },
    revoke: (token) => {
      const key = digest(token);
      const principal = principals.get(key);
      if (principal === undefined) return;
      principals.delete(key);
      for (const listener of listeners) listener(principal);
    },
    check: (token) => principals.get(digest(token)) ?? null,
    issueTicket: (principal) => {
      for (const [key, { expiresAt }] of tickets) if (expiresAt <= now() || tickets.size >= MAX_TICKETS) tickets.delete(key);
      const ticket = random();
      tickets.set(digest(ticket), { principal, expiresAt: now() + TICKET_LIFE_MS });
      return ticket;
    },
    redeemTicket: (ticket) => {
      const key = digest(ticket);
      const found = tickets.get(key);
      tickets.delete(key);
      return found !== undefined && found.expiresAt > now() ? found.principal : null;
    },
    onRevoked: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

const random = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const digest = (secret: string): string => hash('sha256', secret, 'base64');
