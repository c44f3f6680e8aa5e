/** A tab as the tools see it. */
import { CompanionError } from '#protocol/errors.ts';
import type { Box, PageMethod, PageMethods } from '#extension/content/api.ts';
import { checkPage, isAllowedPage } from '#extension/shared/addresses.ts';
import { DocumentChangedError, DocumentGoneError, PageError, goneWhenChanged } from '#extension/toolkit/page-error.ts';
import type { Acted, Aim, Input, Loaded, Page, Picture } from '#extension/toolkit/page.ts';
import type { FramePart } from '#extension/toolkit/snapshot-text.ts';
import { whileAlive, whileShown } from './alive.ts';
import { capture } from './capture.ts';
import { withDebugger } from './debugger.ts';
import { allowedDocuments, documentIn } from './documents.ts';
import { type Envelope, type PageDocument, askDocument, cancelInDocument } from './inject.ts';
import { Mouse } from './mouse.ts';
import { type Expected, NavigationWatch } from './navigation.ts';
import { orAborted, pause } from './queue.ts';
import type { RefBases } from './ref-bases.ts';
import type { Requests } from './requests.ts';
import { type Scene, settle } from './settle.ts';
import type { TabEvents } from './tab-events.ts';
import { existing } from './tabs.ts';

/** What every page needs of the worker. */
export interface PageTools {
  readonly events: TabEvents;
  readonly requests: Requests;
  readonly refBases: RefBases;
  ownPort(): number | null;
}

/** What a page does to the tabs of the session it belongs to. */
export interface PageOwner {
  openBeside(url: string): Promise<number>;
  /** A tab that a page of the session opened is the session's. */
  adopt(tabId: number): Promise<void>;
}

/** Reading waits for a page that is just changing, but not for long. */
const REST_LIMIT_MS = 1_000;
const REQUEST_LIMIT_MS = 3_000;
const REST_QUIET_MS = 60;
const LOADING_LIMIT_MS = 5_000;

/** Calls that only look, and may take longer on a large page. */
const READING = new Set<PageMethod>(['reaction', 'snapshot', 'waitForSomething']);

