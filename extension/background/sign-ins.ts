/**
 * Servers that want a name and a password. Chrome asks the person for them in a window of its own, which no page and no extension sees, and whatever
 * asked the server waits until they have answered.
 */
import { originOf } from '#extension/shared/addresses.ts';

type Ended = Pick<chrome.webRequest.OnCompletedDetails, 'tabId' | 'requestId'>;

/** Called when something in a tab begins to wait for a server, and when nothing there waits for it any more. */
type Listener = (tabId: number, origin: string, waits: boolean) => void;

export const hearSignIns = (listener: Listener): void => {
  const signIns = new SignIns(listener);
  chrome.webRequest.onAuthRequired.addListener(signIns.wait, { urls: ['<all_urls>'] });
};

class SignIns {
  /** What waits, by Chrome's id of the request. */
  readonly #requests = new Map<string, { readonly tabId: number; readonly origin: string }>();
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** A page that waits is one that could not be loaded. */
  readonly wait = ({ tabId, requestId, url, type, isProxy }: chrome.webRequest.OnAuthRequiredDetails): undefined => {
    if (isProxy || type === 'main_frame') return;
    const origin = originOf(url);
    const isFirst = !this.#isAwaited(tabId, origin);
    if (this.#requests.size === 0) this.#hearEnds();
    this.#requests.set(requestId, { tabId, origin });
    if (isFirst) this.#listener(tabId, origin, true);
  };

  #isAwaited(tabId: number, origin: string): boolean {
    return [...this.#requests.values()].some((waiting) => waiting.tabId === tabId && waiting.origin === origin);
  }

  /** Only while something waits: all requests of the browser are told of here. */
  #hearEnds(): void {
    chrome.webRequest.onCompleted.addListener(this.#end, { urls: ['<all_urls>'] });
    chrome.webRequest.onErrorOccurred.addListener(this.#end, { urls: ['<all_urls>'] });
  }

  readonly #end = ({ requestId }: Ended): void => {
    const ended = this.#requests.get(requestId);
    if (ended === undefined) return;
    this.#requests.delete(requestId);
    if (!this.#isAwaited(ended.tabId, ended.origin)) this.#listener(ended.tabId, ended.origin, false);
    if (this.#requests.size > 0) return;
    chrome.webRequest.onCompleted.removeListener(this.#end);
    chrome.webRequest.onErrorOccurred.removeListener(this.#end);
  };
}
