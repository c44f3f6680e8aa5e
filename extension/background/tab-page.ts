/** A tab as the tools see it. */
import { CompanionError } from '#protocol/errors.ts';
import { originOf } from '#extension/shared/addresses.ts';
import type { Activity, Box, PageMethod, PageMethods } from '#extension/content/api.ts';
import { checkPage, isAllowedPage } from '#extension/shared/addresses.ts';
import { DialogOpenError, DocumentChangedError, DocumentGoneError, PageError, goneWhenChanged } from '#extension/toolkit/page-error.ts';
import type {
  Acted,
  Aim,
  ConsoleEntry,
  Dialog,
  Evaluated,
  Input,
  Loaded,
  Page,
  Picture,
  RequestEntry,
  ResponseBody,
  TabSize,
} from '#extension/toolkit/page.ts';
import type { FramePart } from '#extension/toolkit/snapshot-text.ts';
import { whileAlive, whileShown } from './alive.ts';
import { capture, placeOf } from './capture.ts';
import type { Debuggers, FileDialog } from './debugger.ts';
import { allowedDocuments, documentIn } from './documents.ts';
import { evaluate } from './evaluate.ts';
import { keepFileField } from './file-field.ts';
import { type Envelope, type PageDocument, askDocument, cancelInDocument } from './inject.ts';
import { Keyboard } from './keyboard.ts';
import { Mouse } from './mouse.ts';
import { type Expected, NavigationWatch } from './navigation.ts';
import type { NetworkBodies } from './network-bodies.ts';
import type { NetworkLog } from './network-log.ts';
import { readPageLog } from './page-log.ts';
import { Pending } from './pending.ts';
import { orAborted, pause } from './queue.ts';
import type { RefBases } from './ref-bases.ts';
import type { Requests } from './requests.ts';
import { type PageState, type WatchedPage, restForReading, restLoaded, settle } from './settle.ts';
import type { TabEvents } from './tab-events.ts';
import { existing, isShown } from './tabs.ts';

/** What every page needs of the worker. */
export interface PageTools {
  readonly debuggers: Debuggers;
  readonly events: TabEvents;
  readonly requests: Requests;
  readonly network: NetworkLog;
  readonly bodies: NetworkBodies;
  readonly refBases: RefBases;
  ownPort(): number | null;
}

/** What a page does to the tabs of the session it belongs to. */
export interface PageOwner {
  /** Runs a load that may arrive only where the call may. */
  within<T>(load: () => Promise<T>): Promise<T>;
  /** Runs `work`, during which no frame of another origin than this begins to load in the tab. */
  withoutNewFrames<T>(origin: string, work: () => Promise<T>): Promise<T>;
  openBeside(url: string): Promise<number>;
  /** A tab that a page of the session opened is the session's. */
  adopt(tabId: number): Promise<void>;
}

/** A page may ask its server before it opens a file dialog. */
const FILE_DIALOG_MS = 3_000;

const LOADING_LIMIT_MS = 5_000;
/** Between two looks at an element that is not ready. */
const MOMENT_MS = 25;
/** A page that has not changed for this long does not change by itself. */
const STILL_MS = 1_000;

/** Calls that only look, and may take longer on a large page. */
const READING = new Set<PageMethod>(['snapshot', 'changeCount']);

/** Changes come in bursts, and one look serves for all of a burst. */
const BURST_MS = 50;

/** What may be asked of a page that nobody has looked at yet: it tells nothing but its state and address. */
type WaitingMethod = 'activity' | 'document' | 'back' | 'forward';

export class TabPage implements Page {
  readonly tabId: number;
  readonly #signal: AbortSignal;
  readonly #tools: PageTools;
  readonly #owner: PageOwner;
  readonly #bound = new Map<number, PageDocument>();

  /** Everything it does ends when `signal` is aborted. */
  constructor(tabId: number, signal: AbortSignal, tools: PageTools, owner: PageOwner) {
    this.tabId = tabId;
    this.#signal = signal;
    this.#tools = tools;
    this.#owner = owner;
  }

