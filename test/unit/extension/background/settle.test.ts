import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { NavigationWatch } from '#extension/background/navigation.ts';
import { restForReading, settle, type PageState, type WatchedPage } from '#extension/background/settle.ts';

const rest: PageState = {
  quietMs: 1e9,
  restlessMs: 0,
  mutations: 0,
  looksOther: false,
  isLoading: false,
  leftAt: 0,
  isOpening: false,
  downloadsAt: [],
  animations: 0,
  pending: 0,
};

/** A page in which nothing is loaded; its states are told one after the other, the last again and again. */
const createPage = (states: readonly PageState[], calm: Promise<void>) => {
  const left = [...states];
  const looks: PageState[] = [];
  const watch = { phase: 'none', next: () => new Promise<void>(() => {}) };
  const page: WatchedPage = {
    watch: watch as unknown as NavigationWatch,
    signal: new AbortController().signal,
    requests: () => 0,
    lastRequestEnd: () => Number.NEGATIVE_INFINITY,
    restlessRequestsMs: () => 0,
    state: () => {
      const state = left.length > 1 ? (left.shift() ?? rest) : (left[0] ?? rest);
      looks.push(state);
      return Promise.resolve(state);
    },
    calm: () => calm,
    gaveUp: () => {},
    arrived: () => Promise.resolve(true),
  };
  return { page, looks };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('text in a field that set off nothing needs no second look', async () => {
  const { page, looks } = createPage([rest], Promise.resolve());

  expect(await settle(page, performance.now(), true)).toMatchObject({ isReady: true, hasLoaded: false });
  expect(looks).toHaveLength(1);
});

test('text in a field that puts something off is waited for like any action', async () => {
  const { page, looks } = createPage([{ ...rest, pending: 1 }, rest], Promise.resolve());

  await settle(page, performance.now(), true);

  expect(looks.map(({ pending }) => pending)).toEqual([1, 0]);
});

test('an action has come to rest as soon as the page says that what it began is over; no clock is waited for', async () => {
  const calm = Promise.withResolvers<void>();
  const { page, looks } = createPage([{ ...rest, pending: 1 }, rest], calm.promise);

  const settled = settle(page, performance.now() - 1_000);
  calm.resolve();

  expect(await settled).toMatchObject({ isReady: true, hasLoaded: false });
  expect(looks.map(({ pending }) => pending)).toEqual([1, 0]);
});

test('a page that leaves, and a file that it asks for, are waited for with the action that led to them, and not with those that follow', async () => {
  const startedAt = performance.now();
  const before = Date.now() - 1;
  const { page } = createPage([{ ...rest, leftAt: before, downloadsAt: [before, before] }], Promise.resolve());
  const next = vi.spyOn(page.watch, 'next').mockResolvedValue();

  expect(await settle(page, startedAt, true)).toMatchObject({ downloads: 0 });
  expect(next).not.toHaveBeenCalled();
  expect(await settle(page, startedAt - 1, true)).toMatchObject({ downloads: 2 });
  expect(next).toHaveBeenCalledTimes(1);
});

test('a tab that the page has opened is waited for until the browser tells of it, also where it tells of something else before', async () => {
  const opening = { ...rest, isOpening: true };
  const { page } = createPage([opening, opening, rest], Promise.resolve());
  const told = Promise.withResolvers<void>();
  let hasSettled = false;
  vi.spyOn(page.watch, 'next').mockResolvedValueOnce().mockReturnValue(told.promise);

  const settled = settle(page, performance.now() - 1_000).then(() => (hasSettled = true));
  await vi.advanceTimersByTimeAsync(1_500);
  expect(hasSettled).toBe(false);
  told.resolve();
  await settled;
});

test.for([
  ['a page that is held up, and has put off what is due, is waited for', 1e9, 3_000, 4_100],
  ['a page that never stops changing is read as it is', 5, 1_400, 1_700],
  ['one that had not stopped for long before is not waited for as long again', 5, 250, 400, 60_000],
] as const)('%s', async ([, quietMs, waitsMs, endsMs, restlessMs = 0]) => {
  const { page } = createPage([{ ...rest, quietMs, restlessMs, pending: 1 }], new Promise(() => {}));
  const next = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  let isOver = false;

  const watch = { phase: 'none', next } as unknown as NavigationWatch;
  // How long the action itself took is no part of it.
  void settle({ ...page, watch }, performance.now() - 10_000).then(() => (isOver = true));
  await vi.advanceTimersByTimeAsync(waitsMs);
  expect(isOver).toBe(false);
  await vi.advanceTimersByTimeAsync(endsMs - waitsMs);
  expect(isOver).toBe(true);
});

test('a page whose server does not answer is told of, and not waited for until the call has run out of time', async () => {
  const { page } = createPage([rest], Promise.resolve());
  const waits: number[] = [];
  const watch = { phase: 'begun', answered: (_: AbortSignal, limitMs: number) => (waits.push(limitMs), Promise.resolve(false)) };

  const settled = await settle({ ...page, watch: watch as unknown as NavigationWatch }, Date.now());

  expect(settled).toMatchObject({ isUnanswered: true, hasLoaded: false });
  expect(waits).toEqual([10_000]);
});

test('pages that lead on to one another without end are not waited for without end', async () => {
  const { page, looks } = createPage([rest], Promise.resolve());
  const arrivals: number[] = [];
  const watch = { phase: 'committed', next: () => Promise.resolve() };
  const restless: WatchedPage = {
    ...page,
    watch: watch as unknown as NavigationWatch,
    arrived: () => {
      arrivals.push(Date.now());
      return Promise.resolve(true);
    },
  };

  expect(await restForReading(restless)).toMatchObject({ isReady: true, isEndless: true });
  expect(arrivals).toHaveLength(10);
  expect(looks).toEqual([]);
});
