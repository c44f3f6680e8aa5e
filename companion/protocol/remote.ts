/**
 * The link over a WebSocket, for a daemon on another machine, in a container or in WSL: pairing, and the proof that each end gives
 * before the first frame of link.ts. A browser is paired once; both ends show the same code, and a person says so at both.
 */
import * as z from 'zod';
import { ErrorBody } from './errors.ts';
import { LINK_PATH } from './version.ts';

/** A browser offers one of these beside the protocol: what it has come for. */
export const PAIR_OFFER = 'pilotfish-pair';
export const KEY_OFFER_PREFIX = 'pilotfish-key.';

/** A public key (P-256) as SPKI, and a random value, both in base64url; a digest in hex. */
const Key = z.string().regex(/^[\w-]{60,200}$/);
const Nonce = z.string().regex(/^[\w-]{43}$/);
const Digest = z.string().regex(/^[0-9a-f]{64}$/);
const Signature = z.string().regex(/^[\w-]{80,100}$/);

/** browser → daemon */
export const RemoteUp = z.discriminatedUnion('type', [
  /** `commitment` is the digest of the browser's nonce: neither end can choose its own after it knows the other's. */
  z.object({ type: z.literal('pair'), key: Key, commitment: Digest, name: z.string().max(200) }),
  z.object({ type: z.literal('pair_open'), nonce: Nonce }),
  /** The person has said in the browser that the codes are the same. */
  z.object({ type: z.literal('pair_confirm'), signature: Signature }),
  z.object({ type: z.literal('proof'), nonce: Nonce, signature: Signature }),
]);
export type RemoteUp = z.infer<typeof RemoteUp>;

/** daemon → browser */
export const RemoteDown = z.discriminatedUnion('type', [
  z.object({ type: z.literal('pair_key'), key: Key, nonce: Nonce }),
  /** Both ends have confirmed. */
  z.object({ type: z.literal('paired'), signature: Signature }),
  z.object({ type: z.literal('challenge'), nonce: Nonce }),
  z.object({ type: z.literal('proven'), signature: Signature }),
  z.object({ type: z.literal('refused'), error: ErrorBody }),
]);
export type RemoteDown = z.infer<typeof RemoteDown>;

/** What both ends know of one another at the end of a handshake. */
export interface Handshake {
  readonly browserKey: string;
  readonly daemonKey: string;
  readonly browserNonce: string;
  readonly daemonNonce: string;
}

/** What an end signs. Its purpose and end are in it, so that no signature is good for anything else. */
export const signedText = (purpose: 'pair' | 'link', end: 'browser' | 'daemon', handshake: Handshake): string =>
  textOf(`${purpose} ${end}`, handshake);

/** What the code is made of. */
export const codeText = (handshake: Handshake): string => textOf('code', handshake);

const textOf = (what: string, { browserKey, daemonKey, browserNonce, daemonNonce }: Handshake): string =>
  ['pilotfish', what, browserKey, daemonKey, browserNonce, daemonNonce].join('\n');

/** The six digits of a digest in hex, which a person compares. */
export const codeOf = (digest: string): string => {
  const digits = `${Number.parseInt(digest.slice(0, 12), 16) % 1_000_000}`.padStart(6, '0');
  return `${digits.slice(0, 3)} ${digits.slice(3)}`;
};

/** Where a daemon is reached: `wss://`, or `ws://` to this machine, where a tunnel begins. Null for anything else. */
export const readRemoteAddress = (text: string): { readonly link: string; readonly base: string; readonly port: number } | null => {
  const given = text.trim().replace(/^http(s?):\/\//i, 'ws$1://');
  const match = /^(?:(wss?):\/\/)?(\[[0-9a-f:]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?\/?$/i.exec(given);
  if (match === null) return null;
  const [, scheme = '', name = '', digits] = match;
  const host = name.toLowerCase();
  const isHere = host === '127.0.0.1' || host === 'localhost';
  const isSecure = scheme.toLowerCase() === 'wss' || (scheme === '' && !isHere);
  const port = Number(digits ?? (isSecure ? 443 : 80));
  if ((!isSecure && !isHere) || port < 1 || port > 65_535) return null;
  const place = `${isHere ? '127.0.0.1' : host}${port === (isSecure ? 443 : 80) ? '' : `:${port}`}`;
  return { link: `${isSecure ? 'wss' : 'ws'}://${place}${LINK_PATH}`, base: `${isSecure ? 'https' : 'http'}://${place}`, port };
};

/** A pairing as the terminal follows it. */
export const PairingState = z.discriminatedUnion('state', [
  z.object({ state: z.literal('closed') }),
  /** A browser may come, until `expiresAt` (Unix milliseconds). */
  z.object({ state: z.literal('open'), expiresAt: z.number(), triesLeft: z.number().int() }),
  /** One has come, and shows this code. */
  z.object({ state: z.literal('asked'), expiresAt: z.number(), name: z.string(), code: z.string(), hasAnswered: z.boolean() }),
  z.object({ state: z.literal('paired'), admissionId: z.string(), name: z.string() }),
  z.object({ state: z.literal('failed'), error: ErrorBody }),
]);
export type PairingState = z.infer<typeof PairingState>;
