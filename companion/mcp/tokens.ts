/** Who may come in from the network: bearer tokens, made for one client each and gone with this process. */
import { hash, randomBytes } from 'node:crypto';
import type { BrowserId, SessionId } from '#protocol/ids.ts';
import type { Caller } from '#companion/lib/peer.ts';

/**
 * `panel`: the side panel of a browser profile; `session`: the MCP client of one session; `local`: a process that came by the
 * private socket; `nobody`: a caller that showed no token, and only asks whether a daemon is there.
 */
export type Principal =
  | { readonly type: 'panel'; readonly browserId: BrowserId; readonly admissionId: string }
  | { readonly type: 'session'; readonly sessionId: SessionId }
  | { readonly type: 'local'; readonly caller?: Caller }
  | { readonly type: 'nobody' };

const TOKEN_BYTES = 32;
const TICKET_LIFE_MS = 30_000;
const MAX_TICKETS = 1000;

/** The tokens of one daemon. They are kept as hashes, so that the time a look-up takes says nothing about a token. */
export class Tokens {
  readonly #now: () => number;
  readonly #principals = new Map<string, Principal>();
  readonly #tickets = new Map<string, { readonly principal: Principal; readonly path: string; readonly expiresAt: number }>();
  readonly #listeners = new Set<(principal: Principal) => void>();

  /** `now` is a clock that only goes forward. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  issue(principal: Principal): string {
    const token = random();
    this.#principals.set(digest(token), principal);
    return token;
  }

  revoke(token: string): void {
    const key = digest(token);
    const principal = this.#principals.get(key);
    if (principal === undefined) return;
    this.#principals.delete(key);
    for (const listener of this.#listeners) listener(principal);
  }

  check(token: string): Principal | null {
    return this.#principals.get(digest(token)) ?? null;
  }

  /** A pass for the one stream at `path`, because a page cannot set the Authorization header of a WebSocket or an `EventSource`. */
  issueTicket(principal: Principal, path: string): string {
    for (const [key, { expiresAt }] of this.#tickets)
      if (expiresAt <= this.#now() || this.#tickets.size >= MAX_TICKETS) this.#tickets.delete(key);
    const ticket = random();
    this.#tickets.set(digest(ticket), { principal, path, expiresAt: this.#now() + TICKET_LIFE_MS });
    return ticket;
  }

  /** The principal that the ticket was issued to. A ticket works once, and is used up by a try at another address too. */
  redeemTicket(ticket: string, path: string): Principal | null {
    const key = digest(ticket);
    const found = this.#tickets.get(key);
    this.#tickets.delete(key);
    return found !== undefined && found.path === path && found.expiresAt > this.#now() ? found.principal : null;
  }

  /** The listener closes what was opened with a token that is now revoked. Returns how to stop listening. */
  onRevoked(listener: (principal: Principal) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const random = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const digest = (secret: string): string => hash('sha256', secret, 'base64');
