/** Finds out to whom a download belongs. Chrome names no tab, so the request before it tells it, or what the tabs show. */
import * as z from 'zod';
import { SessionId } from '#protocol/ids.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { answered } from './answered.ts';
import { shownIn } from './made-pages.ts';
import { RequestTrail } from './request-trail.ts';
import type { SessionTabs } from './session-tabs.ts';
import { Stored } from './stored.ts';

/** How long to wait for a page of the person that hangs. */
const ANSWER_MS = 300;

/** A page counts as touched for 5 s after a press: https://html.spec.whatwg.org/multipage/interaction.html#transient-activation-duration */
const TOUCH_MS = 10_000;

/** The last call in a tab: whose it was, when it began or ended, and whether it runs. A worker that starts anew knows it too. */
const Lent = z.object({ sessionId: SessionId, at: z.number(), runs: z.boolean() });
type Lent = z.infer<typeof Lent>;
const Lents = z.record(z.string(), Lent).transform((record) => new Map(Object.entries(record)));

type Item = Pick<chrome.downloads.DownloadItem, 'url' | 'finalUrl' | 'referrer'>;

export class DownloadOwners {
  readonly #sessionTabs: SessionTabs;
  readonly #trail = new RequestTrail();
  /** By tab, of the last while: a tab of the person counts as the session's as long as the call runs, and later it may be the agent who has touched the page. */
  readonly #lent = new Map<string, Lent>();
  readonly #stored = new Stored<ReadonlyMap<string, Lent>>('session', 'lent tabs', Lents, () => new Map(), Object.fromEntries);
  /** The session that called last comes last. */
  readonly #callers = new Set<SessionId>();
  /** What the worker before this one kept. */
  readonly #left: Promise<ReadonlyMap<string, Lent>>;

  constructor(sessionTabs: SessionTabs) {
    this.#sessionTabs = sessionTabs;
    this.#left = this.#stored.load().catch(() => new Map());
  }

  /** A call begins: until it ends, downloads that the tab begins belong to the session. Returns what ends that. */
  lend(tabId: number, sessionId: SessionId, isKept = true): () => void {
    const begun = this.#note(tabId, { sessionId, at: Date.now(), runs: true }, isKept);
    this.#callers.delete(sessionId);
    this.#callers.add(sessionId);
    return () => {
      // Another call may run there by now.
      if (this.#lent.get(String(tabId)) === begun) this.#note(tabId, { sessionId, at: Date.now(), runs: false }, isKept);
    };
  }

  /** The person has taken a tab of a session's back, in which an agent may just have pressed something. */
  async released(): Promise<void> {
    await this.#stored.save(new Map(this.#lent)).catch(() => null);
  }

  /** To the next worker a call need not be known that only looks, or whose tab is the session's own. */
  #note(tabId: number, lent: Lent, isKept: boolean): Lent {
    this.#lent.set(String(tabId), lent);
    for (const [known, { at, runs: isRunning }] of this.#lent) if (!isRunning && !isJust(at)) this.#lent.delete(known);
    if (isKept) void this.#keep(lent);
    return lent;
  }

  /** Not waited for, and where it cannot be kept, the next worker knows less. */
  async #keep({ runs }: Lent): Promise<void> {
    if (!runs) await answered();
    await this.#stored.save(new Map(this.#lent)).catch(() => null);
  }

  /** The last call in a tab, of this worker or the one before it, which may have been stopped in the middle of it. */
  async #lastIn(tabId: number): Promise<Lent | null> {
    const own = this.#lent.get(String(tabId));
    if (own !== undefined) return own;
    const left = (await this.#left).get(String(tabId));
    return left !== undefined && isJust(left.at) ? left : null;
  }

  /**
   * The session whose tab began the download; null when it is the person's. Where that cannot be found out it may be an agent's as long as there
   * are sessions, and the person is asked.
   */
  async sessionBehind(item: Item): Promise<SessionId | null> {
    return this.#find(item).catch(async () => {
      const caller = [...this.#callers].findLast((session) =>
        [...this.#lent.values()].some(({ sessionId, runs }) => runs && sessionId === session),
      );
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
    const last = await this.#lastIn(tabId);
    return last?.runs === true ? last.sessionId : this.#sessionTabs.sessionOf(tabId);
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
    const touched = persons.map(async (tabId) => !(await this.#wasJustLent(tabId)) && wasJustTouched(tabId));
    return (await Promise.all(touched)).includes(true) ? null : sessionId;
  }

  async #wasJustLent(tabId: number): Promise<boolean> {
    const last = await this.#lastIn(tabId);
    return last !== null && isJust(last.at);
  }
}

/** By the clock of the machine, which two workers share; one that was set back does not make an agent's touch the person's. */
const isJust = (at: number): boolean => Date.now() - at < TOUCH_MS;

/** Whether a frame of the tab has this origin; any frame counts when there is no origin, and a tab that closes meanwhile may have had it. */
const shows = async (tabId: number, origin: string | undefined): Promise<boolean> => {
  if (origin === undefined) return true;
  const frames = await shownIn(tabId).catch(() => 'gone' as const);
  return frames === 'gone' || frames.some(({ url }) => originOf(url) === origin);
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
