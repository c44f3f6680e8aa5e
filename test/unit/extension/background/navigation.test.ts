import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Expected, NavigationWatch, toFailure } from '#extension/background/navigation.ts';
import { AUTH_REQUIRED, PROXY_AUTH_REQUIRED, type TabEvent, type TabEvents } from '#extension/background/tab-events.ts';

const landing = { documentId: 'D', url: 'https://a.example/', mayBeKept: false };
const committed: TabEvent = { type: 'committed', url: landing.url, isRedirect: false, landing };

/** Follows a tab whose events are the test's. */
const watching = (expected?: Expected): { watch: NavigationWatch; tell: (event: TabEvent) => void } => {
  let tell: (event: TabEvent) => void = () => {};
  const events: Pick<TabEvents, 'watch'> = {
    watch: (_, listener) => {
      tell = listener;
      return () => {};
    },
  };
  const watch = new NavigationWatch(events as TabEvents, 1, expected);
  return { watch, tell: (event) => tell(event) };
};

/** A page that has begun to arrive; its clock is the test's. */
const arriving = (streams: () => boolean): { answer: Promise<boolean>; tell: (event: TabEvent) => void } => {
  const { watch, tell } = watching();
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

test('a page that is left while it still loads something is no fault of the one that comes', async () => {
  const { watch, tell } = watching();
  tell({ type: 'begun', url: landing.url });
  tell({ type: 'failed', url: 'https://a.example/before', error: 'net::ERR_ABORTED', documentId: 'before' });
  tell(committed);

  await expect(watch.committed(new AbortController().signal)).resolves.toBeUndefined();
});

test('what takes the place of a load is the page before, the next of the expected one, or somebody who goes elsewhere', () => {
  const own = 'https://a.example/again';
  const begun: TabEvent = { type: 'begun', url: landing.url };
  const failed: TabEvent = { type: 'failed', url: landing.url, error: 'net::ERR_ABORTED' };
  const afterwards = (...events: readonly TabEvent[]): NavigationWatch['replacement'] => {
    const { watch, tell } = watching({ url: landing.url, before: [own, ''] });
    for (const event of events) tell(event);
    return watch.replacement;
  };

  expect(afterwards(begun, failed, { type: 'begun', url: own })).toBe('before');
  expect(afterwards(begun, { type: 'begun', url: own }, committed, { ...committed, url: own })).toBe('before');
  expect(afterwards(begun, { type: 'begun', url: own }, committed, { ...failed, url: own })).toBeNull();
  expect(afterwards(begun, failed)).toBeNull();
  expect(afterwards(begun, failed, { type: 'begun', url: 'https://a.example/elsewhere' })).toBeNull();
  expect(afterwards(begun, committed, begun, failed, begun)).toBe('expected');
  expect(afterwards(begun, committed, begun, failed)).toBeNull();
  expect(afterwards(begun, committed, begun, { ...failed, documentId: landing.documentId })).toBe('expected');
});

test('a wait ends with the call that it is part of', async () => {
  const { watch, tell } = watching();
  tell({ type: 'begun', url: landing.url });
  const stopped = new AbortController();
  const waiting = watch.next(30_000, stopped.signal);
  stopped.abort(new Error('stopped'));

  await expect(waiting).rejects.toThrow('stopped');
  expect(watch.isUnanswered).toBe(true);
});

test.for([
  ['https://a.example/before', 'net::ERR_ABORTED'],
  ['https://a.example/sign-in', 'net::ERR_INVALID_AUTH_CREDENTIALS'],
] as const)('the end of what was loading before, %s with %s, is no fault of the page', async ([url, error]) => {
  const { watch, tell } = watching({ url: landing.url, before: ['about:blank', 'https://a.example/before'] });
  const answer = watch.answered(new AbortController().signal, 30_000);

  tell({ type: 'begun', url: landing.url });
  tell({ type: 'failed', url, error });
  await vi.advanceTimersByTimeAsync(100);
  tell(committed);

  expect(await answer).toBe(true);
});

test('a page that asks for a name and a password where it was sent on to is told, also where that was asked before', async () => {
  const before = 'https://a.example/sign-in';
  const { watch, tell } = watching({ url: landing.url, before: ['about:blank', before] });
  const answer = watch.committed(new AbortController().signal);

  tell({ type: 'begun', url: landing.url });
  tell({ type: 'failed', url: before, error: AUTH_REQUIRED });

  await expect(answer).rejects.toThrow('wants a name and a password');
});

test('a frame whose load began before the watch is none of what is watched', () => {
  const { watch, tell } = watching();
  const frame = { type: 'frame', url: landing.url } as const;

  tell({ ...frame, frameId: 5, state: 'committed' });
  tell({ ...frame, frameId: 6, state: 'begun' });
  tell({ ...frame, frameId: 6, state: 'committed' });

  expect([...watch.frames.keys()]).toEqual([6]);
});

test.each([
  ['net::ERR_CERT_AUTHORITY_INVALID', /does not trust the server's certificate\)/, /browser_ask_human/],
  ['net::ERR_NAME_NOT_RESOLVED', /no host of this name is known\)/, /Check the name/],
  ['net::ERR_INTERNET_DISCONNECTED', /there is no network\)/, /tell the user/],
  ['net::ERR_TOO_MANY_REDIRECTS', /without end\)/, /another address/],
  ['net::ERR_UNSAFE_REDIRECT', /no server may lead to/, /Nothing was opened/],
  ['net::ERR_TUNNEL_CONNECTION_FAILED', /the proxy/, /Tell the user/],
  ['net::ERR_PROXY_CONNECTION_FAILED', /the proxy/, /Tell the user/],
  ['net::ERR_UNEXPECTED_PROXY_AUTH', /the server answers 407/, /that its server runs/],
  [
    PROXY_AUTH_REQUIRED,
    /^The page could not be loaded. The proxy .* wants a name and a password/,
    /sign in with browser_ask_human, then open/,
  ],
  ['net::ERR_CONNECTION_REFUSED', /net::ERR_CONNECTION_REFUSED\.$/, /that its server runs/],
])('that a page could not be loaded for %s is told with what it means and what helps', (error, means, remedy) => {
  const failure = toFailure({ url: 'https://a.example/', error });

  expect(failure.message).toMatch(means);
  expect(failure.remedy).toMatch(remedy);
});

test('who waits for what a frame shows hears of a page that comes into one', async () => {
  const { watch, tell } = watching();
  const arrived = watch.frameArrived();

  tell({ type: 'frame', frameId: 7, url: 'https://b.example/', state: 'committed' });

  await expect(arrived).resolves.toBeUndefined();
});
