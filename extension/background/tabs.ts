/** Which tab a call acts on, and what browser_tabs can do with tabs. */
import type { TabTarget } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { type OffLimits, isClosedSite, originOf, toAddress } from '#extension/shared/addresses.ts';
import { DocumentChangedError } from '#extension/toolkit/page-error.ts';
import type { ClosedTab, TabRow, Tabs, ToolScope } from '#extension/toolkit/tool.ts';
import type { Page } from '#extension/toolkit/page.ts';
import type { Debuggers } from './debugger.ts';
import { type Frame, framesOf } from './documents.ts';
import type { News } from './news.ts';
import type { SessionTabs } from './session-tabs.ts';

/** A tab, and for a call that is about its page the frames in it, which were asked for at the same time. */
export interface SeenTab {
  readonly tab: chrome.tabs.Tab;
  readonly frames?: Promise<readonly Frame[]>;
}

/** The tab of a call, as it was when it was chosen. */
export interface ChosenTab extends SeenTab {
  readonly tabId: number;
  /** A tab of another session is not there for this one. */
  readonly owner: 'session' | 'person';
}

/** An empty page takes a few milliseconds. */
const NEW_TAB_MS = 2_000;

export class TabChoice {
  readonly #sessionTabs: SessionTabs;

  constructor(sessionTabs: SessionTabs) {
    this.#sessionTabs = sessionTabs;
  }

  /** The tab for a call, or null when the session has none and the call may open one. What is only looked at stays the person's. */
  async choose(sessionId: SessionId, asked: number | undefined, scope: ToolScope): Promise<ChosenTab | null> {
    const { currentTab } = await this.#sessionTabs.find(sessionId);
    if (asked !== undefined) {
      const tabId = successorOf(asked);
      const chosen = await this.#chosen(sessionId, await lookAt(tabId, scope), tabId);
      if (currentTab === null && chosen.owner === 'session') await this.#sessionTabs.setCurrent(sessionId, tabId);
      return chosen;
    }
    if (currentTab !== null) {
      const seen = await lookAt(currentTab, scope).catch(() => null);
      if (seen !== null) return this.#chosen(sessionId, seen, currentTab);
      // Said once; after that the session may begin in another tab.
      await this.#sessionTabs.setCurrent(sessionId, null);
      if (scope !== 'tab') throw new CompanionError('TAB_NOT_FOUND', `Tab ${currentTab}, where this session worked, was closed.`);
    }
    if (scope === 'tab') return null;
    const { tab, tabId: active } = await activeTab();
    const owner = await this.#sessionTabs.ownerOf(sessionId, active);
    if (owner === 'other') throw noTabYet();
    return { tabId: active, tab, owner };
  }

