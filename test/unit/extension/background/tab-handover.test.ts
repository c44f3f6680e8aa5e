import { expect, test, vi } from 'vitest';
import { SessionId } from '#protocol/ids.ts';
import { SessionTabs } from '#extension/background/session-tabs.ts';
import { TabHandover } from '#extension/background/tab-handover.ts';

test('the person sees the tabs of a session, goes to one and closes one, and no others', async () => {
  const open = new Map(
    [7, 8, 9].map((id) => [id, { id, windowId: 1, title: `Tab ${id}`, url: `https://t.example/${id}`, active: id === 9 }]),
  );
  const area = { get: () => Promise.resolve({}), set: () => Promise.resolve() };
  vi.stubGlobal('chrome', {
    storage: { session: area, local: area },
    windows: { update: () => Promise.resolve() },
    tabs: {
      get: (id: number) => (open.has(id) ? Promise.resolve({ ...open.get(id) }) : Promise.reject(new Error('No tab with id'))),
      remove: (id: number) => Promise.resolve(open.delete(id)),
      update: (id: number, { active = false }: chrome.tabs.UpdateProperties) =>
        Promise.resolve(active ? open.forEach((tab) => (tab.active = tab.id === id)) : open.get(id)),
      group: () => Promise.resolve(1),
    },
    tabGroups: { update: () => Promise.resolve() },
  });
  const sessionId = SessionId.parse('one');
  const sessionTabs = new SessionTabs();
  await sessionTabs.adopt(sessionId, 7);
  await sessionTabs.hand(sessionId, 8);
  const handover = new TabHandover({
    sessionTabs,
    debuggers: { reasonsFor: (tabId) => (tabId === 8 ? ['seen', 'picture'] : []) },
    offLimits: () => ({ ownPort: null, sites: {} }),
    handTab: () => Promise.resolve(),
    releaseTab: () => Promise.resolve(),
  });
  const shown = async (act?: { type: 'show' | 'close'; tabId: number }): Promise<string[]> =>
    (await handover.tabsOf(sessionId, act)).tabs.map(({ tabId, title, isShown, debuggedFor }) =>
      [tabId, title, isShown ? 'shown' : '', ...debuggedFor].filter((word) => word !== '').join(' '),
    );

  expect(await shown()).toEqual(['7 Tab 7', '8 Tab 8 seen picture']);
  expect(await shown({ type: 'show', tabId: 8 })).toEqual(['7 Tab 7', '8 Tab 8 shown seen picture']);
  expect(await shown({ type: 'close', tabId: 9 })).toEqual(['7 Tab 7', '8 Tab 8 shown seen picture']);
  expect(await shown({ type: 'close', tabId: 7 })).toEqual(['8 Tab 8 shown seen picture']);
  expect([...open.keys()]).toEqual([8, 9]);
  vi.unstubAllGlobals();
});
