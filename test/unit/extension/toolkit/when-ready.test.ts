import { expect, onTestFinished, test, vi } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { revealing, whenReady } from '#extension/toolkit/when-ready.ts';

test('menus are opened one after the other, however long each takes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const places = [
    { x: 1, y: 1 },
    { x: 2, y: 2 },
    { x: 3, y: 3 },
  ];
  let opened = 0;
  const page = {
    moment: () => Promise.resolve(false),
    withInput: <T>(): Promise<T> => {
      opened += 1;
      return Promise.reject(new CompanionError('TOOL_FAILED', 'no real pointer here'));
    },
  };
  const attempt = () => {
    vi.advanceTimersByTime(900);
    const opener = places[opened];
    return Promise.resolve(opener === undefined ? { done: 'pressed' } : { notReady: 'it is not visible', opener });
  };

  expect(await whenReady(page, new AbortController().signal, revealing(page, 0, attempt))).toBe('pressed');
});

test('what is disabled is waited for longer than what is covered: pages enable it by a clock that nothing tells of', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const page = {
    moment: (): Promise<boolean> => {
      vi.advanceTimersByTime(25);
      return Promise.resolve(false);
    },
  };
  const { signal } = new AbortController();
  const startedAt = Date.now();
  const enabledAfter = (afterMs: number) => () => {
    const passedMs = Date.now() - startedAt;
    return Promise.resolve(passedMs < afterMs ? { notReady: 'it is disabled', isOftenBrief: true as const } : { done: passedMs });
  };

  expect(await whenReady(page, signal, enabledAfter(1_500))).toBe(1_500);
  await expect(whenReady(page, signal, enabledAfter(60_000))).rejects.toThrow(/Waited 2\.0 s, but it is disabled\./);
  await expect(whenReady(page, signal, () => Promise.resolve({ notReady: 'it is covered' }))).rejects.toThrow(
    /Waited 1\.0 s, but it is covered\./,
  );
});
