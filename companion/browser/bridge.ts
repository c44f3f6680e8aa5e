/** The companion's end of the link: which browsers there are, and a call to one of them by its id. */
import { type BrowserInfo, type CallSubject, TOOL_CLASS_META, type TabTarget, type ToolInfo, type ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { DownFrame, LinkMethod, LinkMethods } from '#protocol/link.ts';
import type { BrowserId, CallId, SessionId } from '#protocol/ids.ts';
import type { Log } from '#companion/lib/log.ts';
import { Browsers } from './browsers.ts';
import { type Carrier, Connection, type Peer, type Welcome } from './connection.ts';
import { type CallOptions, Routing } from './routing.ts';
import { ConnectionLostError } from './rpc.ts';
import { ToolList } from './tool-list.ts';

/** A worker or native messaging host that died is back sooner than this, or the call fails within 3 s. */
const RECONNECT_MS = 2_700;
const WAIT_FOR_BROWSER_MS = 15_000;
/** The extension has its own, shorter deadlines; this one is for an extension that says nothing at all. */
const SILENCE_MS = 120_000;

export interface CallInput {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly browserId?: BrowserId | undefined;
  /** What the policy decided about; the extension acts in this document or not at all. */
  readonly target?: TabTarget;
}

/** The one bridge of a daemon. */
export class Bridge {
  readonly #log: Log;
  readonly #browsers = new Browsers();
  readonly #tools: ToolList;
  readonly #routing: Routing;
  readonly #sessions = new Map<SessionId, string>();
  readonly #listeners = new Set<() => void>();
  readonly #carriers = new Set<Carrier>();
  readonly #closesTabs: () => boolean;
  #attention = 0;

  /** `tools` is the list the build embedded; `closesTabs` says what becomes of a session's tabs when it is deleted. */
  constructor(options: { tools: readonly ToolInfo[]; log: Log; waitForBrowserMs?: number; closesTabs?: () => boolean }) {
    this.#closesTabs = options.closesTabs ?? (() => true);
    this.#log = options.log;
    this.#tools = new ToolList(options.tools);
    this.#routing = new Routing(this.#browsers, options.waitForBrowserMs ?? WAIT_FOR_BROWSER_MS);
  }

  /** A carrier has connected: its frames go into `receive`, its end is told to `closed`. */
  attach(carrier: Carrier, welcome: Welcome): { receive(frame: unknown): void; closed(): void } {
    this.#carriers.add(carrier);
    const connection = new Connection(carrier, { welcome, log: this.#log, events: this.#events });
    return {
      receive: (frame) => connection.receive(frame),
      closed: () => {
        this.#carriers.delete(carrier);
        connection.closed();
      },
    };
  }

  browsers(): BrowserInfo[] {
    return this.#browsers.list().map(({ info }) => info);
  }

  /** Told whenever a browser came, went or brought tools. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tools(): readonly ToolInfo[] {
    return this.#tools.list();
  }

  tool(name: string): ToolInfo | undefined {
    return this.#tools.find(name);
  }

  /** Whether this build knows the tool; a yes to any other is never remembered. */
  isBuilt(name: string): boolean {
    return this.#tools.isBuilt(name);
  }

  /** What a person should know. */
  get warnings(): string[] {
    const unknown = this.#tools.foreign();
    if (unknown.length === 0) return [];
    return [
      `A browser extension brings tools that this Pilotfish does not know, each call of them is asked: ${unknown.join(', ')}. Run \`pilotfish install\` if you have updated only one of the two.`,
    ];
  }

  /** What a call would be about, told by the tool itself; for the policy and for the card that asks the person. */
  async describe(input: Omit<CallInput, 'callId' | 'target'>, options: CallOptions): Promise<CallSubject> {
    const { sessionId, name, args } = input;
    const peer = await this.#routing.route(sessionId, input.browserId, options);
    return this.#ask(peer, 'pilotfish/describe_call', { sessionId, tool: name, args }, options.signal, true);
  }

  /** Runs a tool. Rejects when there is no browser, or none any more; what fails in the browser is a result. */
  async call(input: CallInput, options: CallOptions): Promise<ToolResult> {
    const { sessionId, callId, name, args, target } = input;
    const peer = await this.#routing.route(sessionId, input.browserId, options);
    const silence = AbortSignal.timeout(SILENCE_MS);
    const otherBrowsers = this.browsers()
      .filter(({ browserId }) => browserId !== peer.info.browserId)
      .map(({ browserId, name: browserName, label }) => ({ browserId, name: browserName, label }));
    const _meta = { callId, sessionId, otherBrowsers, ...(target === undefined ? {} : { target }) };
    const isReading = this.#tools.find(name)?._meta[TOOL_CLASS_META] === 'read';
    try {
      return await this.#ask(peer, 'tools/call', { name, arguments: args, _meta }, AbortSignal.any([options.signal, silence]), isReading);
    } catch (error) {
      throw silence.aborted && !options.signal.aborted ? new CompanionError('TOOL_TIMEOUT') : error;
    }
  }

  /** The browser that a call would leave its session's own for; null when it stays. */
  foreignBrowser(sessionId: SessionId, browserId: BrowserId | undefined): BrowserInfo | null {
    return this.#routing.foreign(sessionId, browserId)?.info ?? null;
  }

  /** The person lets the session work in this browser. */
  allowBrowser(sessionId: SessionId, browser: BrowserInfo): void {
    this.#routing.allow(sessionId, browser);
  }

  /** The person hands a tab to the session, in the browser that a call with this `browserId` goes to. */
  handTab(sessionId: SessionId, browserId: BrowserId | undefined, tabId: number): void {
    this.#routing.find(sessionId, browserId)?.send({ type: 'tab_handed', sessionId, tabId });
  }

  sessionStarted(sessionId: SessionId, name: string): void {
    this.#sessions.set(sessionId, name);
    this.#broadcast({ type: 'session_start', sessionId, name });
  }

  sessionEnded(sessionId: SessionId): void {
    this.#sessions.delete(sessionId);
    this.#routing.forget(sessionId);
    this.#broadcast({ type: 'session_end', sessionId, closesTabs: this.#closesTabs() });
  }

  /** How many requests wait for the user. */
  setAttention(count: number): void {
    this.#attention = count;
    this.#broadcast({ type: 'attention', count });
  }

  close(): void {
    for (const carrier of this.#carriers) carrier.close();
  }

  readonly #events = {
    onOpen: (peer: Peer): void => {
      this.#log.info('browser.connected', { ...peer.info });
      const replaced = this.#browsers.add(peer);
      for (const [sessionId, name] of this.#sessions) peer.send({ type: 'session_start', sessionId, name });
      peer.send({ type: 'attention', count: this.#attention });
      replaced?.rpc.end();
      replaced?.close();
      this.#changed();
    },
    onTools: (peer: Peer): void => {
      const unknown = this.#tools.learn(peer.tools);
      if (unknown.length > 0) {
        const { browserId, label, extensionVersion } = peer.info;
        this.#log.warn('browser.unknown_tools', { browserId, label, extensionVersion, tools: unknown.join(' ') });
      }
      this.#changed();
    },
    onFocus: (peer: Peer): void => this.#browsers.touch(peer),
    onClosed: (peer: Peer): void => {
      if (!this.#browsers.remove(peer)) return;
      this.#log.info('browser.disconnected', { browserId: peer.info.browserId, label: peer.info.label });
      this.#changed();
    },
  };

  /** Asks; when the connection ends meanwhile and the browser comes back, asks once more where that is safe. */
  async #ask<M extends LinkMethod>(
    peer: Peer,
    method: M,
    params: LinkMethods[M]['params'],
    signal: AbortSignal,
    isReading: boolean,
  ): Promise<LinkMethods[M]['result']> {
    try {
      return await peer.rpc.request(method, params, signal);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
    }
    const lost = new CompanionError(isReading ? 'BROWSER_DISCONNECTED' : 'WORKER_RESTARTED');
    const back = await this.#untilBack(peer, signal);
    // With the same journal the extension knows whether this call id has run, and never runs it twice.
    const isSafe = isReading || (back?.journalId !== undefined && back.journalId === peer.journalId);
    if (back === null || !isSafe) throw lost;
    try {
      return await back.rpc.request(method, params, signal);
    } catch (error) {
      throw error instanceof ConnectionLostError ? lost : error;
    }
  }

  /** The next connection of the same browser; null when it does not come back in time. */
  #untilBack(peer: Peer, signal: AbortSignal): Promise<Peer | null> {
    const isBack = (): Peer | null => {
      const found = this.#browsers.find(peer.info.browserId);
      return found === peer ? null : found;
    };
    return this.#browsers.wait(isBack, RECONNECT_MS, signal);
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  #broadcast(frame: DownFrame): void {
    for (const peer of this.#browsers.list()) peer.send(frame);
  }
}
