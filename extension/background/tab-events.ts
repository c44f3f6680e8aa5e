/** What happens to tabs, from Chrome's events to the code that waits for it. One set of listeners, registered when the worker starts. */
import { isMade } from './made-pages.ts';

export type TabEvent =
  | { readonly type: 'begun'; readonly url: string }
  | { readonly type: 'committed'; readonly url: string; readonly isRedirect: boolean; readonly landing: Landing }
  | { readonly type: 'ready' }
  /** With the document, where it is a page that has come and still loaded something. */
  | { readonly type: 'failed'; readonly url: string; readonly error: string; readonly documentId?: string | undefined }
  /** The address changed within the document. */
  | { readonly type: 'moved'; readonly url: string }
  | { readonly type: 'closed' }
  | { readonly type: 'opened'; readonly tabId: number; readonly url: string }
  /** A tab that the page has opened before begins to load another one. */
  | { readonly type: 'led'; readonly tabId: number; readonly url: string }
  | { readonly type: 'frame'; readonly frameId: number; readonly url: string; readonly state: 'begun' | 'committed' | 'failed' };

/** The error of a page whose server wants a name and a password, while Chrome asks the person for them. */
export const AUTH_REQUIRED = 'AUTH_REQUIRED';
/** The same of the proxy on the way there. */
export const PROXY_AUTH_REQUIRED = 'PROXY_AUTH_REQUIRED';
/** Nobody was there to be asked, or they gave it up. */
export const NOT_SIGNED_IN = 'net::ERR_INVALID_AUTH_CREDENTIALS';

/** The document of a page that has begun to arrive. One that was kept for going back may be there as it was left. */
export interface Landing {
  readonly documentId: string;
  readonly url: string;
  readonly mayBeKept: boolean;
}

/** By Chrome's name of it. */
export interface LoadFailure {
  readonly url: string;
  readonly error: string;
}

interface FrameDetails {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
  readonly documentLifecycle?: `${chrome.extensionTypes.DocumentLifecycle}`;
}

export class TabEvents {
  /** The page of each tab that has come and still loads something. */
  readonly #loading = new Map<number, Pick<Landing, 'documentId' | 'url'>>();
  /** Tabs whose page is to give way to one that has not come yet. */
  readonly #leaving = new Set<number>();
  /** Why the page that each tab was to show last could not be loaded. */
  readonly #failures = new Map<number, LoadFailure>();
  /** By which tab each was opened. */
  readonly #openers = new Map<number, number>();
  readonly #listeners = new Map<number, Set<(event: TabEvent) => void>>();
  readonly #replacing = new Set<(tabId: number, by: number) => void>();
  readonly #closing = new Set<(tabId: number) => void>();
  readonly #opening = new Set<(tabId: number, by: number) => void>();
  readonly #framesArriving = new Set<(tabId: number, frameId: number) => void>();
  readonly #arriving = new Set<(tabId: number, landing: Landing) => void>();

