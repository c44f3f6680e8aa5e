import { describe, expect, test as base, vi } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { DownloadOwners } from '#extension/background/download-owners.ts';
import { SessionTabs } from '#extension/background/session-tabs.ts';

interface Tab {
  readonly id: number;
  readonly active: boolean;
  readonly origin: string;
  /** Somebody clicked or typed in it within the last seconds, which a page cannot tell of whom. */
  readonly isTouched: boolean;
}

/** Chrome's tabs, and what fails when it is asked. */
interface World {
  tabs: Tab[];
  storageFails: boolean;
  queryFails: boolean;
  /** The tab that closes while it is looked at. */
  closing: number | null;
}

const test = base.extend<{ world: World }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  world: async ({}, use) => {
    const world: World = { tabs: [], storageFails: false, queryFails: false, closing: null };
    const storage = new Map<string, unknown>();
    const area = {
      get: (key: string) =>
        world.storageFails ? Promise.reject(new Error('no storage')) : Promise.resolve({ [key]: structuredClone(storage.get(key)) }),
      set: (values: Record<string, unknown>) => {
        for (const [key, value] of Object.entries(values)) storage.set(key, structuredClone(value));
        return Promise.resolve();
      },
    };
    const event = { addListener: () => {} };
    vi.stubGlobal('chrome', {
      storage: { session: area, local: area },
      webRequest: { onBeforeRequest: event },
      webNavigation: {
        onBeforeNavigate: event,
        onCreatedNavigationTarget: event,
        getAllFrames: ({ tabId }: { tabId: number }) =>
          tabId === world.closing
            ? Promise.reject(new Error('No tab with id'))
            : Promise.resolve(world.tabs.filter(({ id }) => id === tabId).map(({ origin }) => ({ url: `${origin}/page` }))),
      },
      tabs: {
        onRemoved: event,
        query: () => (world.queryFails ? Promise.reject(new Error('no tabs')) : Promise.resolve(world.tabs)),
        update: () => Promise.resolve(),
        ungroup: () => Promise.resolve(),
      },
      scripting: {
        executeScript: ({ target }: { target: { tabId: number } }) =>
          Promise.resolve([{ result: world.tabs.some(({ id, isTouched }) => id === target.tabId && isTouched) }]),
      },
    });
    await use(world);
    vi.unstubAllGlobals();
    vi.useRealTimers();
  },
});

const SITE = 'https://files.example';
const one = SessionId.parse('one');
const two = SessionId.parse('two');

const tab = (id: number, more: Partial<Tab> = {}): Tab => ({ id, active: true, origin: SITE, isTouched: false, ...more });

const blob = { url: `blob:${SITE}/8d3b`, finalUrl: '', referrer: '' };

describe('a file that a page made itself', () => {
  test('is the session’s whose tab shows the site', async ({ world }) => {
    world.tabs = [tab(7), tab(8, { origin: 'https://other.example' })];
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);

    expect(await new DownloadOwners(sessionTabs).sessionBehind(blob)).toBe(one);
  });

  test('is the person’s when they have just clicked in a tab of their own on that site', async ({ world }) => {
    world.tabs = [tab(7), tab(9, { isTouched: true })];
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);

    expect(await new DownloadOwners(sessionTabs).sessionBehind(blob)).toBeNull();
  });

  test('is not the person’s because of the press of an agent in a tab that is theirs again', async ({ world }) => {
    vi.useFakeTimers();
    world.tabs = [tab(7, { active: false }), tab(9, { isTouched: true })];
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);
    await sessionTabs.hand(two, 9);
    const owners = new DownloadOwners(sessionTabs);
    owners.lend(9, two)();
    await sessionTabs.release(two, 9);

    expect(await owners.sessionBehind(blob)).toBe(one);
  });

  test('is not the person’s because of the press of an agent before the worker was started anew', async ({ world }) => {
    vi.useFakeTimers();
    world.tabs = [tab(7, { active: false }), tab(9, { isTouched: true })];
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);
    new DownloadOwners(sessionTabs).lend(9, two)();
    await vi.advanceTimersByTimeAsync(0);

    expect(await new DownloadOwners(sessionTabs).sessionBehind(blob)).toBe(one);
  });

  test('is not the person’s because of the press of an agent in a tab that they took back, when the worker was started anew', async ({
    world,
  }) => {
    vi.useFakeTimers();
    world.tabs = [tab(7, { active: false }), tab(9, { isTouched: true })];
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);
    const owners = new DownloadOwners(sessionTabs);
    owners.lend(9, two, false)();
    await vi.advanceTimersByTimeAsync(0);

    expect(await new DownloadOwners(sessionTabs).sessionBehind(blob)).toBeNull();
    await owners.released();
    expect(await new DownloadOwners(sessionTabs).sessionBehind(blob)).toBe(one);
  });

  test('is the session’s whose call ran in a tab of the person’s when the worker was stopped', async ({ world }) => {
    vi.useFakeTimers();
    world.tabs = [tab(9, { isTouched: true })];
    const sessionTabs = new SessionTabs();
    new DownloadOwners(sessionTabs).lend(9, two);
    await vi.advanceTimersByTimeAsync(0);
    const next = new DownloadOwners(sessionTabs);

    expect(await next.sessionBehind(blob)).toBe(two);
    vi.advanceTimersByTime(60_000);
    expect(await next.sessionBehind(blob)).toBeNull();
  });

  test('is the person’s again when the press of the agent is too long ago to count', async ({ world }) => {
    vi.useFakeTimers();
    world.tabs = [tab(7, { active: false }), tab(9, { isTouched: true })];
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);
    const owners = new DownloadOwners(sessionTabs);
    owners.lend(9, two)();
    vi.advanceTimersByTime(60_000);

    expect(await owners.sessionBehind(blob)).toBeNull();
  });
});

describe('a download whose tab cannot be found out', () => {
  test('is found all the same when one of the tabs closes meanwhile', async ({ world }) => {
    world.tabs = [tab(5, { origin: 'https://other.example' }), tab(7)];
    world.closing = 5;
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);

    expect(await new DownloadOwners(sessionTabs).sessionBehind(blob)).toBe(one);
  });

  test('belongs to the session whose call runs', async ({ world }) => {
    world.queryFails = true;
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);
    const owners = new DownloadOwners(sessionTabs);
    owners.lend(9, two);

    expect(await owners.sessionBehind(blob)).toBe(two);
  });

  test('belongs to a session that has tabs when no call runs', async ({ world }) => {
    world.queryFails = true;
    const sessionTabs = new SessionTabs();
    await sessionTabs.hand(one, 7);

    expect(await new DownloadOwners(sessionTabs).sessionBehind(blob)).toBe(one);
  });

  test('belongs to the session that called last when the storage fails too', async ({ world }) => {
    world.queryFails = true;
    world.storageFails = true;
    const owners = new DownloadOwners(new SessionTabs());
    owners.lend(9, two)();

    expect(await owners.sessionBehind(blob)).toBe(two);
  });

  test('is the person’s when no session is there', async ({ world }) => {
    world.queryFails = true;

    expect(await new DownloadOwners(new SessionTabs()).sessionBehind(blob)).toBeNull();
  });
});
