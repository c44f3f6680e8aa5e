/**
 * Chrome's debugger: one attachment for each tab, which all that need it share. It makes a tab that nobody sees behave as one that is seen,
 * and it tells of dialogs. Measured in Chromium 156 with a window, on a page in a tab behind another one, half a second long:
 *
 * | way | focus events | frames | timers of 20 ms | IntersectionObserver | confirm() |
 * |---|---|---|---|---|---|
 * | nothing | none | 0 | 1 | silent | answered No, unseen |
 * | a window of its own without the focus | none | 34 | 27 | fires | answered No, unseen |
 * | debugger, setWebLifecycleState or a screencast | none | 0 | 0 to 1 | silent | waits for an answer |
 * | debugger, setFocusEmulationEnabled | all | 27 to 30 | 19 to 25 | fires | waits for an answer |
 *
 * It costs 3 to 14 ms at the first call, and Chrome's bar, which takes 56 px from the height of the pages while it is there. A window of
 * its own costs the person a window.
 */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { DebugReason } from '#extension/shared/messages.ts';
import type { Dialog, Emulation, Route, TabSize } from '#extension/toolkit/page.ts';
import { DialogOpenError, NoPageError, PageError } from '#extension/toolkit/page-error.ts';
import { answered } from './answered.ts';
import { commandsFor, type EmulationName, namesIn } from './emulation.ts';
import { FramePretence } from './frame-pretence.ts';
import { HeldFrames } from './held-frames.ts';
import { orAborted, within } from './queue.ts';
import { answerRequest, routesIn, toEmulated, toPatterns } from './routes.ts';
import { inEffect, Pretence, waysIn, withLayer } from './pretence.ts';
import { StoppedFrames } from './stopped-frames.ts';
import { Stored } from './stored.ts';

const PROTOCOL_VERSION = '1.3';

const NO_DEVICE = { deviceScaleFactor: 0, mobile: false };

/** Of a tab in a window that shows none. */
const USUAL_SIZE: TabSize = { width: 1280, height: 720 };
/** An agent thinks for some seconds between two calls, and the bar should not come and go with each. */
const LINGER_MS = 20_000;

/** A page that hangs answers nothing, and can be left all the same. */
const SEEN_MS = 2_000;

/** What Chrome does with the next frame of the page. */
const FRAMED = new Set(['Input.dispatchMouseEvent', 'Page.captureScreenshot']);
/** A page that draws at all has drawn by then. */
const DRAWN_MS = 3_000;
/** Chrome draws nothing of a page before the stylesheets in its head are there: https://html.spec.whatwg.org/multipage/dom.html#render-blocked */
const IS_UNDRAWN = "document.readyState !== 'complete' && performance.getEntriesByType('paint').length === 0";

/** Behind a dialog the page answers nothing. */
const RELEASE_MS = 500;

/** A tab in which nothing is answered, behind a dialog or in a page that hangs, is let go of. */
const END_ROUTES_MS = 2_000;

/** The session that sets something, and the site for which it does; see `Pretence`. */
interface Whose {
  readonly by: string | null;
  readonly site: string | null;
}

/** What one session sets or gives back. */
interface Change {
  readonly by: string | null;
  readonly emulation: Emulation;
}

const Emulated = z.record(z.string(), Pretence).transform((record) => new Map(Object.entries(record)));
type Emulated = z.infer<typeof Emulated>;

const Refused = z.array(z.number()).transform((tabs): ReadonlySet<number> => new Set(tabs));

/** The person has closed the bar of a tab, which may have pretended something until then. */
export interface Refusal {
  readonly hadPretence: boolean;
}

const Metrics = z.object({ cssLayoutViewport: z.object({ clientWidth: z.number(), clientHeight: z.number() }) });

const FileDialog = z.object({ frameId: z.string(), backendNodeId: z.number().optional() });
export type FileDialog = z.infer<typeof FileDialog>;

const Told = z.object({ result: z.looseObject({ value: z.unknown() }) });

/** The page itself, which no frame holds, is another one. */
const Navigated = z.object({ frame: z.looseObject({ parentId: z.undefined().optional() }) });

const Opening = z.object({ type: z.enum(['alert', 'confirm', 'prompt', 'beforeunload']), message: z.string() });

const Closed = z.object({ result: z.boolean() });

/** Followed by the id of a tab whose frames are stopped. */
const STOPPED_KEY = 'stopped ';

type Listener = (method: string, params: unknown) => void;

