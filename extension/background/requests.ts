/** The open requests of a tab: the consequences of an action are over when they are. Only tabs in which a session works are observed. */

/** The kinds of requests that a page may need; pictures, pings and streams are not awaited. */
const TYPES = ['xmlhttprequest', 'script', 'stylesheet', 'sub_frame'] as const;

/** A request that stays open longer than this is a stream and not a sign of work. */
const LONGEST_MS = 4_000;

/** By this alone a browser asks for a stream of events: https://html.spec.whatwg.org/multipage/server-sent-events.html#the-eventsource-interface */
const EVENT_STREAM = 'text/event-stream';

interface OpenRequest {
  readonly startedAt: number;
  isEventStream: boolean;
}

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

  /**
   * How many requests that an action began are under way: those after `since`. Null for all that the page needs, to which a stream of events
   * does not belong: a page keeps one open for as long as it is shown.
   */
  underWay(tabId: number, since: number | null): number {
    const oldest = Math.max(since ?? 0, Date.now() - LONGEST_MS);
    return [...(this.#tabs.get(tabId)?.open.values() ?? [])].filter(
      ({ startedAt, isEventStream }) => startedAt >= oldest && !(isEventStream && since === null),
    ).length;
  }

  /** When the tab's last request ended. */
  lastEnd(tabId: number): number {
    return this.#tabs.get(tabId)?.lastEnd ?? 0;
  }
}

/** A tab whose requests under way are counted, from the first action in it until it is forgotten. */
class FollowedTab {
  /** Those that are under way, by Chrome's id. */
  readonly open = new Map<string, OpenRequest>();
  lastEnd = 0;

  constructor(tabId: number) {
    const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], types: [...TYPES], tabId };
    // The listeners for ends come first, because a request whose end is missed would be awaited.
    chrome.webRequest.onCompleted.addListener(this.#end, filter);
    chrome.webRequest.onErrorOccurred.addListener(this.#end, filter);
    chrome.webRequest.onBeforeRequest.addListener(this.#begin, filter);
    chrome.webRequest.onSendHeaders.addListener(this.#learn, { ...filter, types: ['xmlhttprequest'] }, ['requestHeaders']);
  }

  stop(): void {
    chrome.webRequest.onBeforeRequest.removeListener(this.#begin);
    chrome.webRequest.onSendHeaders.removeListener(this.#learn);
    chrome.webRequest.onCompleted.removeListener(this.#end);
    chrome.webRequest.onErrorOccurred.removeListener(this.#end);
  }

  readonly #begin = ({ requestId }: { requestId: string }): undefined => {
    this.open.set(requestId, { startedAt: Date.now(), isEventStream: false });
  };

  readonly #learn = ({ requestId, method, requestHeaders = [] }: chrome.webRequest.OnSendHeadersDetails): void => {
    const request = this.open.get(requestId);
    if (request !== undefined && method === 'GET')
      request.isEventStream = requestHeaders.some(({ name, value }) => name.toLowerCase() === 'accept' && value === EVENT_STREAM);
  };

  readonly #end = ({ requestId }: { requestId: string }): undefined => {
    if (this.open.delete(requestId)) this.lastEnd = Date.now();
  };
}
