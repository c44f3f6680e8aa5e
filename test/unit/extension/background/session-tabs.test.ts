import { describe, expect, test as base, vi } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { SessionTabs } from '#extension/background/session-tabs.ts';

/** Chrome's storage and tab groups. */
const gone: string[] = [];
const grouped: unknown[] = [];

const test = base.extend<{ storage: Map<string, unknown> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  storage: async ({}, use) => {
    const storage = new Map<string, unknown>();
    gone.length = 0;
    grouped.length = 0;
    const area = {
      get: (key: string) => Promise.resolve({ [key]: structuredClone(storage.get(key)) }),
      set: (values: Record<string, unknown>) => {
        for (const [key, value] of Object.entries(values)) storage.set(key, structuredClone(value));
        return Promise.resolve();
      },
    };
    vi.stubGlobal('chrome', {
      storage: { session: area, local: area },
      tabs: {
        group: (into: unknown) => Promise.resolve(grouped.push(into)),
        remove: (tabId: number) => Promise.resolve(void gone.push(`closed ${tabId}`)),
        update: (tabId: number) => Promise.resolve({ id: tabId, windowId: 10 + tabId }),
        ungroup: (tabId: number) => Promise.resolve(void gone.push(`released ${tabId}`)),
      },
      tabGroups: { update: () => Promise.resolve() },
    });
    await use(storage);
    vi.unstubAllGlobals();
  },
});

const session = (name: string): SessionId => SessionId.parse(name);

describe('the tabs of sessions', () => {
  test('are known again by a new worker', async ({ storage }) => {
    const before = new SessionTabs();
    await before.begin(session('one'), 'Fix the form');
    await before.adopt(session('one'), 7);
    await before.setCurrent(session('one'), 7);

    expect(storage.size).toBe(1);
    expect(await new SessionTabs().find(session('one'))).toEqual({
      name: 'Fix the form',
      currentTab: 7,
      ownTabs: [7],
      handedTabs: [],
      groupId: 1,
    });
  });

  test('are grouped in the window where the first of them is, whichever the person was in last', async ({ storage }) => {
    const tabs = new SessionTabs();
    for (const tabId of [7, 8]) await tabs.adopt(session('one'), tabId);

    expect(grouped).toEqual([
      { tabIds: 7, createProperties: { windowId: 17 } },
      { tabIds: 8, groupId: 1 },
    ]);
    expect(storage.size).toBe(1);
  });

  test('are all kept when several begin and open tabs at one moment, as after a worker was started', async ({ storage }) => {
    const tabs = new SessionTabs();
    const [one, other] = [session('one'), session('other')];

    await Promise.all([tabs.begin(one, 'One'), tabs.begin(other, 'Other'), tabs.adopt(one, 1), tabs.adopt(one, 2), tabs.adopt(other, 3)]);

    expect(await tabs.find(one)).toMatchObject({ name: 'One', ownTabs: [1, 2] });
    expect(await tabs.find(other)).toMatchObject({ name: 'Other', ownTabs: [3] });
    expect(await new SessionTabs().find(one)).toEqual(await tabs.find(one));
    await Promise.all([tabs.replace(1, null), tabs.release(one, 2), tabs.end(other, true)]);
    expect((await tabs.find(one)).ownTabs).toEqual([]);
    expect(JSON.stringify(storage.get('sessions'))).not.toContain('Other');
  });

  test('belong to one session, whatever it is called', async ({ storage }) => {
    const tabs = new SessionTabs();
    for (const [index, name] of ['__proto__', 'constructor', 'toString'].entries()) {
      expect((await tabs.find(session(name))).ownTabs, name).toEqual([]);
      await tabs.adopt(session(name), index);
      expect((await tabs.find(session(name))).ownTabs, name).toEqual([index]);
    }

    expect(storage.size).toBe(1);
    expect((await tabs.find(session('valueOf'))).ownTabs).toEqual([]);
  });

  test('follow a tab that gets another id, and forget one that is closed', async ({ storage }) => {
    const tabs = new SessionTabs();
    await tabs.adopt(session('one'), 7);
    await tabs.setCurrent(session('one'), 7);

    await tabs.replace(7, 8);
    expect(await tabs.find(session('one'))).toMatchObject({ currentTab: 8, ownTabs: [8] });
    await tabs.replace(8, null);

    // It stays current, so that the session is told once that it has gone.
    expect(await tabs.find(session('one'))).toMatchObject({ currentTab: 8, ownTabs: [] });
    expect(storage.size).toBe(1);
  });

  test('are there for their own session only; what nobody opened or was handed is the person’s', async ({ storage }) => {
    const tabs = new SessionTabs();
    await tabs.adopt(session('one'), 1);
    await tabs.hand(session('one'), 2);
    // Somebody else's tab cannot be handed over.
    await tabs.hand(session('two'), 1);

    expect(await Promise.all([1, 2, 3].map((tabId) => tabs.ownerOf(session('one'), tabId)))).toEqual(['session', 'session', 'person']);
    expect(await Promise.all([1, 2, 3].map((tabId) => tabs.ownerOf(session('two'), tabId)))).toEqual(['other', 'other', 'person']);
    expect((await tabs.find(session('one'))).currentTab).toBe(2);
    expect(storage.size).toBe(1);
  });

  test('are the person’s again when they take them back, whoever opened them, and another session’s stay', async ({ storage }) => {
    const tabs = new SessionTabs();
    await tabs.adopt(session('one'), 1);
    await tabs.hand(session('one'), 2);
    await tabs.adopt(session('two'), 3);

    for (const tabId of [1, 2, 3]) await tabs.release(session('one'), tabId);

    expect(await Promise.all([1, 2, 3].map((tabId) => tabs.ownerOf(session('one'), tabId)))).toEqual(['person', 'person', 'other']);
    expect((await tabs.find(session('one'))).currentTab).toBeNull();
    // It leaves the group; what was handed over was never in it.
    expect(gone).toEqual(['released 1']);
    expect(storage.size).toBe(1);
  });

  test('are closed with their session or released, as the person chose; what was handed over is left alone', async ({ storage }) => {
    const tabs = new SessionTabs();
    for (const name of ['one', 'two']) await tabs.begin(session(name), name);
    await tabs.adopt(session('one'), 1);
    await tabs.hand(session('one'), 2);
    await tabs.adopt(session('two'), 3);

    await tabs.end(session('one'), true);
    await tabs.end(session('two'), false);

    expect(gone).toEqual(['closed 1', 'released 3']);
    expect(await tabs.ownerOf(session('two'), 2)).toBe('person');
    expect(storage.size).toBe(1);
  });
});
