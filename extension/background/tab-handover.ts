/** The person hands the tab in front of them to a session, takes it back, and sees in which tabs a session works. */
import type { SessionId } from '#protocol/ids.ts';
import { isAllowedPage } from '#extension/shared/addresses.ts';
import type { SessionTabs, TabAnswer } from '#extension/shared/messages.ts';
import type { Debuggers } from './debugger.ts';
import type { ToolContexts } from './tool-contexts.ts';

interface Contexts extends Pick<ToolContexts, 'sessionTabs' | 'offLimits' | 'handTab' | 'releaseTab'> {
  readonly debuggers: Pick<Debuggers, 'reasonsFor'>;
}

export class TabHandover {
  readonly #contexts: Contexts;

  constructor(contexts: Contexts) {
    this.#contexts = contexts;
  }

  /** Whose the tab is afterwards. */
  async act(act: 'look' | 'hand' | 'release', sessionId: SessionId, windowId: number): Promise<TabAnswer> {
    const { sessionTabs } = this.#contexts;
    const [tab] = await chrome.tabs.query({ active: true, windowId });
    if (tab?.id === undefined || !isAllowedPage(tab.url ?? '', this.#contexts.offLimits())) return { owner: null };
    if (act === 'hand') await this.#contexts.handTab(sessionId, tab.id);
    if (act === 'release') await this.#contexts.releaseTab(sessionId, tab.id);
    return { owner: await sessionTabs.ownerOf(sessionId, tab.id) };
  }

  /** The tabs of the session, after one of them was brought to the front or closed; no other is touched. */
  async tabsOf(sessionId: SessionId, act?: { type: 'show' | 'close'; tabId: number }): Promise<SessionTabs> {
    const found = await this.#tabsOf(sessionId);
    const meant = found.find(({ id }) => id === act?.tabId);
    if (act?.type === 'show' && meant !== undefined) await show(meant);
    if (act?.type === 'close' && meant?.id !== undefined) await chrome.tabs.remove(meant.id);
    const left = act === undefined ? found : await this.#tabsOf(sessionId);
    const { debuggers } = this.#contexts;
    return {
      tabs: left.map(({ id = 0, title = '', url = '', active }) => ({
        tabId: id,
        title,
        url,
        isShown: active,
        debuggedFor: debuggers.reasonsFor(id),
      })),
    };
  }

  async #tabsOf(sessionId: SessionId): Promise<chrome.tabs.Tab[]> {
    const { ownTabs, handedTabs } = await this.#contexts.sessionTabs.find(sessionId);
    // One that was just closed is not there any more.
    const found = await Promise.all([...ownTabs, ...handedTabs].map((tabId) => chrome.tabs.get(tabId).catch(() => null)));
    return found.filter((tab) => tab !== null);
  }
}

const show = async ({ id, windowId }: chrome.tabs.Tab): Promise<void> => {
  if (id !== undefined) await chrome.tabs.update(id, { active: true });
  await chrome.windows.update(windowId, { focused: true });
};
