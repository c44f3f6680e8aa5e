/** Which requests of a tab are under way: what an action set off is over when they are. Only tabs that a session works in are listened to. */

/** What a page shows may depend on these; pictures, pings and streams are not waited for. */
const TYPES = ['xmlhttprequest', 'script', 'stylesheet', 'sub_frame'] as const;

/** A stream that stays open is no sign of work. */
const LONGEST_MS = 4_000;

export interface Requests {
  /** Begins to listen to a tab, once. */
  follow(tabId: number): void;
  forget(tabId: number): void;
  /** How many requests that began after `since` are under way. */
  underWay(tabId: number, since: number): number;
  /** When the tab's last request ended. */
  lastEnd(tabId: number): number;
}

export const createRequests = (): Requests => {
  const tabs = new Map<number, { started: Map<string, number>; lastEnd: number; stop(): void }>();
  return {
    follow: (tabId) => {
      if (tabs.has(tabId)) return;
      const started = new Map<string, number>();
      const entry = { started, lastEnd: 0, stop: (): void => {} };
      const begin = ({ requestId }: { requestId: string }): undefined => {
        started.set(requestId, Date.now());
      };
      const end = ({ requestId }: { requestId: string }): undefined => {
        if (started.delete(requestId)) entry.lastEnd = Date.now();
      };
      const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], types: [...TYPES], tabId };
      // The ends first: a request whose end is missed would be waited for.
      chrome.webRequest.onCompleted.addListener(end, filter);
      chrome.webRequest.onErrorOccurred.addListener(end, filter);
      chrome.webRequest.onBeforeRequest.addListener(begin, filter);
      entry.stop = () => {
        chrome.webRequest.onBeforeRequest.removeListener(begin);
        chrome.webRequest.onCompleted.removeListener(end);
        chrome.webRequest.onErrorOccurred.removeListener(end);
      };
      tabs.set(tabId, entry);
    },
    forget: (tabId) => {
      tabs.get(tabId)?.stop();
      tabs.delete(tabId);
    },
    underWay: (tabId, since) => {
      const oldest = Math.max(since, Date.now() - LONGEST_MS);
      return [...(tabs.get(tabId)?.started.values() ?? [])].filter((startedAt) => startedAt >= oldest).length;
    },
    lastEnd: (tabId) => tabs.get(tabId)?.lastEnd ?? 0,
  };
};
