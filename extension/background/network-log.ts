/**
 * The newest requests of tabs in which sessions work, as Chrome reports them without the debugger. Cookies are not among the headers:
 * Chrome tells them only where they are asked for.
 */
import type { SessionId } from '#protocol/ids.ts';
import { originOf } from '#extension/shared/addresses.ts';
import type { KeptRequests, RequestEntry } from '#extension/toolkit/page.ts';
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

/** Whose requests are meant. */
interface Asked {
  readonly sessionId: SessionId | null;
  /** The origin of the page that a call is for. */
  readonly site: string;
}

export class NetworkLog {
  readonly #tabs = new Map<number, FollowedTab>();
  readonly #news: News;

  constructor(news: News) {
    this.#news = news;
  }

  /** Begins to listen to a tab for a session, once. */
  follow(tabId: number, sessionId: SessionId): void {
    const followed = this.#tabs.get(tabId) ?? new FollowedTab(tabId, () => this.#news.failed(tabId));
    this.#tabs.set(tabId, followed);
    followed.hear(sessionId);
  }

  /** What it was told is over, in tabs of the person's too. */
  endSession(sessionId: SessionId): void {
    for (const [tabId, followed] of this.#tabs) if (!followed.leave(sessionId)) this.forget(tabId);
  }

  forget(tabId: number): void {
    this.#tabs.get(tabId)?.stop();
    this.#tabs.delete(tabId);
  }

  /** Those of pages of one site since the session's first call in the tab, oldest first. */
  of(tabId: number, asked: Asked): KeptRequests {
    return this.#tabs.get(tabId)?.of(asked) ?? { since: Date.now(), actedAt: null, entries: [] };
  }

  /** A call is about to do something in the tab. */
  acts(tabId: number): void {
    const followed = this.#tabs.get(tabId);
    if (followed !== undefined) followed.actedAt = Date.now();
  }

  /** Resolves when a request of the tab is answered or fails, or `signal` is aborted. */
  nextAnswer(tabId: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const followed = this.#tabs.get(tabId);
      followed?.waiting.add(resolve);
      signal.addEventListener('abort', () => {
        followed?.waiting.delete(resolve);
        resolve();
      });
    });
  }

  /** The number of the newest, of whatever page. */
  newest(tabId: number): number {
    return this.#tabs.get(tabId)?.entries.at(-1)?.index ?? 0;
  }
}

interface Kept extends RequestEntry {
  /** The origin of the page that made it; null where that is the page of its visit. */
  readonly site: string | null;
  /** Which page of the tab it is for, counted from the first call; what is to become a page is for the next one. */
  readonly visit: number;
}

/** A tab whose requests are kept, from the first call in it until it is forgotten. */
class FollowedTab {
  readonly entries: Kept[] = [];
  /** When the last call that did something here began; null before the first. */
  actedAt: number | null = null;
  /** Told of the next answer. */
  readonly waiting = new Set<() => void>();
  /** The requests under way, by Chrome's id. */
  readonly #open = new Map<string, Kept>();
  /** When the first call of each session was, and the number of the newest request then. */
  readonly #sessions = new Map<SessionId, { readonly since: number; readonly count: number }>();
  readonly #tabId: number;
  readonly #onFailed: () => void;
  /** The origin of the page of each visit. */
  readonly #sites: string[] = [];
  #visit = 0;
  #count = 0;

