/** Waits for pages to load, by events. */
import { CompanionError } from '#protocol/errors.ts';
import { PageError } from '#extension/toolkit/page-error.ts';
import type { FrameLoad } from '#extension/toolkit/page.ts';
import {
  AUTH_REQUIRED,
  type Landing,
  type LoadFailure,
  NOT_SIGNED_IN,
  PROXY_AUTH_REQUIRED,
  type TabEvent,
  type TabEvents,
} from './tab-events.ts';

/** How long a server may take for the first byte. */
const COMMIT_MS = 30_000;
/** How long a page may take to load after that; what has arrived by then can be read. */
const READY_MS = 10_000;
/** A page whose text has been coming for this long may come without an end: what is there of it is enough. */
const STREAM_MS = 2_000;
/** Between two looks at such a page. */
const STREAM_LOOK_MS = 250;

const ABORTED = 'net::ERR_ABORTED';

/** What Chrome's errors mean that do not say it, and what to do where that is not to look after address and server. The first one that fits counts. */
const REASONS: readonly { readonly errors: RegExp; readonly means: string; readonly remedy?: string }[] = [
  {
    errors: /^net::ERR_ABORTED$/,
    means: 'stopped, a download, or an answer without content',
    remedy: 'The tab shows what it showed before; browser_network_requests tells how the server answered.',
  },
  {
    errors: /^net::ERR_HTTP_RESPONSE_CODE_FAILURE$/,
    means: 'the server answers with an error and no page; browser_network_requests tells its status',
  },
  {
    errors: /^net::ERR_NAME_(?:NOT_RESOLVED|RESOLUTION_FAILED)$/,
    means: 'no host of this name is known',
    remedy: 'Check the name; if it is right, the network of this machine does not work, so tell the user.',
  },
  {
    errors: /^net::ERR_INTERNET_DISCONNECTED$/,
    means: 'there is no network',
    remedy: 'Where you have set the tab offline, end that; otherwise tell the user, and call again when there is one.',
  },
  {
    errors: /^net::ERR_CERT_/,
    means: "the browser does not trust the server's certificate",
    remedy: 'Only the user can go on there: show the tab with browser_tabs select and let them decide with browser_ask_human.',
  },
  {
    errors: /^net::ERR_SSL_/,
    means: 'the server does not speak https as the browser does',
    remedy: 'It may speak http: open the address with http://.',
  },
  { errors: /^net::ERR_UNEXPECTED_PROXY_AUTH$/, means: 'the server answers 407, as only a proxy may' },
  {
    errors: /^net::ERR_(?:[A-Z]+_)?(?:PROXY|SOCKS|TUNNEL)_/,
    means: "the proxy that the browser's network goes through did not let it through",
    remedy: 'Tell the user: the proxy is set in the browser or in the system.',
  },
  {
    errors: /^net::ERR_TOO_MANY_REDIRECTS$/,
    means: 'the server sends on from one address to the next without end',
    remedy: 'Open another address there. Where the site worked before, its cookies may be the reason: tell the user.',
  },
  {
    errors: /^net::ERR_(?:UNSAFE|INVALID)_REDIRECT$/,
    means: 'the server sends on to what no server may lead to, such as a file or a page of the browser',
    remedy: 'Nothing was opened. Open another address.',
  },
];

type Phase = 'none' | 'begun' | 'committed' | 'ready' | 'moved';

/** Only the load of this address counts: a tab that is new, or is loading something else, still reports events of its own. */
export interface Expected {
  readonly url: string;
  /** What the tab showed or was loading before. */
  readonly before: readonly string[];
}

/** Follows one tab from before an action to its end. */
export class NavigationWatch {
  readonly opened: { readonly tabId: number; readonly url: string }[] = [];
  /** Tabs that were there before, with the newest page that each has begun to load. */
  readonly led = new Map<number, string>();
  /** The newest page of each frame that began to load one. */
  readonly frames = new Map<number, FrameLoad>();
  readonly #tabId: number;
  readonly #expected: Expected | undefined;
  /** Ends the watching. */
  readonly stop: () => void;
  #phase: Phase = 'none';
  #url = '';
  /** Where it was before the load that has begun. */
  #before: [Phase, string] = ['none', ''];
  #failure: CompanionError | null = null;
  /** The failure is one that leaves the tab as it is. */
  #isUnfulfilled = false;
  #landing: Landing | null = null;
  #brokenBy: string | null = null;
  #isExpected: boolean;
  /** The expected page has arrived: whatever follows comes from it. */
  #hasArrived = false;
  /** What the tab showed before and has begun to load again, while the expected page is on its way: it may come after that. */
  #rival: string | null = null;
  /** The rest of the expected page is there, while its rival is on its way. */
  #isReadyForNow = false;
  /** The rival came after the expected page; nothing that happens counts until that one is loaded again. */
  #isOvertaken = false;
  /** Addresses whose load gave way to another one. */
  readonly #left = new Set<string>();
  #wake = (): void => {};
  #wakeForFrame = (): void => {};