  /** Whose tab it is; one of another session is not there for this one. */
  async ownerOf(sessionId: SessionId, tabId: number): Promise<'session' | 'person'> {
    return (await this.#chosen(sessionId, { tab: await existing(tabId) }, tabId)).owner;
  }

  async open(sessionId: SessionId): Promise<ChosenTab> {
    const tabId = await createTab(this.#sessionTabs, sessionId, 'about:blank');
    await untilComplete(tabId);
    await this.#sessionTabs.setCurrent(sessionId, tabId);
    return { tabId, tab: await existing(tabId), owner: 'session' };
  }

  /** Opens a tab in the group without making it current. */
  openBeside(sessionId: SessionId, url: string): Promise<number> {
    return createTab(this.#sessionTabs, sessionId, url);
  }

  async #chosen(sessionId: SessionId, seen: SeenTab, tabId: number): Promise<ChosenTab> {
    const owner = await this.#sessionTabs.ownerOf(sessionId, tabId);
    if (owner === 'other') throw new CompanionError('TAB_NOT_FOUND', `Tab ${tabId}.`);
    return { tabId, ...seen, owner };
  }
}

const noTabYet = (): CompanionError =>
  new CompanionError('TAB_NOT_FOUND', 'This session has no tab yet.', { remedy: 'Open a page with browser_navigate.' });

interface TabActionsOptions {
  readonly sessionId: SessionId;
  readonly sessionTabs: SessionTabs;
  readonly choice: TabChoice;
  readonly toPage: (tabId: number) => Page;
  readonly debuggers: Pick<Debuggers, 'whileSeen'>;
  readonly news: Pick<News, 'closes'>;
  /** The tab that the person was asked for, if any, as it was then. */
  readonly allowedTab: Pick<TabTarget, 'tabId' | 'origin'> | null;
  readonly offLimits: () => OffLimits;
  readonly browser: string;
  /** Takes out of the rows what secret fields hold: they are searched, and cut. */
  readonly withoutSecrets: (rows: readonly TabRow[]) => readonly TabRow[];
}

/** What browser_tabs can do with tabs, for one session. */
export class TabActions implements Tabs {
  readonly #options: TabActionsOptions;
  /** What was current before a tab was opened. */
  #before: number | null = null;

  constructor(options: TabActionsOptions) {
    this.#options = options;
  }

  get browser(): string {
    return this.#options.browser;
  }

  async worksOnlyIn(tabId: number): Promise<boolean> {
    const { ownTabs, handedTabs, currentTab } = await this.#options.sessionTabs.find(this.#options.sessionId);
    const tabs = new Set([...ownTabs, ...handedTabs]);
    return currentTab === tabId && tabs.size === 1 && tabs.has(tabId);
  }

  async list(): Promise<readonly TabRow[]> {
    const tabs = await Promise.all(WINDOWS.map((windowType) => chrome.tabs.query({ windowType })));
    return this.#rowsOf(tabs.flat());
  }

  /** Of those that the session may use. */
  async #rowsOf(tabs: readonly chrome.tabs.Tab[]): Promise<readonly TabRow[]> {
    const { sessionTabs, sessionId } = this.#options;
    const { currentTab } = await sessionTabs.find(sessionId);
    const rows = tabs.map(async (tab): Promise<TabRow | null> => {
      const owner = tab.id === undefined ? 'other' : await sessionTabs.ownerOf(sessionId, tab.id);
      if (tab.id === undefined || owner === 'other') return null;
      // One that has just been made has an empty address until its page comes.
      const url = (tab.url || tab.pendingUrl) ?? '';
      const isOwn = owner === 'session';
      const told = isClosedSite(url, this.#options.offLimits())
        ? { url: originOf(url), title: '(closed to agents)' }
        : { url, title: tab.title ?? '' };
      return {
        tabId: tab.id,
        ...told,
        isActive: tab.active,
        windowId: tab.windowId,
        isPrivate: tab.incognito,
        isOwn,
        isCurrent: tab.id === currentTab,
      };
    });
    return this.#options.withoutSecrets((await Promise.all(rows)).filter((row) => row !== null));
  }

  toAddress(text: string): string {
    return toAddress(text, this.#options.offLimits());
  }

  async open(): Promise<Page> {
    const { choice, sessionId, sessionTabs, toPage } = this.#options;
    this.#before = (await sessionTabs.find(sessionId)).currentTab;
    return toPage((await choice.open(sessionId)).tabId);
  }

  async takeBack(tabId: number): Promise<void> {
    const { sessionTabs, sessionId, news } = this.#options;
    const { currentTab } = await sessionTabs.find(sessionId);
    if (currentTab === tabId) await sessionTabs.setCurrent(sessionId, this.#before);
    news.closes(tabId);
    await chrome.tabs.remove(tabId);
  }

  /** The session goes on in the newest of its own tabs, and not in one of the person's: without one, the next call is told that its tab was closed. */
  async close(named: number | undefined): Promise<ClosedTab> {
    const { sessionTabs, sessionId, debuggers, news } = this.#options;
    const { currentTab, ownTabs } = await sessionTabs.find(sessionId);
    const tabId = named ?? currentTab;
    if (tabId === null || (named === undefined && (await isGone(tabId)))) throw noTabYet();
    const owner = await this.#checkOwner(tabId);
    const wasCurrent = currentTab === tabId;
    const current = wasCurrent ? (ownTabs.findLast((own) => own !== tabId) ?? null) : currentTab;
    if (wasCurrent && current !== null) await sessionTabs.setCurrent(sessionId, current);
    news.closes(tabId);
    const remove = (): Promise<void> => chrome.tabs.remove(tabId);
    // A page that asks whether to leave it is left. What is unsaved in a tab of the person's is for them to decide about.
    await (owner === 'session' ? debuggers.whileSeen(tabId, remove) : remove());
    return { tabId, wasCurrent, current };
  }

  async select(tabId: number): Promise<TabRow> {
    const { sessionTabs, sessionId } = this.#options;
    const owner = await this.#checkOwner(tabId);
    await chrome.tabs.update(tabId, { active: true });
    if (owner === 'session') await sessionTabs.setCurrent(sessionId, tabId);
    const [row] = await this.#rowsOf([await existing(tabId)]);
    if (row === undefined) throw new CompanionError('TAB_NOT_FOUND', `Tab ${tabId}.`);
    return row;
  }

  /** A tab of the person's may be used only when they were asked for it. */
  async #checkOwner(tabId: number): Promise<'session' | 'person'> {
    const { choice, sessionId, allowedTab, toPage } = this.#options;
    const owner = await choice.ownerOf(sessionId, tabId);
    if (owner === 'session') return owner;
    if (tabId !== allowedTab?.tabId) throw notAllowed(tabId);
    if (originOf((await toPage(tabId).info()).url) !== allowedTab.origin) throw new DocumentChangedError();
    return owner;
  }
}

const isGone = (tabId: number): Promise<boolean> =>
  existing(tabId).then(
    () => false,
    () => true,
  );

/** Those that show pages: a window of its own and an installed page are one, too, the tools for developers are not. */
const WINDOWS = ['normal', 'popup', 'app'] as const;

/** What the companion's policy did not decide about is not done. */
export const notAllowed = (tabId: number): CompanionError =>
  new CompanionError('CONSENT_DENIED', `Tab ${tabId} is the user's own, and they were not asked for it.`);

/** The tab, or an error that a model can act on. */
export const existing = async (tabId: number): Promise<chrome.tabs.Tab> => {
  try {
    return await chrome.tabs.get(tabId);
  } catch {
    const by = successorOf(tabId);
    throw by === tabId ? new CompanionError('TAB_NOT_FOUND', `Tab ${tabId}.`) : discarded(tabId, by);
  }
};

/** The ids that Chrome gave to tabs when it discarded them. */
const successors = new Map<number, number>();
const MAX_SUCCESSORS = 1_000;

/** Chrome has discarded a tab, which has another id from now on. */
export const noteSuccessor = (tabId: number, by: number): void => {
  successors.set(tabId, by);
  const [oldest] = successors.keys();
  if (successors.size > MAX_SUCCESSORS && oldest !== undefined) successors.delete(oldest);
};

/** The id that a tab has now: an agent knows it by the one that it had. */
export const successorOf = (tabId: number): number => {
  let found = tabId;
  for (let by = successors.get(found); by !== undefined; by = successors.get(found)) found = by;
  return found;
};

const discarded = (tabId: number, by: number): CompanionError =>
  new CompanionError(
    'TAB_NOT_FOUND',
    `The browser has put tab ${tabId} to sleep to save memory, and it is tab ${by} now. What was begun there may have happened.`,
    { remedy: 'Look at it with browser_snapshot: it is loaded again.' },
  );

const lookAt = async (tabId: number, scope: ToolScope): Promise<SeenTab> => {
  // Chrome answers in this order, and a tab that is not there ends the call.
  const tab = existing(tabId);
  if (scope !== 'page') return { tab: await tab };
  const frames = framesOf(tabId);
  // The caller that needs them is told why there are none.
  frames.catch(() => null);
  return { tab: await tab, frames };
};

/** Whether the person can see the tab. */
export const isShown = async (tabId: number): Promise<boolean> => isInView(await existing(tabId));

/** Whether the person can see a tab that was just looked up. */
export const isInView = async ({ active, windowId }: chrome.tabs.Tab): Promise<boolean> =>
  active && (await chrome.windows.get(windowId)).state !== 'minimized';

const activeTab = async (): Promise<{ tab: chrome.tabs.Tab; tabId: number }> => {
  const focused = await chrome.tabs.query({ active: true, lastFocusedWindow: true, windowType: 'normal' });
  // The last focused window may be one of DevTools or an app.
  const [tab] = focused.length > 0 ? focused : await chrome.tabs.query({ active: true, windowType: 'normal' });
  if (tab?.id === undefined)
    throw new CompanionError('TAB_NOT_FOUND', 'The browser has no open window.', { remedy: 'Open a page with browser_navigate.' });
  return { tab, tabId: tab.id };
};

/** The empty page of a new tab, while it is still loading, would stop whatever is loaded over it. */
const untilComplete = (tabId: number): Promise<void> =>
  new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(limit);
      chrome.tabs.onUpdated.removeListener(onUpdated);
      resolve();
    };
    const onUpdated = (id: number, change: { status?: string }): void => {
      if (id === tabId && change.status === 'complete') finish();
    };
    const limit = setTimeout(finish, NEW_TAB_MS);
    chrome.tabs.onUpdated.addListener(onUpdated);
    void isComplete(tabId).then((isDone) => {
      if (isDone) finish();
    });
  });

