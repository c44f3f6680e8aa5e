/** What a tool is given to work with, made for each call from what the worker keeps. */
import type { BrowserName, TabTarget } from '#protocol/browser.ts';
import type { SessionId } from '#protocol/ids.ts';
import { toAddress } from '#extension/shared/addresses.ts';
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

interface ContextCall {
  readonly sessionId: SessionId;
  readonly otherBrowsers: readonly BrowserName[];
  readonly target: TabTarget | null;
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

  /** What a call works with; in its page it asks only the document it was allowed for. */
  contextFor(call: ContextCall, tabId: number | null, signal: AbortSignal): ToolContext {
    const { sessionId, otherBrowsers, target } = call;
    const pageOf = (id: number): TabPage => this.#pageFor(sessionId, id, signal);
    const page = tabId === null ? null : pageOf(tabId);
    if (target !== null && target.documentId !== '') page?.bind(target);
    return {
      sessionId,
      signal,
      otherBrowsers,
      tabs: createTabs({
        sessionId,
        sessionTabs: this.sessionTabs,
        choice: this.choice,
        toPage: pageOf,
        allowedTab: target?.tabId ?? null,
        ownPort: () => this.ownPort(),
        browser: this.#options.browser(),
      }),
      get page() {
        if (page === null) throw new Error('a tool of scope "browser" has no page');
        return page;
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
