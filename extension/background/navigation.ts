/** Waits for pages to load, by events. */
import { CompanionError } from '#protocol/errors.ts';
import type { TabEvent, TabEvents } from './tab-events.ts';

/** A server may think for this long before the first byte. */
const COMMIT_MS = 30_000;
/** After that what is there is good enough to be read. */
const READY_MS = 10_000;

/** Follows one tab from before an action to its end. */
export interface NavigationWatch {
  readonly phase: 'none' | 'begun' | 'committed' | 'ready' | 'moved';
  readonly url: string;
  readonly opened: readonly { readonly tabId: number; readonly url: string }[];
  /** Resolves at the next event, or after `limitMs`. */
  next(limitMs: number, signal: AbortSignal): Promise<void>;
  /** Resolves when the page that is being loaded has begun to arrive; rejects when it cannot be loaded. */
  committed(signal: AbortSignal): Promise<void>;
  /** Resolves when it can be read; false when it was still loading at the limit. */
  ready(signal: AbortSignal): Promise<boolean>;
  stop(): void;
}

/** Only the load of this address counts: a tab that was just made, or is loading something else, still has events of its own to tell. */
export interface Expected {
  readonly url: string;
  /** What the tab showed or was loading before. */
  readonly before: readonly string[];
}

export const watchNavigation = (events: TabEvents, tabId: number, expected?: Expected): NavigationWatch => {
  let phase: NavigationWatch['phase'] = 'none';
  let url = '';
  let failure: CompanionError | null = null;
  const opened: { tabId: number; url: string }[] = [];
  let wake = (): void => {};

  let isExpected = expected === undefined;

  const isOld = (event: TabEvent): boolean => {
    if (expected === undefined || event.type === 'closed' || event.type === 'opened') return false;
    if (event.type === 'begun' || event.type === 'moved') isExpected ||= event.url === expected.url;
    if (!isExpected) return true;
    const isOther = 'url' in event && event.url !== expected.url;
    if (event.type === 'committed') return isOther && !event.isRedirect;
    return event.type === 'failed' && isOther && expected.before.includes(event.url);
  };

  const take = (event: TabEvent): void => {
    if (isOld(event)) return;
    switch (event.type) {
      case 'begun':
        phase = 'begun';
        url = event.url;
        failure = null;
        break;
      case 'committed':
        phase = 'committed';
        url = event.url;
        failure = null;
        break;
      case 'ready':
        if (phase === 'committed') phase = 'ready';
        break;
      case 'moved':
        if (phase === 'none' || phase === 'moved') phase = 'moved';
        url = event.url;
        break;
      case 'failed':
        failure = toFailure(event);
        break;
      case 'opened':
        opened.push({ tabId: event.tabId, url: event.url });
        break;
      case 'closed':
        failure = new CompanionError('TAB_NOT_FOUND', `Tab ${tabId} was closed.`);
    }
    wake();
  };
  const stop = events.watch(tabId, take);

  const next = (limitMs: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        wake = () => {};
        resolve();
      };
      const abort = (): void => {
        finish();
        reject(signal.reason);
      };
      const timer = setTimeout(finish, limitMs);
      wake = finish;
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
      if (failure !== null) finish();
    });

  return {
    get phase() {
      return phase;
    },
    get url() {
      return url;
    },
    opened,
    next,
    committed: async (signal) => {
      const giveUpAt = Date.now() + COMMIT_MS;
      for (;;) {
        if (failure !== null) throw failure;
        if (phase !== 'none' && phase !== 'begun') return;
        const leftMs = giveUpAt - Date.now();
        if (leftMs <= 0) throw new CompanionError('NAVIGATION_FAILED', `${url.slice(0, 300)} did not answer in ${COMMIT_MS / 1000} s.`);
        await next(leftMs, signal);
      }
    },
    ready: async (signal) => {
      const giveUpAt = Date.now() + READY_MS;
      for (;;) {
        if (failure !== null) throw failure;
        if (phase === 'ready' || phase === 'moved') return true;
        const leftMs = giveUpAt - Date.now();
        if (leftMs <= 0) return false;
        await next(leftMs, signal);
      }
    },
    stop: () => stop(),
  };
};

const toFailure = ({ url, error }: { url: string; error: string }): CompanionError => {
  const reason = error === 'net::ERR_ABORTED' ? `${error} (stopped, a download, or an answer without content)` : error;
  return new CompanionError('NAVIGATION_FAILED', `${url.slice(0, 300)}: ${reason}.`);
};
