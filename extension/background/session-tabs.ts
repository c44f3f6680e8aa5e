/**
 * Which tabs a session works in. Stored, because the worker may be restarted between two calls, and locally, because a
 * reload of the extension must not move a session to another tab. Tab ids of an earlier browser run simply do not exist.
 */
import * as z from 'zod';
import { SessionId } from '#protocol/ids.ts';
import { Stored } from './stored.ts';

const Entry = z.object({
  name: z.string(),
  /** The tab for calls that name none. */
  currentTab: z.number().nullable(),
  /** Tabs the session opened itself. */
  ownTabs: z.array(z.number()),
  /** Tabs that the person has handed to the session. */
  handedTabs: z.array(z.number()).default([]),
  groupId: z.number().nullable(),
});
type Entry = z.infer<typeof Entry>;

const Entries = z.record(z.string(), Entry).transform((record) => new Map(Object.entries(record)));

const COLORS = ['blue', 'cyan', 'green', 'orange', 'pink', 'purple', 'red', 'yellow'] as const;

const KEPT = 100;

const unknown: Entry = { name: 'Pilotfish', currentTab: null, ownTabs: [], handedTabs: [], groupId: null };

export class SessionTabs {
  /** The tabs by session id. It is a Map, because the ids come from outside. */
  readonly #stored = new Stored<ReadonlyMap<string, Entry>>('local', 'sessions', Entries, () => new Map(), Object.fromEntries);