  async wake(): Promise<void> {
    await this.#watching(async (watch) => {
      const [tab, frame] = await Promise.all([existing(this.tabId), frameOf(this.tabId)]);
      // The debugger cannot be attached to it before.
      if (tab.discarded) await this.#load(() => chrome.tabs.reload(this.tabId));
      // A tab that was just made has no document for a moment.
      else if (frame === null && tab.status === 'loading') await watch.next(LOADING_LIMIT_MS, this.#signal);
    });
  }

  async info(): Promise<{ url: string; title: string }> {
    // The tab's own address lags behind: for a moment after a load it is still the old one.
    const [tab, frame] = await Promise.all([existing(this.tabId), frameOf(this.tabId)]);
    const { url = '', title = '', pendingUrl = '' } = tab;
    return { url: frame?.url || url || pendingUrl, title };
  }

  /** From now on only this document is asked in its frame; when it has gone, the call ends with DOCUMENT_CHANGED. */
  bind({ frameId, documentId, url }: PageDocument): void {
    this.#bound.set(frameId, { frameId, documentId, url });
  }

  /** Asks the document that the frame showed when it was first asked. */
  async ask<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId = 0): Promise<PageMethods[N]['result']> {
    return orAborted(this.#askBound(name, options, frameId), this.#signal);
  }

  async frames({ aim, urls }: { aim: Aim | null; urls: boolean }): Promise<FramePart[]> {
    if (aim === null) return orAborted(this.#snapshotFrames(urls), this.#signal);
    const snapshot = await this.ask('snapshot', { target: aim.target, urls }, aim.frameId);
    const others = await this.#snapshotFrames(urls);
    return [{ frameId: aim.frameId, parentFrameId: -1, snapshot }, ...others.filter((part) => part.frameId !== aim.frameId)];
  }

  act<T>(action: () => Promise<T>): Promise<Acted<T>> {
    const { requests, debuggers } = this.#tools;
    requests.follow(this.tabId);
    debuggers.takeDialogs(this.tabId);
    debuggers.takeFileDialog(this.tabId);
    return this.#watching(async (watch) => {
      const pending = new Pending(this.tabId, [...this.#bound.values()]);
      // Behind a dialog nothing runs in the page.
      if (this.openDialog() === null) await pending.begin();
      const startedAt = Date.now();
      try {
        const value = await action().catch(nullWhenGone).catch(nullWhenDialog);
        const settled = await settle(this.#watched(watch, pending), startedAt, isLeaving(value)).catch(nullWhenDialog);
        const loaded = watch.phase === 'none' || settled === null ? null : await this.#arrive(watch, settled.isReady);
        for (const opened of watch.opened) await this.#owner.adopt(opened.tabId);
        const asksForFiles = loaded === null && (await this.#keepFileDialog(debuggers.takeFileDialog(this.tabId)));
        return { value, loaded, newTabs: watch.opened, dialogs: debuggers.takeDialogs(this.tabId), asksForFiles };
      } finally {
        void pending.end();
      }
    });
  }

  async rest(): Promise<void> {
    await this.#watching((watch) => restForReading(this.#watched(watch)));
  }

  async moment(): Promise<boolean> {
    await pause(MOMENT_MS, this.#signal);
    const state = await this.#state(null);
    if (state === null) throw new DocumentGoneError();
    return state.quietMs < STILL_MS || state.animations > 0 || this.#tools.requests.underWay(this.tabId, 0) > 0;
  }

  async until(isMet: (shown: Page) => Promise<boolean>, limitMs: number): Promise<boolean> {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limitMs);
    const signal = AbortSignal.any([this.#signal, limit.signal]);
    try {
      return await this.#watching(async (watch) => {
        while (!(await this.#look(watch, signal, isMet, limitMs))) signal.throwIfAborted();
        return true;
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      if (limit.signal.aborted) return false;
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  openDialog(): Dialog | null {
    return this.#tools.debuggers.openDialog(this.tabId);
  }

  async answerDialog(accepts: boolean, text: string | undefined): Promise<void> {
    await this.#tools.debuggers.answer(this.tabId, accepts, text);
  }

  open(url: string): Promise<Loaded> {
    return this.#owner.within(() => this.#loadSeen(() => chrome.tabs.update(this.tabId, { url }), url));
  }

  back(): Promise<Loaded> {
    return this.#loadSeen(() => this.#travel('back'));
  }

  forward(): Promise<Loaded> {
    return this.#loadSeen(() => this.#travel('forward'));
  }

  reload(): Promise<Loaded> {
    return this.#loadSeen(() => chrome.tabs.reload(this.tabId));
  }

  openBeside(url: string): Promise<number> {
    return this.#owner.openBeside(url);
  }

  catchFileDialog(press: () => Promise<void>): Promise<boolean> {
    const { debuggers } = this.#tools;
    return debuggers.with(this.tabId, this.#signal, async () => {
      debuggers.takeFileDialog(this.tabId);
      await press();
      return this.#keepFileDialog(await orAborted(debuggers.nextFileDialog(this.tabId, FILE_DIALOG_MS), this.#signal));
    });
  }

  async withInput<T>(task: (input: Input) => Promise<T>, frameId = 0): Promise<T> {
    const page = await this.#document(frameId);
    return this.#tools.debuggers.with(this.tabId, this.#signal, async (attached) => {
      await attached.catchFileDialogs();
      const mouse = new Mouse(attached, this.tabId, page);
      const keyboard = new Keyboard(attached, this.tabId, page);
      const alone = (type: () => Promise<void>): Promise<void> => this.#owner.withoutNewFrames(originOf(page.url), type);
      return task({
        press: (point, options) => mouse.press(point, options),
        move: (point) => mouse.move(point),
        drag: (from, to) => mouse.drag(from, to),
        replaceText: (text, way, isHeld) => alone(() => keyboard.replace(text, way, isHeld)),
        pressKey: (chord, holdMs, isHeld) => alone(() => keyboard.press(chord, holdMs, isHeld, this.#signal)),
        pressEnter: (isHeld) => alone(() => keyboard.enter(isHeld)),
      });
    });
  }

  console(): Promise<ConsoleEntry[]> {
    const { debuggers } = this.#tools;
    return debuggers.whileNoDialog(this.tabId, readPageLog(debuggers, this.tabId, this.#signal));
  }

  requests(): { readonly since: number; readonly entries: readonly RequestEntry[] } {
    return this.#tools.network.of(this.tabId);
  }

  responseBody(entry: RequestEntry): Promise<ResponseBody | null> {
    return this.#tools.bodies.of(this.tabId, entry, this.#signal);
  }

  resize(size: TabSize | null): Promise<TabSize> {
    return this.#tools.debuggers.resize(this.tabId, size, this.#signal);
  }

  async evaluate(code: string, aim: Aim | null): Promise<Evaluated> {
    const key = crypto.randomUUID();
    await this.ask('hold', aim === null ? { key } : { key, target: aim.target }, aim?.frameId ?? 0);
    return evaluate(this.#tools.debuggers, { tabId: this.tabId, signal: this.#signal, code, key, hasElement: aim !== null });
  }

  /** A picture of this page, or none: one that may show another page or tab is thrown away. */
  async capture({
    type,
    box,
    fullPage,
  }: {
    type: 'png' | 'jpeg';
    box: (Box & { isInView?: boolean }) | null;
    fullPage: boolean;
  }): Promise<Picture> {
    const size = await this.ask('size', null);
    return this.#watching(async (watch) => {
      const { debuggers } = this.#tools;
      // A window shows no more of a tab than it has room for.
      const isSeen = !fullPage && box?.isInView !== false && !debuggers.isResized(this.tabId) && (await isShown(this.tabId));
      const hasMasks = await this.#mask(isSeen);
      const captured = capture({ debuggers, tabId: this.tabId, isSeen, type, box, fullPage, size, signal: this.#signal });
      const unmask = async (): Promise<void> => {
        if (hasMasks) await this.#unmask().catch(nullWhenGone);
      };
      const unmasked = captured.then(unmask, unmask);
      try {
        const picture = await captured;
        await this.#checkStillThere(watch);
        await this.ask('pictured', placeOf({ box, fullPage, size }));
        return picture;
      } finally {
        await unmasked;
      }
    });
  }

  /** The page remembers the field for which it opened a file dialog; false when there is none. */
  async #keepFileDialog(opened: FileDialog | null): Promise<boolean> {
    if (opened?.backendNodeId === undefined) return false;
    const { backendNodeId, frameId } = opened;
    return this.#tools.debuggers.with(this.tabId, this.#signal, (attached) =>
      keepFileField(attached, { tabId: this.tabId, frameId, backendNodeId }),
    );
  }

  /** Looks once; when it is not met yet, resolves with false after the next change. */
  async #look(watch: NavigationWatch, signal: AbortSignal, isMet: (shown: Page) => Promise<boolean>, limitMs: number): Promise<boolean> {
    const round = new AbortController();
    const startedAt = Date.now();
    try {
      const ends = AbortSignal.any([signal, round.signal]);
      const shown = new TabPage(this.tabId, ends, this.#tools, this.#owner);
      // It begins before the look, so that what happens meanwhile is not missed.
      const navigation = watch.next(limitMs, ends);
      navigation.catch(() => null);
      const counts = await shown.#changeCounts();
      if (await isMet(shown)) return true;
      const lookedMs = Date.now() - startedAt;
      await Promise.race([navigation, ...counts.map(({ frame, count }) => shown.#changeIn(frame, count))]);
      await pause(Math.max(BURST_MS, lookedMs), signal);
    } catch (error) {
      if (!(error instanceof DocumentGoneError || error instanceof DocumentChangedError)) throw error;
      await pause(BURST_MS, signal);
    } finally {
      round.abort();
    }
    return false;
  }

  async #changeCounts(): Promise<{ frame: PageDocument; count: number }[]> {
    const top = await this.#document(0);
    const documents = await allowedDocuments(this.tabId, this.#tools.ownPort());
    const inner = documents.filter(({ frameId }) => frameId !== 0);
    const counts = [top, ...inner].map(async (frame) => {
      const count = this.#askDocument(frame, 'changeCount', {});
      return { frame, count: await (frame === top ? count : count.catch(() => null)) };
    });
    return (await orAborted(Promise.all(counts), this.#signal)).flatMap(({ frame, count }) => (count === null ? [] : [{ frame, count }]));
  }

  /** A frame that goes away is a change, too. */
  async #changeIn(frame: PageDocument, since: number): Promise<void> {
    const change = orAborted(this.#askDocument(frame, 'changeCount', { since }), this.#signal);
    await (frame.frameId === 0 ? change : change.catch(() => null));
  }

  /** Neither the page nor a frame that is off limits may have come into the picture. */
  async #checkStillThere(watch: NavigationWatch): Promise<void> {
    const { documentId } = await documentIn(this.tabId, 0);
    const hasMoved = watch.phase === 'committed' || watch.phase === 'ready';
    if (hasMoved || documentId !== this.#bound.get(0)?.documentId) throw new DocumentChangedError('The picture was thrown away.');
  }

  async #askBound<N extends PageMethod>(name: N, options: PageMethods[N]['options'], frameId: number): Promise<PageMethods[N]['result']> {
    return this.#askDocument(await this.#document(frameId), name, options);
  }

  /** The document of a frame, the same for the whole call. */
  async #document(frameId: number): Promise<PageDocument> {
    const known = this.#bound.get(frameId);
    if (known !== undefined) return known;
    const found = await documentIn(this.tabId, frameId);
    checkDocument(found, this.#tools.ownPort());
    this.bind(found);
    return found;
  }

  /** Asks the page that is shown now; for waiting only, which is done in whatever page comes. */
  async #askShown<N extends WaitingMethod>(name: N, options: PageMethods[N]['options']): Promise<PageMethods[N]['result']> {
    return this.#askDocument(await documentIn(this.tabId, 0), name, options).catch(goneWhenChanged);
  }

  async #askDocument<N extends PageMethod>(
    asked: PageDocument,
    name: N,
    options: PageMethods[N]['options'],
  ): Promise<PageMethods[N]['result']> {
    const { events, refBases, debuggers } = this.#tools;
    const { tabId } = this;
    const envelope: Envelope = { askId: crypto.randomUUID(), refBase: await refBases.of(tabId) };
    this.#signal.throwIfAborted();
    const answer = askDocument(tabId, asked, name, options, envelope);
    const abort = (): void => void cancelInDocument(tabId, asked, envelope.askId);
    this.#signal.addEventListener('abort', abort);
    try {
      const { value, refTop } = await debuggers.whileNoDialog(
        tabId,
        whileShown(events, tabId, whileAlive(tabId, asked, READING.has(name), answer)),
      );
      await refBases.raise(tabId, refTop);
      return value;
    } finally {
      this.#signal.removeEventListener('abort', abort);
    }
  }

  /** All frames that may be read. One that has gone elsewhere meanwhile is left out; the page itself must still be there. */
  async #snapshotFrames(urls: boolean): Promise<FramePart[]> {
    const parts = await this.#askAllowed('snapshot', { urls });
    return parts
      .map(({ frameId, parentFrameId, value }) => ({ frameId, parentFrameId, snapshot: value }))
      .toSorted((one, other) => one.frameId - other.frameId);
  }

  async #askAllowed<N extends PageMethod>(
    name: N,
    options: PageMethods[N]['options'],
  ): Promise<{ frameId: number; parentFrameId: number; value: PageMethods[N]['result'] }[]> {
    const [documents] = await Promise.all([allowedDocuments(this.tabId, this.#tools.ownPort()), this.#document(0)]);
    // The page itself is asked as always, so that what is wrong with it is told.
    const frames = documents.filter(({ frameId }) => frameId !== 0);
    const asked = [
      this.#askBound(name, options, 0).then((value) => ({ frameId: 0, parentFrameId: -1, value })),
      ...frames.map(async (frame) => {
        const value = await this.#askDocument(frame, name, options).catch(() => null);
        return value === null ? null : { frameId: frame.frameId, parentFrameId: frame.parentFrameId, value };
      }),
    ];
    return (await Promise.all(asked)).filter((part) => part !== null);
  }

  /** Starts loading a page and waits until it can be read; with `url`, only the load of that address counts. */
  async #load(start: () => Promise<unknown>, url?: string): Promise<Loaded> {
    this.#tools.requests.follow(this.tabId);
    const { url: shown = '', pendingUrl = '' } = await existing(this.tabId);
    const expected: Expected | undefined = url === undefined ? undefined : { url, before: [shown, pendingUrl] };
    const load = async (watch: NavigationWatch): Promise<Loaded> => {
      await start();
      const isReady = await this.#untilReady(watch);
      await this.#checkArrival();
      const settled = isReady ? await restLoaded(this.#watched(watch)) : { isReady };
      return this.#arrive(watch, settled.isReady);
    };
    return this.#watching(load, expected);
  }

  #loadSeen(start: () => Promise<unknown>, url?: string): Promise<Loaded> {
    return this.#tools.debuggers.whileSeen(this.tabId, () => this.#load(start, url));
  }

  async #watching<T>(work: (watch: NavigationWatch) => Promise<T>, expected?: Expected): Promise<T> {
    const watch = new NavigationWatch(this.#tools.events, this.tabId, expected);
    try {
      return await work(watch);
    } finally {
      watch.stop();
    }
  }

  async #untilReady(watch: NavigationWatch): Promise<boolean> {
    if (watch.phase === 'none') await watch.next(BEGIN_MS, this.#signal);
    if (watch.phase === 'none')
      throw new CompanionError(
        'NAVIGATION_FAILED',
        'The tab stayed where it is: there is nowhere to go, or the page asks the user whether to leave.',
      );
    return this.#arrived(watch);
  }

  async #arrived(watch: NavigationWatch): Promise<boolean> {
    await watch.committed(this.#signal);
    // A page from the back/forward cache is ready as soon as it is committed, and no event says so.
    return watch.phase === 'committed' && (await this.#isReadable()) ? true : watch.ready(this.#signal);
  }

  #watched(watch: NavigationWatch, pending: Pending | null = null): WatchedPage {
    const { requests } = this.#tools;
    return {
      watch,
      signal: this.#signal,
      requests: (since) => requests.underWay(this.tabId, since),
      lastRequestEnd: () => requests.lastEnd(this.tabId),
      state: () => this.#state(pending),
      arrived: () => this.#arrived(watch),
    };
  }

  /** What the page does now; null when the document has gone. */
  async #state(pending: Pending | null): Promise<PageState | null> {
    const [activity, count] = await Promise.all([this.#activity(), pending?.count() ?? 0]);
    return activity === null ? null : { ...activity, pending: count };
  }

  /** The page that an action or a load led to. */
  async #arrive(watch: NavigationWatch, isReady: boolean): Promise<Loaded> {
    await this.#checkArrival();
    const loaded = await this.#loaded(isReady);
    return watch.phase === 'moved' ? { ...loaded, status: 0 } : loaded;
  }

  async #loaded(isReady: boolean): Promise<Loaded> {
    try {
      return { ...(await this.#askShown('document', null)), isReady };
    } catch (error) {
      if (error instanceof DocumentGoneError || (error instanceof CompanionError && error.code === 'TAB_RESTRICTED')) {
        const tab = await existing(this.tabId);
        return { url: tab.url ?? '', title: tab.title ?? '', status: 0, isReady };
      }
      throw error;
    }
  }

  /** A redirect may lead where nobody may go. */
  async #checkArrival(): Promise<void> {
    const { url } = await this.info();
    if (isAllowedPage(url, this.#tools.ownPort()) || !url.startsWith('http')) return checkPage(url, this.#tools.ownPort());
    await chrome.tabs.update(this.tabId, { url: 'about:blank' });
    throw new PageError('TAB_RESTRICTED', 'It led to a page that is off limits, which was closed.', url);
  }

  /**
   * By the page itself: chrome.tabs.goBack and goForward leave out pages that no hand has touched, which is every page an agent visits.
   * https://chromium.googlesource.com/chromium/src/+/main/docs/history_manipulation_intervention.md
   */
  async #travel(way: 'back' | 'forward'): Promise<void> {
    await this.#askShown(way, null).catch(async (error: unknown) => {
      if (error instanceof DocumentGoneError) return;
      await (way === 'back' ? chrome.tabs.goBack(this.tabId) : chrome.tabs.goForward(this.tabId)).catch(() => {
        throw new CompanionError('NAVIGATION_FAILED', `There is no ${way === 'back' ? 'previous' : 'next'} page in this tab.`);
      });
    });
  }

  #isReadable(): Promise<boolean> {
    return this.#askShown('document', null).then(
      ({ isReady }) => isReady,
      () => false,
    );
  }

  /** Null when the document has gone. */
  #activity(): Promise<Activity | null> {
    return this.#askShown('activity', null).catch(nullWhenGone);
  }

  /** Hides what secret fields show; whether there was anything to hide. */
  async #mask(isSeen: boolean): Promise<boolean> {
    return (await this.#askAllowed('mask', { isSeen })).some(({ value }) => value.hidden);
  }

  async #unmask(): Promise<void> {
    await this.#askAllowed('unmask', null);
  }
}

const frameOf = (tabId: number): Promise<chrome.webNavigation.GetFrameResultDetails | null> =>
  chrome.webNavigation.getFrame({ tabId, frameId: 0 });

const nullWhenGone = (error: unknown): null => {
  if (error instanceof DocumentGoneError) return null;
  throw error;
};

/** What was asked goes on when the dialog is answered. */
const nullWhenDialog = (error: unknown): null => {
  if (error instanceof DialogOpenError) return null;
  throw error;
};

/** Chrome tells at once that it begins to load. */
const BEGIN_MS = 1_500;

/** A Change says that its page began to load another one. */
const isLeaving = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'isLeaving' in value && value.isLeaving === true;

/** A frame without an address of its own is judged by the page around it. */
const checkDocument = ({ frameId, url }: PageDocument, ownPort: number | null): void => {
  if (frameId === 0 || !url.startsWith('about:')) checkPage(url, ownPort);
};
