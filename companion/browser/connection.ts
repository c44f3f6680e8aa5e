/** One carrier with an extension at its far end, from the first frame to the last. */
import type { Admission } from '#protocol/admission.ts';
import type { BrowserInfo } from '#protocol/browser.ts';
import { Joiner, splitMessage } from '#protocol/chunk.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { foreignName } from '#protocol/foreign-name.ts';
import { type DownFrame, LINK_SERVER, type OfferedTool, UpFrame, negotiate } from '#protocol/link.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import type { Log } from '#companion/lib/log.ts';
import { RpcClient } from './rpc.ts';

/** What moves frames: native messaging through the host, or a WebSocket. */
export interface Carrier {
  /** Whether its far end comes back by itself when it is told that the daemon rests. */
  readonly canRest: boolean;
  /** Whether its far end is on another machine, so that what is downloaded there is not here. */
  readonly isElsewhere?: boolean;
  send(json: string): void;
  close(): void;
}

export type DownloadsFrame = Extract<UpFrame, { type: 'downloads_held' }>;

export type FileFrame = Extract<UpFrame, { type: 'file_offered' }>;

export type StopFrame = Extract<UpFrame, { type: 'session_stop' }>;

export type Hello = Extract<UpFrame, { type: 'hello' }>;

/** How what has come by one carrier is received. */
export interface Reception {
  /** Whether the person has let this browser in. */
  meet(hello: Hello): Admission;
  /** What its extension is told; the token is made anew each time. */
  welcome(hello: Hello, admission: Admission): { port: number; token: string; advice?: string };
}

/** An extension answers at once; one that is silent for this long has gone, although its carrier has not ended yet. */
const ALIVE_MS = 1_000;

/** The bridge's end of a connection. */
export interface ConnectionEvents {
  /** The other connection of the same browser, if there is one. */
  findRival(connection: Connection, admissionId: string): Connection | null;
  onRefused(hello: Hello, error: CompanionError): void;
  onOpen(peer: Peer): void;
  onTools(peer: Peer): void;
  onFocus(peer: Peer): void;
  onDownloads(peer: Peer, frame: DownloadsFrame): void;
  onFile(peer: Peer, frame: FileFrame): void;
  onStop(peer: Peer, frame: StopFrame): void;
  onClosed(peer: Peer): void;
}

/** An extension that said hello and was welcomed. */
export class Peer {
  readonly info: BrowserInfo;
  /** The facts about the browser when its extension was welcomed. */
  readonly admission: Admission;
  /** Absent when the extension keeps no journal; then nothing that changes a page may be sent twice. */
  readonly journalId: string | undefined;
  readonly rpc: RpcClient;
  /** Whether it is on another machine. */
  readonly isElsewhere: boolean;
  readonly send: (frame: DownFrame) => void;
  readonly close: () => void;
  tools: readonly OfferedTool[] = [];
  /** Whether it has taken its tools back; then no call goes to it until it brings them again. */
  hasWithdrawn = false;

  constructor(hello: Hello, admission: Admission, carrier: { readonly isElsewhere: boolean; send(frame: DownFrame): void; close(): void }) {
    this.admission = admission;
    this.isElsewhere = carrier.isElsewhere;
    this.info = {
      browserId: hello.browserId,
      name: foreignName(hello.browserName),
      label: foreignName(hello.label),
      extensionVersion: hello.extensionVersion,
      connectedAt: Date.now(),
      toolCount: 0,
    };
    this.journalId = hello.journalId;
    this.send = carrier.send;
    this.close = carrier.close;
    this.rpc = new RpcClient((payload) => carrier.send({ type: 'mcp_message', server: LINK_SERVER, payload }));
  }

  /** Whether the person has let it in; otherwise nothing of it is used. */
  get isAllowed(): boolean {
    return this.admission.state === 'allowed';
  }
}

/** Takes the frames of one carrier. Nothing counts before a `hello` whose protocol version we can speak. */
export class Connection {
  readonly #carrier: Carrier;
  readonly #reception: Reception;
  readonly #log: Log;
  readonly #events: ConnectionEvents;
  readonly #joiner = new Joiner();
  readonly #pings = new Set<(isAlive: boolean) => void>();
  #hello: Hello | null = null;
  #peer: Peer | null = null;
  #hasClosed = false;
  #lastMessage = 0;

  constructor(carrier: Carrier, options: { reception: Reception; log: Log; events: ConnectionEvents }) {
    this.#carrier = carrier;
    this.#reception = options.reception;
    this.#log = options.log;
    this.#events = options.events;
  }

  /** A fault that a frame causes ends this connection and nothing else; the extension connects again. */
  receive(frame: unknown): void {
    this.#guard(() => this.#read(frame));
  }

  /** The carrier has ended. */
  closed(): void {
    this.#hasClosed = true;
    for (const answer of this.#pings) answer(false);
    this.#endPeer();
  }

  /** Which browser is at its far end, once it has been welcomed. */
  get admissionId(): string | null {
    return this.#peer?.admission.id ?? null;
  }

  /** Whether the daemon may end while this is connected. */
  get canRest(): boolean {
    return this.#carrier.canRest && this.#hello?.canRest === true;
  }

  /** The daemon ends, and is back when it is needed. */
  rest(): void {
    this.#send({ type: 'resting' });
    this.#carrier.close();
  }

  /** The person has decided about this browser, or forgot what was decided. */
  readmit(): void {
    const [hello, peer] = [this.#hello, this.#peer];
    if (hello === null || peer === null) return;
    const admission = this.#reception.meet(hello);
    if (admission.state !== peer.admission.state) this.#guard(() => this.#welcome(hello, admission));
  }

  /** Whether the extension at the far end still answers. */
  isAlive(): Promise<boolean> {
    if (this.#hasClosed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const answer = (isAlive: boolean): void => {
        clearTimeout(timer);
        this.#pings.delete(answer);
        resolve(isAlive);
      };
      const timer = setTimeout(() => answer(false), ALIVE_MS);
      this.#pings.add(answer);
      this.#send({ type: 'ping', at: Date.now() });
    });
  }

  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.error('link.fault', { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      this.#carrier.close();
    }
  }