/** What may be asked of a page that nobody has looked at yet: it tells nothing but its state and address. */
type WaitingMethod = 'activity' | 'reaction' | 'document' | 'back';

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
    if ((await existing(this.tabId)).discarded) await this.#load(() => chrome.tabs.reload(this.tabId));
    // A tab that was just made has no document for a moment.
    await this.#watching(async (watch) => {
      const hasPage = (await chrome.webNavigation.getFrame({ tabId: this.tabId, frameId: 0 })) !== null;
      if (!hasPage && (await existing(this.tabId)).status === 'loading') await watch.next(LOADING_LIMIT_MS, this.#signal);
    });
  }

  async info(): Promise<{ url: string; title: string }> {
    const { url = '', title = '', pendingUrl = '' } = await existing(this.tabId);
    // The tab's own address lags behind: for a moment after a load it is still the old one.
    const frame = await chrome.webNavigation.getFrame({ tabId: this.tabId, frameId: 0 });
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
    const { requests } = this.#tools;
    requests.follow(this.tabId);
    return this.#watching(async (watch) => {
      const startedAt = Date.now();
      const value = await action().catch(nullWhenGone);
      const scene: Scene = {
        watch,
        signal: this.#signal,
        startedAt,
        requests: () => requests.underWay(this.tabId, startedAt),
        lastRequestEnd: () => requests.lastEnd(this.tabId),
        activity: () => this.#activity(),
        loaded: (isReady) => this.#loaded(isReady),
      };
      const arrived = await settle(scene, isLeaving(value));
      if (arrived !== null) await this.#checkArrival();
      for (const opened of watch.opened) await this.#owner.adopt(opened.tabId);
      return { value, loaded: arrived, newTabs: watch.opened };
    });
  }

  async rest(): Promise<void> {
    await this.#untilLoaded();
    // A model takes longer than this between two calls; a script does not, and would read what is about to change.
    await this.#askShown('reaction', null).catch(nullWhenGone);
    const startedAt = Date.now();
    for (;;) {
      const state = await this.#activity();
      const underWay = this.#tools.requests.underWay(this.tabId, 0);
      if (state !== null && state.quietMs >= REST_QUIET_MS && underWay === 0) return;
      if (Date.now() - startedAt > (underWay === 0 ? REST_LIMIT_MS : REQUEST_LIMIT_MS)) return;
      await pause(Math.max(5, REST_QUIET_MS - (state?.quietMs ?? 0)), this.#signal);
    }
  }

  open(url: string): Promise<Loaded> {
    return this.#load(() => chrome.tabs.update(this.tabId, { url }), url);
  }

  back(): Promise<Loaded> {
    return this.#load(() => this.#goBack());
  }

  openBeside(url: string): Promise<number> {
    return this.#owner.openBeside(url);
  }

  async withInput<T>(task: (input: Input) => Promise<T>): Promise<T> {
    const page = await this.#document(0);
    return withDebugger(this.tabId, this.#signal, (attached) => task(new Mouse(attached, this.tabId, page)));
  }

  /** A picture of this page, or none: one that may show another page or tab is thrown away. */
  async capture({ type, box, fullPage }: { type: 'png' | 'jpeg'; box: Box | null; fullPage: boolean }): Promise<Picture> {
    const size = await this.ask('size', null);
    return this.#watching(async (watch) => {
      const hasMasks = await this.#mask();
      try {
        const picture = await capture({ tabId: this.tabId, type, box, fullPage, size, signal: this.#signal });
        await this.#checkStillThere(watch);
        return picture;
      } finally {
        if (hasMasks) await this.#unmask().catch(nullWhenGone);
      }
    });
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
    const { events, refBases } = this.#tools;
    const { tabId } = this;
    const envelope: Envelope = { askId: crypto.randomUUID(), refBase: await refBases.of(tabId) };
    this.#signal.throwIfAborted();
    const answer = askDocument(tabId, asked, name, options, envelope);
    const abort = (): void => void cancelInDocument(tabId, asked, envelope.askId);
    this.#signal.addEventListener('abort', abort);
    try {
      const { value, refTop } = await whileShown(events, tabId, whileAlive(tabId, asked, READING.has(name), answer));
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
    const documents = await allowedDocuments(this.tabId, this.#tools.ownPort());
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
    return this.#watching(async (watch) => {
      await start();
      const isReady = await this.#untilReady(watch);
      await this.#checkArrival();
      return this.#loaded(isReady);
    }, expected);
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
    await watch.committed(this.#signal);
    // A page from the back/forward cache is ready as soon as it is committed, and no event says so.
    return watch.phase === 'committed' && (await this.#isReadable()) ? true : watch.ready(this.#signal);
  }

  async #loaded(isReady: boolean): Promise<Loaded> {
    const tab = await existing(this.tabId);
    try {
      return { ...(await this.#askShown('document', null)), isReady };
    } catch (error) {
      if (error instanceof DocumentGoneError || (error instanceof CompanionError && error.code === 'TAB_RESTRICTED')) {
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
   * By the page itself: chrome.tabs.goBack leaves out pages that no hand has touched, which is every page an agent visits.
   * https://chromium.googlesource.com/chromium/src/+/main/docs/history_manipulation_intervention.md
   */
  async #goBack(): Promise<void> {
    await this.#askShown('back', null).catch(async (error: unknown) => {
      if (error instanceof DocumentGoneError) return;
      await chrome.tabs.goBack(this.tabId).catch(() => {
        throw new CompanionError('NAVIGATION_FAILED', 'There is no previous page in this tab.');
      });
    });
  }

  async #untilLoaded(): Promise<void> {
    if ((await this.#activity())?.isLoading === false) return;
    await this.#watching((watch) => watch.next(LOADING_LIMIT_MS, this.#signal));
  }

  #isReadable(): Promise<boolean> {
    return this.#askShown('document', null).then(
      ({ isReady }) => isReady,
      () => false,
    );
  }

  /** Null when the document has gone. */
  #activity(): Promise<PageMethods['activity']['result'] | null> {
    return this.#askShown('activity', null).catch(nullWhenGone);
  }

  /** Hides what secret fields show; whether there was anything to hide. */
  async #mask(): Promise<boolean> {
    return (await this.#askAllowed('mask', null)).some(({ value }) => value.hidden);
  }

  async #unmask(): Promise<void> {
    await this.#askAllowed('unmask', null);
  }
}

const nullWhenGone = (error: unknown): null => {
  if (error instanceof DocumentGoneError) return null;
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
