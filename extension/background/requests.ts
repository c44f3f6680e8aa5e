/** The open requests of a tab: the consequences of an action are over when they are. Only tabs in which a session works are observed. */
import { keepNewest } from '#extension/shared/keep-newest.ts';

/** The kinds of requests that a page may need; pictures, pings and streams are not awaited. */
const TYPES = ['xmlhttprequest', 'script', 'stylesheet', 'sub_frame'] as const;

/** A request that stays open longer than this is a stream and not a sign of work. */
const LONGEST_MS = 4_000;

/**
 * A GET that was open for this long waits for news (a long poll): the next one of its address is not awaited at all. Many things are asked for
 * at one address by POST, and a slow one among them says nothing of the others.
 */
const POLL_MS = 10_000;
const MOST_POLLS = 200;

/** Of the requests that a tab has open, so many are looked at, the newest: each that begins or ends looks at them. */
const MOST_OPEN = 500;

/** A page that has had no request under way for so long has come to a rest. */
const PAUSE_MS = 60;

/** A server that says no more than that it has heard (HTTP 202, 204) may answer by a stream or a socket that the page has open. */
const HEARD = new Set([202, 204]);
const ANSWER_MS = 300;

/** By this alone a browser asks for a stream of events: https://html.spec.whatwg.org/multipage/server-sent-events.html#the-eventsource-interface */
const EVENT_STREAM = 'text/event-stream';

/** What a page shows first may come by a stream or a socket that it has just opened. */
const FIRST_WORDS_MS = 300;

interface OpenRequest {
  readonly startedAt: number;
  /** Of what is got: its site and its path, for what is asked for there differs from one to the next. */
  readonly address: string | null;
  isEventStream: boolean;
}

export class Requests {
  readonly #tabs = new Map<number, FollowedTab>();
  /** Addresses whose last request, of whatever tab, was a long poll. */
  readonly #polls = new Set<string>();