  constructor(events: TabEvents, tabId: number, expected?: Expected) {
    this.#tabId = tabId;
    this.#expected = expected;
    this.#isExpected = expected === undefined;
    this.stop = events.watch(tabId, (event) => {
      if (expected !== undefined) this.#followRival(event, expected);
      if (!this.#isOld(event)) this.#take(event);
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /**
   * What has taken the place of a load that was given up: the page that the tab showed `before`, which loads itself again, or one to which the
   * `expected` page leads. Null where nothing has, or somebody goes elsewhere.
   */
  get replacement(): 'before' | 'expected' | null {
    if (this.#isOvertaken) return 'before';
    if (!this.isUnanswered) return null;
    if (this.#expected === undefined || this.#hasArrived) return 'expected';
    return this.#expected.before.includes(this.#url) ? 'before' : null;
  }

  /** A load has begun, and nothing has come of it yet, not even a fault. */
  get isUnanswered(): boolean {
    return this.#phase === 'begun' && this.#failure === null;
  }

  /** The error with which the page broke off before it was there whole. */
  get brokenBy(): string | null {
    return this.#brokenBy;
  }

  /** The newest page that has begun to arrive. */
  get landing(): Landing | null {
    return this.#landing;
  }

  #takeFrame({ frameId, url, state }: Extract<TabEvent, { type: 'frame' }>): void {
    const known = this.frames.get(frameId);
    if (state === 'begun') this.frames.set(frameId, { url, hasArrived: false });
    // What has begun before the watch is none of its own.
    else if (state === 'committed' && known !== undefined) this.frames.set(frameId, { url, hasArrived: true });
    // A page that is there already stays, whatever becomes of the next one.
    else if (state === 'failed' && known?.hasArrived === false) this.frames.delete(frameId);
  }

  /** Resolves at the next event, or after `limitMs`. */
  next(limitMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        // One that is not waited for any more must not take the place of the next.
        if (this.#wake === finish) this.#wake = () => {};
        resolve();
      };
      const abort = (): void => {
        reject(signal.reason);
        finish();
      };
      const timer = setTimeout(finish, limitMs);
      this.#wake = finish;
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
      if (this.#failure !== null) finish();
    });
  }

  /** Resolves when the next page comes into a frame: one that was not there before is none of those whose changes are heard of. */
  frameArrived(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeForFrame = resolve;
    });
  }

  /** The address of the page that is being loaded, or was last. */
  get url(): string {
    return this.#url;
  }

  /** Forgets a load of which no page came, so that the one before it stays; null when there was none, or the tab shows what went wrong. */
  takeUnfulfilled(): string | null {
    if (!this.#isUnfulfilled) return null;
    const url = this.#url;
    this.#isUnfulfilled = false;
    this.#failure = null;
    [this.#phase, this.#url] = this.#before;
    return url;
  }

  /** Resolves when the page that is being loaded has begun to arrive; rejects when it cannot be loaded. */
  async committed(signal: AbortSignal): Promise<void> {
    if (!(await this.answered(signal, COMMIT_MS))) throw noAnswer(this.#url);
  }

  /** The same, with false when its server has not answered within `limitMs`. */
  async answered(signal: AbortSignal, limitMs: number): Promise<boolean> {
    const giveUpAt = Date.now() + limitMs;
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      if (this.#phase !== 'none' && this.#phase !== 'begun') return true;
      const leftMs = giveUpAt - Date.now();
      if (leftMs <= 0) return false;
      await this.next(leftMs, signal);
    }
  }

  /** Resolves when the page can be read; with false when it was still loading at the limit, or `streams` says that there is text which goes on coming. */
  async ready(streams: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    const startedAt = Date.now();
    const giveUpAt = startedAt + READY_MS;
    let lookAt = startedAt + STREAM_MS;
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      if (this.#phase === 'ready' || this.#phase === 'moved') return true;
      const now = Date.now();
      if (now >= giveUpAt) return false;
      if (now >= lookAt) {
        if (await streams()) return false;
        lookAt = Date.now() + STREAM_LOOK_MS;
      } else await this.next(Math.min(lookAt, giveUpAt) - now, signal);
    }
  }

  /** No more of the page comes. It stays unless its rival comes. */
  #takeRest(): void {
    if (this.#rival === null) this.#phase = 'ready';
    else this.#isReadyForNow = true;
  }

  #followRival(event: TabEvent, { url, before }: Expected): void {
    if (event.type === 'begun') {
      if (event.url === url) this.#isOvertaken = false;
      this.#rival = this.#isExpected && !this.#hasArrived && event.url !== url && before.includes(event.url) ? event.url : null;
      this.#isReadyForNow = false;
    } else if (event.type === 'committed' && event.url === this.#rival) {
      this.#rival = null;
      if (!this.#hasArrived) return;
      this.#hasArrived = false;
      this.#isOvertaken = true;
      this.#phase = 'begun';
      this.#failure = toFailure({ url, error: ABORTED });
      this.#wake();
    } else if (event.type === 'failed' && event.url === this.#rival && event.documentId === undefined) {
      this.#rival = null;
      if (this.#isReadyForNow && this.#phase === 'committed') this.#phase = 'ready';
      this.#wake();
    }
  }

  /** Whether an event belongs to what the tab was doing before. */
  #isOld(event: TabEvent): boolean {
    const expected = this.#expected;
    if (expected === undefined || this.#hasArrived || ELSEWHERE.has(event.type)) return false;
    if (event.type === 'begun' || event.type === 'moved') this.#isExpected ||= event.url === expected.url;
    if (!this.#isExpected || this.#isOvertaken) return true;
    const isOther = 'url' in event && event.url !== expected.url;
    if (event.type === 'committed') {
      this.#hasArrived = !isOther || event.isRedirect;
      return !this.#hasArrived;
    }
    if (event.type !== 'failed' || !isOther) return false;
    // What waited for the person's name and password ends when another page is loaded. Where this load is sent on to, that was told when it was asked.
    if (event.error === NOT_SIGNED_IN) return true;
    // What was loading before is given up; another fault of such an address is one of where this load was sent on to.
    return event.error === ABORTED && expected.before.includes(event.url);
  }

  #take(event: TabEvent): void {
    switch (event.type) {
      case 'begun':
      case 'committed':
        if (event.url !== this.#url) this.#left.add(this.#url);
        if (event.type === 'begun' && this.#phase !== 'begun')
          this.#before = [this.#phase === 'committed' ? 'ready' : this.#phase, this.#url];
        this.#phase = event.type;
        this.#url = event.url;
        this.#failure = null;
        this.#isUnfulfilled = false;
        this.#brokenBy = null;
        if (event.type === 'committed') this.#landing = event.landing;
        break;
      case 'ready':
        if (this.#phase === 'committed') this.#takeRest();
        break;
      case 'moved':
        if (this.#phase === 'none' || this.#phase === 'moved') this.#phase = 'moved';
        this.#url = event.url;
        break;
      case 'failed':
        // A page that still loads something, say a picture, gives that up when it is left.
        if (event.documentId !== undefined && (event.documentId !== this.#landing?.documentId || this.#phase === 'begun')) return;
        // A page that has arrived can be read, and one that leads on at once gives way to the next one.
        if (this.#phase === 'committed') {
          this.#takeRest();
          this.#brokenBy = event.error;
        } else if (this.#phase !== 'ready' && (event.url === this.#url || !this.#left.has(event.url))) {
          this.#failure = toFailure(event);
          this.#isUnfulfilled = event.error === ABORTED;
        }
        break;
      case 'opened':
        this.opened.push({ tabId: event.tabId, url: event.url });
        break;
      case 'led':
        if (!this.opened.some(({ tabId }) => tabId === event.tabId)) this.led.set(event.tabId, event.url);
        return;
      case 'frame':
        this.#takeFrame(event);
        // What waits for the page itself does not wait for that.
        if (event.state === 'committed') this.#wakeForFrame();
        return;
      case 'closed':
        this.#failure = new CompanionError('TAB_NOT_FOUND', `Tab ${this.#tabId} was closed.`);
        this.#isUnfulfilled = false;
    }
    this.#wake();
  }
}

/** What says nothing of the page of the tab. */
const ELSEWHERE: ReadonlySet<TabEvent['type']> = new Set(['closed', 'opened', 'led', 'frame']);

/** What a tab says in place of its page. The address may be one that a page has chosen. */
export const toFailure = ({ url, error }: LoadFailure): CompanionError => {
  const address = `address: ${url.slice(0, 300)}`;
  if (error === PROXY_AUTH_REQUIRED)
    return new PageError(
      'NAVIGATION_FAILED',
      "The proxy that the browser's network goes through wants a name and a password, for which the browser asks the user.",
      address,
      { remedy: 'Show the tab with browser_tabs select and let the user sign in with browser_ask_human, then open the address again.' },
    );
  if (error === AUTH_REQUIRED || error === NOT_SIGNED_IN)
    return new PageError('NAVIGATION_FAILED', 'The server wants a name and a password, for which the browser asks the user.', address, {
      remedy:
        'Show the tab with browser_tabs select and let the user sign in with browser_ask_human, or open the address as https://NAME:PASSWORD@host/, for which they are asked.',
    });
  const { means, remedy } = REASONS.find(({ errors }) => errors.test(error)) ?? {};
  const reason = means === undefined ? error : `${error} (${means})`;
  return new PageError('NAVIGATION_FAILED', `${reason}.`, address, remedy === undefined ? {} : { remedy });
};

/** A page whose script never ends cannot be left for another of its site: both would run in one process. */
const noAnswer = (url: string): PageError =>
  new PageError('NAVIGATION_FAILED', `No answer came in ${COMMIT_MS / 1000} s.`, `address: ${url.slice(0, 300)}`, {
    remedy:
      'Check the address and that its server runs. If the page that is shown does not react, close it with browser_close: browser_navigate then opens a new tab.',
  });
