/**
 * Waits until what an action set off has come to rest, by what really goes on: requests, timers, animations, changes of the page, a
 * navigation. It is the worker that looks and decides, because a page's own timers are held back to one a second where nobody sees it.
 */
import type { Activity } from '#extension/content/api.ts';
import { toSystemTime } from '#extension/shared/clock.ts';
import { pause } from './queue.ts';
import type { NavigationWatch } from './navigation.ts';

/** No change for this long, and nothing under way: the page is at rest. */
const QUIET_MS = 25;
/** A page that did not change for this long does not change now. */
export const STILL_MS = 300;
const LOOK_MS = 8;
/** A page tells when what it began is over; one that keeps its timers back is looked at as often as this. */
const PENDING_MS = 32;
/** A page that never stops changing is read as it is. */
const NOISE_LIMIT_MS = 1_500;
/** One that had not stopped for so long before is not waited for as long again. */
const KNOWN_NOISE_LIMIT_MS = 300;
const REQUEST_LIMIT_MS = 4_000;
/** Requests that have followed each other without a pause for so long are the page's own news, and have no end. */
const NEWS_MS = 2 * REQUEST_LIMIT_MS;
/** A page that said it is leaving begins to load another one within this. */
const LEAVING_MS = 1_000;
/** What an action has led to is told without the page that its server has not begun to send by then: done again, the action would be done twice. */
const ANSWER_MS = 10_000;
/** Pages that have led on to another one so often in a row do it without end. */
const MOST_LOADS = 10;
/** A tab that a page has opened is told of within this, also by a browser that is busy with others. */
const OPENING_MS = 5_000;

/** What is taken for rest: no change for this long, seen this many times in a row. */
interface Calm {
  readonly quietMs: number;
  readonly looks: number;
  /** After an action: one that changed nothing by then, and began nothing, has no effect. */
  readonly firstMs: number;
}
/** What an action of a tool set off is known, by requests, timers and the like. */
const AFTER_ACTION: Calm = { quietMs: QUIET_MS, looks: 1, firstMs: 12 };
/** Text that stands in a field, and code that was waited for to its end: the page has heard of it, and what it began is known. */
const AFTER_DONE: Calm = { ...AFTER_ACTION, firstMs: 0 };
/** It is enough that the page does not lead on to another one. A tool that reads the page waits for its rest. */
export const AFTER_LOAD_MS = 4;
const AFTER_LOAD: Calm = { quietMs: AFTER_LOAD_MS, looks: 1, firstMs: 0 };
/** What something else has set off shows by changes only. A page that was held up may look still before it does what is due; it does that between two looks. */
const BEFORE_READING: Calm = { quietMs: 60, looks: 2, firstMs: 0 };

/** What a page does now. */
export interface PageState extends Activity {
  /** Timers that fire soon, requests and the like, begun since the last action. */
  readonly pending: number;
  /** The page has opened a tab of which the browser has not told yet. */
  readonly isOpening: boolean;
}

/** What is known of a tab while its page is waited for. */
export interface WatchedPage {
  readonly watch: NavigationWatch;
  readonly signal: AbortSignal;
  /** Requests under way that began since then; with null, all that the page needs. */
  requests(since: number | null): number;
  lastRequestEnd(): number;
  /** How long there has been no pause between them. */
  restlessRequestsMs(): number;
  /** Null when the document has gone. */
  state(): Promise<PageState | null>;
  /** Resolves when nothing is pending any more. */
  calm(): Promise<void>;
  /** It was still loading at the limit of a wait. */
  gaveUp(): void;
  /** Waits until the page that is being loaded can be read; false when it was still loading at the limit. */
  arrived(): Promise<boolean>;
}

/** What the waiting came to: whether another page was loaded, and whether it can be read. */
export interface Settled {
  readonly hasLoaded: boolean;
  /** Each page leads on to another one: none of them stays. */
  readonly isEndless: boolean;
  readonly isReady: boolean;
  /** The server of the page that the action leads to has not answered yet. */
  readonly isUnanswered: boolean;
  /** The address that the action led to and that gave no page, so that the page stays. */
  readonly unfulfilled: string | null;
  /** How many files the page has asked for. */
  readonly downloads: number;
  /** Changes of the document since the action began. */
  readonly mutations: number;
  /** A field holds something else than when the receipt was written, or something has come to the end of its animation since. */
  readonly looksOther: boolean;
}

/** After an action that began at `startedAt`, as `performance.now()` tells it, which may be over as soon as it is done. */
export const settle = (page: WatchedPage, startedAt: number, isDone = false): Promise<Settled> =>
  follow(page, startedAt, true, isDone ? AFTER_DONE : AFTER_ACTION);

/** After a page was loaded. */
export const restLoaded = (page: WatchedPage): Promise<Settled> => follow(page, performance.now(), false, AFTER_LOAD);

/** Before a page is read. */
export const restForReading = (page: WatchedPage): Promise<Settled> => follow(page, performance.now(), false, BEFORE_READING);