  #read(frame: unknown): void {
    const joined = this.#joiner.take(frame);
    if (joined.type === 'partial') return;
    if (joined.type === 'invalid') return this.#log.warn('link.frame_invalid', { reason: joined.reason });
    const parsed = UpFrame.safeParse(joined.value);
    if (parsed.success) return this.#take(parsed.data);
    return this.#log.warn('link.frame_invalid', { reason: parsed.error.issues[0]?.message ?? 'unknown' });
  }

  #take(frame: UpFrame): void {
    if (frame.type === 'hello') return this.#open(frame);
    if (frame.type === 'ping') return this.#send({ type: 'pong', at: frame.at });
    // Meant for the host of a daemon that rested.
    if (frame.type === 'wake') return undefined;
    if (frame.type === 'pong') return this.#pings.forEach((answer) => answer(true));
    const peer = this.#peer;
    if (peer === null) return this.#log.warn('link.frame_before_hello', { type: frame.type });
    // What a browser says that the person has not admitted has no effect.
    if (!peer.isAllowed && frame.type !== 'mcp_register') return undefined;
    switch (frame.type) {
      case 'mcp_register':
        return this.#register(peer, frame.server, { tools: frame.tools, hasWithdrawn: false });
      case 'mcp_unregister':
        return this.#register(peer, frame.server, { tools: [], hasWithdrawn: true });
      case 'focus':
        return this.#events.onFocus(peer);
      case 'downloads_held':
        return this.#events.onDownloads(peer, frame);
      case 'file_offered':
        return peer.isElsewhere ? this.#events.onFile(peer, frame) : undefined;
      case 'session_stop':
        return this.#events.onStop(peer, frame);
      case 'mcp_message':
        return frame.server === LINK_SERVER ? peer.rpc.receive(frame.payload) : this.#refuseServer(frame.server);
    }
  }

  #register(peer: Peer, server: string, offer: Pick<Peer, 'tools' | 'hasWithdrawn'>): void {
    if (server !== LINK_SERVER) return this.#refuseServer(server);
    Object.assign(peer, offer);
    peer.info.toolCount = offer.tools.length;
    this.#send({ type: 'mcp_registered', server, toolCount: offer.tools.length });
    return peer.isAllowed ? this.#events.onTools(peer) : undefined;
  }

  #refuseServer(server: string): void {
    this.#log.warn('link.server_unknown', { server });
  }

  #open(hello: Hello): void {
    const refusal = toRefusal(hello);
    if (refusal !== null) {
      this.#log.warn('browser.refused', { label: hello.label, extensionVersion: hello.extensionVersion, code: refusal.code });
      this.#events.onRefused(hello, refusal);
      this.#send({ type: 'refused', error: refusal.toBody() });
      return this.#carrier.close();
    }
    // A second hello on one carrier: the extension began anew without losing its port.
    this.#endPeer();
    this.#hello = hello;
    const admission = this.#reception.meet(hello);
    const rival = this.#events.findRival(this, admission.id);
    if (rival === null) return this.#welcome(hello, admission);
    void rival.isAlive().then((isAlive) => {
      if (this.#hello === hello && !this.#hasClosed) this.#guard(() => this.#welcomeUnlessCopy(hello, admission, isAlive));
    });
    return undefined;
  }

  /** A copied profile folder contains the identity of the original: the browser that comes second gets another one. */
  #welcomeUnlessCopy(hello: Hello, admission: Admission, isCopy: boolean): void {
    if (!isCopy) return this.#welcome(hello, admission);
    this.#log.info('browser.copy', { browserId: hello.browserId, label: hello.label });
    return this.#send({ type: 'new_identity' });
  }

  #welcome(hello: Hello, admission: Admission): void {
    this.#endPeer();
    const isElsewhere = this.#carrier.isElsewhere === true;
    const peer = new Peer(hello, admission, { isElsewhere, send: (frame) => this.#send(frame), close: () => this.#carrier.close() });
    this.#peer = peer;
    const welcome = this.#reception.welcome(hello, admission);
    const limits = peer.isAllowed ? {} : { admission };
    const files = isElsewhere ? { takesFiles: true } : {};
    this.#send({ type: 'welcome', protocol: PROTOCOL, companionVersion: VERSION, ...welcome, ...limits, ...files });
    return this.#events.onOpen(peer);
  }

  #endPeer(): void {
    const ended = this.#peer;
    this.#peer = null;
    if (ended === null) return;
    this.#events.onClosed(ended);
    ended.rpc.end();
  }

  #send(frame: DownFrame): void {
    if (this.#hasClosed) return;
    for (const part of splitMessage(JSON.stringify(frame), String((this.#lastMessage += 1)))) this.#carrier.send(part);
  }
}

/** Null when both ends understand each other; otherwise an error that names the end that is too old, and what to do. */
const toRefusal = (hello: Hello): CompanionError | null => {
  const result = negotiate(PROTOCOL, hello.protocol);
  if ('version' in result) return null;
  const versions = explain('versions_of_both', { extension: hello.extensionVersion, program: VERSION });
  return new CompanionError(result.tooOld === 'ours' ? 'COMPANION_TOO_OLD' : 'EXTENSION_TOO_OLD', versions);
};