  /** Begins to listen to a tab, once. */
  follow(tabId: number): void {
    if (this.#tabs.has(tabId)) return;
    const heard = { ended: this.#ended, pauses: (): boolean => this.#pauses(tabId) };
    this.#tabs.set(tabId, new FollowedTab(tabId, heard));
  }

  forget(tabId: number): void {
    this.#tabs.get(tabId)?.stop();
    this.#tabs.delete(tabId);
  }

  /**
   * How many requests that an action began are under way: those after `since`, as `performance.now()` tells it. Null for all that the page needs, to which a stream of events
   * and a socket belong only at first: a page keeps one open for as long as it is shown. What is known to wait for news is in neither.
   */
  underWay(tabId: number, since: number | null): number {
    const tab = this.#tabs.get(tabId);
    const unanswered = since === null ? Number(isNew(tab?.socketAt)) : (tab?.unanswered(since) ?? 0);
    return unanswered + this.#awaited(tabId, since).reduce((count) => count + 1, 0);
  }

  *#awaited(tabId: number, since: number | null): Generator<OpenRequest> {
    const oldest = Math.max(since ?? 0, performance.now() - LONGEST_MS);
    for (const request of this.#tabs.get(tabId)?.open.values() ?? [])
      if (request.startedAt >= oldest && !isKeptOpen(request, since) && !this.#isPoll(request.address)) yield request;
  }

  /** How many requests that began after `since` wait until the person has signed in. */
  heldBack(tabId: number, since: number): number {
    return [...(this.#tabs.get(tabId)?.held.values() ?? [])].filter((startedAt) => startedAt >= since).length;
  }

  /** How long there has been no pause between the requests of the page; 0 in one. */
  restlessMs(tabId: number): number {
    const tab = this.#tabs.get(tabId);
    return tab === undefined || this.#pauses(tabId) ? 0 : performance.now() - tab.restlessSince;
  }

  #pauses(tabId: number): boolean {
    return performance.now() - this.lastEnd(tabId) >= PAUSE_MS && this.#awaited(tabId, null).next().done === true;
  }

  /** Another page has come into the tab. */
  arrived(tabId: number): void {
    const tab = this.#tabs.get(tabId);
    if (tab === undefined) return;
    tab.restlessSince = performance.now();
    tab.socketAt = Number.NEGATIVE_INFINITY;
  }

  /** When the tab's last request ended, by the same clock; long ago where it had none. */
  lastEnd(tabId: number): number {
    return this.#tabs.get(tabId)?.lastEnd ?? Number.NEGATIVE_INFINITY;
  }

  /** Known from the last one, or from one that another page has open. */
  #isPoll(address: string | null): boolean {
    if (address === null) return false;
    return this.#polls.has(address) || this.#tabs.values().some((tab) => tab.waitsAt(address));
  }

  readonly #ended = ({ startedAt, address }: OpenRequest): void => {
    if (address === null) return;
    this.#polls.delete(address);
    if (performance.now() - startedAt >= POLL_MS) this.#polls.add(address);
    keepNewest(this.#polls, MOST_POLLS);
  };
}

const isNew = (at = Number.NEGATIVE_INFINITY): boolean => performance.now() - at < FIRST_WORDS_MS;

const isKeptOpen = ({ isEventStream, startedAt }: OpenRequest, since: number | null): boolean =>
  isEventStream && since === null && !isNew(startedAt);

const addressOf = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

interface Heard {
  readonly ended: (request: OpenRequest) => void;
  readonly pauses: () => boolean;
}

/** A tab whose requests under way are counted, from the first action in it until it is forgotten. */
class FollowedTab {
  /** Those that are under way, by Chrome's id, the oldest first. */
  readonly open = new Map<string, OpenRequest>();
  /** Those that wait until the person has signed in, by Chrome's id, with when they began. Nobody knows how long that takes. */
  readonly held = new Map<string, number>();
  lastEnd = Number.NEGATIVE_INFINITY;
  /** Since when there has been no pause. */
  restlessSince = 0;
  /** When the page opened its last one; long ago where it has none. */
  socketAt = Number.NEGATIVE_INFINITY;
  /** What was sent and only heard by the server: when it began, and when it ended. */
  #heardOnly: { readonly startedAt: number; readonly endedAt: number }[] = [];
  readonly #heard: Heard;

  constructor(tabId: number, heard: Heard) {
    this.#heard = heard;
    const filter: chrome.webRequest.RequestFilter = { urls: ['<all_urls>'], types: [...TYPES], tabId };
    // The listeners for ends come first, because a request whose end is missed would be awaited.
    chrome.webRequest.onCompleted.addListener(this.#end, filter);
    chrome.webRequest.onCompleted.addListener(this.#noteSocket, { ...filter, types: ['websocket'] });
    chrome.webRequest.onErrorOccurred.addListener(this.#end, filter);
    chrome.webRequest.onBeforeRequest.addListener(this.#begin, filter);
    chrome.webRequest.onAuthRequired.addListener(this.#hold, filter);
    chrome.webRequest.onSendHeaders.addListener(this.#learn, { ...filter, types: ['xmlhttprequest'] }, ['requestHeaders']);
  }

  /** Whether a request of this address waits for news. */
  waitsAt(address: string): boolean {
    const waitsSince = performance.now() - POLL_MS;
    for (const { address: asked, startedAt } of this.open.values()) {
      if (startedAt > waitsSince) return false;
      if (asked === address) return true;
    }
    return false;
  }

  /** How many requests since then have been heard only, a moment ago. */
  unanswered(since: number): number {
    const now = performance.now();
    this.#heardOnly = this.#heardOnly.filter(({ endedAt }) => now - endedAt < ANSWER_MS);
    return this.#heardOnly.filter(({ startedAt }) => startedAt >= since).length;
  }

  stop(): void {
    chrome.webRequest.onBeforeRequest.removeListener(this.#begin);
    chrome.webRequest.onCompleted.removeListener(this.#noteSocket);
    chrome.webRequest.onSendHeaders.removeListener(this.#learn);
    chrome.webRequest.onAuthRequired.removeListener(this.#hold);
    chrome.webRequest.onCompleted.removeListener(this.#end);
    chrome.webRequest.onErrorOccurred.removeListener(this.#end);
  }

  readonly #begin = ({ requestId, method, url }: chrome.webRequest.OnBeforeRequestDetails): undefined => {
    if (this.#heard.pauses()) this.restlessSince = performance.now();
    // Where it was sent on to, it begins anew.
    this.open.delete(requestId);
    this.open.set(requestId, { startedAt: performance.now(), address: method === 'GET' ? addressOf(url) : null, isEventStream: false });
    keepNewest(this.open, MOST_OPEN);
  };

  readonly #learn = ({ requestId, method, requestHeaders = [] }: chrome.webRequest.OnSendHeadersDetails): void => {
    const request = this.open.get(requestId);
    if (request !== undefined && method === 'GET')
      request.isEventStream = requestHeaders.some(({ name, value }) => name.toLowerCase() === 'accept' && value === EVENT_STREAM);
  };

  readonly #hold = ({ requestId }: { requestId: string }): undefined => {
    const request = this.open.get(requestId);
    if (request === undefined) return;
    this.open.delete(requestId);
    this.held.set(requestId, request.startedAt);
    this.lastEnd = performance.now();
  };

  readonly #noteSocket = ({ statusCode }: chrome.webRequest.OnCompletedDetails): undefined => {
    if (statusCode === 101) this.socketAt = performance.now();
  };

  readonly #end = ({ requestId, statusCode }: { requestId: string; statusCode?: number }): undefined => {
    this.held.delete(requestId);
    const request = this.open.get(requestId);
    if (request === undefined) return;
    this.open.delete(requestId);
    this.lastEnd = performance.now();
    const mayBeAnswered = this.socketAt > Number.NEGATIVE_INFINITY || this.open.values().some(({ isEventStream }) => isEventStream);
    if (request.address === null && HEARD.has(statusCode ?? 0) && mayBeAnswered)
      this.#heardOnly.push({ startedAt: request.startedAt, endedAt: this.lastEnd });
    this.#heard.ended(request);
  };
}
