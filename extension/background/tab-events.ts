/** What happens to tabs, from Chrome's events to whoever waits for it. One set of listeners, registered when the worker starts. */

export type TabEvent =
  | { readonly type: 'begun'; readonly url: string }
  | { readonly type: 'committed'; readonly url: string; readonly isRedirect: boolean }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly url: string; readonly error: string }
  /** The address changed within the document. */
  | { readonly type: 'moved'; readonly url: string }
  | { readonly type: 'closed' }
  | { readonly type: 'opened'; readonly tabId: number; readonly url: string };

export interface TabEvents {
  watch(tabId: number, listener: (event: TabEvent) => void): () => void;
  onClosed(listener: (tabId: number) => void): void;
  /** Chrome may give a tab another id when it discards or swaps its contents. */
  onReplaced(listener: (tabId: number, by: number) => void): void;
}

interface FrameDetails {
  readonly tabId: number;
  readonly frameId: number;
  readonly url: string;
  readonly documentLifecycle?: `${chrome.extensionTypes.DocumentLifecycle}`;
}

export const createTabEvents = (): TabEvents => {
  const listeners = new Map<number, Set<(event: TabEvent) => void>>();
  const replacing = new Set<(tabId: number, by: number) => void>();
  const closing = new Set<(tabId: number) => void>();
  const tell = (tabId: number, event: TabEvent): void => {
    for (const listener of listeners.get(tabId) ?? []) listener(event);
  };
  /** Frames inside the page, and pages that Chrome loads before anybody asked, are not the tab's. */
  const main = (details: FrameDetails, event: TabEvent): void => {
    if (details.frameId === 0 && details.documentLifecycle !== 'prerender') tell(details.tabId, event);
  };

  chrome.webNavigation.onBeforeNavigate.addListener((details) => main(details, { type: 'begun', url: details.url }));
  chrome.webNavigation.onCommitted.addListener((details) =>
    main(details, { type: 'committed', url: details.url, isRedirect: details.transitionQualifiers.includes('server_redirect') }),
  );
  chrome.webNavigation.onDOMContentLoaded.addListener((details) => main(details, { type: 'ready' }));
  chrome.webNavigation.onCompleted.addListener((details) => main(details, { type: 'ready' }));
  chrome.webNavigation.onErrorOccurred.addListener((details) => main(details, { type: 'failed', url: details.url, error: details.error }));
  chrome.webNavigation.onReferenceFragmentUpdated.addListener((details) => main(details, { type: 'moved', url: details.url }));
  chrome.webNavigation.onHistoryStateUpdated.addListener((details) => main(details, { type: 'moved', url: details.url }));
  chrome.webNavigation.onCreatedNavigationTarget.addListener(({ sourceTabId, tabId, url }) =>
    tell(sourceTabId, { type: 'opened', tabId, url }),
  );
  chrome.tabs.onRemoved.addListener((tabId) => {
    tell(tabId, { type: 'closed' });
    listeners.delete(tabId);
    for (const listener of closing) listener(tabId);
  });

  chrome.tabs.onReplaced.addListener((by, tabId) => {
    for (const listener of replacing) listener(tabId, by);
  });

  return {
    watch: (tabId, listener) => {
      const own = listeners.get(tabId) ?? new Set();
      listeners.set(tabId, own.add(listener));
      return () => {
        own.delete(listener);
        if (own.size === 0 && listeners.get(tabId) === own) listeners.delete(tabId);
      };
    },
    onClosed: (listener) => void closing.add(listener),
    onReplaced: (listener) => void replacing.add(listener),
  };
};
