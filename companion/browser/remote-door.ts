/**
 * The door for browsers that are elsewhere: a WebSocket, where each end proves its key before the first frame of the link. Without a
 * pairing it lets nothing in but the pairing itself, and that only while a person has opened one.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Admission } from '#protocol/admission.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { BrowserId } from '#protocol/ids.ts';
import { KEY_OFFER_PREFIX, PAIR_OFFER, RemoteUp, codeOf, codeText, signedText, type RemoteDown } from '#protocol/remote.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Bridge } from './bridge.ts';
import type { Carrier, Reception } from './connection.ts';
import type { Pairing } from './pairing.ts';
import { digestOf, fingerprintOf, isSignedBy, newNonce, type RemoteKey } from './remote-key.ts';
import { LINK_PROTOCOL } from '#protocol/version.ts';
import { explain } from '#protocol/faults.ts';

/** The largest frame; what is larger comes as chunks. */
const MAX_FRAME_BYTES = 2 * 1024 * 1024;
/** A browser that stops reading is disconnected when this much waits for it. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** How long a browser may take to prove its key, and how many may be about it at once. */
const PROOF_MS = 10_000;
const MAX_UNPROVEN = 16;
/** A network that was cut says nothing: the other end is asked so often, and must have answered by the next time. */
const PING_MS = 25_000;

/** What is remembered of the browsers that were paired. */
export interface PairedBrowsers {
  /** The one whose key has this fingerprint, if it was not revoked. */
  findKey(fingerprint: string): { readonly admission: Admission; readonly key: string } | null;
  pair(browser: { readonly fingerprint: string; readonly key: string; readonly name: string; readonly host: string }): Admission;
  /** Told the id of each admission that changed. */
  subscribe(listener: (id: string) => void): () => void;
}

export interface RemoteDoorOptions {
  readonly bridge: Pick<Bridge, 'attach'>;
  readonly pairing: Pairing;
  readonly paired: PairedBrowsers;
  /** The daemon's own key, which is made when it is first needed. */
  readonly key: () => RemoteKey;
  readonly receive: (admission: Admission) => Reception;
  readonly log: Log;
}

