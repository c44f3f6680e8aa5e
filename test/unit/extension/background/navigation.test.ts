import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NavigationWatch } from '#extension/background/navigation.ts';
import type { TabEvent, TabEvents } from '#extension/background/tab-events.ts';

const landing = { documentId: 'D', url: 'https://a.example/', mayBeKept: false };
const committed: TabEvent = { type: 'committed', url: landing.url, isRedirect: false, landing };

/** A page that has begun to arrive; its clock is the test's. */
const arriving = (streams: () => boolean): { answer: Promise<boolean>; tell: (event: TabEvent) => void } => {
  let tell: (event: TabEvent) => void = () => {};
  const events: Pick<TabEvents, 'watch'> = {
    watch: (_, listener) => {
      tell = listener;
      return () => {};
    },
  };
  const watch = new NavigationWatch(events as TabEvents, 1);
  tell(committed);
  return { answer: watch.ready(() => Promise.resolve(streams()), new AbortController().signal), tell };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a page whose text comes without an end is read long before the limit', async () => {
  const { answer } = arriving(() => true);

  await vi.advanceTimersByTimeAsync(2_500);

  expect(await answer).toBe(false);
});

test('a page that has nothing to read yet is waited for', async () => {
  const { answer, tell } = arriving(() => false);

  await vi.advanceTimersByTimeAsync(8_000);
  tell({ type: 'ready' });

  expect(await answer).toBe(true);
});

test('a page that never comes is given up at the limit', async () => {
  const { answer } = arriving(() => false);

  await vi.advanceTimersByTimeAsync(10_250);

  expect(await answer).toBe(false);
});
