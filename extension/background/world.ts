/** What the runner gives to tools, put together once per worker. */
import type { SessionId } from '#protocol/ids.ts';
import { originOf, toAddress } from '#extension/shared/addresses.ts';
import type { Page } from '#extension/tools/page.ts';
import type { ToolContext } from '#extension/tools/tool.ts';
import { createRefBases } from './ref-bases.ts';
import { createRequests } from './requests.ts';
import { type SessionTabs, createSessionTabs } from './session-tabs.ts';
import { type TabEvents } from './tab-events.ts';
import { type PageWorld, createPage } from './tab-page.ts';
import { type TabChoice, createTabChoice, createTabs } from './tabs.ts';

export interface World {
  readonly choice: TabChoice;
  readonly sessionTabs: SessionTabs;
  ownPort(): number | null;
  /** A page that no session works on. */
  pageOf(tabId: number, signal?: AbortSignal): Page;
  contextFor(sessionId: SessionId, tabId: number | null, signal: AbortSignal): ToolContext;
  /** The origin of a frame; one without an address of its own has its parent's. */
  originOf(tabId: number, frameId: number, tabUrl: string): Promise<string>;
}

export const createWorld = (options: { events: TabEvents; ownPort: () => number | null; browser: () => string }): World => {
  const { events, ownPort } = options;
  const sessionTabs = createSessionTabs();
  const choice = createTabChoice(sessionTabs);
  const requests = createRequests();
  const refBases = createRefBases();
  const pages: PageWorld = { events, requests, refBases, ownPort };
  events.onReplaced((tabId, by) => void sessionTabs.replace(tabId, by));
  events.onClosed((tabId) => {
    requests.forget(tabId);
    void refBases.forget(tabId);
    void sessionTabs.replace(tabId, null);
  });

  const pageFor = (sessionId: SessionId, tabId: number, signal: AbortSignal): Page =>
    createPage(tabId, signal, pages, {
      openBeside: (url) => choice.openBeside(sessionId, toAddress(url, ownPort())),
      adopt: (opened) => sessionTabs.adopt(sessionId, opened),
    });
  const noSession = (): Promise<never> => Promise.reject(new Error('this page is only looked at'));

  return {
    choice,
    sessionTabs,
    ownPort,
    pageOf: (tabId, signal = new AbortController().signal) => createPage(tabId, signal, pages, { openBeside: noSession, adopt: noSession }),
    contextFor: (sessionId, tabId, signal) => ({
      sessionId,
      signal,
      tabs: createTabs({
        sessionId,
        sessionTabs,
        choice,
        toPage: (id) => pageFor(sessionId, id, signal),
        ownPort,
        browser: options.browser(),
      }),
      get page() {
        if (tabId === null) throw new Error('a tool of scope "browser" has no page');
        return pageFor(sessionId, tabId, signal);
      },
    }),
    originOf: async (tabId, frameId, tabUrl) => {
      for (let id = frameId; id !== 0;) {
        const frame = await chrome.webNavigation.getFrame({ tabId, frameId: id });
        if (frame === null) break;
        if (!frame.url.startsWith('about:')) return originOf(frame.url);
        id = frame.parentFrameId;
      }
      return originOf(tabUrl);
    },
  };
};
