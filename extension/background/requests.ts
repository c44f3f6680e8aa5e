/** The open requests of a tab: the consequences of an action are over when they are. Only tabs in which a session works are observed. */

/** The kinds of requests that a page may need; pictures, pings and streams are not awaited. */
const TYPES = ['xmlhttprequest', 'script', 'stylesheet', 'sub_frame'] as const;

/** A request that stays open longer than this is a stream and not a sign of work. */
const LONGEST_MS = 4_000;

export class Requests {
  readonly #tabs = new Map<number, FollowedTab>();

  /** Begins to listen to a tab, once. */
  follow(tabId: number): void {
    if (!this.#tabs.has(tabId)) this.#tabs.set(tabId, new FollowedTab(tabId));
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

/** A tab whose requests under way are counted, from the first action in it until it is forgotten. */
class FollowedTab {
  /** When each request that is under way began, by Chrome's id. */
  readonly started = new Map<string, number>();
  lastEnd = 0;

  constructor(tabId: number) {
    const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], types: [...TYPES], tabId };
    // The listeners for ends come first, because a request whose end is missed would be awaited.
    chrome.webRequest.onCompleted.addListener(this.#end, filter);
    chrome.webRequest.onErrorOccurred.addListener(this.#end, filter);
    chrome.webRequest.onBeforeRequest.addListener(this.#begin, filter);
  }

  stop(): void {
    chrome.webRequest.onBeforeRequest.removeListener(this.#begin);
    chrome.webRequest.onCompleted.removeListener(this.#end);
    chrome.webRequest.onErrorOccurred.removeListener(this.#end);
  }

  readonly #begin = ({ requestId }: { requestId: string }): undefined => {
    this.started.set(requestId, Date.now());
  };

  readonly #end = ({ requestId }: { requestId: string }): undefined => {
    if (this.started.delete(requestId)) this.lastEnd = Date.now();
  };
}
