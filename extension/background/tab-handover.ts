/** The person hands the tab in front of them to a session, or takes it back. */
import type { SessionId } from '#protocol/ids.ts';
import { isAllowedPage } from '#extension/shared/addresses.ts';
import type { TabAnswer } from '#extension/shared/messages.ts';
import type { ToolContexts } from './tool-contexts.ts';

export class TabHandover {
  readonly #contexts: ToolContexts;

  constructor(contexts: ToolContexts) {
    this.#contexts = contexts;
  }

  /** Whose the tab is afterwards. */
  async act(act: 'look' | 'hand' | 'release', sessionId: SessionId, windowId: number): Promise<TabAnswer> {
    const { sessionTabs } = this.#contexts;
    const [tab] = await chrome.tabs.query({ active: true, windowId });
    if (tab?.id === undefined || !isAllowedPage(tab.url ?? '', this.#contexts.offLimits())) return { owner: null };
    if (act === 'hand') await sessionTabs.hand(sessionId, tab.id);
    if (act === 'release') await this.#contexts.releaseTab(sessionId, tab.id);
    return { owner: await sessionTabs.ownerOf(sessionId, tab.id) };
  }
}
