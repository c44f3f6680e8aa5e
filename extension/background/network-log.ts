/** The newest requests of tabs in which sessions work, as Chrome reports them: without the debugger, and without what they carry. */
import type { RequestEntry } from '#extension/toolkit/page.ts';

const MAX_ENTRIES = 500;

type Begun = chrome.webRequest.OnBeforeRequestDetails;
interface Ended {
  readonly requestId: string;
  readonly timeStamp: number;
  readonly statusCode?: number;
  readonly error?: string;
}

export class NetworkLog {
  readonly #tabs = new Map<number, FollowedTab>();

  /** Begins to listen to a tab, once. */
  follow(tabId: number): void {
    if (!this.#tabs.has(tabId)) this.#tabs.set(tabId, new FollowedTab(tabId));
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

/** A tab whose requests are kept, from the first call in it until it is forgotten. */
class FollowedTab {
  readonly since = Date.now();
  readonly entries: RequestEntry[] = [];
  /** The requests under way, by Chrome's id. */
  readonly #open = new Map<string, { readonly entry: RequestEntry; readonly startedAt: number }>();
  #count = 0;

  constructor(tabId: number) {
    const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], tabId };
    chrome.webRequest.onCompleted.addListener(this.#end, filter);
    chrome.webRequest.onErrorOccurred.addListener(this.#end, filter);
    // The request that a redirect leads to begins anew, with the same id.
    chrome.webRequest.onBeforeRedirect.addListener(this.#end, filter);
    chrome.webRequest.onBeforeRequest.addListener(this.#begin, filter);
  }

  stop(): void {
    chrome.webRequest.onCompleted.removeListener(this.#end);
    chrome.webRequest.onErrorOccurred.removeListener(this.#end);
    chrome.webRequest.onBeforeRedirect.removeListener(this.#end);
    chrome.webRequest.onBeforeRequest.removeListener(this.#begin);
  }

  readonly #begin = ({ requestId, method, url, type, timeStamp }: Begun): undefined => {
    this.#count += 1;
    const entry: RequestEntry = { index: this.#count, method, url, type, status: null, error: null, ms: null };
    this.entries.push(entry);
    this.#open.set(requestId, { entry, startedAt: timeStamp });
    const dropped = this.entries.length > MAX_ENTRIES ? this.entries.shift() : undefined;
    if (dropped === undefined) return;
    for (const [id, { entry: kept }] of this.#open) if (kept === dropped) this.#open.delete(id);
  };

  readonly #end = ({ requestId, timeStamp, statusCode, error }: Ended): void => {
    const begun = this.#open.get(requestId);
    if (begun === undefined) return;
    this.#open.delete(requestId);
    const at = this.entries.indexOf(begun.entry);
    if (at >= 0)
      this.entries[at] = { ...begun.entry, status: statusCode ?? null, error: error ?? null, ms: Math.round(timeStamp - begun.startedAt) };
  };
}
