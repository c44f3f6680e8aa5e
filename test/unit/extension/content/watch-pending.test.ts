import { expect, onTestFinished, test, vi } from 'vitest';
import { askPending } from '#extension/content/ask-pending.ts';
import { countPending, endPending, watchAgain } from '#extension/content/pending.ts';
import { watchPending } from '#extension/content/watch-pending.ts';

/** A page without XMLHttpRequest; what it would print with. */
const openPage = () => {
  const document = Object.assign(new EventTarget(), { hidden: true, documentElement: {} });
  const print = vi.fn<() => void>();
  for (const [name, value] of Object.entries({ document, print, addEventListener: () => {}, removeEventListener: () => {} }))
    vi.stubGlobal(name, value);
  onTestFinished(() => {
    endPending('key');
    vi.unstubAllGlobals();
  });
  return print;
};

test('a page without XMLHttpRequest is watched for all else', () => {
  const print = openPage();

  watchPending('key');
  globalThis.print();

  expect(countPending('key', false).asks).toEqual([['print', 'refused']]);
  expect(print).not.toHaveBeenCalled();
});

test('what has watched a page begins anew without being put there again', () => {
  const print = openPage();
  watchPending('key');
  endPending('key');
  globalThis.print();

  const hasBegun = watchAgain('key', false);
  globalThis.print();

  expect(hasBegun).toBe(true);
  expect(countPending('key', false).asks).toEqual([['print', 'refused']]);
  expect(print).toHaveBeenCalledTimes(1);
});

test('a page in which nothing has watched, or only as in a frame, begins nothing by itself', () => {
  openPage();
  watchPending('key', true);

  expect(watchAgain('key', true)).toBe(true);
  expect(watchAgain('key', false)).toBe(false);
  expect(watchAgain('another', true)).toBe(false);
});

test('what watches a page tells our own world what it tells the page’s, and where nothing watches nothing is told', () => {
  openPage();
  watchPending('key');
  globalThis.print();

  expect(askPending({ key: 'key', awaitsFrame: false })).toEqual(countPending('key', false));
  expect(askPending({ key: 'another', awaitsFrame: false })).toBeNull();
});
