/** Loads pages in a tab, and says when one can be read: where it led, and whether anybody may go there. */
import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { type OffLimits, checkPage, isAllowedPage, isClosedSite } from '#extension/shared/addresses.ts';
import { DocumentGoneError, PageError, goneWhenChanged } from '#extension/toolkit/page-error.ts';
import type { Loaded } from '#extension/toolkit/page.ts';
import { reacts } from './alive.ts';
import { type AskedPage, type AskingTools, nullWhenGone } from './asked-page.ts';
import { type Debuggers, HeldBackError } from './debugger.ts';
import { documentIn } from './documents.ts';
import { type Glance, glanceAt, prepareDocument } from './inject.ts';
import type { Expected, NavigationWatch } from './navigation.ts';
import type { Pending } from './pending.ts';
import type { Requests } from './requests.ts';
import { pause } from './queue.ts';
import { AFTER_LOAD_MS, type PageState, type WatchedPage, restLoaded } from './settle.ts';
import type { Landing } from './tab-events.ts';
import { existing } from './tabs.ts';

/** What it needs of the worker to load. */
interface LoadingTools {
  readonly debuggers: Debuggers;
  readonly requests: Requests;
  readonly lastShown: AskingTools['lastShown'];
  readonly awaited: AskingTools['awaited'];
  /** The tabs in which a call loads a page now. */
  readonly loading: Set<number>;
  offLimits(): OffLimits;
}

/** A page that asks as it is about to go has gone a moment later, or asks something else. */
const HELD_MS = 50;
/** Chrome tells at once that it begins to load. */
const BEGIN_MS = 1_500;
/** For so long a page is loaded anew whose place was taken; most get through at the first or second time. */
const GIVING_WAY_MS = 10_000;
/** Chrome stops at once, whatever the page does. */
const STOP_MS = 500;
/** What a page that is there should have told by itself. */
const FIRST_MS = 30;
const EMPTY = 'about:blank';

const History = z.object({ currentIndex: z.number(), entries: z.array(z.looseObject({ id: z.number() })) });

type Way = 'back' | 'forward';

export class PageLoads {
  readonly #page: AskedPage;
  readonly #tools: LoadingTools;
  /** What the document that is coming tells when it is there. */
  #first: { readonly landing: Landing; readonly glance: Promise<Glance | null> } | null = null;

  constructor(page: AskedPage, tools: LoadingTools) {
    this.#page = page;
    this.#tools = tools;
  }

