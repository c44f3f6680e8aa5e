/** The newest requests of tabs in which sessions work, as Chrome reports them: without the debugger, and without what they carry. */
import type { RequestEntry } from '#extension/toolkit/page.ts';

const MAX_ENTRIES = 500;

interface Followed {
  readonly since: number;
  readonly entries: RequestEntry[];
  stop(): void;
}

type Begun = chrome.webRequest.OnBeforeRequestDetails;
interface Ended {
  readonly requestId: string;
  readonly timeStamp: number;
  readonly statusCode?: number;
  readonly error?: string;
}

export class NetworkLog {
  readonly #tabs = new Map<number, Followed>();

  /** Begins to listen to a tab, once. */
  follow(tabId: number): void {
    if (!this.#tabs.has(tabId)) this.#tabs.set(tabId, listen(tabId));
  }

  forget(tabId: number): void {
    this.#tabs.get(tabId)?.stop();
    this.#tabs.delete(tabId);
  }

  /** Oldest first, with the time since when they are kept. */
  of(tabId: number): { readonly since: number; readonly entries: readonly RequestEntry[] } {
    return this.#tabs.get(tabId) ?? { since: Date.now(), entries: [] };
  }
}

const listen = (tabId: number): Followed => {
  const entries: RequestEntry[] = [];
  const open = new Map<string, { readonly entry: RequestEntry; readonly startedAt: number }>();
  let index = 0;
  const begin = ({ requestId, method, url, type, timeStamp }: Begun): undefined => {
    index += 1;
    const entry: RequestEntry = { index, method, url, type, status: null, error: null, ms: null };
    entries.push(entry);
    open.set(requestId, { entry, startedAt: timeStamp });
    const dropped = entries.length > MAX_ENTRIES ? entries.shift() : undefined;
    if (dropped === undefined) return;
    for (const [id, { entry: kept }] of open) if (kept === dropped) open.delete(id);
  };
  const end = ({ requestId, timeStamp, statusCode, error }: Ended): void => {
    const begun = open.get(requestId);
    if (begun === undefined) return;
    open.delete(requestId);
    const at = entries.indexOf(begun.entry);
    if (at >= 0)
      entries[at] = { ...begun.entry, status: statusCode ?? null, error: error ?? null, ms: Math.round(timeStamp - begun.startedAt) };
  };
  const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], tabId };
  chrome.webRequest.onCompleted.addListener(end, filter);
  chrome.webRequest.onErrorOccurred.addListener(end, filter);
  // What it is sent on to begins anew, with the same id.
  chrome.webRequest.onBeforeRedirect.addListener(end, filter);
  chrome.webRequest.onBeforeRequest.addListener(begin, filter);
  return {
    since: Date.now(),
    entries,
    stop: () => {
      chrome.webRequest.onCompleted.removeListener(end);
      chrome.webRequest.onErrorOccurred.removeListener(end);
      chrome.webRequest.onBeforeRedirect.removeListener(end);
      chrome.webRequest.onBeforeRequest.removeListener(begin);
    },
  };
};
