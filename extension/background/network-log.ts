/**
 * The newest requests of tabs in which sessions work, as Chrome reports them without the debugger. Cookies are not among the headers:
 * Chrome tells them only where they are asked for.
 */
import type { RequestEntry } from '#extension/toolkit/page.ts';
import type { News } from './news.ts';
import { readText } from './network-bodies.ts';

const MAX_ENTRIES = 500;
const MAX_BODY_CHARS = 10_000;

/** What a page works with: a missing picture is no fault of what was done. */
const NEEDED = new Set<RequestEntry['type']>(['xmlhttprequest', 'script', 'stylesheet', 'sub_frame']);

type Begun = chrome.webRequest.OnBeforeRequestDetails;
interface Ended {
  readonly requestId: string;
  readonly timeStamp: number;
  readonly responseHeaders?: chrome.webRequest.HttpHeader[] | undefined;
  readonly statusCode?: number;
  readonly error?: string;
}

export class NetworkLog {
  readonly #tabs = new Map<number, FollowedTab>();
  readonly #news: News;

  constructor(news: News) {
    this.#news = news;
  }

  /** Begins to listen to a tab, once. */
  follow(tabId: number): void {
    if (!this.#tabs.has(tabId)) this.#tabs.set(tabId, new FollowedTab(tabId, () => this.#news.failed(tabId)));
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
  readonly #open = new Map<string, RequestEntry>();
  readonly #onFailed: () => void;
  #count = 0;

  constructor(tabId: number, onFailed: () => void) {
    this.#onFailed = onFailed;
    const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], tabId };
    chrome.webRequest.onCompleted.addListener(this.#end, filter);
    chrome.webRequest.onErrorOccurred.addListener(this.#end, filter);
    // The request that a redirect leads to begins anew, with the same id.
    chrome.webRequest.onBeforeRedirect.addListener(this.#end, filter, ['responseHeaders']);
    chrome.webRequest.onResponseStarted.addListener(this.#answer, filter, ['responseHeaders']);
    chrome.webRequest.onSendHeaders.addListener(this.#send, filter, ['requestHeaders']);
    chrome.webRequest.onBeforeRequest.addListener(this.#begin, filter, ['requestBody']);
  }

  stop(): void {
    chrome.webRequest.onCompleted.removeListener(this.#end);
    chrome.webRequest.onErrorOccurred.removeListener(this.#end);
    chrome.webRequest.onBeforeRedirect.removeListener(this.#end);
    chrome.webRequest.onResponseStarted.removeListener(this.#answer);
    chrome.webRequest.onSendHeaders.removeListener(this.#send);
    chrome.webRequest.onBeforeRequest.removeListener(this.#begin);
  }

  readonly #begin = ({ requestId, method, url, type, timeStamp, requestBody }: Begun): undefined => {
    this.#count += 1;
    const carried = { requestHeaders: [], requestBody: bodyOf(requestBody), responseHeaders: [] };
    const times = { startedAt: timeStamp, ms: null };
    const entry: RequestEntry = { index: this.#count, method, url, type, status: null, error: null, ...times, ...carried };
    this.entries.push(entry);
    this.#open.set(requestId, entry);
    const dropped = this.entries.length > MAX_ENTRIES ? this.entries.shift() : undefined;
    if (dropped === undefined) return;
    for (const [id, kept] of this.#open) if (kept === dropped) this.#open.delete(id);
  };

  readonly #send = ({ requestId, requestHeaders = [] }: chrome.webRequest.OnSendHeadersDetails): void => {
    this.#goOn(requestId, { requestHeaders: toLines(requestHeaders) });
  };

  readonly #answer = ({ requestId, statusCode, responseHeaders = [] }: chrome.webRequest.OnResponseStartedDetails): void => {
    this.#goOn(requestId, { status: statusCode, responseHeaders: toLines(responseHeaders) });
  };

  readonly #end = ({ requestId, timeStamp, statusCode, error, responseHeaders }: Ended): void => {
    const begun = this.#open.get(requestId);
    if (begun === undefined) return;
    const status = statusCode ?? begun.status;
    // A page stops reading what it cannot use, such as the text that says that a picture was not found.
    const isAnswered = error === 'net::ERR_ABORTED' && status !== null;
    const isFault = (error !== undefined && error !== 'net::ERR_ABORTED') || (status ?? 0) >= 400;
    if (isFault && NEEDED.has(begun.type)) this.#onFailed();
    const headers = responseHeaders === undefined ? {} : { responseHeaders: toLines(responseHeaders) };
    this.#goOn(requestId, { ...headers, status, error: isAnswered ? null : (error ?? null), ms: Math.round(timeStamp - begun.startedAt) });
    this.#open.delete(requestId);
  };

  #goOn(requestId: string, more: Partial<RequestEntry>): void {
    const begun = this.#open.get(requestId);
    if (begun === undefined) return;
    const entry = { ...begun, ...more };
    this.#open.set(requestId, entry);
    const at = this.entries.indexOf(begun);
    if (at >= 0) this.entries[at] = entry;
  }
}

const toLines = (headers: readonly chrome.webRequest.HttpHeader[]): string[] =>
  headers.map(({ name, value = '(not text)' }) => `${name}: ${value}`);

/** Null when nothing was sent. */
const bodyOf = (body: Begun['requestBody'] | undefined): string | null => {
  if (body === null || body === undefined) return null;
  if (body.formData !== undefined) {
    const fields = Object.entries(body.formData).flatMap(([name, values]) =>
      values.map((value) => `${name}: ${typeof value === 'string' ? value : '(bytes)'}`),
    );
    return fields.join('\n').slice(0, MAX_BODY_CHARS);
  }
  const parts = (body.raw ?? []).map(({ bytes }) => {
    // Where it lies on the person's disk is no agent's business.
    if (bytes === undefined) return '(a file)';
    const text = bytes.byteLength > MAX_BODY_CHARS * 4 ? null : readText(bytes);
    return text ?? `(${bytes.byteLength} bytes)`;
  });
  return parts.length === 0 ? null : parts.join('').slice(0, MAX_BODY_CHARS);
};
