import { expect, onTestFinished, test, vi } from 'vitest';
import { countPending, endPending } from '#extension/content/pending.ts';
import { watchPending } from '#extension/content/watch-pending.ts';

test('a page without XMLHttpRequest is watched for all else', () => {
  const document = Object.assign(new EventTarget(), { hidden: true, documentElement: {} });
  const print = vi.fn<() => void>();
  for (const [name, value] of Object.entries({ document, print, addEventListener: () => {}, removeEventListener: () => {} }))
    vi.stubGlobal(name, value);
  onTestFinished(() => {
    endPending('key');
    vi.unstubAllGlobals();
  });

  watchPending('key');
  globalThis.print();

  expect(countPending('key', false).asks).toEqual([['print', 'refused']]);
  expect(print).not.toHaveBeenCalled();
});
