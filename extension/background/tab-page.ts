/** A tab as the tools see it. */
import { CompanionError } from '#protocol/errors.ts';
import type { PageCall, PageCalls } from '#extension/content/api.ts';
import { checkPage } from '#extension/shared/addresses.ts';
import { DocumentGoneError } from '#extension/tools/page-error.ts';
import type { Acted, Loaded, Page } from '#extension/tools/page.ts';
import type { FramePart } from '#extension/tools/snapshot-text.ts';
import { whileAlive, whileShown } from './alive.ts';
import { capture } from './capture.ts';
import { withDebugger } from './debugger.ts';
import { askFrame, askFrames, cancelFrame } from './inject.ts';
import { pressMouse } from './mouse.ts';
import { type Expected, type NavigationWatch, watchNavigation } from './navigation.ts';
import { orAborted, pause } from './queue.ts';
import type { RefBases } from './ref-bases.ts';
import type { Requests } from './requests.ts';
import { settle } from './settle.ts';
import type { TabEvents } from './tab-events.ts';
import { existing } from './tabs.ts';

export interface PageWorld {
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
const READING = new Set<PageCall>(['reaction', 'snapshot', 'waitForSomething']);

export const createPage = (tabId: number, signal: AbortSignal, world: PageWorld, owner: PageOwner): Page => {
  const { events, requests, refBases } = world;

  const call = async <N extends PageCall>(name: N, options: PageCalls[N]['options'], frameId = 0): Promise<PageCalls[N]['result']> => {
    const callId = crypto.randomUUID();
    signal.throwIfAborted();
    const asked = askFrame(tabId, frameId, name, options, { callId, refBase: await refBases.of(tabId) });
    const abort = (): void => void cancelFrame(tabId, frameId, callId);
    signal.addEventListener('abort', abort);
    try {
      const { value, refTop } = await whileShown(events, tabId, whileAlive(tabId, frameId, READING.has(name), asked));
      await refBases.raise(tabId, refTop);
      return value;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  };

  const watching = async <T>(work: (watch: NavigationWatch) => Promise<T>, expected?: Expected): Promise<T> => {
    const watch = watchNavigation(events, tabId, expected);
    try {
      return await work(watch);
    } finally {
      watch.stop();
    }
  };

  const info = async (): Promise<{ url: string; title: string }> => {
    const { url = '', title = '', pendingUrl = '' } = await existing(tabId);
    // The tab's own address lags behind: for a moment after a load it is still the old one.
    const frame = await chrome.webNavigation.getFrame({ tabId, frameId: 0 });
    return { url: frame?.url || url || pendingUrl, title };
  };

  const loaded = async (isReady: boolean): Promise<Loaded> => {
    const tab = await existing(tabId);
    try {
      return { ...(await call('document', null)), isReady };
    } catch (error) {
      if (error instanceof DocumentGoneError || (error instanceof CompanionError && error.code === 'TAB_RESTRICTED')) {
        return { url: tab.url ?? '', title: tab.title ?? '', status: 0, isReady };
      }
      throw error;
    }
  };

  /** A redirect may lead where nobody may go. */
  const checkArrival = async (): Promise<void> => {
    const { url } = await info();
    try {
      checkPage(url, world.ownPort());
    } catch (error) {
      if (URL.parse(url)?.protocol.startsWith('http') === true) await chrome.tabs.update(tabId, { url: 'about:blank' });
      throw error;
    }
  };

  const load = async (start: () => Promise<unknown>, url?: string): Promise<Loaded> => {
    requests.follow(tabId);
    const { url: shown = '', pendingUrl = '' } = await existing(tabId);
    const expected = url === undefined ? undefined : { url, before: [shown, pendingUrl] };
    return watching(async (watch) => {
      await start();
      const isReady = await untilReady(watch);
      await checkArrival();
      return loaded(isReady);
    }, expected);
  };

  const untilReady = async (watch: NavigationWatch): Promise<boolean> => {
    if (watch.phase === 'none') await watch.next(BEGIN_MS, signal);
    if (watch.phase === 'none')
      throw new CompanionError(
        'NAVIGATION_FAILED',
        'The tab stayed where it is: there is nowhere to go, or the page asks the user whether to leave.',
      );
    await watch.committed(signal);
    // A page from the back/forward cache is ready as soon as it is committed, and no event says so.
    return watch.phase === 'committed' && (await isReadable()) ? true : watch.ready(signal);
  };

  /**
   * By the page itself: chrome.tabs.goBack leaves out pages that no hand has touched, which is every page an agent visits.
   * https://chromium.googlesource.com/chromium/src/+/main/docs/history_manipulation_intervention.md
   */
  const goBack = async (): Promise<void> => {
    await call('back', null).catch(async (error: unknown) => {
      if (error instanceof DocumentGoneError) return;
      await chrome.tabs.goBack(tabId).catch(() => {
        throw new CompanionError('NAVIGATION_FAILED', 'There is no previous page in this tab.');
      });
    });
  };

  const isReadable = async (): Promise<boolean> =>
    call('document', null)
      .then(({ isReady }) => isReady)
      .catch(() => false);

  const activity = async (): Promise<{ quietMs: number; mutations: number } | null> => {
    try {
      return await call('activity', null);
    } catch (error) {
      if (error instanceof DocumentGoneError) return null;
      throw error;
    }
  };

  const act = async <T>(action: () => Promise<T>): Promise<Acted<T>> => {
    requests.follow(tabId);
    return watching(async (watch) => {
      const startedAt = Date.now();
      const value = await action().catch((error: unknown) => {
        if (error instanceof DocumentGoneError) return null;
        throw error;
      });
      const arrived = await settle(
        {
          watch,
          signal,
          startedAt,
          requests: () => requests.underWay(tabId, startedAt),
          lastRequestEnd: () => requests.lastEnd(tabId),
          activity,
          loaded,
        },
        isLeaving(value),
      );
      if (arrived !== null) await checkArrival();
      for (const opened of watch.opened) await owner.adopt(opened.tabId);
      return { value, loaded: arrived, newTabs: watch.opened };
    });
  };

  const rest = async (): Promise<void> => {
    if ((await call('activity', null)).isLoading) await watching((watch) => watch.next(LOADING_LIMIT_MS, signal));
    // A model takes longer than this between two calls; a script does not, and would read what is about to change.
    await call('reaction', null);
    const startedAt = Date.now();
    for (;;) {
      const state = await activity();
      const underWay = requests.underWay(tabId, 0);
      if (state !== null && state.quietMs >= REST_QUIET_MS && underWay === 0) return;
      if (Date.now() - startedAt > (underWay === 0 ? REST_LIMIT_MS : REQUEST_LIMIT_MS)) return;
      await pause(Math.max(5, REST_QUIET_MS - (state?.quietMs ?? 0)), signal);
    }
  };

  const framesOf = async (urls: boolean): Promise<FramePart[]> => {
    const envelope = { callId: crypto.randomUUID(), refBase: await refBases.of(tabId) };
    const all = askFrames(tabId, 'snapshot', { urls }, envelope);
    const answers = await whileAlive(tabId, 0, true, all);
    const tree = (await chrome.webNavigation.getAllFrames({ tabId })) ?? [];
    for (const { refTop } of answers) await refBases.raise(tabId, refTop);
    return answers
      .filter(({ value }) => isAllowed(value.url))
      .map(({ frameId, value }) => ({
        frameId,
        parentFrameId: tree.find((frame) => frame.frameId === frameId)?.parentFrameId ?? -1,
        snapshot: value,
      }))
      .toSorted((one, other) => one.frameId - other.frameId);
  };

  const isAllowed = (url: string): boolean => {
    if (url === 'about:srcdoc') return true;
    try {
      checkPage(url, world.ownPort());
      return true;
    } catch {
      return false;
    }
  };

  return {
    tabId,
    wake: async () => {
      if ((await existing(tabId)).discarded) await load(() => chrome.tabs.reload(tabId));
    },
    info,
    call: (name, options, frameId) => orAborted(call(name, options, frameId), signal),
    frames: async ({ aim, urls }) => {
      if (aim === null) return orAborted(framesOf(urls), signal);
      const snapshot = await call('snapshot', { target: aim.target, urls }, aim.frameId);
      const rest = await framesOf(urls);
      return [{ frameId: aim.frameId, parentFrameId: -1, snapshot }, ...rest.filter((part) => part.frameId !== aim.frameId)];
    },
    act,
    rest,
    open: (url) => load(() => chrome.tabs.update(tabId, { url }), url),
    back: () => load(goBack),
    openBeside: (url) => owner.openBeside(url),
    withInput: (task) =>
      withDebugger(tabId, signal, (attached) => task({ press: (point, options) => pressMouse(attached, point, options) })),
    capture: async ({ type, box, fullPage }) => {
      const masks = await maskAll(true);
      try {
        return await capture({ tabId, type, box, fullPage, size: await call('size', null), signal });
      } finally {
        if (masks) await maskAll(false);
      }
    },
  };

  async function maskAll(isOn: boolean): Promise<boolean> {
    const envelope = { callId: crypto.randomUUID(), refBase: await refBases.of(tabId) };
    if (!isOn) return (await askFrames(tabId, 'unmask', null, envelope)).length > 0;
    return (await askFrames(tabId, 'mask', null, envelope)).some(({ value }) => value.hidden);
  }
};

/** Chrome tells at once that it begins to load. */
const BEGIN_MS = 1_500;

/** A Change says that its page began to load another one. */
const isLeaving = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'isLeaving' in value && value.isLeaving === true;