  /** Starts loading a page and waits until it can be read; with `url`, only the load of that address counts. `tab` is the tab as it is just now, where that is known. */
  async load(start: () => Promise<unknown>, url?: string, tab?: chrome.tabs.Tab): Promise<Loaded> {
    this.#tools.requests.follow(this.#page.tabId);
    const { url: shown = '', pendingUrl = '' } = tab ?? (await existing(this.#page.tabId));
    const expected: Expected | undefined = url === undefined ? undefined : { url, before: [shown, pendingUrl] };
    const load = async (watch: NavigationWatch): Promise<Loaded> => {
      this.#tools.loading.add(this.#page.tabId);
      try {
        return await this.#loadAnyway(start, watch);
      } finally {
        this.#tools.loading.delete(this.#page.tabId);
        // A call may be stopped before Chrome tells that it begins.
        if (watch.isUnanswered || (watch.phase === 'none' && this.#page.signal.aborted)) await this.#giveUp();
      }
    };
    return this.#page.watching(load, expected);
  }

  /** The page that is shown is left for that address, whatever it still asks. */
  async leaveFor(url: string, tab: chrome.tabs.Tab): Promise<Loaded> {
    const start = (): Promise<unknown> => {
      this.#tools.debuggers.leave(this.#page.tabId);
      return chrome.tabs.update(this.#page.tabId, { url });
    };
    const giveUpAt = Date.now() + GIVING_WAY_MS;
    for (;;) {
      try {
        return await this.loadSeen(start, url, tab);
      } catch (error) {
        if (!isHeldBack(error) || Date.now() >= giveUpAt) throw error;
        await pause(HELD_MS, this.#page.signal);
      }
    }
  }

  loadSeen(start: () => Promise<unknown>, url?: string, tab?: chrome.tabs.Tab): Promise<Loaded> {
    return this.#tools.debuggers.whileSeen(this.#page.tabId, () => this.load(start, url, tab));
  }

  /**
   * A page that hangs, in a loop or behind one message after the other, lets no other page of its own site come; an empty one it cannot keep out.
   * Resolves with the tab as it is then.
   */
  async makeRoom(): Promise<chrome.tabs.Tab> {
    // What holds the page is answered, and what it asks next: once Chrome is about to show the other page, it takes no answer any more.
    this.#tools.debuggers.leave(this.#page.tabId);
    const [tab, isFree] = await Promise.all([existing(this.#page.tabId), reacts(this.#page.tabId)]);
    const shown = isFree ? null : await documentIn(this.#page.tabId, 0).catch(() => null);
    if (shown === null) return tab;
    const expected: Expected = { url: EMPTY, before: [shown.url] };
    await this.#page.watching(async (watch) => {
      await chrome.tabs.update(this.#page.tabId, { url: EMPTY });
      await watch.committed(this.#page.signal);
    }, expected);
    return existing(this.#page.tabId);
  }

  /**
   * By the page itself: chrome.tabs.goBack and goForward leave out pages that no hand has touched, which is every page an agent visits.
   * https://chromium.googlesource.com/chromium/src/+/main/docs/history_manipulation_intervention.md
   */
  async travel(way: Way): Promise<void> {
    const isAttached = this.#tools.debuggers.isAttached(this.#page.tabId);
    // A page that has nowhere to go does not say so: it stays.
    if (isAttached && (await this.#entryBeside(way).catch(() => undefined)) === null) throw nowhere(way);
    await this.#page.askShown(way, null).catch(async (error: unknown) => {
      if (error instanceof DocumentGoneError || (await this.#travelByDebugger(way))) return;
      await (way === 'back' ? chrome.tabs.goBack(this.#page.tabId) : chrome.tabs.goForward(this.#page.tabId)).catch(() => {
        throw nowhere(way);
      });
    });
  }

  /** A page that says what went wrong takes no script. False where there is nowhere to go, or the debugger cannot be had. */
  async #travelByDebugger(way: Way): Promise<boolean> {
    const travel = async (): Promise<boolean> => {
      const entryId = await this.#entryBeside(way);
      if (entryId === null) return false;
      const { debuggers } = this.#tools;
      await debuggers.with(this.#page.tabId, this.#page.signal, ({ send }) => send('Page.navigateToHistoryEntry', { entryId }));
      return true;
    };
    return travel().catch(() => false);
  }

  /** The id of the page before or after this one in the tab's history; null where there is none. */
  async #entryBeside(way: Way): Promise<number | null> {
    const { debuggers } = this.#tools;
    const history = await debuggers.with(this.#page.tabId, this.#page.signal, ({ send }) => send('Page.getNavigationHistory', {}));
    const { currentIndex, entries } = History.parse(history);
    return entries[currentIndex + (way === 'back' ? -1 : 1)]?.id ?? null;
  }

  /** Waits until the page that was loaded does not lead on to another one. */
  async #untilStays(watch: NavigationWatch): Promise<Loaded> {
    const { landing } = watch;
    let seen: { readonly at: Landing | null; readonly glance: Glance } | null = null;
    const state = async (): Promise<PageState | null> => {
      const at = watch.landing;
      const shown = at === null ? await documentIn(this.#page.tabId, 0) : { frameId: 0, ...at };
      const first = await this.#firstOf(at);
      const glanced = first ?? (await this.#page.glance(shown).catch(goneWhenChanged).catch(nullWhenGone));
      if (glanced === null) return null;
      seen = { at, glance: glanced };
      // What only matters after an action is not looked for.
      const { loadedMs: quietMs } = glanced;
      const isLoading = glanced.isLoading && this.#mayCome(shown.documentId);
      return {
        quietMs,
        restlessMs: 0,
        isLoading,
        mutations: 0,
        looksOther: false,
        animations: 0,
        pending: 0,
        leftAt: 0,
        downloadsAt: [],
        isOpening: false,
      };
    };
    const loaded = async (): Promise<Loaded | null> => {
      const gaveUp = (): void => this.#giveUpOn(landing?.documentId);
      const { isReady } = await restLoaded({ ...this.watched(watch), state, gaveUp });
      return seen === null || seen.at !== landing || watch.landing !== landing || watch.phase !== 'ready'
        ? null
        : { url: seen.glance.url, title: seen.glance.title, status: seen.glance.status, isReady, brokenBy: watch.brokenBy };
    };
    // An empty page has no site, and nothing can be asked in it.
    const told = await this.#checked(loaded().catch(nullWhenRestricted));
    // For the next call, which need not be waited for.
    if (told !== null && landing !== null) void prepareDocument(this.#page.tabId, landing.documentId);
    return told ?? this.arrive(watch, true);
  }

  /** Nobody waits for that page any more. As long as Chrome does, the debugger runs no code in the one that is shown. */
  async #giveUp(): Promise<void> {
    const { debuggers } = this.#tools;
    const stopped = debuggers.with(this.#page.tabId, AbortSignal.timeout(STOP_MS), ({ send }) => send('Page.stopLoading', {}));
    // Nothing needs the debugger where it cannot be had.
    await stopped.catch(() => null);
  }

  /** A page that loads itself again and again takes the place of another one that was begun, unless that comes between two of its loads. */
  async #loadAnyway(start: () => Promise<unknown>, watch: NavigationWatch): Promise<Loaded> {
    const giveUpAt = Date.now() + GIVING_WAY_MS;
    await start();
    for (;;) {
      try {
        const loaded = (await this.#untilReady(watch)) ? await this.#untilStays(watch) : await this.arrive(watch, false);
        if (watch.replacement !== 'before') return loaded;
      } catch (error) {
        // Chrome has told what took its place by the time that it answers.
        await existing(this.#page.tabId).catch(() => null);
        if (watch.replacement === null || this.#page.signal.aborted || Date.now() >= giveUpAt) throw error;
      }
      if (watch.replacement === 'before' && Date.now() < giveUpAt) await start();
    }
  }

  async #untilReady(watch: NavigationWatch): Promise<boolean> {
    if (watch.phase === 'none') await watch.next(BEGIN_MS, this.#page.signal);
    if (watch.phase === 'none')
      throw new CompanionError(
        'NAVIGATION_FAILED',
        'The tab stayed where it is: there is nowhere to go, or the page asks the user whether to leave.',
      );
    return this.#arrived(watch);
  }

  async #arrived(watch: NavigationWatch): Promise<boolean> {
    await this.#tools.debuggers.whileNoDialog(this.#page.tabId, watch.committed(this.#page.signal));
    const { landing } = watch;
    // A page from the back/forward cache is ready as soon as it is committed, and no event says so.
    if (landing?.mayBeKept === true && watch.phase === 'committed' && (await this.#isReadable())) return true;
    // It answers when the page is there, without another way to a page that is busy then.
    if (landing !== null) this.#first = { landing, glance: glanceAt(this.#page.tabId, landing, AFTER_LOAD_MS).catch(() => null) };
    const ready = watch.ready(() => this.#streams(), this.#page.signal);
    const isReady = await this.#tools.debuggers.whileNoDialog(this.#page.tabId, ready);
    if (watch.brokenBy !== null) this.#giveUpOn(landing?.documentId);
    return isReady;
  }

  /** What the document that has come told first, once; null where it does not, and is asked again. */
  async #firstOf(landing: Landing | null): Promise<Glance | null> {
    const first = this.#first;
    this.#first = null;
    return first === null || first.landing !== landing
      ? null
      : Promise.race([first.glance, pause(FIRST_MS, this.#page.signal).then(() => null)]);
  }

  watched(watch: NavigationWatch, pending: Pending | null = null): WatchedPage {
    const { requests } = this.#tools;
    return {
      watch,
      signal: this.#page.signal,
      requests: (since) => requests.underWay(this.#page.tabId, since),
      lastRequestEnd: () => requests.lastEnd(this.#page.tabId),
      restlessRequestsMs: () => requests.restlessMs(this.#page.tabId),
      state: () => this.#state(watch, pending),
      calm: () => pending?.over() ?? Promise.resolve(),
      gaveUp: () => this.#giveUpOn(this.#tools.lastShown.get(this.#page.tabId)?.documentId),
      arrived: () => this.#arrived(watch),
    };
  }

  /** What the page does now; null when the document has gone. */
  async #state({ phase, opened }: NavigationWatch, pending: Pending | null): Promise<PageState | null> {
    const stayed = phase === 'none' || phase === 'moved' ? this.#page.bound(0) : undefined;
    const awaitsFrame = this.#page.hasMoved ?? true;
    const watched = stayed === undefined ? null : (pending?.watched(stayed.documentId, awaitsFrame) ?? null);
    const asked = this.#page.activity(stayed, watched);
    const told = watched === null ? null : asked.then((activity) => activity?.pending);
    const [activity, count] = await Promise.all([asked, pending?.count(awaitsFrame, told) ?? 0]);
    const isOpening = opened.length === 0 && pending?.hasOpened === true;
    if (activity === null) return null;
    const isLoading = activity.isLoading && this.#mayCome(this.#tools.lastShown.get(this.#page.tabId)?.documentId);
    // The page counts what it has asked for, and does not know that a request waits for the person.
    const heldBack = pending === null ? 0 : this.#tools.requests.heldBack(this.#page.tabId, pending.beganAt);
    return { ...activity, isLoading, pending: Math.max(0, count - heldBack), isOpening };
  }

  /** The rest of a document does not come by being waited for: its server has broken off, or keeps silent. */
  #giveUpOn(documentId: string | undefined): void {
    if (documentId !== undefined) this.#tools.awaited.set(this.#page.tabId, documentId);
  }

  /** Whether its rest is worth a wait. */
  #mayCome(documentId: string | undefined): boolean {
    return documentId === undefined || this.#tools.awaited.get(this.#page.tabId) !== documentId;
  }

  /** The page that an action or a load led to. */
  async arrive(watch: NavigationWatch, isReady: boolean): Promise<Loaded> {
    const loaded = { ...(await this.#checked(this.#loaded(isReady))), brokenBy: watch.brokenBy };
    return watch.phase === 'moved' ? { ...loaded, status: 0 } : loaded;
  }

  async #loaded(isReady: boolean): Promise<Loaded> {
    try {
      const { url, title, status } = await this.#page.glance(await documentIn(this.#page.tabId, 0)).catch(goneWhenChanged);
      return { url, title, status, isReady };
    } catch (error) {
      if (error instanceof DocumentGoneError || (error instanceof CompanionError && error.code === 'TAB_RESTRICTED')) {
        const tab = await existing(this.#page.tabId);
        return { url: tab.url ?? '', title: tab.title ?? '', status: 0, isReady };
      }
      throw error;
    }
  }

  /** The answer of a page to which something led, told only if it may be looked at. */
  async #checked<T>(answer: Promise<T>): Promise<T> {
    answer.catch(() => null);
    await this.#checkArrival();
    return answer;
  }

  /** A redirect may lead where nobody may go. */
  async #checkArrival(): Promise<void> {
    const { url } = await this.#page.info();
    if (isAllowedPage(url, this.#tools.offLimits()) || !url.startsWith('http')) return checkPage(url, this.#tools.offLimits());
    await chrome.tabs.update(this.#page.tabId, { url: EMPTY });
    const code = isClosedSite(url, this.#tools.offLimits()) ? 'SITE_NOT_ALLOWED' : 'TAB_RESTRICTED';
    throw new PageError(code, 'It led to a page that is off limits, which was closed.', url);
  }

  #isReadable(): Promise<boolean> {
    return this.#shows(({ isLoading }) => !isLoading);
  }

  /** Whether the page has text, and its server goes on sending. */
  #streams(): Promise<boolean> {
    return this.#shows(({ isComing, hasText }) => isComing && hasText);
  }

  #shows(what: (glance: Glance) => boolean): Promise<boolean> {
    return documentIn(this.#page.tabId, 0)
      .then((shown) => this.#page.glance(shown))
      .then(what, () => false);
  }
}

const nowhere = (way: Way): CompanionError =>
  new CompanionError('NAVIGATION_FAILED', `There is no ${way === 'back' ? 'previous' : 'next'} page in this tab.`, {
    remedy: 'Open an address with browser_navigate.',
  });

const nullWhenRestricted = (error: unknown): null => {
  if (error instanceof CompanionError && error.code === 'TAB_RESTRICTED') return null;
  throw error;
};

/** Chrome says the second where a page asks in the very moment in which it is to be left. */
const isHeldBack = (error: unknown): boolean =>
  error instanceof HeldBackError || (error instanceof Error && error.message === 'Navigation rejected.');