  async find(sessionId: SessionId): Promise<Entry> {
    return (await this.#stored.load()).get(sessionId) ?? unknown;
  }

  async begin(sessionId: SessionId, name: string): Promise<void> {
    await this.#update(sessionId, () => ({ name }));
    const { groupId } = await this.find(sessionId);
    if (groupId !== null) await chrome.tabGroups.update(groupId, { title: titleOf(name) }).catch(ignoreGone);
  }

  /** The tabs it opened are closed, or left to the person; those that were handed to it are the person's again. */
  async end(sessionId: SessionId, closesTabs: boolean): Promise<void> {
    let ended: Entry | undefined;
    await this.#stored.update((all) => {
      ended = all.get(sessionId);
      return ended === undefined ? all : new Map([...all].filter(([id]) => id !== sessionId));
    });
    if (ended === undefined) return;
    for (const tabId of ended.ownTabs) await (closesTabs ? chrome.tabs.remove(tabId).catch(ignoreGone) : leave(tabId));
  }

  /** To whom a tab belongs, as this session sees it: it knows nothing of the tabs of other sessions. */
  async ownerOf(sessionId: SessionId, tabId: number): Promise<'session' | 'person' | 'other'> {
    const has = ({ ownTabs, handedTabs }: Entry): boolean => ownTabs.includes(tabId) || handedTabs.includes(tabId);
    const all = await this.#stored.load();
    if (has(all.get(sessionId) ?? unknown)) return 'session';
    return [...all.values()].some(has) ? 'other' : 'person';
  }

  /** The session that works in the tab, or null when it is the person's. */
  async sessionOf(tabId: number): Promise<SessionId | null> {
    const all = await this.#stored.load();
    const found = [...all].find(([, { ownTabs, handedTabs }]) => ownTabs.includes(tabId) || handedTabs.includes(tabId));
    return found === undefined ? null : SessionId.parse(found[0]);
  }

  /** The session that has opened the tab; null for a tab of the person's, also when they have handed it over. */
  async thatOpened(tabId: number): Promise<SessionId | null> {
    const found = [...(await this.#stored.load())].find(([, { ownTabs }]) => ownTabs.includes(tabId));
    return found === undefined ? null : SessionId.parse(found[0]);
  }

  /** The session with tabs that changed last; null when none has any. */
  async newest(): Promise<SessionId | null> {
    const found = [...(await this.#stored.load())].findLast(([, { ownTabs, handedTabs }]) => ownTabs.length + handedTabs.length > 0);
    return found === undefined ? null : SessionId.parse(found[0]);
  }

  /** The person hands a tab to the session, which works there from now on. */
  async hand(sessionId: SessionId, tabId: number): Promise<void> {
    if ((await this.ownerOf(sessionId, tabId)) !== 'person') return;
    await this.#update(sessionId, ({ handedTabs }) => ({
      handedTabs: [...handedTabs.filter((tab) => tab !== tabId), tabId],
      currentTab: tabId,
    }));
  }

  /** The person takes a tab back, whether they handed it over or the session opened it. */
  async release(sessionId: SessionId, tabId: number): Promise<void> {
    const { ownTabs, handedTabs } = await this.find(sessionId);
    const isOwn = ownTabs.includes(tabId);
    if (!isOwn && !handedTabs.includes(tabId)) return;
    await this.#update(sessionId, (entry) => ({
      ...replaceIn(entry, tabId, null),
      currentTab: entry.currentTab === tabId ? null : entry.currentTab,
    }));
    if (isOwn) await leave(tabId);
  }

  async setCurrent(sessionId: SessionId, tabId: number | null): Promise<void> {
    await this.#update(sessionId, () => ({ currentTab: tabId }));
  }

  /** Puts a tab into the session's group, which is made, named and coloured when need be. */
  async adopt(sessionId: SessionId, tabId: number): Promise<void> {
    await this.#update(sessionId, ({ ownTabs }) => ({ ownTabs: [...ownTabs.filter((own) => own !== tabId), tabId] }));
    // One that Chrome discards to save memory is not drawn again until somebody shows it.
    const kept = chrome.tabs.update(tabId, { autoDiscardable: false }).catch(ignoreGone);
    const { name, groupId } = await this.find(sessionId);
    const joined = groupId === null ? null : await chrome.tabs.group({ tabIds: tabId, groupId }).catch(ignoreGone);
    if (joined !== null) return;
    // Not every browser of the family has groups in every window; the tab works without a group.
    const tab = await kept;
    if (tab === null || tab === undefined) return;
    // Without its window Chrome moves the tab into the one that the person was in last, or refuses, where that is a private one.
    const createProperties = { windowId: tab.windowId };
    const made = await chrome.tabs.group({ tabIds: tabId, createProperties }).catch(ignoreGone);
    if (made === null) return;
    await this.#update(sessionId, () => ({ groupId: made }));
    await chrome.tabGroups.update(made, { title: titleOf(name), color: colorOf(sessionId) }).catch(ignoreGone);
  }

  /** Chrome gave a tab another id, as it does when it discards the tab; without a new id the tab was closed. */
  async replace(tabId: number, by: number | null): Promise<void> {
    const isUsed = ({ ownTabs, handedTabs, currentTab }: Entry): boolean =>
      ownTabs.includes(tabId) || handedTabs.includes(tabId) || (by !== null && currentTab === tabId);
    await this.#stored.update((all) =>
      [...all.values()].some(isUsed) ? new Map([...all].map(([sessionId, entry]) => [sessionId, replaceIn(entry, tabId, by)])) : all,
    );
  }

  #update(sessionId: SessionId, change: (entry: Entry) => Partial<Entry>): Promise<void> {
    return this.#stored.update((all) => {
      const entry = all.get(sessionId) ?? unknown;
      const others = [...all].filter(([id]) => id !== sessionId);
      // The newest stands last. The daemon tells when a session ends; what it could not tell must not pile up.
      return new Map([...others.slice(1 - KEPT), [sessionId, { ...entry, ...change(entry) }] as const]);
    });
  }
}

/** The tab is an ordinary one of the person's from now on. */
const leave = async (tabId: number): Promise<void> => {
  await chrome.tabs.update(tabId, { autoDiscardable: true }).catch(ignoreGone);
  await chrome.tabs.ungroup(tabId).catch(ignoreGone);
};

/** A closed tab stays current, so that the session is told once that it has gone. */
const replaceIn = (entry: Entry, tabId: number, by: number | null): Entry => ({
  ...entry,
  currentTab: by !== null && entry.currentTab === tabId ? by : entry.currentTab,
  ownTabs: replaceAt(entry.ownTabs, tabId, by),
  handedTabs: replaceAt(entry.handedTabs, tabId, by),
});

const replaceAt = (tabs: readonly number[], tabId: number, by: number | null): number[] =>
  tabs.flatMap((tab) => (tab !== tabId ? [tab] : by === null ? [] : [by]));

/** The user closed or dissolved it. */
const ignoreGone = (): null => null;

const titleOf = (name: string): string => (name.length <= 30 ? name : `${name.slice(0, 29)}…`);

const colorOf = (sessionId: SessionId): (typeof COLORS)[number] => {
  let sum = 0;
  for (let index = 0; index < sessionId.length; index += 1) sum += sessionId.charCodeAt(index);
  return COLORS[sum % COLORS.length] ?? 'blue';
};