export class RemoteDoor {
  readonly #options: RemoteDoorOptions;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    handleProtocols: () => LINK_PROTOCOL,
  });
  readonly #unproven = new Set<WebSocket>();
  /** The links of each paired browser, by the id of its admission. */
  readonly #links = new Map<string, Set<WebSocket>>();

  constructor(options: RemoteDoorOptions) {
    this.#options = options;
    options.paired.subscribe((id) => {
      if (this.#links.has(id) && this.#find(id) === null) for (const socket of this.#links.get(id) ?? []) socket.terminate();
    });
  }

  /** Takes an upgrade that has passed the gate. Throws what it is refused with, before it is answered. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer, onProven: (socket: Socket) => void): void {
    const offers = (request.headers['sec-websocket-protocol'] ?? '').split(',').map((offer) => offer.trim());
    if (!offers.includes(LINK_PROTOCOL)) throw new CompanionError('INPUT_INVALID', `Offer the subprotocol "${LINK_PROTOCOL}".`);
    const host = request.headers.host ?? '';
    const serve = offers.includes(PAIR_OFFER) ? this.#toPair(host) : this.#toProve(offers, () => onProven(request.socket));
    if (this.#unproven.size >= MAX_UNPROVEN) throw new CompanionError('FORBIDDEN', 'Too many browsers have yet to prove themselves.');
    this.#server.handleUpgrade(request, socket, head, (webSocket) => {
      this.#unproven.add(webSocket);
      webSocket.on('close', () => this.#unproven.delete(webSocket));
      webSocket.on('error', () => webSocket.terminate());
      const talk = new Talk(webSocket);
      serve(talk).catch((error: unknown) => {
        const body = toErrorBody(error);
        this.#options.log.warn('remote.refused', { code: body.code, message: body.message });
        talk.send({ type: 'refused', error: body });
        webSocket.close(1008);
      });
    });
  }

  close(): void {
    this.#options.pairing.close();
    for (const socket of this.#server.clients) socket.terminate();
  }

  #find(id: string): { readonly admission: Admission; readonly key: string } | null {
    return this.#options.paired.findKey(id);
  }

  #toPair(host: string): (talk: Talk) => Promise<void> {
    const { pairing, paired, key, log } = this.#options;
    const attempt = pairing.begin();
    return async (talk) => {
      try {
        talk.limit(attempt.signal);
        const own = key();
        const daemonNonce = newNonce();
        const asked = await talk.next('pair');
        talk.send({ type: 'pair_key', key: own.text, nonce: daemonNonce });
        const { nonce } = await talk.next('pair_open');
        if (digestOf(nonce) !== asked.commitment) throw new CompanionError('PAIRING_REFUSED', explain('promise_changed'));
        const handshake = { browserKey: asked.key, daemonKey: own.text, browserNonce: nonce, daemonNonce };
        const inTerminal = attempt.ask(asked.name, codeOf(digestOf(codeText(handshake)))).then((isSame) => {
          if (!isSame) throw new CompanionError('PAIRING_REFUSED');
        });
        const [{ signature }] = await Promise.all([talk.next('pair_confirm'), talk.unlessGone(inTerminal)]);
        if (!isSignedBy(asked.key, signedText('pair', 'browser', handshake), signature))
          throw new CompanionError('PAIRING_REFUSED', explain('browser_without_key'));
        const admission = paired.pair({ fingerprint: fingerprintOf(asked.key), key: asked.key, name: asked.name, host });
        talk.send({ type: 'paired', signature: own.sign(signedText('pair', 'daemon', handshake)) });
        attempt.succeed(admission.id, asked.name);
        log.warn('remote.paired', { id: admission.id, name: asked.name, host });
        talk.end();
      } catch (error) {
        attempt.fail(error);
        throw error;
      }
    };
  }

  #toProve(offers: readonly string[], onProven: () => void): (talk: Talk) => Promise<void> {
    const offer = offers.find((one) => one.startsWith(KEY_OFFER_PREFIX));
    const found = offer === undefined ? null : this.#options.paired.findKey(offer.slice(KEY_OFFER_PREFIX.length));
    if (found === null) throw new CompanionError('BROWSER_NOT_PAIRED');
    return async (talk) => {
      talk.limit(AbortSignal.timeout(PROOF_MS));
      const own = this.#options.key();
      const daemonNonce = newNonce();
      talk.send({ type: 'challenge', nonce: daemonNonce });
      const { nonce, signature } = await talk.next('proof');
      const handshake = { browserKey: found.key, daemonKey: own.text, browserNonce: nonce, daemonNonce };
      // It may have been revoked meanwhile.
      const admission = this.#find(found.admission.id)?.admission;
      if (admission === undefined || !isSignedBy(found.key, signedText('link', 'browser', handshake), signature))
        throw new CompanionError('BROWSER_NOT_PAIRED', explain('key_not_paired'));
      talk.send({ type: 'proven', signature: own.sign(signedText('link', 'daemon', handshake)) });
      onProven();
      this.#begin(talk.socket, admission);
    };
  }

  #begin(socket: WebSocket, admission: Admission): void {
    this.#unproven.delete(socket);
    const links = this.#links.get(admission.id) ?? new Set();
    this.#links.set(admission.id, links.add(socket));
    socket.on('close', () => {
      links.delete(socket);
      if (links.size === 0) this.#links.delete(admission.id);
    });
    this.#options.log.info('remote.connected', { id: admission.id, name: admission.name });
    new RemoteLink(socket, admission, this.#options).begin();
  }
}

/** The messages of a handshake, one at a time. */
class Talk {
  readonly socket: WebSocket;
  readonly #gone = new AbortController();
  readonly #waiting: RemoteUp[] = [];
  #take: ((message: RemoteUp) => void) | null = null;
  #signal: AbortSignal = this.#gone.signal;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', this.#receive);
    socket.on('close', () => this.#gone.abort());
  }

  send(message: RemoteDown): void {
    if (this.socket.readyState === this.socket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** What is not said before `signal` is not waited for. */
  limit(signal: AbortSignal): void {
    this.#signal = AbortSignal.any([signal, this.#gone.signal]);
  }

  /** The next message, which must be of this type. */
  async next<T extends RemoteUp['type']>(type: T): Promise<Extract<RemoteUp, { type: T }>> {
    const message = this.#waiting.shift() ?? (await this.unlessGone(new Promise<RemoteUp>((resolve) => (this.#take = resolve))));
    if (!isOf(message, type)) throw new CompanionError('INPUT_INVALID', `Expected "${type}".`);
    return message;
  }

  /** Rejects when the browser has gone, or the time is over. */
  unlessGone<T>(wanted: Promise<T>): Promise<T> {
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(new CompanionError('PAIRING_CLOSED', explain('browser_gone')));
      if (signal.aborted) return stop();
      signal.addEventListener('abort', stop);
      wanted.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }

  end(): void {
    this.socket.close(1000);
  }

  readonly #receive = (data: unknown, isBinary: boolean): void => {
    const parsed = RemoteUp.safeParse(isBinary ? null : parse(data));
    // Nobody sends more than two messages ahead.
    if (!parsed.success || this.#waiting.length > 1) return this.socket.terminate();
    const take = this.#take;
    this.#take = null;
    if (take === null) this.#waiting.push(parsed.data);
    else take(parsed.data);
  };
}

const isOf = <T extends RemoteUp['type']>(message: RemoteUp, type: T): message is Extract<RemoteUp, { type: T }> => message.type === type;

/** A proven browser. It carries the frames of the link both ways until an end of it closes. */
class RemoteLink implements Carrier {
  /** A daemon elsewhere cannot be started by its browser. */
  readonly canRest = false;
  readonly isElsewhere = true;
  readonly #socket: WebSocket;
  readonly #admission: Admission;
  readonly #connection: ReturnType<Bridge['attach']>;
  readonly #log: Log;

  constructor(socket: WebSocket, admission: Admission, { bridge, receive, log }: Pick<RemoteDoorOptions, 'bridge' | 'receive' | 'log'>) {
    this.#socket = socket;
    this.#admission = admission;
    this.#log = log;
    this.#connection = bridge.attach(this, receive(admission));
  }

  begin(): void {
    let isAlive = true;
    const timer = setInterval(() => {
      if (!isAlive) return this.#socket.terminate();
      isAlive = false;
      return this.#socket.ping();
    }, PING_MS);
    this.#socket.on('pong', () => (isAlive = true));
    this.#socket.removeAllListeners('message');
    this.#socket.on('message', (data, isBinary) => this.#take(isBinary ? undefined : parse(data)));
    this.#socket.on('close', () => {
      clearInterval(timer);
      this.#connection.closed();
    });
  }

  send(json: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#socket.send(json);
    if (this.#socket.bufferedAmount > MAX_WAITING_BYTES) this.#socket.terminate();
  }

  close(): void {
    this.#socket.close(1000);
  }

  #take(frame: unknown): void {
    if (frame === undefined) return this.#log.warn('link.frame_invalid', { reason: 'not JSON' });
    return this.#connection.receive(isHello(frame) ? { ...frame, browserId: this.#browserId() } : frame);
  }

  /** A browser elsewhere may have the id of one that is here: it is known by its key. */
  #browserId(): BrowserId {
    return BrowserId.parse(`browser_${this.#admission.id}`);
  }
}

const isHello = (frame: unknown): frame is Record<string, unknown> =>
  typeof frame === 'object' && frame !== null && 'type' in frame && frame.type === 'hello';

const parse = (data: unknown): unknown => {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
};
