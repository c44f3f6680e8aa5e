/** Finds out to whom a download belongs. Chrome names no tab, so the request before it tells it, or what the tabs show. */
import type { SessionId } from '#protocol/ids.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { RequestTrail } from './request-trail.ts';
import type { SessionTabs } from './session-tabs.ts';

/** How long to wait for a page of the person that hangs. */
const ANSWER_MS = 300;

/** A page counts as touched for 5 s after a press: https://html.spec.whatwg.org/multipage/interaction.html#transient-activation-duration */
const TOUCH_MS = 10_000;

type Item = Pick<chrome.downloads.DownloadItem, 'url' | 'finalUrl' | 'referrer'>;

export class DownloadOwners {
  readonly #sessionTabs: SessionTabs;
  readonly #trail = new RequestTrail();
  /** The tabs in which calls run; a tab of the person counts as the session's for that long. */
  readonly #lent = new Map<number, SessionId>();
  /** When the last call in a tab ended: until a while after that, it may be an agent who has touched the page. */
  readonly #lastLent = new Map<number, number>();
  /** The session that called last comes last. */
  readonly #callers = new Set<SessionId>();

  constructor(sessionTabs: SessionTabs) {
    this.#sessionTabs = sessionTabs;
  }

  /** A call begins: until it ends, downloads that the tab begins belong to the session. Returns what ends that. */
  lend(tabId: number, sessionId: SessionId): () => void {
    this.#lent.set(tabId, sessionId);
    this.#callers.delete(sessionId);
    this.#callers.add(sessionId);
    return () => {
      if (this.#lent.get(tabId) === sessionId) this.#lent.delete(tabId);
      this.#lastLent.set(tabId, performance.now());
      for (const known of this.#lastLent.keys()) if (!this.#isJustLent(known)) this.#lastLent.delete(known);
    };
  }

  /**
   * The session whose tab began the download; null when it is the person's. Where that cannot be found out it may be an agent's as long as there
   * are sessions, and the person is asked.
   */
  async sessionBehind(item: Item): Promise<SessionId | null> {
    return this.#find(item).catch(async () => {
      const caller = [...this.#callers].findLast((session) => [...this.#lent.values()].includes(session));
      return caller ?? this.#sessionTabs.newest().catch(() => [...this.#callers].at(-1) ?? null);
    });
  }

  async #find(item: Item): Promise<SessionId | null> {
    const url = item.finalUrl === '' ? item.url : item.finalUrl;
    const tabs = this.#trail.tabsBehind(url) ?? this.#trail.tabsBehind(item.url);
    if (tabs !== null) return this.#sessionOfFirst(tabs);
    const isFromNetwork = /^https?:/.test(url);
    if (isFromNetwork && !this.#trail.isBlind) return null;
    const origin = isFromNetwork ? originOf(item.referrer) : [originOf(url), originOf(item.referrer)].find((found) => found !== 'null');
    return this.#sessionByOrigin(origin === 'null' ? undefined : origin);
  }

  async #sessionOfFirst(tabs: readonly number[]): Promise<SessionId | null> {
    for (const tabId of tabs) {
      const sessionId = await this.#sessionOf(tabId);
      if (sessionId !== null) return sessionId;
    }
    return null;
  }

  async #sessionOf(tabId: number): Promise<SessionId | null> {
    return this.#lent.get(tabId) ?? this.#sessionTabs.sessionOf(tabId);
  }

  /**
   * A download that a page made itself tells its page at most. It is a session's when one of its tabs shows a document of that origin,
   * unless the person has just touched a page of the same origin, where no agent was just before.
   */
  async #sessionByOrigin(origin: string | undefined): Promise<SessionId | null> {
    const sessions = new Set<SessionId>();
    const persons: number[] = [];
    for (const { id, active } of await chrome.tabs.query({})) {
      if (id === undefined || !(await shows(id, origin))) continue;
      const sessionId = await this.#sessionOf(id);
      if (sessionId !== null) sessions.add(sessionId);
      else if (active) persons.push(id);
    }
    const sessionId = [...this.#callers].findLast((caller) => sessions.has(caller)) ?? [...sessions][0];
    if (sessionId === undefined) return null;
    const theirs = persons.filter((tabId) => !this.#isJustLent(tabId));
    return (await Promise.all(theirs.map(wasJustTouched))).includes(true) ? null : sessionId;
  }

  #isJustLent(tabId: number): boolean {
    return performance.now() - (this.#lastLent.get(tabId) ?? -Infinity) < TOUCH_MS;
  }
}

/** Whether a frame of the tab has this origin; any frame counts when there is no origin, and a tab that closes meanwhile may have had it. */
const shows = async (tabId: number, origin: string | undefined): Promise<boolean> => {
  if (origin === undefined) return true;
  const frames = await chrome.webNavigation.getAllFrames({ tabId }).catch(() => 'gone' as const);
  if (frames === 'gone') return true;
  return (frames ?? []).some(({ url }) => originOf(url) === origin);
};

/** Whether the person clicked or typed in it within the last seconds, which the browser itself keeps track of. */
const wasJustTouched = async (tabId: number): Promise<boolean> => {
  const asked = chrome.scripting
    .executeScript({ target: { tabId, allFrames: true }, injectImmediately: true, func: () => navigator.userActivation.isActive })
    .then(
      (frames) => frames.some(({ result }) => result === true),
      () => false,
    );
  return Promise.race([asked, new Promise<boolean>((resolve) => setTimeout(() => resolve(false), ANSWER_MS))]);
};
