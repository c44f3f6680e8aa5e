/** The companion's end of the link: which browsers there are, and a call to one of them by its id. */
import {
  type BrowserInfo,
  type CallSubject,
  type HandedFile,
  noSubject,
  TOOL_CLASS_META,
  TOOL_SILENCE_META,
  type TabTarget,
  type ToolInfo,
  type ToolResult,
} from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import type { FileTaken, OfferedFile } from '#protocol/crossing.ts';
import type {
  CallAccount,
  DownFrame,
  HeldDownload,
  HeldGrant,
  LinkMethod,
  LinkMethods,
  LookAgainParams,
  LookedAgain,
  SavedFile,
} from '#protocol/link.ts';
import { type BrowserId, CallId, type SessionId } from '#protocol/ids.ts';
import type { SiteRules } from '#protocol/sites.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import type { Log } from '#companion/lib/log.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { Stop } from '#companion/lib/stop.ts';
import { Browsers } from './browsers.ts';
import {
  type Carrier,
  Connection,
  type DownloadsFrame,
  type FileFrame,
  type Hello,
  type Peer,
  type Reception,
  type StopFrame,
} from './connection.ts';
import { askOutcome, CutCalls } from './cut-calls.ts';
import { type CallOptions, Routing, type SessionBrowsers } from './routing.ts';
import { RefusedBrowsers } from './refused-browsers.ts';
import { ConnectionLostError } from './rpc.ts';
import { ToolList } from './tool-list.ts';

/** A worker or native messaging host that died is back within this time, or the call fails within 3 s. */
const RECONNECT_MS = 2_700;
const WAIT_FOR_BROWSER_MS = 15_000;
/** The extension has shorter time limits of its own; this one is for an extension that says nothing at all. */
const SILENCE_MS = 120_000;
/** The browser gives up first, also when it has looked before, and says why. */
const SILENCE_MARGIN_MS = 30_000;
const DECIDE_MS = 10_000;
const MAX_ACTOR_CHARS = 200;
/** How many sessions that have ended a browser is told of when it comes. */
const MAX_ENDED = 200;

export interface CallInput {
  readonly sessionId: SessionId;
  readonly callId: CallId;
  readonly name: string;
  readonly args: Record<string, unknown>;
  readonly browserId?: BrowserId | undefined;
  /** What the policy decided about; the extension acts in this document or not at all. */
  readonly target?: TabTarget;
  /** Where a navigation may arrive; without it anywhere. */
  readonly arrivals?: readonly string[];
  readonly files?: readonly HandedFile[];
  /** The permission by which it was allowed, where it lasts. */
  readonly grant?: HeldGrant;
  /** Whose call it is, for the person who looks at the page. */
  readonly actor?: string;
}

/** What an agent is told first of a call that was cut off before. */
const withCut = (result: ToolResult, cut: string | null): ToolResult =>
  cut === null ? result : { ...result, content: [{ type: 'text', text: cut }, ...result.content] };

/** A worker that restarts is back at once with its journal; a browser or an extension that ended has another one, or is not back. */
const lostWhileActing = (peer: Peer, back: Peer | null): CompanionError => {
  if (back !== null && (peer.journalId === undefined || back.journalId === undefined)) return new CompanionError('WORKER_RESTARTED');
  return new CompanionError('BROWSER_DISCONNECTED', explain('acted_unknown'), {
    remedy: explain(back === null ? 'open_browser_then_look' : 'back_so_look'),
  });
};

/** Whether a call ended without its answer, so that the browser may have done it. */
const isCutOff = (error: unknown): boolean =>
  error instanceof CompanionError && (error.code === 'WORKER_RESTARTED' || error.code === 'BROWSER_DISCONNECTED');

/** A file on the machine of a browser that is elsewhere, which is read part by part. */
export interface FileInBrowser extends OfferedFile {
  /** Whose browser it is. */
  readonly from: string;
  read(offset: number, signal: AbortSignal): Promise<Buffer>;
  tell(outcome: Pick<FileTaken, 'path' | 'problem'>): Promise<void>;
}

/** Downloads that tabs of a session began, which a browser holds. */
export interface DownloadsHeld {
  readonly sessionId: SessionId;
  readonly browserId: BrowserId;
  readonly downloads: readonly HeldDownload[];
  /** Keeps or drops them; resolves with those that were still held. */
  decide(downloadIds: number[], isAllowed: boolean): Promise<readonly number[]>;
}