  constructor() {
    const { webNavigation, webRequest, tabs } = chrome;
    webNavigation.onBeforeNavigate.addListener((details) => {
      this.#tellOfFrame(details, 'begun');
      if (isOfPage(details)) this.#leaving.add(details.tabId);
      if (isOfPage(details)) this.#failures.delete(details.tabId);
      this.#tellOfPage(details, { type: 'begun', url: details.url });
      const opener = isOfPage(details) ? this.#openers.get(details.tabId) : undefined;
      if (opener !== undefined) this.#tell(opener, { type: 'led', tabId: details.tabId, url: details.url });
    });
    webNavigation.onCommitted.addListener((details) => {
      const { documentId, url, transitionQualifiers } = details;
      this.#tellOfFrame(details, 'committed');
      const landing: Landing = { documentId, url, mayBeKept: transitionQualifiers.includes('forward_back') };
      this.#tellOfPage(details, { type: 'committed', url, isRedirect: transitionQualifiers.includes('server_redirect'), landing });
      if (isOfPage(details)) {
        this.#leaving.delete(details.tabId);
        this.#loading.set(details.tabId, { documentId, url });
      }
      if (isOfPage(details)) for (const listener of this.#arriving) listener(details.tabId, landing);
    });
    webNavigation.onDOMContentLoaded.addListener((details) => this.#tellOfPage(details, { type: 'ready' }));
    webNavigation.onCompleted.addListener((details) => {
      if (isOfPage(details)) this.#loading.delete(details.tabId);
      this.#tellOfPage(details, { type: 'ready' });
    });
    // Of a page that a site has made Chrome tells no more than that it has come.
    tabs.onUpdated.addListener((tabId, { status }, { url = '' }) => {
      if (status !== 'complete' || !isMade(url)) return;
      this.#loading.delete(tabId);
      this.#tell(tabId, { type: 'ready' });
    });
    webNavigation.onErrorOccurred.addListener((details) => {
      this.#tellOfFrame(details, 'failed');
      const { url, error } = details;
      const documentId = isOfPage(details) ? this.#takeLoading(details.tabId, details.documentId, url) : undefined;
      if (isOfPage(details) && documentId === undefined) this.#leaving.delete(details.tabId);
      // Who wanted a name and a password is not told again.
      const isAsked = error === NOT_SIGNED_IN && this.#failures.get(details.tabId)?.error === PROXY_AUTH_REQUIRED;
      if (isOfPage(details) && documentId === undefined && !isAsked) this.#failures.set(details.tabId, { url, error });
      this.#tellOfPage(details, { type: 'failed', url, error, documentId });
    });
    for (const moved of [webNavigation.onReferenceFragmentUpdated, webNavigation.onHistoryStateUpdated])
      moved.addListener((details) => {
        const loading = isOfPage(details) ? this.#loading.get(details.tabId) : undefined;
        if (loading !== undefined) this.#loading.set(details.tabId, { ...loading, url: details.url });
        this.#tellOfPage(details, { type: 'moved', url: details.url });
      });
    webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId, url }) => {
      this.#tell(sourceTabId, { type: 'opened', tabId, url });
      this.#openers.set(tabId, sourceTabId);
      for (const listener of this.#opening) listener(tabId, sourceTabId);
    });
    // Chrome asks the person, and the page waits until they answer.
    webRequest.onAuthRequired.addListener(
      ({ tabId, frameId, url, isProxy }) => {
        if (frameId !== 0) return undefined;
        const error = isProxy ? PROXY_AUTH_REQUIRED : AUTH_REQUIRED;
        this.#failures.set(tabId, { url, error });
        this.#tell(tabId, { type: 'failed', url, error });
        return undefined;
      },
      { urls: ['<all_urls>'], types: ['main_frame'] },
    );
    tabs.onRemoved.addListener((tabId) => {
      this.#tell(tabId, { type: 'closed' });
      this.#listeners.delete(tabId);
      this.#loading.delete(tabId);
      this.#leaving.delete(tabId);
      this.#failures.delete(tabId);
      this.#openers.delete(tabId);
      for (const listener of this.#closing) listener(tabId);
    });
    tabs.onReplaced.addListener((by, tabId) => {
      for (const listener of this.#replacing) listener(tabId, by);
    });
  }

  /** Whether the page of a tab is to give way to another one that has not come yet. */
  isLeaving(tabId: number): boolean {
    return this.#leaving.has(tabId);
  }

  /** Why the page that a tab was to show last could not be loaded; null where it could, or nobody knows. */
  failureIn(tabId: number): LoadFailure | null {
    return this.#failures.get(tabId) ?? null;
  }

  watch(tabId: number, listener: (event: TabEvent) => void): () => void {
    const own = this.#listeners.get(tabId) ?? new Set();
    this.#listeners.set(tabId, own.add(listener));
    return () => {
      own.delete(listener);
      if (own.size === 0 && this.#listeners.get(tabId) === own) this.#listeners.delete(tabId);
    };
  }

  onClosed(listener: (tabId: number) => void): void {
    this.#closing.add(listener);
  }

  /** A page has opened a tab. */
  onOpened(listener: (tabId: number, by: number) => void): void {
    this.#opening.add(listener);
  }

  /** A page has come into a tab. */
  onArrived(listener: (tabId: number, landing: Landing) => void): void {
    this.#arriving.add(listener);
  }

  /** A page has come into a frame of a tab. */
  onFrameArrived(listener: (tabId: number, frameId: number) => void): void {
    this.#framesArriving.add(listener);
  }

  /** Chrome may give a tab another id when it discards or swaps its contents. */
  onReplaced(listener: (tabId: number, by: number) => void): void {
    this.#replacing.add(listener);
  }

  /** The document whose load has ended so. What is to come in its place is told with its id, too, and with an address of its own. */
  #takeLoading(tabId: number, documentId: string | undefined, url: string): string | undefined {
    const loading = this.#loading.get(tabId);
    if (loading === undefined || loading.documentId !== documentId || loading.url !== url) return undefined;
    this.#loading.delete(tabId);
    return documentId;
  }

  #tellOfPage(details: FrameDetails, event: TabEvent): void {
    if (isOfPage(details)) this.#tell(details.tabId, event);
  }

  #tellOfFrame({ tabId, frameId, url, documentLifecycle }: FrameDetails, state: 'begun' | 'committed' | 'failed'): void {
    if (frameId === 0 || documentLifecycle === 'prerender') return;
    this.#tell(tabId, { type: 'frame', frameId, url, state });
    if (state === 'committed') for (const listener of this.#framesArriving) listener(tabId, frameId);
  }

  #tell(tabId: number, event: TabEvent): void {
    for (const listener of this.#listeners.get(tabId) ?? []) listener(event);
  }
}

/** Frames inside the page, and pages that Chrome loads before anybody asked, are not the tab's. */
const isOfPage = ({ frameId, documentLifecycle }: FrameDetails): boolean => frameId === 0 && documentLifecycle !== 'prerender';