  constructor(tabId: number, onFailed: () => void) {
    this.#tabId = tabId;
    this.#onFailed = onFailed;
    void chrome.webNavigation.getFrame({ tabId, frameId: 0 }).then(
      (frame) => (this.#sites[0] ??= originOf(frame?.url ?? '')),
      () => null,
    );
    chrome.webNavigation.onCommitted.addListener(this.#arrive);
    const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], tabId };
    chrome.webRequest.onCompleted.addListener(this.#end, filter);
    chrome.webRequest.onErrorOccurred.addListener(this.#end, filter);
    // The request that a redirect leads to begins anew, with the same id.
    chrome.webRequest.onBeforeRedirect.addListener(this.#end, filter, ['responseHeaders']);
    chrome.webRequest.onResponseStarted.addListener(this.#answer, filter, ['responseHeaders']);
    chrome.webRequest.onSendHeaders.addListener(this.#send, filter, ['requestHeaders']);
    chrome.webRequest.onAuthRequired.addListener(this.#refuse, filter);
    chrome.webRequest.onBeforeRequest.addListener(this.#begin, filter, ['requestBody']);
  }

  hear(sessionId: SessionId): void {
    if (!this.#sessions.has(sessionId)) this.#sessions.set(sessionId, { since: Date.now(), count: this.#count });
  }

  /** False when nobody listens any more. */
  leave(sessionId: SessionId): boolean {
    this.#sessions.delete(sessionId);
    return this.#sessions.size > 0;
  }

  of({ sessionId, site }: Asked): KeptRequests {
    // The card about a call of a session is made without it.
    const { since, count } = (sessionId === null ? undefined : this.#sessions.get(sessionId)) ?? { since: Date.now(), count: 0 };
    const isMeant = (entry: Kept): boolean =>
      entry.index > count && (entry.site ?? this.#sites[entry.visit] ?? originOf(entry.url)) === site;
    return { since, actedAt: this.actedAt, entries: this.entries.filter(isMeant) };
  }

  stop(): void {
    chrome.webNavigation.onCommitted.removeListener(this.#arrive);
    chrome.webRequest.onCompleted.removeListener(this.#end);
    chrome.webRequest.onErrorOccurred.removeListener(this.#end);
    chrome.webRequest.onBeforeRedirect.removeListener(this.#end);
    chrome.webRequest.onResponseStarted.removeListener(this.#answer);
    chrome.webRequest.onSendHeaders.removeListener(this.#send);
    chrome.webRequest.onBeforeRequest.removeListener(this.#begin);
    chrome.webRequest.onAuthRequired.removeListener(this.#refuse);
  }

  readonly #arrive = ({ tabId, frameId, url }: { tabId: number; frameId: number; url: string }): void => {
    if (tabId !== this.#tabId || frameId !== 0) return;
    this.#visit += 1;
    this.#sites[this.#visit] = originOf(url);
  };

  readonly #begin = ({ requestId, method, url, type, timeStamp, requestBody, frameId, initiator }: Begun): undefined => {
    this.#count += 1;
    const carried = { requestHeaders: [], requestBody: bodyOf(requestBody), responseHeaders: [] };
    const times = { startedAt: timeStamp, answeredAt: null, ms: null };
    const isPage = type === 'main_frame';
    const from = initiator === undefined || initiator === 'null' ? null : initiator;
    // A frame is part of the page around it.
    const belongs = { initiator: from, site: isPage || frameId > 0 ? null : from, visit: this.#visit + (isPage ? 1 : 0) };
    const entry: Kept = { index: this.#count, method, url, type, status: null, error: null, ...times, ...carried, ...belongs };
    this.entries.push(entry);
    this.#open.set(requestId, entry);
    const dropped = this.entries.length > MAX_ENTRIES ? this.entries.shift() : undefined;
    if (dropped === undefined) return;
    for (const [id, kept] of this.#open) if (kept === dropped) this.#open.delete(id);
  };

  readonly #send = ({ requestId, requestHeaders = [] }: chrome.webRequest.OnSendHeadersDetails): void => {
    this.#goOn(requestId, { requestHeaders: toLines(requestHeaders) });
  };

  /** It goes on when the person has signed in. */
  readonly #refuse = ({ requestId, statusCode }: chrome.webRequest.OnAuthRequiredDetails): undefined => {
    this.#goOn(requestId, { status: statusCode });
  };

  readonly #answer = ({ requestId, timeStamp, statusCode, responseHeaders = [] }: chrome.webRequest.OnResponseStartedDetails): void => {
    this.#goOn(requestId, { status: statusCode, answeredAt: timeStamp, responseHeaders: toLines(responseHeaders) });
    this.#tellWaiting();
  };

  readonly #end = ({ requestId, timeStamp, statusCode, error, responseHeaders }: Ended): void => {
    const begun = this.#open.get(requestId);
    if (begun === undefined) return;
    const status = statusCode ?? begun.status;
    // A page stops reading what it cannot use, such as the text that says that a picture was not found.
    const isStopped = error === 'net::ERR_ABORTED' || isClosedStream(begun, error);
    const isAnswered = isStopped && begun.answeredAt !== null;
    const isGivenUp = isStopped && !isAnswered;
    const isFault = !isGivenUp && ((error !== undefined && !isStopped) || (status ?? 0) >= 400);
    if (isFault && NEEDED.has(begun.type)) this.#onFailed();
    const headers = responseHeaders === undefined ? {} : { responseHeaders: toLines(responseHeaders) };
    // What is sent on was answered, and so it ends.
    const answeredAt = begun.answeredAt ?? (status === null ? null : timeStamp);
    const ended = { ...headers, status, answeredAt, ms: Math.round(timeStamp - begun.startedAt) };
    this.#goOn(requestId, { ...ended, error: isAnswered ? null : (error ?? null) });
    this.#open.delete(requestId);
    this.#tellWaiting();
  };

  #tellWaiting(): void {
    for (const tell of this.waiting) tell();
    this.waiting.clear();
  }

  #goOn(requestId: string, more: Partial<Kept>): void {
    const begun = this.#open.get(requestId);
    if (begun === undefined) return;
    const entry = { ...begun, ...more };
    this.#open.set(requestId, entry);
    const at = this.entries.indexOf(begun);
    if (at >= 0) this.entries[at] = entry;
  }
}

/** Chrome tells of a stream of events that its page has closed as of a failure without a reason. */
const isClosedStream = ({ responseHeaders }: Kept, error: string | undefined): boolean =>
  error === 'net::ERR_FAILED' && responseHeaders.some((line) => /^content-type: *text\/event-stream/i.test(line));

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
