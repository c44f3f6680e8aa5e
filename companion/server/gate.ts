/**
 * The one gate: every request and every upgrade of both doors passes it before anything else looks at them, and
 * before a byte of the body is read. Pure but for what `tokens` remembers.
 */
import { MAX_BODY_BYTES } from '#protocol/attachment-limits.ts';
import { CompanionError, type ErrorBody, type ErrorCode } from '#protocol/errors.ts';
import { EXTENSION_ORIGIN, HEALTH_PATH, LINK_PATH } from '#protocol/version.ts';
import { isForeign, type Caller } from '#companion/lib/peer.ts';
import type { Principal, Tokens } from '#companion/mcp/tokens.ts';

/** loopback: TCP, which every program of this machine can reach · private: the socket that only this user can open. */
export type Door = 'loopback' | 'private';

/** Each header with all its values, as `IncomingMessage.headersDistinct` gives them: a doubled Host must not hide. */
export type GateHeaders = NodeJS.Dict<string[]>;

export interface GateInput {
  readonly door: Door;
  readonly port: number;
  readonly method: string;
  readonly url: string;
  readonly headers: GateHeaders;
  /** The process at the other end of the private socket, when the system tells it. */
  readonly caller?: Caller | undefined;
  readonly tokens: Pick<Tokens, 'check' | 'redeemTicket'>;
  /** Whether a browser that is elsewhere comes to this `Host`: paired · for its pairing only · not at all. */
  readonly remoteHost?: ((host: string) => 'paired' | 'pairing' | null) | undefined;
}

export interface Refusal {
  readonly status: number;
  readonly error: ErrorBody;
  /** Whether a wrong token was shown, so that somebody may be guessing. */
  readonly isGuess: boolean;
}

export type GateAnswer = { readonly principal: Principal } | { readonly refuse: Refusal };

/** Prefix of the WebSocket subprotocol that carries a one-time ticket. */
const TICKET_PREFIX = 'ticket.';

/** Lets a request in as somebody, or says with which answer it is refused. */
export const checkRequest = ({ door, port, method, url, headers, caller, tokens, remoteHost }: GateInput): GateAnswer => {
  if (!url.startsWith('/') || method === 'CONNECT' || method === 'TRACE') return refusals.target;
  const answer = door === 'private' ? checkPrivate(headers, caller) : checkLoopback({ port, method, url, headers, tokens, remoteHost });
  return 'refuse' in answer ? answer : (checkBody(headers) ?? answer);
};

const refusal = (code: ErrorCode, detail: string, isGuess = false): { readonly refuse: Refusal } => {
  const error = new CompanionError(code, detail);
  return { refuse: { status: error.status, error: error.toBody(), isGuess } };
};

/** These errors are made once, so that an attacker cannot make the daemon build them. */
const refusals = {
  target: refusal('INPUT_INVALID', 'The request target must be a path.'),
  host: refusal('FORBIDDEN', 'The Host header does not name this server.'),
  origin: refusal('FORBIDDEN', 'No web page and no other extension may call.'),
  fetch: refusal('FORBIDDEN', 'Browsers may not load this address into a page.'),
  user: refusal('FORBIDDEN', 'The private socket is for the user whose daemon this is.'),
  browser: refusal('FORBIDDEN', 'Browsers do not use the private socket.'),
  token: refusal('UNAUTHORIZED', 'The authorization header is missing.'),
  guess: refusal('UNAUTHORIZED', 'The token is not known, or no longer.', true),
  type: refusal('MEDIA_TYPE_WRONG', ''),
  size: refusal('INPUT_TOO_LARGE', 'A request may hold 8 MiB.'),
} as const;

/** On the private socket, the permissions of its file take the place of a token. */
const checkPrivate = (headers: GateHeaders, caller: Caller | undefined): GateAnswer => {
  if (caller !== undefined && isForeign(caller)) return refusals.user;
  if (headers['origin'] !== undefined) return refusals.browser;
  for (const name in headers) if (name.startsWith('sec-fetch-')) return refusals.browser;
  return { principal: { type: 'local', ...(caller === undefined ? {} : { caller }) } };
};

