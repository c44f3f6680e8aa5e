/**
 * Which tabs a session works in. Stored, because the worker may be restarted between two calls, and locally, because a
 * reload of the extension must not move a session to another tab. Tab ids of an earlier browser run simply do not exist.
 */
import * as z from 'zod';
import type { SessionId } from '#protocol/ids.ts';
import { createStored } from './stored.ts';

const Entry = z.object({
  name: z.string(),
  /** Where calls go that name no tab. */
  currentTab: z.number().nullable(),
  /** Tabs the session opened itself. */
  ownTabs: z.array(z.number()),
  groupId: z.number().nullable(),
});
type Entry = z.infer<typeof Entry>;

const Entries = z.record(z.string(), Entry);

const COLORS = ['blue', 'cyan', 'green', 'orange', 'pink', 'purple', 'red', 'yellow'] as const;

const KEPT = 100;

export interface SessionTabs {
  find(sessionId: SessionId): Promise<Entry>;
  begin(sessionId: SessionId, name: string): Promise<void>;
  end(sessionId: SessionId): Promise<void>;
  setCurrent(sessionId: SessionId, tabId: number | null): Promise<void>;
  /** Puts a tab into the session's group, which is made, named and coloured when need be. */
  adopt(sessionId: SessionId, tabId: number): Promise<void>;
  /** Chrome gave a tab another id, as it does when it discards it; without a new one the tab was closed. */
  replace(tabId: number, by: number | null): Promise<void>;
}

export const createSessionTabs = (): SessionTabs => {
  const stored = createStored<Record<string, Entry>>('local', 'sessions', Entries, () => ({}));

  const find = async (sessionId: SessionId): Promise<Entry> =>
    (await stored.load())[sessionId] ?? { name: 'Pilotfish', currentTab: null, ownTabs: [], groupId: null };

  const update = async (sessionId: SessionId, change: Partial<Entry>): Promise<void> => {
    const all = await stored.load();
    const before = all[sessionId] ?? { name: 'Pilotfish', currentTab: null, ownTabs: [], groupId: null };
    const { [sessionId]: _, ...others } = all;
    // The daemon tells when a session ends; what it could not tell must not pile up.
    const kept = Object.entries(others).slice(1 - KEPT);
    await stored.save({ ...Object.fromEntries(kept), [sessionId]: { ...before, ...change } });
  };

  return {
    find,
    begin: async (sessionId, name) => {
      await update(sessionId, { name });
      const { groupId } = await find(sessionId);
      if (groupId !== null) await chrome.tabGroups.update(groupId, { title: titleOf(name) }).catch(ignoreGone);
    },
    end: async (sessionId) => {
      const { [sessionId]: _, ...others } = await stored.load();
      await stored.save(others);
    },
    setCurrent: (sessionId, tabId) => update(sessionId, { currentTab: tabId }),
    adopt: async (sessionId, tabId) => {
      const { name, groupId, ownTabs } = await find(sessionId);
      await update(sessionId, { ownTabs: [...ownTabs.filter((own) => own !== tabId), tabId] });
      const joined = groupId === null ? null : await chrome.tabs.group({ tabIds: tabId, groupId }).catch(ignoreGone);
      if (joined !== null) return;
      // Not every browser of the family has groups in every window; the tab works without one.
      const made = await chrome.tabs.group({ tabIds: tabId }).catch(ignoreGone);
      if (made === null) return;
      await update(sessionId, { groupId: made });
      await chrome.tabGroups.update(made, { title: titleOf(name), color: colorOf(sessionId) }).catch(ignoreGone);
    },
    replace: async (tabId, by) => {
      const all = await stored.load();
      const isUsed = ({ ownTabs, currentTab }: Entry): boolean => ownTabs.includes(tabId) || (by !== null && currentTab === tabId);
      if (!Object.values(all).some(isUsed)) return;
      const entries = Object.entries(all).map(([sessionId, entry]) => [sessionId, replaceIn(entry, tabId, by)] as const);
      await stored.save(Object.fromEntries(entries));
    },
  };
};

/** A closed tab stays current, so that the session is told once that it has gone. */
const replaceIn = (entry: Entry, tabId: number, by: number | null): Entry => ({
  ...entry,
  currentTab: by !== null && entry.currentTab === tabId ? by : entry.currentTab,
  ownTabs: entry.ownTabs.flatMap((own) => (own !== tabId ? [own] : by === null ? [] : [by])),
});

/** The user closed or dissolved it. */
const ignoreGone = (): null => null;

const titleOf = (name: string): string => (name.length <= 30 ? name : `${name.slice(0, 29)}…`);

const colorOf = (sessionId: SessionId): (typeof COLORS)[number] => {
  let sum = 0;
  for (let index = 0; index < sessionId.length; index += 1) sum += sessionId.charCodeAt(index);
  return COLORS[sum % COLORS.length] ?? 'blue';
};
