/** This browser's end of the link to a daemon elsewhere: pairing with it, and the proof of both ends before the first frame. */
import * as z from 'zod';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import {
  KEY_OFFER_PREFIX,
  PAIR_OFFER,
  RemoteDown,
  type RemoteUp,
  codeOf,
  codeText,
  readRemoteAddress,
  signedText,
} from '#protocol/remote.ts';
import { type BrowserKey, digestOf, isSignedBy, newNonce } from './remote-key.ts';
import { LINK_PROTOCOL } from '#protocol/version.ts';
import { explainInFront } from '#protocol/front-faults.ts';

/** Where the person wants this browser to be connected, kept in `chrome.storage.local`; absent means here, by native messaging. */
export const RemotePlace = z.object({ address: z.string(), daemonKey: z.string() });
export type RemotePlace = z.infer<typeof RemotePlace>;

/** Key of the RemotePlace in `chrome.storage.local`. */
export const REMOTE_PLACE_KEY = 'remote place';

export const loadRemotePlace = async (): Promise<RemotePlace | null> => {
  const stored = await chrome.storage.local.get(REMOTE_PLACE_KEY);
  return RemotePlace.safeParse(stored[REMOTE_PLACE_KEY]).data ?? null;
};

const PROOF_MS = 10_000;
const PAIR_MS = 5 * 60_000;

interface PairOptions {
  readonly address: string;
  /** What this browser calls itself. */
  readonly name: string;
  readonly key: BrowserKey;
  /** Shows the code; resolves with whether the person says that the terminal shows the same. */
  readonly confirm: (code: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

/** Resolves with the place once both ends have confirmed the same code. Every failure is a CompanionError. */
export const pair = async ({ address, name, key, confirm, signal }: PairOptions): Promise<RemotePlace> => {
  const place = readRemoteAddress(address);
  if (place === null) throw wrongAddress();
  const socket = new WebSocket(place.link, [LINK_PROTOCOL, PAIR_OFFER]);
  const talk = new Talk(socket, AbortSignal.any([signal, AbortSignal.timeout(PAIR_MS)]), notThere(address));
  try {
    await talk.opened;
    const browserNonce = newNonce();
    talk.send({ type: 'pair', key: key.text, commitment: await digestOf(browserNonce), name });
    const { key: daemonKey, nonce: daemonNonce } = await talk.next('pair_key');
    talk.send({ type: 'pair_open', nonce: browserNonce });
    const handshake = { browserKey: key.text, daemonKey, browserNonce, daemonNonce };
    const code = codeOf(await digestOf(codeText(handshake)));
    if (!(await talk.unlessGone(confirm(code)))) throw new CompanionError('PAIRING_REFUSED');
    talk.send({ type: 'pair_confirm', signature: await key.sign(signedText('pair', 'browser', handshake)) });
    const { signature } = await talk.next('paired');
    if (!(await isSignedBy(daemonKey, signedText('pair', 'daemon', handshake), signature)))
      throw new CompanionError('PAIRING_REFUSED', explainInFront('other_without_key'));
    return { address: place.base.replace(/^http/, 'ws'), daemonKey };
  } finally {
    socket.close();
  }
};

/** Opens the link: resolves with the socket when each end has proven its key, and nothing else was said. */
export const openRemoteLink = async ({ address, daemonKey }: RemotePlace, key: BrowserKey): Promise<WebSocket> => {
  const place = readRemoteAddress(address);
  if (place === null) throw wrongAddress();
  const socket = new WebSocket(place.link, [LINK_PROTOCOL, `${KEY_OFFER_PREFIX}${await digestOf(key.text)}`]);
  const talk = new Talk(socket, AbortSignal.timeout(PROOF_MS), notThere(address));
  try {
    await talk.opened;
    const { nonce: daemonNonce } = await talk.next('challenge');
    const handshake = { browserKey: key.text, daemonKey, browserNonce: newNonce(), daemonNonce };
    talk.send({ type: 'proof', nonce: handshake.browserNonce, signature: await key.sign(signedText('link', 'browser', handshake)) });
    const { signature } = await talk.next('proven');
    if (!(await isSignedBy(daemonKey, signedText('link', 'daemon', handshake), signature)))
      throw new CompanionError('BROWSER_NOT_PAIRED', explainInFront('not_paired_pilotfish'));
    return socket;
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    talk.close();
  }
};

const wrongAddress = (): CompanionError =>
  new CompanionError('INPUT_INVALID', explainInFront('no_address'), {
    remedy: explainInFront('write_address'),
  });

/** A browser does not tell why a WebSocket was refused. */
const notThere = (address: string): CompanionError =>
  new CompanionError('DAEMON_NOT_RUNNING', explainInFront('nothing_takes', { address }), {
    remedy: explainInFront('open_tunnel'),
  });

/** The messages of a handshake, one at a time. */
class Talk {
  readonly opened: Promise<void>;
  readonly #socket: WebSocket;
  readonly #waiting: RemoteDown[] = [];
  readonly #failed = Promise.withResolvers<never>();
  #take: ((message: RemoteDown) => void) | null = null;

  constructor(socket: WebSocket, signal: AbortSignal, ended: CompanionError) {
    this.#socket = socket;
    // Those who wait for an answer are told.
    this.#failed.promise.catch(() => {});
    const fail = (): void => this.#failed.reject(ended);
    signal.addEventListener('abort', fail);
    socket.addEventListener('close', fail);
    socket.addEventListener('error', fail);
    socket.addEventListener('message', this.#receive);
    this.opened = this.unlessGone(new Promise((resolve) => socket.addEventListener('open', () => resolve())));
  }

  send(message: RemoteUp): void {
    this.#socket.send(JSON.stringify(message));
  }

  async next<T extends RemoteDown['type']>(type: T): Promise<Extract<RemoteDown, { type: T }>> {
    const message = this.#waiting.shift() ?? (await this.unlessGone(new Promise<RemoteDown>((resolve) => (this.#take = resolve))));
    if (message.type === 'refused') throw fromErrorBody(message.error);
    if (!isOf(message, type)) throw new CompanionError('INTERNAL', explainInFront('no_pilotfish'));
    return message;
  }

  /** Rejects when the other end has gone, or said no. */
  unlessGone<T>(wanted: Promise<T>): Promise<T> {
    return Promise.race([wanted, this.#failed.promise]);
  }

  /** The handshake is over. */
  close(): void {
    this.#socket.removeEventListener('message', this.#receive);
  }

  readonly #receive = ({ data }: MessageEvent): void => {
    const parsed = RemoteDown.safeParse(parse(data));
    if (!parsed.success) return;
    // A no counts at any time.
    if (parsed.data.type === 'refused') return this.#failed.reject(fromErrorBody(parsed.data.error));
    const take = this.#take;
    this.#take = null;
    if (take === null) this.#waiting.push(parsed.data);
    else take(parsed.data);
  };
}

const isOf = <T extends RemoteDown['type']>(message: RemoteDown, type: T): message is Extract<RemoteDown, { type: T }> =>
  message.type === type;

const parse = (data: unknown): unknown => {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
};