/** The one bridge of a daemon. */
export class Bridge {
  readonly #log: Log;
  readonly #browsers = new Browsers();
  readonly #tools: ToolList;
  readonly #routing: Routing;
  readonly #sessions = new Map<SessionId, string>();
  /** Those that have ended, the newest last, and whether their tabs close: a browser may be away when they do. */
  readonly #ended = new Map<SessionId, boolean>();
  readonly #listeners = new Set<() => void>();
  readonly #connections = new Map<Connection, Carrier>();
  readonly #closesTabs: () => boolean;
  readonly #sites: () => SiteRules;
  readonly #grants: (() => string[]) | null;
  readonly #cut = new CutCalls();
  readonly #refused = new RefusedBrowsers();
  #attention = 0;
  readonly #downloadListeners = new Set<(held: DownloadsHeld) => void>();
  readonly #fileListeners = new Set<(file: FileInBrowser) => void>();
  readonly #stopListeners = new Set<(sessionId: SessionId, browserId: BrowserId) => void>();

  /** `tools` is the list the build embedded; `closesTabs` says what becomes of a session's tabs when it is deleted. */
  constructor(options: {
    tools: readonly ToolInfo[];
    log: Log;
    waitForBrowserMs?: number;
    closesTabs?: () => boolean;
    /** The browser that the person wants for new sessions. */
    usualBrowser?: () => BrowserId | null;
    /** Where sessions worked when the last daemon ended. */
    bindings?: SessionBrowsers;
    sites?: () => SiteRules;
    /** The ids of the permissions that hold. */
    grants?: () => string[];
  }) {
    this.#closesTabs = options.closesTabs ?? (() => true);
    this.#sites = options.sites ?? (() => ({}));
    this.#grants = options.grants ?? null;
    this.#log = options.log;
    this.#tools = new ToolList(options.tools);
    this.#routing = new Routing(
      this.#browsers,
      options.waitForBrowserMs ?? WAIT_FOR_BROWSER_MS,
      options.bindings ?? {},
      options.usualBrowser ?? (() => null),
      () => this.#refused.reason(),
    );
  }

  /** A carrier has connected. Its frames are passed to `receive`, and `closed` is called at its end. */
  attach(carrier: Carrier, reception: Reception): { receive(frame: unknown): void; closed(): void } {
    const connection = new Connection(carrier, { reception, log: this.#log, events: this.#events });
    this.#connections.set(connection, carrier);
    return {
      receive: (frame) => connection.receive(frame),
      closed: () => {
        this.#connections.delete(connection);
        connection.closed();
      },
    };
  }

  /** The person has decided about a browser, or forgot what was decided: it is received anew. */
  readmit(admissionId: string): void {
    for (const connection of this.#connections.keys()) if (connection.admissionId === admissionId) connection.readmit();
  }

  /** Those that the person has let in, and that take calls. */
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

  /** Whether this build knows the tool; permission for any other is never remembered. */
  isBuilt(name: string): boolean {
    return this.#tools.isBuilt(name);
  }

  /** Warnings for a person. */
  get warnings(): Warning[] {
    const unknown = this.#tools.foreign();
    const ofTools =
      unknown.length === 0 ? [] : [{ what: warn('tools_unknown', { tools: unknown.join(', ') }), remedy: warn('install_if_one') }];
    return [...this.#refused.warnings, ...ofTools];
  }

  /** What a call would do, as the tool itself tells it, for the policy and for the card that asks the person. */
  async describe(
    input: Omit<CallInput, 'callId' | 'target' | 'arrivals' | 'files' | 'grant' | 'actor'>,
    options: CallOptions,
  ): Promise<CallSubject> {
    const { sessionId, name, args } = input;
    const peer = await this.#routing.route(sessionId, input.browserId, options);
    return this.#ask(peer, 'pilotfish/describe_call', { sessionId, tool: name, args }, options.signal, true);
  }

  /** Marks in its page what a call is about, until `signal` ends. Where that cannot be done, the person decides without it. */
  async mark(
    { sessionId, name, args, browserId }: Pick<CallInput, 'sessionId' | 'name' | 'args' | 'browserId'>,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const peer = await this.#routing.route(sessionId, browserId, { signal, onProgress: () => {} });
      await peer.rpc.request('pilotfish/mark_call', { sessionId, tool: name, args }, signal);
    } catch (error) {
      if (!signal.aborted) this.#log.info('mark.failed', { sessionId, tool: name, error: String(error) });
    }
  }

  /** Runs a tool. Rejects when there is no browser, or it has gone; a failure inside the browser is a result. */
  async call(input: CallInput, options: CallOptions): Promise<ToolResult> {
    const { sessionId, name, args, target, arrivals, files } = input;
    const peer = await this.#routing.route(sessionId, input.browserId, options);
    const limits = { ...(target === undefined ? {} : { target }), ...(arrivals === undefined ? {} : { arrivals: [...arrivals] }) };
    const handed = files === undefined ? {} : { files: [...files] };
    const _meta = { ...this.#metaOf(input, peer), ...limits, ...handed };
    const cut = await this.#cut.take(sessionId, peer);
    const { result } = await this.#make(input, peer, options, async (signal, isReading) => ({
      ...noSubject,
      result: await this.#ask(peer, 'tools/call', { name, arguments: args, _meta }, signal, isReading),
    }));
    return withCut(result, cut);
  }

  /**
   * The same in one go with the look at what it would do: it runs where that is on this origin, in a tab of the session's own. Without a result
   * it did not run.
   */
  async callOn(origin: string, input: Omit<CallInput, 'target' | 'arrivals' | 'files'>, options: CallOptions): Promise<CallAccount> {
    const { sessionId, name, args } = input;
    const peer = await this.#routing.route(sessionId, input.browserId, options);
    const params = { sessionId, tool: name, args, allowed: { origin, _meta: this.#metaOf(input, peer) } };
    const described = await this.#make(input, peer, options, (signal, isReading) =>
      this.#ask(peer, 'pilotfish/describe_call', params, signal, isReading),
    );
    const { result } = described;
    return result === undefined ? described : { ...described, result: withCut(result, await this.#cut.take(sessionId, peer)) };
  }

  /**
   * The result of a call that an earlier daemon has sent; whichever browser had it keeps that. `new` where all say that they know none of it, as one
   * also does that was started anew; null where that is not known. It is not made again.
   */
  async recall({ sessionId, callId }: Pick<CallInput, 'sessionId' | 'callId'>, options: CallOptions): Promise<ToolResult | 'new' | null> {
    await this.#routing.route(sessionId, undefined, options);
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(SILENCE_MS)]);
    const asked = this.#browsers.list().map((peer) => this.#ask(peer, 'pilotfish/call_outcome', { callId }, signal, true));
    const outcomes = await Promise.all(asked.map((outcome) => outcome.catch(() => null)));
    options.signal.throwIfAborted();
    const result = outcomes.find((outcome) => outcome?.result !== undefined)?.result;
    return result ?? (outcomes.length > 0 && outcomes.every((outcome) => outcome?.state === 'new') ? 'new' : null);
  }

  #metaOf({ sessionId, callId, grant, actor }: CallInput, peer: Peer): LinkMethods['tools/call']['params']['_meta'] {
    const otherBrowsers = this.browsers()
      .filter(({ browserId }) => browserId !== peer.info.browserId)
      .map(({ browserId, name: browserName, label }) => ({ browserId, name: browserName, label }));
    const by = actor === undefined ? {} : { actor: actor.slice(0, MAX_ACTOR_CHARS) };
    return { callId, sessionId, otherBrowsers, ...(grant === undefined ? {} : { grant }), ...by };
  }

  /** Makes a call, of which it is known afterwards whether it ran. */
  async #make<T extends CallAccount>(
    input: CallInput,
    peer: Peer,
    options: CallOptions,
    make: (signal: AbortSignal, isReading: boolean) => Promise<T>,
  ): Promise<T | (CallSubject & { result: ToolResult })> {
    const meta = this.#tools.find(input.name)?._meta;
    const isReading = meta?.[TOOL_CLASS_META] === 'read';
    using stop = new Stop(options.signal);
    const silence = setTimeout(() => stop.abort(), Math.max(SILENCE_MS, (meta?.[TOOL_SILENCE_META] ?? 0) + SILENCE_MARGIN_MS));
    try {
      return await make(stop.signal, isReading);
    } catch (error) {
      const isSilent = stop.signal.aborted && !options.signal.aborted;
      if (!isReading && isSilent) return { ...noSubject, result: await this.#afterSilence(input, peer) };
      if (!isReading && isCutOff(error)) this.#cut.note(input.sessionId, input, peer);
      throw isSilent ? new CompanionError('TOOL_TIMEOUT') : error;
    } finally {
      clearTimeout(silence);
    }
  }

  /** The extension said nothing for so long that the call was given up: it is asked what happened, and the call is not made again. */
  async #afterSilence(input: CallInput, peer: Peer): Promise<ToolResult> {
    const outcome = await askOutcome(peer, input.callId);
    if (outcome?.result !== undefined) return outcome.result;
    if (outcome === null) this.#cut.note(input.sessionId, input, peer);
    throw new CompanionError('TOOL_TIMEOUT', outcome?.state === 'new' ? 'It was not begun.' : 'Whether it was done is not known.');
  }

  /** Hears whether the extension of a browser answers, which does nothing else; without an id of the one that was used last. */
  async reach(browserId: BrowserId | undefined, signal: AbortSignal): Promise<BrowserInfo> {
    const [newest = null] = this.#browsers.list();
    const peer = browserId === undefined ? newest : this.#browsers.find(browserId);
    if (peer === null) throw new CompanionError(newest === null ? 'BROWSER_NOT_CONNECTED' : 'BROWSER_UNKNOWN');
    await this.#ask(peer, 'pilotfish/call_outcome', { callId: CallId.parse(randomId('call')) }, signal, true);
    return peer.info;
  }

  /** Looks at what the person had picked in a page of a browser, after its source was changed. */
  async lookAgain(browserId: BrowserId, params: LookAgainParams, signal: AbortSignal): Promise<LookedAgain> {
    const peer = this.#browsers.find(browserId);
    if (peer === null) throw new CompanionError('BROWSER_NOT_CONNECTED');
    return this.#ask(peer, 'pilotfish/look_again', params, signal, true);
  }

  /** What calls of the session have saved on this machine, as its browser tells; one that is on another machine knows of none here. */
  async savedFiles(sessionId: SessionId, signal: AbortSignal): Promise<readonly SavedFile[]> {
    const peer = this.#routing.find(sessionId, undefined);
    if (peer === null || peer.isElsewhere) return [];
    try {
      return (await this.#ask(peer, 'pilotfish/saved_files', { sessionId }, signal, true)).files;
    } catch (error) {
      // An older extension does not tell.
      if (!signal.aborted) this.#log.info('saved_files.failed', { sessionId, error: String(error) });
      return [];
    }
  }

  /** The browser that a call would go to instead of its session's own, or null when it stays. */
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

  /** Told of downloads that a browser holds until they are decided; when nobody decides, it drops them. */
  onDownloads(listener: (held: DownloadsHeld) => void): void {
    this.#downloadListeners.add(listener);
  }

  /** Told of files that calls have brought to the machine of a browser that is elsewhere. */
  onFile(listener: (file: FileInBrowser) => void): void {
    this.#fileListeners.add(listener);
  }

  /** Told when the person presses the button of a page in which an agent acts. */
  onStop(listener: (sessionId: SessionId, browserId: BrowserId) => void): void {
    this.#stopListeners.add(listener);
  }

  /** Nothing runs in the session until its next prompt. */
  sessionRests(sessionId: SessionId): void {
    this.#broadcast({ type: 'session_rests', sessionId });
  }

  sessionStarted(sessionId: SessionId, name: string): void {
    this.#ended.delete(sessionId);
    this.#sessions.set(sessionId, name);
    this.#broadcast({ type: 'session_start', sessionId, name });
  }

  sessionEnded(sessionId: SessionId): void {
    this.#sessions.delete(sessionId);
    this.#routing.forget(sessionId);
    this.#cut.forget(sessionId);
    const closesTabs = this.#closesTabs();
    this.#ended.set(sessionId, closesTabs);
    const [oldest] = this.#ended.keys();
    if (this.#ended.size > MAX_ENDED && oldest !== undefined) this.#ended.delete(oldest);
    this.#broadcast({ type: 'session_end', sessionId, closesTabs });
  }

  /** The person has changed the rules for sites. */
  sitesChanged(): void {
    this.#broadcast({ type: 'sites', rules: this.#sites() });
  }

  /** Other permissions hold than before. */
  grantsChanged(): void {
    if (this.#grants !== null) this.#broadcast({ type: 'grants', ids: this.#grants() });
  }

  /** How many requests wait for the user. */
  setAttention(count: number): void {
    if (count === this.#attention) return;
    this.#attention = count;
    this.#broadcast({ type: 'attention', count });
  }

  /** Whether a browser is connected that the daemon may not leave. */
  get needsDaemon(): boolean {
    return this.#connections.keys().some((connection) => !connection.canRest);
  }

  /** The daemon ends because nothing needs it. The browsers are back with the next one, which is told what this returns: where sessions work. */
  rest(): SessionBrowsers {
    const bindings = this.#routing.bindings();
    for (const connection of this.#connections.keys()) connection.rest();
    return bindings;
  }

  close(): void {
    for (const carrier of this.#connections.values()) carrier.close();
  }

  readonly #events = {
    findRival: (connection: Connection, admissionId: string): Connection | null =>
      this.#connections.keys().find((other) => other !== connection && other.admissionId === admissionId) ?? null,
    onRefused: (hello: Hello, error: CompanionError): void => {
      this.#refused.note(hello, error);
      this.#changed();
    },
    onOpen: (peer: Peer): void => {
      this.#refused.forget(peer.info.browserId);
      if (!peer.isAllowed) return this.#log.info('browser.not_allowed', { ...peer.info, admission: peer.admission.id });
      this.#log.info('browser.connected', { ...peer.info });
      const replaced = this.#browsers.add(peer);
      for (const [sessionId, closesTabs] of this.#ended) peer.send({ type: 'session_end', sessionId, closesTabs });
      for (const [sessionId, name] of this.#sessions) peer.send({ type: 'session_start', sessionId, name });
      peer.send({ type: 'sites', rules: this.#sites() });
      if (this.#grants !== null) peer.send({ type: 'grants', ids: this.#grants() });
      peer.send({ type: 'attention', count: this.#attention });
      replaced?.rpc.end();
      replaced?.close();
      return this.#changed();
    },
    onTools: (peer: Peer): void => {
      const unknown = this.#tools.learn(peer.tools);
      if (unknown.length > 0) {
        const { browserId, label, extensionVersion } = peer.info;
        this.#log.warn('browser.unknown_tools', { browserId, label, extensionVersion, tools: unknown.join(' ') });
      }
      this.#browsers.wake();
      this.#changed();
    },
    onFocus: (peer: Peer): void => this.#browsers.touch(peer),
    onDownloads: (peer: Peer, { sessionId, downloads }: DownloadsFrame): void => {
      const decide = async (downloadIds: number[], isAllowed: boolean): Promise<readonly number[]> =>
        (await peer.rpc.request('pilotfish/decide_downloads', { downloadIds, isAllowed }, AbortSignal.timeout(DECIDE_MS))).taken;
      const { browserId } = peer.info;
      for (const listener of this.#downloadListeners) listener({ sessionId, browserId, downloads, decide });
    },
    onFile: (peer: Peer, { fileId, sessionId, name, sizeBytes, sha256 }: FileFrame): void => {
      const file: FileInBrowser = {
        fileId,
        sessionId,
        name,
        sizeBytes,
        sha256,
        from: peer.info.label,
        read: async (offset, signal) =>
          Buffer.from((await peer.rpc.request('pilotfish/read_file', { fileId, offset }, signal)).dataBase64, 'base64'),
        tell: async (outcome) =>
          void (await peer.rpc.request('pilotfish/file_taken', { fileId, ...outcome }, AbortSignal.timeout(DECIDE_MS))),
      };
      for (const listener of this.#fileListeners) listener(file);
    },
    onStop: (peer: Peer, { sessionId }: StopFrame): void => {
      for (const listener of this.#stopListeners) listener(sessionId, peer.info.browserId);
    },
    onClosed: (peer: Peer): void => {
      if (!this.#browsers.remove(peer)) return;
      this.#log.info('browser.disconnected', { browserId: peer.info.browserId, label: peer.info.label });
      this.#changed();
    },
  };

  /** Asks a browser. When the connection ends meanwhile and the browser comes back, it asks once more where that is safe. */
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
    const back = await this.#untilBack(peer, signal);
    // With the same journal the extension knows whether this call id has run, and never runs it twice.
    const isSame = back?.journalId !== undefined && back.journalId === peer.journalId;
    if (back === null || !(isReading || isSame)) throw isReading ? new CompanionError('BROWSER_DISCONNECTED') : lostWhileActing(peer, back);
    try {
      return await back.rpc.request(method, params, signal);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      throw new CompanionError(isReading ? 'BROWSER_DISCONNECTED' : 'WORKER_RESTARTED');
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
    for (const peer of this.#browsers.connected()) peer.send(frame);
  }
}