export interface Debugger {
  /** From now on the tab draws frames, also where nobody sees it. */
  draw(): Promise<void>;
  /** Makes the tab draw anew, where it has stopped although it was told to. */
  drawAnew(): Promise<void>;
  /** From now on the page behaves as one that has the focus: a hidden tab would take input only after seconds. */
  focus(): Promise<void>;
  /** To the page, or to a frame that has a session of its own. */
  send(method: string, params: Record<string, unknown>, sessionId?: string): Promise<unknown>;
  /** Tells what Chrome says of the page until the returned function is called. */
  hear(listener: Listener): () => void;
  /** Until the tool ends, the browser shows no file dialog that the page opens: it would wait for somebody who is not there. */
  catchFileDialogs(): Promise<void>;
  /** Ends what was begun, also when the call was cancelled meanwhile. */
  release(method: string, params: Record<string, unknown>): Promise<void>;
  /** Runs `work` while the page is laid out in a size of its own, in pixels of the screen. */
  whileSized<T>(size: { width: number; height: number }, work: () => Promise<T>): Promise<T>;
  /** Resolves when Chrome has answered all that was sent, also what nobody waits for any more. */
  idle(): Promise<void>;
  /** From now on no frame of another origin begins to load, until it is let go of. */
  holdFrames(origin: string): Promise<void>;
  /** Stops the frames of other sites; null where one of the `count` frames in the tab, not of `origin`, cannot be stopped. They go on when it is let go of. */
  stopFrames(origin: string, count: number): Promise<StoppedFrames | null>;
  letFramesGo(): Promise<void>;
}

