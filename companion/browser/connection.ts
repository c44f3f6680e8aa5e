/** One carrier with an extension at its far end, from the first frame to the last. */
import type { BrowserInfo, ToolInfo } from '#protocol/browser.ts';
import { createJoiner, splitMessage } from '#protocol/chunk.ts';
import { CompanionError } from '#protocol/errors.ts';
import { type DownFrame, LINK_SERVER, UpFrame, negotiate } from '#protocol/link.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import type { Log } from '#companion/lib/log.ts';
import { RpcClient } from './rpc.ts';

/** What moves frames: native messaging through the host, a WebSocket. */
export interface Carrier {
  send(json: string): void;
  close(): void;
}

export type Hello = Extract<UpFrame, { type: 'hello' }>;

/** What the extension of this browser is told; made anew for each hello. */
export type Welcome = (hello: Hello) => { port: number; token: string; advice?: string };

/** The bridge's end of a connection. */
export interface ConnectionEvents {
  onOpen(peer: Peer): void;
  onTools(peer: Peer): void;
  onFocus(peer: Peer): void;
  onClosed(peer: Peer): void;
}

/** An extension that said hello and was welcomed. */
export class Peer {
  readonly info: BrowserInfo;
  /** Absent when the extension keeps no journal: then nothing that changes a page may be sent twice. */
  readonly journalId: string | undefined;
  readonly rpc: RpcClient;
  readonly send: (frame: DownFrame) => void;
  readonly close: () => void;
  tools: readonly ToolInfo[] = [];

  constructor(hello: Hello, carrier: { send(frame: DownFrame): void; close(): void }) {
    this.info = {
      browserId: hello.browserId,
      name: hello.browserName,
      label: hello.label,
      extensionVersion: hello.extensionVersion,
      connectedAt: Date.now(),
      toolCount: 0,
    };
    this.journalId = hello.journalId;
    this.send = carrier.send;
    this.close = carrier.close;
    this.rpc = new RpcClient((payload) => carrier.send({ type: 'mcp_message', server: LINK_SERVER, payload }));
  }
}

/** Takes the frames of one carrier. Nothing counts before a `hello` whose protocol version we can speak. */
export class Connection {
  readonly #carrier: Carrier;
  readonly #welcome: Welcome;
  readonly #log: Log;
  readonly #events: ConnectionEvents;
  readonly #join = createJoiner();
  #peer: Peer | null = null;
  #hasClosed = false;
  #lastMessage = 0;

  constructor(carrier: Carrier, options: { welcome: Welcome; log: Log; events: ConnectionEvents }) {
    this.#carrier = carrier;
    this.#welcome = options.welcome;
    this.#log = options.log;
    this.#events = options.events;
  }

  /** A fault that a frame brings about ends this connection and nothing else; the extension dials again. */
  receive(frame: unknown): void {
    try {
      this.#read(frame);
    } catch (error) {
      this.#log.error('link.fault', { error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
      this.#carrier.close();
    }
  }

  /** The carrier has ended. */
  closed(): void {
    this.#hasClosed = true;
    this.#endPeer();
  }

  #read(frame: unknown): void {
    const joined = this.#join(frame);
    if (joined.type === 'partial') return;
    if (joined.type === 'invalid') return this.#log.warn('link.frame_invalid', { reason: joined.reason });
    const parsed = UpFrame.safeParse(joined.value);
    if (parsed.success) return this.#take(parsed.data);
    return this.#log.warn('link.frame_invalid', { reason: parsed.error.issues[0]?.message ?? 'unknown' });
  }

  #take(frame: UpFrame): void {
    if (frame.type === 'hello') return this.#open(frame);
    if (frame.type === 'ping') return this.#send({ type: 'pong', at: frame.at });
    const peer = this.#peer;
    if (peer === null) return this.#log.warn('link.frame_before_hello', { type: frame.type });
    switch (frame.type) {
      case 'mcp_register':
        return this.#register(peer, frame.server, frame.tools);
      case 'mcp_unregister':
        return this.#register(peer, frame.server, []);
      case 'focus':
        return this.#events.onFocus(peer);
      case 'mcp_message':
        return frame.server === LINK_SERVER ? peer.rpc.receive(frame.payload) : this.#refuseServer(frame.server);
      case 'pong':
        return undefined;
    }
  }

  #register(peer: Peer, server: string, tools: readonly ToolInfo[]): void {
    if (server !== LINK_SERVER) return this.#refuseServer(server);
    peer.tools = tools;
    peer.info.toolCount = tools.length;
    this.#send({ type: 'mcp_registered', server, toolCount: tools.length });
    return this.#events.onTools(peer);
  }

  #refuseServer(server: string): void {
    this.#log.warn('link.server_unknown', { server });
  }

  #open(hello: Hello): void {
    const refusal = toRefusal(hello);
    if (refusal !== null) {
      this.#log.warn('browser.refused', { label: hello.label, extensionVersion: hello.extensionVersion, code: refusal.code });
      this.#send({ type: 'refused', error: refusal.toBody() });
      return this.#carrier.close();
    }
    // A second hello on one carrier: the extension began anew without losing its port.
    this.#endPeer();
    const peer = new Peer(hello, { send: (frame) => this.#send(frame), close: () => this.#carrier.close() });
    this.#peer = peer;
    this.#send({ type: 'welcome', protocol: PROTOCOL, companionVersion: VERSION, ...this.#welcome(hello) });
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

/** Null when both ends understand each other; otherwise the end that is too old is named, with what to do. */
const toRefusal = (hello: Hello): CompanionError | null => {
  const result = negotiate(PROTOCOL, hello.protocol);
  if ('version' in result) return null;
  const versions = `The extension is ${hello.extensionVersion} (link protocol ${hello.protocol.oldest}–${hello.protocol.current}), pilotfish is ${VERSION} (${PROTOCOL.oldest}–${PROTOCOL.current}).`;
  return new CompanionError(result.tooOld === 'ours' ? 'COMPANION_TOO_OLD' : 'EXTENSION_TOO_OLD', versions);
};
