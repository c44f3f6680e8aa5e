/** What a tool is given to work with, made for each call from what the worker keeps. */
import type { BrowserName } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import { originOf, toAddress } from '#extension/shared/addresses.ts';
import type { ToolContext } from '#extension/toolkit/tool.ts';
import { RefBases } from './ref-bases.ts';
import { Requests } from './requests.ts';
import { SessionTabs } from './session-tabs.ts';
import type { TabEvents } from './tab-events.ts';
import { type PageOwner, type PageTools, TabPage } from './tab-page.ts';
import { TabChoice, createTabs } from './tabs.ts';

interface Options {
  readonly events: TabEvents;
  readonly ownPort: () => number | null;
  /** The profile in words. */
  readonly browser: () => string;
}

export class ToolContexts {
  readonly sessionTabs = new SessionTabs();
  readonly choice = new TabChoice(this.sessionTabs);
  readonly #options: Options;
  readonly #pageTools: PageTools;

  constructor(options: Options) {
    const { events, ownPort } = options;
    const requests = new Requests();
    const refBases = new RefBases();
    this.#options = options;
    this.#pageTools = { events, requests, refBases, ownPort };
    events.onReplaced((tabId, by) => void this.sessionTabs.replace(tabId, by));
    events.onClosed((tabId) => {
      requests.forget(tabId);
      void refBases.forget(tabId);
      void this.sessionTabs.replace(tabId, null);
    });
  }

  /** The daemon's port, which no page may reach. */
  ownPort(): number | null {
    return this.#options.ownPort();
  }

  /** A page that is only looked at. */
  pageOf(tabId: number, signal: AbortSignal = new AbortController().signal): TabPage {
    return new TabPage(tabId, signal, this.#pageTools, noSession);
  }

  contextFor(
    call: { readonly sessionId: SessionId; readonly otherBrowsers: readonly BrowserName[] },
    tabId: number | null,
    signal: AbortSignal,
  ): ToolContext {
    const { sessionId, otherBrowsers } = call;
    const pageOf = (id: number): TabPage => this.#pageFor(sessionId, id, signal);
    return {
      sessionId,
      signal,
      otherBrowsers,
      tabs: createTabs({
        sessionId,
        sessionTabs: this.sessionTabs,
        choice: this.choice,
        toPage: pageOf,
        ownPort: () => this.ownPort(),
        browser: this.#options.browser(),
      }),
      get page() {
        if (tabId === null) throw new Error('a tool of scope "browser" has no page');
        return pageOf(tabId);
      },
    };
  }

  #pageFor(sessionId: SessionId, tabId: number, signal: AbortSignal): TabPage {
    return new TabPage(tabId, signal, this.#pageTools, {
      openBeside: (url) => this.choice.openBeside(sessionId, toAddress(url, this.ownPort())),
      adopt: (opened) => this.sessionTabs.adopt(sessionId, opened),
    });
  }
}

const refuse = (): Promise<never> => Promise.reject(new Error('this page is only looked at'));
const noSession: PageOwner = { openBeside: refuse, adopt: refuse };

/** The origin of a frame; one without an address of its own has its parent's. */
export const originOfFrame = async (tabId: number, frameId: number, tabUrl: string): Promise<string> => {
  for (let id = frameId; id !== 0;) {
    const frame = await chrome.webNavigation.getFrame({ tabId, frameId: id });
    if (frame === null) break;
    if (!frame.url.startsWith('about:')) return originOf(frame.url);
    id = frame.parentFrameId;
  }
  return originOf(tabUrl);
};
