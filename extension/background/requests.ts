/** The open requests of a tab: the consequences of an action are over when they are. Only tabs in which a session works are observed. */

/** The kinds of requests that a page may need; pictures, pings and streams are not awaited. */
const TYPES = ['xmlhttprequest', 'script', 'stylesheet', 'sub_frame'] as const;

/** A request that stays open longer than this is a stream and not a sign of work. */
const LONGEST_MS = 4_000;

/** Tabs as they are followed: their requests under way, with the time each began. */
interface Followed {
  readonly started: Map<string, number>;
  lastEnd: number;
  stop(): void;
}

export class Requests {
  readonly #tabs = new Map<number, Followed>();

  /** Begins to listen to a tab, once. */
  follow(tabId: number): void {
    if (this.#tabs.has(tabId)) return;
    const started = new Map<string, number>();
    const begin = ({ requestId }: { requestId: string }): undefined => {
      started.set(requestId, Date.now());
    };
    const end = ({ requestId }: { requestId: string }): undefined => {
      if (started.delete(requestId)) followed.lastEnd = Date.now();
    };
    const followed: Followed = {
      started,
      lastEnd: 0,
      stop: () => {
        chrome.webRequest.onBeforeRequest.removeListener(begin);
        chrome.webRequest.onCompleted.removeListener(end);
        chrome.webRequest.onErrorOccurred.removeListener(end);
      },
    };
    const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], types: [...TYPES], tabId };
    // The listeners for ends come first, because a request whose end is missed would be awaited.
    chrome.webRequest.onCompleted.addListener(end, filter);
    chrome.webRequest.onErrorOccurred.addListener(end, filter);
    chrome.webRequest.onBeforeRequest.addListener(begin, filter);
    this.#tabs.set(tabId, followed);
  }

  forget(tabId: number): void {
    this.#tabs.get(tabId)?.stop();
    this.#tabs.delete(tabId);
  }

  /** How many requests that began after `since` are under way. */
  underWay(tabId: number, since: number): number {
    const oldest = Math.max(since, Date.now() - LONGEST_MS);
    return [...(this.#tabs.get(tabId)?.started.values() ?? [])].filter((startedAt) => startedAt >= oldest).length;
  }

  /** When the tab's last request ended. */
  lastEnd(tabId: number): number {
    return this.#tabs.get(tabId)?.lastEnd ?? 0;
  }
}
