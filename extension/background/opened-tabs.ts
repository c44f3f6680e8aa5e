/**
 * Tabs that a page of a session's own tab opens, also long after the call that has led to it. Nobody but the agent can have pressed anything in a tab
 * that is not shown: what it opens is the session's, and the person goes on seeing what they saw.
 */
import type { SessionId } from '#protocol/ids.ts';
import type { SessionTabs } from './session-tabs.ts';
import type { TabEvents } from './tab-events.ts';

/** Called when the worker starts, for it registers a listener; `adopt` makes a tab one of the session. */
export const watchOpenedTabs = (
  events: TabEvents,
  sessionTabs: SessionTabs,
  adopt: (sessionId: SessionId, tabId: number) => Promise<void>,
): void => {
  const shown = new ShownTabs();
  const take = async (tabId: number, by: number): Promise<void> => {
    const sessionId = await sessionTabs.sessionOf(by);
    if (sessionId === null || !(await sessionTabs.find(sessionId)).ownTabs.includes(by)) return;
    const [opened, opener] = await Promise.all([chrome.tabs.get(tabId), chrome.tabs.get(by)]);
    const seen = shown.before(opener.windowId, tabId);
    if (seen === undefined || seen === by) return;
    if (opened.active && opened.windowId === opener.windowId) await chrome.tabs.update(seen, { active: true });
    await adopt(sessionId, tabId);
  };
  // A tab that is closed in the same moment is nobody's.
  events.onOpened((tabId, by) => void take(tabId, by).catch(() => null));
};

/** What windows show, and what they showed last: Chrome tells when a tab was shown, but of one that never was when it was made. */
class ShownTabs {
  /** Two tabs of each window, the newest first. */
  readonly #tabs = new Map<number, readonly number[]>();

  constructor() {
    chrome.tabs.onActivated.addListener(({ tabId, windowId }) => {
      this.#tabs.set(windowId, [tabId, ...(this.#tabs.get(windowId) ?? []).filter((id) => id !== tabId)].slice(0, 2));
    });
    chrome.windows.onRemoved.addListener((windowId) => this.#tabs.delete(windowId));
    void this.#begin();
  }

  /** What a window showed before this tab came. */
  before(windowId: number, opened: number): number | undefined {
    return this.#tabs.get(windowId)?.find((tabId) => tabId !== opened);
  }

  async #begin(): Promise<void> {
    for (const { id, windowId } of await chrome.tabs.query({ active: true }))
      if (id !== undefined) this.#tabs.set(windowId, [...(this.#tabs.get(windowId) ?? []), id].slice(0, 2));
  }
}
