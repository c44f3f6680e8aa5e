/** Waits for pages to load, by events. */
import { CompanionError } from '#protocol/errors.ts';
import { PageError } from '#extension/toolkit/page-error.ts';
import type { TabEvent, TabEvents } from './tab-events.ts';

/** A server may think for this long before the first byte. */
const COMMIT_MS = 30_000;
/** After that what is there is good enough to be read. */
const READY_MS = 10_000;

type Phase = 'none' | 'begun' | 'committed' | 'ready' | 'moved';

/** Only the load of this address counts: a tab that was just made, or is loading something else, still has events of its own to tell. */
export interface Expected {
  readonly url: string;
  /** What the tab showed or was loading before. */
  readonly before: readonly string[];
}

/** Follows one tab from before an action to its end. */
export class NavigationWatch {
  readonly opened: { readonly tabId: number; readonly url: string }[] = [];
  readonly #tabId: number;
  readonly #expected: Expected | undefined;
  /** Ends the watching. */
  readonly stop: () => void;
  #phase: Phase = 'none';
  #url = '';
  #failure: CompanionError | null = null;
  #isExpected: boolean;
  #wake = (): void => {};

  constructor(events: TabEvents, tabId: number, expected?: Expected) {
    this.#tabId = tabId;
    this.#expected = expected;
    this.#isExpected = expected === undefined;
    this.stop = events.watch(tabId, (event) => {
      if (!this.#isOld(event)) this.#take(event);
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Resolves at the next event, or after `limitMs`. */
  next(limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#wake = () => {};
        resolve();
      };
      const abort = (): void => {
        finish();
        reject(signal.reason);
      };
      const timer = setTimeout(finish, limitMs);
      this.#wake = finish;
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
      if (this.#failure !== null) finish();
    });
  }

  /** Resolves when the page that is being loaded has begun to arrive; rejects when it cannot be loaded. */
  async committed(signal: AbortSignal): Promise<void> {
    const giveUpAt = Date.now() + COMMIT_MS;
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      if (this.#phase !== 'none' && this.#phase !== 'begun') return;
      const leftMs = giveUpAt - Date.now();
      if (leftMs <= 0)
        throw new PageError('NAVIGATION_FAILED', `No answer came in ${COMMIT_MS / 1000} s.`, `address: ${this.#url.slice(0, 300)}`);
      await this.next(leftMs, signal);
    }
  }

  /** Resolves when it can be read; false when it was still loading at the limit. */
  async ready(signal: AbortSignal): Promise<boolean> {
    const giveUpAt = Date.now() + READY_MS;
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      if (this.#phase === 'ready' || this.#phase === 'moved') return true;
      const leftMs = giveUpAt - Date.now();
      if (leftMs <= 0) return false;
      await this.next(leftMs, signal);
    }
  }

  /** An event of what the tab was doing before. */
  #isOld(event: TabEvent): boolean {
    const expected = this.#expected;
    if (expected === undefined || event.type === 'closed' || event.type === 'opened') return false;
    if (event.type === 'begun' || event.type === 'moved') this.#isExpected ||= event.url === expected.url;
    if (!this.#isExpected) return true;
    const isOther = 'url' in event && event.url !== expected.url;
    if (event.type === 'committed') return isOther && !event.isRedirect;
    return event.type === 'failed' && isOther && expected.before.includes(event.url);
  }

  #take(event: TabEvent): void {
    switch (event.type) {
      case 'begun':
      case 'committed':
        this.#phase = event.type;
        this.#url = event.url;
        this.#failure = null;
        break;
      case 'ready':
        if (this.#phase === 'committed') this.#phase = 'ready';
        break;
      case 'moved':
        if (this.#phase === 'none' || this.#phase === 'moved') this.#phase = 'moved';
        this.#url = event.url;
        break;
      case 'failed':
        this.#failure = toFailure(event);
        break;
      case 'opened':
        this.opened.push({ tabId: event.tabId, url: event.url });
        break;
      case 'closed':
        this.#failure = new CompanionError('TAB_NOT_FOUND', `Tab ${this.#tabId} was closed.`);
    }
    this.#wake();
  }
}

/** The address may be one that a page has chosen. */
const toFailure = ({ url, error }: { url: string; error: string }): CompanionError => {
  const reason = error === 'net::ERR_ABORTED' ? `${error} (stopped, a download, or an answer without content)` : error;
  return new PageError('NAVIGATION_FAILED', `${reason}.`, `address: ${url.slice(0, 300)}`);
};
