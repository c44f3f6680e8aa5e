/** Which tab asked for an address recently. Chrome names no tab with a download, but it does with the request before it. */

/** A download is reported within this time after its request, unless the server is slow; the newest request counts then. */
const KEPT = 500;

/** Kinds of requests that may become a download; `other` is a link with the attribute `download`. */
const TYPES = ['main_frame', 'sub_frame', 'object', 'other'] as const;

/** Until requests have been observed for this long, one may have been missed. */
const BLIND_MS = 2_000;

export class RequestTrail {
  /** The newest request comes last. A tab id below 0 means that the browser itself asked. */
  readonly #tabs = new Map<string, number>();
  readonly #openers = new Map<number, number>();
  readonly #startedAt = performance.now();

  constructor() {
    const note = ({ url, tabId }: { url: string; tabId: number }): undefined => {
      this.#note(url, tabId);
    };
    chrome.webRequest.onBeforeRequest.addListener(note, { urls: ['<all_urls>'], types: [...TYPES] });
    // An answer of the page's service worker is not a request to the network.
    chrome.webNavigation.onBeforeNavigate.addListener(note);
    chrome.webNavigation.onCreatedNavigationTarget.addListener(({ tabId, sourceTabId, url }) => {
      this.#openers.set(tabId, sourceTabId);
      this.#note(url, tabId);
    });
    // Chrome closes a tab whose first page became a download, and reports the download after that.
    chrome.tabs.onRemoved.addListener((tabId) => setTimeout(() => this.#openers.delete(tabId), BLIND_MS));
  }

  /** The tab that asked for the address last, and those from which it was opened; null when nobody was heard asking. */
  tabsBehind(url: string): number[] | null {
    const tabId = this.#tabs.get(withoutHash(url));
    if (tabId === undefined) return null;
    const tabs: number[] = [];
    for (let at: number | undefined = tabId; at !== undefined && !tabs.includes(at); at = this.#openers.get(at)) tabs.push(at);
    return tabs;
  }

  /** Whether the worker has just started, so that earlier requests are not known. */
  get isBlind(): boolean {
    return performance.now() - this.#startedAt < BLIND_MS;
  }

  #note(url: string, tabId: number): void {
    const key = withoutHash(url);
    this.#tabs.delete(key);
    this.#tabs.set(key, tabId);
    const [oldest] = this.#tabs.keys();
    if (this.#tabs.size > KEPT && oldest !== undefined) this.#tabs.delete(oldest);
  }
}

const withoutHash = (url: string): string => url.replace(/#.*$/, '');