/** Through all the pages that lead on to another one. */
const follow = async (page: WatchedPage, startedAt: number, isAction: boolean, calm: Calm): Promise<Settled> => {
  let settled: Settled = {
    hasLoaded: false,
    isEndless: false,
    isReady: true,
    isUnanswered: false,
    unfulfilled: null,
    downloads: 0,
    mutations: 0,
    looksOther: false,
  };
  let loads = 0;
  for (let since = startedAt; ; since = performance.now()) {
    if (isUnderWay(page.watch)) {
      settled = { ...settled, ...(await arrival(page, isAction)) };
      if (!settled.isReady) return settled;
      loads += 1;
      if (loads === MOST_LOADS) return { ...settled, isEndless: true };
      continue;
    }
    const isFirst = isAction && !settled.hasLoaded && settled.unfulfilled === null;
    const state = await comesToRest(page, since, isFirst, calm);
    if (state === 'left') continue;
    return {
      ...settled,
      downloads: isAction ? (state?.downloadsAt ?? []).filter((at) => at >= toSystemTime(startedAt)).length : 0,
      mutations: state?.mutations ?? 0,
      looksOther: state?.looksOther === true,
    };
  }
};

/** What came of the load that is under way. */
const arrival = async (page: WatchedPage, isAction: boolean): Promise<Partial<Settled>> => {
  try {
    if (isAction && page.watch.phase === 'begun' && !(await page.watch.answered(page.signal, ANSWER_MS)))
      return { isReady: false, isUnanswered: true };
    return { hasLoaded: true, isReady: await page.arrived() };
  } catch (error) {
    const unfulfilled = isAction ? page.watch.takeUnfulfilled() : null;
    if (unfulfilled === null) throw error;
    return { unfulfilled };
  }
};

const isUnderWay = ({ phase }: NavigationWatch): boolean => phase === 'begun' || phase === 'committed';

interface Awaited {
  readonly underWay: number;
  readonly sinceMs: number;
  /** The page had asked its server for one thing after the other before that. */
  readonly wasAsking: boolean;
  readonly isAction: boolean;
}

/** A page that does not change, and has put off what is due, is no noise: it, or the whole machine, is busy. */
const limitOf = (state: PageState | null, { underWay, sinceMs, wasAsking, isAction }: Awaited): number => {
  const isHeldUp = state !== null && state.pending > 0 && state.quietMs >= STILL_MS;
  // What an action has asked for is among it.
  if (wasAsking && state?.isLoading !== true) return isAction ? NOISE_LIMIT_MS : KNOWN_NOISE_LIMIT_MS;
  if (underWay > 0 || state?.isLoading === true || isHeldUp) return REQUEST_LIMIT_MS;
  const wasNoisy = state !== null && state.restlessMs - sinceMs > NOISE_LIMIT_MS;
  return wasNoisy ? KNOWN_NOISE_LIMIT_MS : NOISE_LIMIT_MS;
};

/** The page as it is then, or that it was left meanwhile. */
const comesToRest = async (page: WatchedPage, since: number, isAction: boolean, calm: Calm): Promise<PageState | 'left' | null> => {
  const { watch, signal } = page;
  const beganAt = performance.now();
  let looks = 0;
  let hasWaited = false;
  let tabDueAt: number | null = null;
  for (;;) {
    const state = await page.state();
    if (isAction && state !== null && watch.phase === 'none') {
      if (state.isOpening) tabDueAt ??= performance.now() + OPENING_MS;
      if (state.isOpening && tabDueAt !== null && performance.now() < tabDueAt) {
        await watch.next(tabDueAt - performance.now(), signal);
        // It may have been told of something else.
        if (!isUnderWay(watch)) continue;
      } else if (state.leftAt >= toSystemTime(since) && !hasWaited) {
        hasWaited = true;
        await watch.next(LEAVING_MS, signal);
      }
    }
    if (isUnderWay(watch)) return 'left';
    const now = performance.now();
    const underWay = page.requests(isAction ? since : null);
    const passedMs = isAction ? now - since : Infinity;
    const restsInMs = state === null || underWay > 0 ? Infinity : timeToRest(state, now - page.lastRequestEnd(), passedMs, calm);
    const isResting = state !== null && restsInMs <= 0;
    looks = isResting ? looks + 1 : 0;
    if (isResting && (looks >= calm.looks || state.quietMs >= STILL_MS)) return state;
    const wasAsking = page.restlessRequestsMs() - (now - beganAt) > NEWS_MS;
    if (now - beganAt > limitOf(state, { underWay, sinceMs: now - since, wasAsking, isAction })) {
      if (state?.isLoading === true) page.gaveUp();
      return state;
    }
    // A document that has gone makes room for another one, which is told by an event.
    if (state === null) await watch.next(QUIET_MS, signal);
    else if (state.pending > 0) await Promise.race([page.calm(), watch.next(PENDING_MS, signal)]);
    else await pause(isResting || restsInMs === Infinity ? LOOK_MS : restsInMs, signal);
  }
};

/** When the page is at rest if nothing more happens. */
const timeToRest = (state: PageState, sinceRequestMs: number, passedMs: number, { quietMs, firstMs }: Calm): number => {
  if (state.isLoading || state.pending > 0 || state.animations > 0) return Infinity;
  if (state.mutations === 0 && sinceRequestMs > passedMs) return firstMs - passedMs;
  return quietMs - Math.min(state.quietMs, sinceRequestMs);
};