export class Debuggers {
  readonly #tabs = new Map<number, Attachment>();
  /** Tabs whose bar the person has closed: they said no, and are not asked again, also not by the next worker. */
  readonly #refused = new Stored<ReadonlySet<number>>(
    'session',
    'refused',
    Refused,
    () => new Set(),
    (tabs) => [...tabs],
  );
  readonly #onRefusal: (tabId: number, refusal: Refusal | null) => void;
  /** Tabs of the person's that a call looks at now. */
  readonly #onlyRead = new Set<number>();
  /** What tabs pretend, by their id. A worker that starts anew attaches anew, and makes them pretend again. */
  readonly #emulated = new Stored<Emulated>('session', 'emulated', Emulated, () => new Map(), Object.fromEntries);

  /** Made when the worker starts, for it registers listeners. `onRefusal` hears of a tab whose bar the person has closed, and with null that this is over. */
  constructor(onRefusal: (tabId: number, refusal: Refusal | null) => void) {
    this.#onRefusal = onRefusal;
    chrome.debugger.onEvent.addListener(({ tabId, sessionId }, method, params) => {
      if (tabId === undefined) return;
      const attachment = this.#tabs.get(tabId);
      if (attachment !== undefined) attachment.take(method, params, sessionId);
      // The attachment of a worker that was stopped outlives it, and so do the requests that wait there.
      else if (method === 'Fetch.requestPaused') void this.#answerLeftOver(tabId, params);
    });
    chrome.debugger.onDetach.addListener(({ tabId }, reason) => {
      if (tabId === undefined) return;
      this.#tabs.get(tabId)?.end();
      this.#tabs.delete(tabId);
      if (reason !== 'canceled_by_user') return;
      void this.#refused.update((tabs) => new Set([...tabs, tabId]));
      void this.#keep(tabId).then((hadPretence) => onRefusal(tabId, { hadPretence }));
    });
  }

  /** Runs `task` with the debugger attached to the tab. */
  async with<T>(tabId: number, signal: AbortSignal, task: (attached: Debugger) => Promise<T>): Promise<T> {
    const attachment = await this.#attach(tabId);
    const sent = new Set<Promise<unknown>>();
    const send: Debugger['send'] = async (method, params, sessionId) => {
      signal.throwIfAborted();
      const answer = attachment.send(method, params, sessionId);
      sent.add(answer);
      const drawn = FRAMED.has(method) ? unlessUndrawn(attachment, answer) : answer;
      return orAborted(attachment.whileNoDialog(drawn), signal);
    };
    const release: Debugger['release'] = async (method, params) => {
      // What has gone holds nothing any more.
      await orAborted(attachment.send(method, params), AbortSignal.timeout(RELEASE_MS)).catch(() => null);
    };
    try {
      return await task({
        draw: async () => {
          await orAborted(attachment.draw(), signal);
        },
        drawAnew: async () => {
          await orAborted(attachment.drawAnew(), signal);
        },
        focus: async () => {
          await send('Emulation.setFocusEmulationEnabled', { enabled: true });
        },
        send,
        hear: (listener) => attachment.hear(listener),
        catchFileDialogs: async () => {
          await orAborted(attachment.catchFileDialogs(), signal);
        },
        whileSized: async (size, work) => {
          try {
            await send('Emulation.setDeviceMetricsOverride', { ...NO_DEVICE, ...size });
            return await work();
          } finally {
            for (const command of attachment.sizeKept()) await release(...command);
          }
        },
        release,
        idle: async () => {
          await Promise.allSettled(sent);
        },
        holdFrames: (origin) => orAborted(attachment.whileNoDialog(attachment.holdFrames(origin)), signal),
        stopFrames: (origin, count) => orAborted(attachment.whileNoDialog(attachment.stopFrames(origin, count)), signal),
        letFramesGo: () => orAborted(attachment.letFramesGo(), AbortSignal.timeout(RELEASE_MS)).catch(() => {}),
      });
    } finally {
      this.#letGo(attachment);
    }
  }

  /** Runs `task`, which only looks at a tab of the person's; calls in one tab wait for each other. */
  async whileOnlyRead<T>(tabId: number, task: () => Promise<T>): Promise<T> {
    this.#onlyRead.add(tabId);
    try {
      return await task();
    } finally {
      this.#onlyRead.delete(tabId);
    }
  }

  /** What it is in the tab for: what the call does there that runs or was the last one, and what the tab pretends. */
  reasonsFor(tabId: number): DebugReason[] {
    return this.#tabs.get(tabId)?.reasons ?? [];
  }

  /** Whether it is attached to the tab already. */
  isAttached(tabId: number): boolean {
    return this.#tabs.has(tabId);
  }

  /** Runs `task` while the tab behaves as one that is seen; where the debugger cannot be had, as the tab is. */
  async whileSeen<T>(tabId: number, task: () => Promise<T>): Promise<T> {
    const attaching = this.#attach(tabId);
    const seen = attaching.then((attachment) => attachment.beSeen());
    await orAborted(seen, AbortSignal.timeout(SEEN_MS)).catch(() => null);
    try {
      return await task();
    } finally {
      void attaching.then(
        (attachment) => this.#letGo(attachment),
        () => null,
      );
    }
  }

  /** `work`, or DialogOpenError as soon as the tab shows a dialog that waits for an answer. */
  whileNoDialog<T>(tabId: number, work: Promise<T>): Promise<T> {
    return this.#tabs.get(tabId)?.whileNoDialog(work) ?? work;
  }

  /** An action begins: what was shown before is none of its own. */
  beginDialogs(tabId: number): void {
    this.#tabs.get(tabId)?.beginDialogs();
  }

  /** The dialogs that were answered by themselves and that no action has told. */
  takeEarlierDialogs(tabId: number): Dialog[] {
    return this.#tabs.get(tabId)?.takeEarlierDialogs() ?? [];
  }

  /** A call is about to ask the tab: messages there hold it up only where they are the person's. */
  leaveMessages(tabId: number, arePersons: boolean): void {
    const attachment = this.#tabs.get(tabId);
    if (attachment?.isUsed === false) attachment.isOnlyRead = arePersons;
  }

  /** The dialogs that were shown since the action began, and the one that is open. */
  takeDialogs(tabId: number): Dialog[] {
    return this.#tabs.get(tabId)?.takeDialogs() ?? [];
  }

  openDialog(tabId: number): Dialog | null {
    return this.#tabs.get(tabId)?.dialog ?? null;
  }

  /** Another page is on its way: until it is there, questions of this one are answered with Cancel. */
  leave(tabId: number): void {
    this.#tabs.get(tabId)?.leave();
  }

  /** No other page is on its way any more. */
  stay(tabId: number): void {
    this.#tabs.get(tabId)?.stay();
  }

  /** The file dialog that the page opened since the last call of this. */
  takeFileDialog(tabId: number): FileDialog | null {
    return this.#tabs.get(tabId)?.takeFileDialog() ?? null;
  }

  /** The file dialog that the page opened or opens within `limitMs`. */
  async nextFileDialog(tabId: number, limitMs: number): Promise<FileDialog | null> {
    return (await this.#tabs.get(tabId)?.nextFileDialog(limitMs)) ?? null;
  }

  /** Answers this dialog, and no other one that has come since. */
  async answer(tabId: number, dialog: Dialog, accepts: boolean, text: string | undefined): Promise<void> {
    await this.#tabs.get(tabId)?.answer(dialog, accepts, text);
  }

  /** Makes the tab pretend until it is let go of; what is null is given back. Resolves with the size that the tab has then. */
  async emulate(
    tabId: number,
    emulation: Emulation,
    { by, site, signal }: { by: SessionId | null; site: string | null; signal: AbortSignal },
  ): Promise<TabSize> {
    return this.with(tabId, signal, async (attached) => {
      await this.#pretend(attached, { tabId, emulation, by, site });
      const { cssLayoutViewport } = Metrics.parse(await attached.send('Page.getLayoutMetrics', {}));
      return { width: cssLayoutViewport.clientWidth, height: cssLayoutViewport.clientHeight };
    });
  }

  /** What the tab pretends, or only what one session has made it pretend. */
  async emulated(tabId: number, by?: SessionId | null): Promise<Emulation> {
    const { layers = [] } = (await this.#emulated.load()).get(String(tabId)) ?? {};
    return Object.fromEntries(waysIn(by === undefined ? layers : layers.filter((layer) => layer.by === by)));
  }

  async emulatedByOthers(tabId: number, than: SessionId | null): Promise<Emulation> {
    const { layers = [] } = (await this.#emulated.load()).get(String(tabId)) ?? {};
    return Object.fromEntries(waysIn(layers.filter(({ by }) => by !== than)));
  }

  /** The person lets agents work in the tab anew, or it is closed: that they had closed its bar is over. */
  async allow(tabId: number): Promise<void> {
    await this.#refused.update((tabs) => (tabs.has(tabId) ? new Set([...tabs].filter((tab) => tab !== tabId)) : tabs));
    this.#onRefusal(tabId, null);
  }

  /** Lets go of a tab that nobody works in any more. */
  async release(tabId: number): Promise<void> {
    const attachment = this.#tabs.get(tabId);
    this.#tabs.delete(tabId);
    await this.#keep(tabId);
    // The attachment of a worker that was stopped outlives it.
    await (attachment?.detach() ?? detach(tabId));
  }

  /** Ends the routes of which `isOver` says so; resolves with the tabs that had such. */
  async endRoutes(isOver: (route: Route) => boolean): Promise<number[]> {
    const ended: number[] = [];
    for (const [tab, { site, layers }] of await this.#emulated.load()) {
      const changes = layers.flatMap(({ by, name, params }): Change[] => {
        const routes = name === 'routes' ? routesIn(params) : [];
        const kept = routes.filter((route) => !isOver(route));
        return kept.length === routes.length ? [] : [{ by, emulation: { routes: toEmulated(kept) } }];
      });
      if (changes.length === 0) continue;
      ended.push(Number(tab));
      await this.#giveBack(Number(tab), site, changes);
    }
    return ended;
  }

  /** A page has come into a tab: one of the person's pretends nothing for another site than that for which it was set. Resolves with whether it did. */
  async arrived(tabId: number, origin: string): Promise<boolean> {
    const pretence = (await this.#emulated.load()).get(String(tabId));
    if (pretence === undefined || pretence.site === null || pretence.site === origin) return false;
    await this.#giveBack(tabId, pretence.site, pretence.layers.map(ending));
    return true;
  }

  /** What a session made tabs pretend ends with it, in tabs of the person's too. */
  async endSession(sessionId: SessionId): Promise<void> {
    for (const [tabId, { site, layers }] of await this.#emulated.load()) {
      const own = layers.filter(({ by }) => by === sessionId);
      if (own.length === layers.length) await this.release(Number(tabId));
      else if (own.length > 0) await this.#giveBack(Number(tabId), site, own.map(ending));
    }
  }

  async #pretend(attached: Debugger, { tabId, emulation, ...whose }: Whose & { tabId: number; emulation: Emulation }): Promise<void> {
    for (const name of namesIn(emulation)) {
      const params = emulation[name] ?? null;
      const layers = withLayer(this.#tabs.get(tabId)?.pretence.layers ?? [], { by: whose.by, name }, params);
      for (const command of commandsFor(name, inEffect(layers, name))) await attached.send(...command);
      this.#tabs.get(tabId)?.pretend(name, params, whose);
      await this.#tabs.get(tabId)?.inFrames.follow(name);
    }
    await this.#keep(tabId);
  }

  /** Where the tab does not take that, all that it pretends ends. */
  async #giveBack(tabId: number, site: string | null, changes: readonly Change[]): Promise<void> {
    try {
      await this.with(tabId, AbortSignal.timeout(END_ROUTES_MS), async (attached) => {
        for (const change of changes) await this.#pretend(attached, { tabId, site, ...change });
      });
    } catch {
      await this.release(tabId);
    }
  }

  async #attach(tabId: number): Promise<Attachment> {
    if ((await this.#refused.load()).has(tabId)) throw refusedByUser();
    const attachment = this.#tabs.get(tabId) ?? new Attachment(tabId, this.#emulated.load());
    this.#tabs.set(tabId, attachment);
    attachment.isOnlyRead = this.#onlyRead.has(tabId);
    attachment.begin();
    try {
      await attachment.attached;
    } catch (error) {
      if (this.#tabs.get(tabId) === attachment) this.#tabs.delete(tabId);
      throw cannotAttach(error instanceof Error ? error.message : String(error));
    }
    return attachment;
  }

  /** Resolves with whether the tab pretended anything before. */
  async #keep(tabId: number): Promise<boolean> {
    let hasPretended = false;
    await this.#emulated.update((all) => {
      const kept = this.#tabs.get(tabId)?.pretence;
      hasPretended = all.has(String(tabId));
      const others = [...all].filter(([tab]) => tab !== String(tabId));
      if (kept !== undefined && kept.layers.length > 0) return new Map([...others, [String(tabId), kept] as const]);
      return hasPretended ? new Map(others) : all;
    });
    return hasPretended;
  }

  async #answerLeftOver(tabId: number, params: unknown): Promise<void> {
    const routes = routesIn((await this.emulated(tabId)).routes);
    await answerRequest((method, command) => chrome.debugger.sendCommand({ tabId }, method, command), routes, params);
  }

  #letGo(attachment: Attachment): void {
    attachment.finish(() => {
      if (this.#tabs.get(attachment.tabId) === attachment) void this.release(attachment.tabId);
    });
  }
}