const checkLoopback = ({ port, method, url, headers, tokens, remoteHost }: Omit<GateInput, 'door' | 'caller'>): GateAnswer => {
  const host = only(headers['host']) ?? '';
  const [path = '', query = ''] = url.split('?', 2);
  const isLink = method === 'GET' && path === LINK_PATH && only(headers['upgrade'])?.toLowerCase() === 'websocket';
  const remote = remoteHost?.(host) ?? null;
  const isOwnHost = host === `127.0.0.1:${port}` || host === `localhost:${port}`;
  if (!isOwnHost && (remote === null || (remote === 'pairing' && !isLink))) return refusals.host;
  if (headers['origin'] !== undefined && only(headers['origin']) !== EXTENSION_ORIGIN) return refusals.origin;
  if (!isProgramFetch(headers)) return refusals.fetch;
  // No page can say that it is our extension; a key is proven behind this gate.
  if (isLink && remote !== null) return headers['origin'] === undefined ? refusals.origin : { principal: { type: 'nobody' } };
  const token = bearerToken(headers['authorization']);
  if (token !== undefined) {
    const principal = tokens.check(token);
    return principal === null ? refusals.guess : { principal };
  }
  const isUpgrade = headers['upgrade'] !== undefined;
  if (method === 'GET' && path === HEALTH_PATH && !isUpgrade) return { principal: { type: 'nobody' } };
  const ticket = isUpgrade
    ? (ticketOf(headers['sec-websocket-protocol']) ?? ticketIn(query))
    : method === 'GET'
      ? ticketIn(query)
      : undefined;
  if (ticket === undefined) return refusals.token;
  const principal = tokens.redeemTicket(ticket, path);
  return principal === null ? refusals.guess : { principal };
};

/**
 * What a browser says of a request made by code of our extension, or nothing at all. An extension page with host
 * permission sends no Origin and `Sec-Fetch-Site: none`; any other site without an Origin is a page's doing.
 */
const isProgramFetch = (headers: GateHeaders): boolean => {
  const mode = headers['sec-fetch-mode'];
  const target = headers['sec-fetch-dest'];
  const site = headers['sec-fetch-site'];
  return (
    (mode === undefined || only(mode) === 'cors' || only(mode) === 'websocket') &&
    (target === undefined || only(target) === 'empty' || only(target) === 'websocket') &&
    (site === undefined || headers['origin'] !== undefined || only(site) === 'none')
  );
};

const bearerToken = (values: string[] | undefined): string | undefined => {
  if (values === undefined) return undefined;
  const value = only(values) ?? '';
  return value.slice(0, 7).toLowerCase() === 'bearer ' ? value.slice(7).trim() : '';
};

const ticketOf = (values: string[] | undefined): string | undefined =>
  values
    ?.join(',')
    .split(',')
    .map((protocol) => protocol.trim())
    .find((protocol) => protocol.startsWith(TICKET_PREFIX))
    ?.slice(TICKET_PREFIX.length);

/** An `EventSource` can send a ticket nowhere else. It opens one stream once, so it does no harm in a log of addresses. */
const ticketIn = (query: string): string | undefined => new URLSearchParams(query).get('ticket') ?? undefined;

const JSON_TYPE = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** Checks the body by its headers: it must be JSON without compression and within the limit. */
const checkBody = (headers: GateHeaders): GateAnswer | null => {
  const length = only(headers['content-length']);
  const transfer = headers['transfer-encoding'];
  const type = headers['content-type'];
  const hasBody = transfer !== undefined || (length !== undefined && length !== '0');
  if ((hasBody || type !== undefined) && !JSON_TYPE.test(only(type) ?? '')) return refusals.type;
  if (headers['content-encoding'] !== undefined && only(headers['content-encoding']) !== 'identity') return refusals.type;
  if (transfer !== undefined && only(transfer)?.toLowerCase() !== 'chunked') return refusals.type;
  return Number(length ?? 0) > MAX_BODY_BYTES ? refusals.size : null;
};

const only = (values: string[] | undefined): string | undefined => (values?.length === 1 ? values[0] : undefined);