/** Whether a tab has shown nothing yet, and waits for the server of its first page. */
export const isFirstComing = async (tabId: number): Promise<boolean> => {
  const { url = '', pendingUrl = '', status } = await existing(tabId);
  return url === '' && pendingUrl !== '' && status === 'loading';
};

const isComplete = async (tabId: number): Promise<boolean> =>
  chrome.tabs.get(tabId).then(
    ({ status }) => status === 'complete',
    () => true,
  );

const createTab = async (sessionTabs: SessionTabs, sessionId: SessionId, url: string): Promise<number> => {
  const { groupId } = await sessionTabs.find(sessionId);
  const group = groupId === null ? null : await chrome.tabGroups.get(groupId).catch(() => null);
  const tabId = await createIn(group?.windowId, url);
  await sessionTabs.adopt(sessionId, tabId);
  return tabId;
};

const createIn = async (windowId: number | undefined, url: string): Promise<number> => {
  const all = await chrome.windows.getAll({ windowTypes: ['normal'] });
  // In a private one a page is not signed in, and what it keeps is gone with the window.
  const windows = all.filter(({ incognito }) => !incognito);
  if (windows.length === 0) {
    const made = await chrome.windows.create({ url, focused: false });
    const tabId = made?.tabs?.[0]?.id;
    if (tabId !== undefined) return tabId;
  }
  const focused = windows.find((window) => window.focused)?.id ?? windows[0]?.id;
  const target = windowId ?? focused;
  const tab = await chrome.tabs.create({ url, active: false, ...(target === undefined ? {} : { windowId: target }) });
  if (tab.id === undefined) throw new CompanionError('TOOL_FAILED', 'The browser made no tab.');
  return tab.id;
};