/** A page has asked in the very moment in which it was to go, and Chrome takes no answer for it any more: to begin anew closes what it asks. */
export class HeldBackError extends DialogOpenError {}

/** One tab with the debugger attached. */
class Attachment {
  readonly tabId: number;
  readonly attached: Promise<void>;
  /** Whether the call that runs only looks at a tab of the person's. */
  isOnlyRead = false;
  #seen: Promise<unknown> | null = null;
  #drawn: Promise<unknown> | null = null;
  #uses = 0;
  readonly #reasons = new Set<DebugReason>();
  #linger: ReturnType<typeof setTimeout> | undefined;
  readonly #emulated = new Map<EmulationName, Record<string, unknown>>();
  readonly inFrames = new FramePretence((...sent) => this.#sendAsItIs(...sent), this.#emulated);
  #pretence: Pretence = { site: null, layers: [] };
  /** The size of a tab that has none by itself. */
  #given: Record<string, unknown> | null = null;
  #catches: Promise<unknown> | null = null;
  #fileDialog: FileDialog | null = null;
  #onFileDialog: (() => void) | null = null;
  #stopped: StoppedFrames | null = null;
  #held: HeldFrames | null = null;
  #open: Dialog | null = null;
  /** It takes no answer, and the page that is to come waits for one. */
  #holdsBack = false;
  /** Whether another page is on its way. */
  #isLeft = false;
  #answered: Dialog[] = [];
  /** The last of them was answered here, and Chrome has not told yet that it is closed. */
  #isClosing = false;
  /** Those that were answered before the action that runs. */
  #earlier: Dialog[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #unanswered = new Set<() => void>();
  #hasCrashed = false;
  readonly #listeners = new Set<Listener>();

  /** `emulated` is what all tabs pretend. */
  constructor(tabId: number, emulated: Promise<Emulated>) {
    this.tabId = tabId;
    this.attached = this.#attach(emulated);
  }

  get pretence(): Pretence {
    return this.#pretence;
  }

  get reasons(): DebugReason[] {
    return [...this.#reasons, ...(this.#emulated.size > 0 ? (['pretence'] as const) : [])];
  }

  get isUsed(): boolean {
    return this.#uses > 0;
  }

  get dialog(): Dialog | null {
    return this.#open;
  }

  /** To the page, or to a frame that has a session of its own. */
  send(method: string, params: Record<string, unknown>, sessionId?: string): Promise<unknown> {
    const reason = reasonOf(method, params);
    if (reason !== null) this.#reasons.add(reason);
    if (method === 'Target.setAutoAttach' && sessionId === undefined && this.inFrames.isOn) return this.inFrames.renew();
    return this.#sendAsItIs(method, params, sessionId);
  }

  #sendAsItIs(method: string, params: Record<string, unknown>, sessionId?: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new NoPageError());
      if (this.#hasCrashed) return giveUp();
      this.#unanswered.add(giveUp);
      const target = { tabId: this.tabId, ...(sessionId === undefined ? {} : { sessionId }) };
      const answer = chrome.debugger.sendCommand(target, method, params);
      return void answer.then(resolve, reject).finally(() => this.#unanswered.delete(giveUp));
    });
  }

  beSeen(): Promise<unknown> {
    this.#reasons.add('seen');
    // Without the cast the animations of a tab that was just made seen do not move for a second or two.
    return (this.#seen ??= Promise.all([
      this.send('Emulation.setFocusEmulationEnabled', { enabled: true }),
      this.#giveSize().then(() => this.draw()),
    ]));
  }

  /** A tab that was loaded again after Chrome had discarded it has no size until it is shown, and nothing in it can be pressed. */
  async #giveSize(): Promise<void> {
    const { width, windowId } = await chrome.tabs.get(this.tabId);
    if (width !== 0 || this.#emulated.has('size')) return;
    const [shown] = await chrome.tabs.query({ windowId, active: true });
    this.#given = { ...NO_DEVICE, width: shown?.width || USUAL_SIZE.width, height: shown?.height || USUAL_SIZE.height };
    await this.send('Emulation.setDeviceMetricsOverride', this.#given);
  }

  /** What lays the page out again in the size that it pretends, was given or has. */
  sizeKept(): ReturnType<typeof commandsFor> {
    return commandsFor('size', this.#emulated.get('size') ?? this.#given);
  }

  /** The first picture of a tab that nobody sees waits for 2 s, and many for 0.5 s, unless the tab is cast; then a picture takes two frames. */
  draw(): Promise<unknown> {
    return (this.#drawn ??= this.send('Page.startScreencast', { format: 'jpeg', quality: 1, maxWidth: 16, maxHeight: 16 }));
  }

  drawAnew(): Promise<unknown> {
    this.#drawn = this.send('Page.stopScreencast', {}).then(() => {
      this.#drawn = null;
      return this.draw();
    });
    return this.#drawn;
  }

  begin(): void {
    clearTimeout(this.#linger);
    if (this.#uses === 0) this.#reasons.clear();
    this.#uses += 1;
    // It opened while no call was there to answer it.
    if (this.#open !== null) this.#meet(this.#open);
  }

  /** The debugger has been told. */
  pretend(name: EmulationName, params: Record<string, unknown> | null, { by, site }: Whose): void {
    this.#pretence = { site, layers: withLayer(this.#pretence.layers, { by, name }, params) };
    const now = inEffect(this.#pretence.layers, name);
    if (now === null) this.#emulated.delete(name);
    else this.#emulated.set(name, now);
  }

  async holdFrames(origin: string): Promise<void> {
    // Should the worker end now, the next one lets them go.
    void chrome.storage.session.set({ [STOPPED_KEY + this.tabId]: true });
    this.#held = new HeldFrames((method, params) => this.send(method, params), origin);
    await this.#held.begin(toPatterns(this.#routes));
  }

  async stopFrames(origin: string, count: number): Promise<StoppedFrames | null> {
    const stopped = new StoppedFrames((method, params, sessionId) => this.send(method, params, sessionId));
    this.#stopped = stopped;
    return (await stopped.begin(origin, count)) ? stopped : null;
  }

  async letFramesGo(): Promise<void> {
    const [stopped, held] = [this.#stopped, this.#held];
    [this.#stopped, this.#held] = [null, null];
    await Promise.all([stopped?.end(), held?.end(toPatterns(this.#routes), (params) => this.#answer(params))]);
    void chrome.storage.session.remove(STOPPED_KEY + this.tabId);
  }

  catchFileDialogs(): Promise<unknown> {
    return (this.#catches ??= this.send('Page.setInterceptFileChooserDialog', { enabled: true }));
  }

  takeFileDialog(): FileDialog | null {
    const opened = this.#fileDialog;
    this.#fileDialog = null;
    return opened;
  }

  async nextFileDialog(limitMs: number): Promise<FileDialog | null> {
    if (this.#fileDialog === null) {
      await new Promise<void>((resolve) => {
        this.#onFileDialog = resolve;
        setTimeout(resolve, limitMs);
      });
    }
    return this.takeFileDialog();
  }

  finish(letGo: () => void): void {
    this.#uses -= 1;
    if (this.#uses === 0 && this.#catches !== null) void this.#letFileDialogsCome();
    // Chrome ends the pretence with the debugger.
    if (this.#uses === 0 && this.#emulated.size === 0) this.#linger = setTimeout(letGo, LINGER_MS);
  }

  /** Unless another call has begun by then. */
  async #letFileDialogsCome(): Promise<void> {
    await answered();
    if (this.#uses > 0 || this.#catches === null) return;
    this.#catches = null;
    await this.send('Page.setInterceptFileChooserDialog', { enabled: false }).catch(() => null);
  }

  /** It was detached. */
  end(): void {
    clearTimeout(this.#linger);
    this.#open = null;
  }

  async detach(): Promise<void> {
    this.end();
    await detach(this.tabId);
  }

  hear(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What Chrome tells of the page, or of a frame that has a session of its own. */
  take(method: string, params: unknown, sessionId: string | undefined): void {
    this.inFrames.take(method, params);
    this.#stopped?.take(method, params, sessionId);
    if (sessionId !== undefined) return;
    for (const listener of this.#listeners) listener(method, params);
    if (method === 'Page.frameNavigated' && Navigated.safeParse(params).success) this.#isLeft = false;
    if (method === 'Inspector.targetCrashed') this.#crash();
    if (method === 'Inspector.targetReloadedAfterCrash') this.#hasCrashed = false;
    if (method === 'Fetch.requestPaused' && this.#held?.take(params) !== true) void this.#answer(params);
    if (method === 'Page.fileChooserOpened') this.#meetFileDialog(params);
    const closed = method === 'Page.javascriptDialogClosed' ? Closed.safeParse(params) : null;
    if (closed?.success === true) this.#closed(closed.data.result);
    if (method !== 'Page.javascriptDialogOpening') return;
    const opening = Opening.safeParse(params);
    if (!opening.success) return;
    this.#open = { ...opening.data, id: crypto.randomUUID(), answer: null };
    this.#holdsBack = false;
    if (this.#uses > 0 || this.#isLeft) this.#meet(this.#open);
    else if (this.#waiting.size > 0) this.#refuseUnlessMessage();
  }

  whileNoDialog<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        if (this.#open !== null) reject(this.#holdsBack ? new HeldBackError(this.#open) : new DialogOpenError(this.#open));
      };
      this.#waiting.add(refuse);
      this.#refuseUnlessMessage();
      void work.then(resolve, reject).finally(() => this.#waiting.delete(refuse));
    });
  }

  /** See `Debuggers.leave`. Chrome does not close every question by itself, and behind one no page of the same site comes. */
  leave(): void {
    this.#isLeft = true;
    if (this.#open !== null) this.#meet(this.#open);
  }

  stay(): void {
    this.#isLeft = false;
  }

  async answer(dialog: Dialog, accepts: boolean, text: string | undefined): Promise<void> {
    if (this.#open !== dialog) return;
    this.#open = null;
    // The page goes on before Chrome says that it is answered, and what is done in it may be over then.
    this.#answered.push(answeredBy(dialog, accepts));
    this.#isClosing = true;
    await this.send('Page.handleJavaScriptDialog', { accept: accepts, ...(text === undefined ? {} : { promptText: text }) });
  }

  /** The person or another program may have answered it, also where that was not waited for. */
  #closed(isAccepted: boolean): void {
    const dialog = this.#open ?? (this.#isClosing ? this.#answered.pop() : undefined);
    this.#open = null;
    this.#isClosing = false;
    if (dialog !== undefined) this.#answered.push(answeredBy(dialog, isAccepted));
  }

  beginDialogs(): void {
    this.#earlier = this.takeEarlierDialogs();
  }

  takeEarlierDialogs(): Dialog[] {
    const shown = [...this.#earlier, ...this.#answered];
    [this.#earlier, this.#answered] = [[], []];
    return shown;
  }

  takeDialogs(): Dialog[] {
    const shown = this.#open === null ? this.#answered : [...this.#answered, this.#open];
    this.#answered = [];
    return shown;
  }

  /**
   * A message is read by being told, and a page that a call leaves is left; what decides something waits for its answer. In a tab of the person's that
   * a call only looks at, nothing leads away from the page but the person, and every dialog is theirs.
   */
  #meet(dialog: Dialog): void {
    const isMessage = dialog.type === 'alert' || dialog.type === 'beforeunload';
    if (this.#isLeft || (!this.isOnlyRead && isMessage)) {
      void this.answer(dialog, isMessage, undefined).catch(() => this.#staysOpen(dialog));
      return;
    }
    for (const refuse of this.#waiting) refuse();
  }

  /** Chrome takes no answer for a page any more in the place of which it is about to show another one, nor shows that before there is one. */
  #staysOpen(dialog: Dialog): void {
    const at = this.#answered.findIndex(({ id }) => id === dialog.id);
    if (!this.#isClosing || at < 0) return;
    this.#answered.splice(at, 1);
    this.#isClosing = false;
    this.#open = dialog;
    this.#holdsBack = true;
    for (const refuse of this.#waiting) refuse();
  }

  /** Who only asks leaves no page. */
  #refuseUnlessMessage(): void {
    const open = this.#open;
    if (open?.type === 'alert') this.#meet(open);
    else for (const refuse of this.#waiting) refuse();
  }

  get #routes(): readonly Route[] {
    return routesIn(this.#emulated.get('routes'));
  }

  /** A request that waits goes to its server, or is answered in its place. */
  #answer(params: unknown): Promise<void> {
    return answerRequest((...command) => this.send(...command), this.#routes, params);
  }

  /** Chrome keeps what is sent to a page that has crashed until it is loaded again. */
  #crash(): void {
    this.#hasCrashed = true;
    for (const giveUp of this.#unanswered) giveUp();
  }

  #meetFileDialog(params: unknown): void {
    const opened = FileDialog.safeParse(params);
    if (!opened.success) return;
    this.#fileDialog = opened.data;
    this.#onFileDialog?.();
  }

  async #attach(emulated: Promise<Emulated>): Promise<void> {
    const target = { tabId: this.tabId };
    await chrome.debugger.attach(target, PROTOCOL_VERSION).catch(async (error: unknown) => {
      // A worker that was stopped leaves its attachment behind; that of somebody else cannot be detached.
      await chrome.debugger.detach(target).catch(() => {
        throw error;
      });
      await chrome.debugger.attach(target, PROTOCOL_VERSION);
    });
    await Promise.all([this.send('Inspector.enable', {}), this.send('Page.enable', {})]);
    const { site, layers } = (await emulated).get(String(this.tabId)) ?? this.#pretence;
    // Before the commands: requests that are to be blocked wait from then on.
    for (const { by, name, params } of layers) this.pretend(name, params, { by, site });
    for (const [name, params] of this.#emulated) for (const command of commandsFor(name, params)) await this.send(...command);
    await this.inFrames.begin();
  }
}

const ending = ({ by, name }: Pretence['layers'][number]): Change => ({ by, emulation: { [name]: null } });

const answeredBy = (dialog: Dialog, accepts: boolean): Dialog => ({ ...dialog, answer: accepts ? 'accepted' : 'dismissed' });

/** What a person would call a command; null for one that others need, too. */
const reasonOf = (method: string, params: Record<string, unknown>): DebugReason | null => {
  if (method.startsWith('Input.')) return 'input';
  // A poor picture only makes the page draw.
  if (method === 'Page.printToPDF' || (method === 'Page.captureScreenshot' && params['quality'] !== 1)) return 'picture';
  // What is asked of our own script is followed by the agent's code.
  if (method === 'Runtime.evaluate' && params['uniqueContextId'] !== undefined) return 'code';
  if (RECORDS.has(method)) return 'records';
  return null;
};

const RECORDS = new Set([
  'Log.enable',
  'Network.enable',
  'Network.getCookies',
  'Network.setCookie',
  'Network.deleteCookies',
  'Tracing.start',
]);

/** The answer to what needs a frame, unless the page has never drawn one and still waits for what it draws with. */
const unlessUndrawn = async <T>(attachment: Attachment, answer: Promise<T>): Promise<T> => {
  const isDone = (): boolean => true;
  if (await within(answer.then(isDone, isDone), DRAWN_MS)) return answer;
  const told = attachment.send('Runtime.evaluate', { expression: IS_UNDRAWN, returnByValue: true });
  const isUndrawn = told.then(
    (given) => Told.safeParse(given).data?.result.value === true,
    () => false,
  );
  if (await within(isUndrawn, DRAWN_MS)) throw undrawn();
  return answer;
};

const undrawn = (): CompanionError =>
  new CompanionError('TOOL_TIMEOUT', 'The browser draws nothing of the page yet: it waits for a stylesheet whose server does not answer.', {
    remedy: 'browser_snapshot reads it as it is; browser_evaluate with window.stop() lets it do without.',
  });

/** A tab that it is not attached to is none any more. */
const detach = (tabId: number): Promise<unknown> => chrome.debugger.detach({ tabId }).catch(() => null);

/** Lets the frames go that a worker left stopped when it ended in the middle of a call: its attachment outlived it. */
export const releaseLeftOverFrames = async (): Promise<void> => {
  const keys = Object.keys(await chrome.storage.session.get(null)).filter((key) => key.startsWith(STOPPED_KEY));
  await Promise.all(keys.map((key) => detach(Number(key.slice(STOPPED_KEY.length)))));
  await chrome.storage.session.remove(keys);
};

const cannotAttach = (fromBrowser: string): CompanionError =>
  new PageError('TOOL_FAILED', 'The debugger cannot be attached.', fromBrowser, {
    remedy: 'Close DevTools on this tab, or do without it.',
  });

const refusedByUser = (): CompanionError =>
  new CompanionError('TOOL_FAILED', 'The debugger cannot be attached. The user has closed its bar in this tab.', {
    remedy: 'Do without it and do not retry: it can be had in this tab only when they hand the tab over anew.',
  });
