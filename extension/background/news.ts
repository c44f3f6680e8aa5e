/**
 * What happens to a session's tabs beside what its calls tell: errors of pages, requests that failed, tabs that a page opened or somebody closed, and
 * what a tab pretends no more. Told once, in a line.
 */
import type { SessionId } from '#protocol/ids.ts';
import { counted } from '#protocol/counted.ts';
import type { Refusal } from './debugger.ts';

interface TabNews {
  errors: number;
  failed: number;
  /** Servers for which something in the page waits until the person has signed in there. */
  signIns: readonly string[];
  /** The person's own tab came to another site. */
  isLeft: boolean;
  /** Routes ended with the permission for them, or by a rule of the person. */
  isWithdrawn: boolean;
}

/** The person has closed the bar of the debugger in a tab. */
interface RefusedTab extends Refusal {
  /** The sessions that know it. */
  readonly told: Set<SessionId>;
}

export class News {
  readonly #tabs = new Map<number, TabNews>();
  readonly #refused = new Map<number, RefusedTab>();
  readonly #closed = new Map<SessionId, number[]>();
  /** Tabs that pages have opened, with the sessions that were not told yet. */
  readonly #opened = new Map<number, SessionId | null>();
  /** Tabs that a call closes, which tells it itself. */
  readonly #closing = new Set<number>();

  erred(tabId: number, count: number): void {
    if (count > 0) this.#of(tabId).errors += count;
  }

  failed(tabId: number): void {
    this.#of(tabId).failed += 1;
  }

  /** Something in the page begins to wait until the person has signed in at this server, or nothing does any more. */
  wantsSignIn(tabId: number, origin: string, waits: boolean): void {
    const others = this.#tabs.get(tabId)?.signIns.filter((known) => known !== origin) ?? [];
    if (waits || this.#tabs.has(tabId)) this.#of(tabId).signIns = waits ? [...others, origin] : others;
  }

  /** The person has closed the debugger's bar in the tab; null when that is over. */
  refused(tabId: number, refusal: Refusal | null): void {
    if (refusal === null) this.#refused.delete(tabId);
    else this.#refused.set(tabId, { ...refusal, told: new Set() });
  }

  /** A tab of the person's has come to another site than that for which it pretended something. */
  left(tabId: number): void {
    this.#of(tabId).isLeft = true;
  }

  /** The person no longer allows routes of the tab. */
  withdrawn(tabId: number): void {
    this.#of(tabId).isWithdrawn = true;
  }

  /** A call is about to close the tab. */
  closes(tabId: number): void {
    this.#closing.add(tabId);
  }

  closed(tabId: number, sessionId: SessionId | null): void {
    this.#tabs.delete(tabId);
    this.#opened.delete(tabId);
    if (this.#closing.delete(tabId) || sessionId === null) return;
    this.#closed.set(sessionId, [...(this.#closed.get(sessionId) ?? []), tabId]);
  }

  /** A page has opened a tab for the session. */
  opened(tabId: number, sessionId: SessionId): void {
    if (!this.#opened.has(tabId)) this.#opened.set(tabId, sessionId);
  }

  /** A call tells itself of a tab that its page has opened. */
  tells(tabId: number): void {
    this.#opened.set(tabId, null);
  }

  forget(tabId: number): void {
    this.#tabs.delete(tabId);
  }

  endSession(sessionId: SessionId): void {
    this.#closed.delete(sessionId);
    for (const [tabId, of] of this.#opened) if (of === sessionId) this.#opened.set(tabId, null);
  }

  /** The line for the result of a call in a tab; null when there is nothing to tell. */
  take(sessionId: SessionId, tabId: number | null): string | null {
    const { errors, failed, signIns, isLeft, isWithdrawn } = (tabId === null ? undefined : this.#tabs.get(tabId)) ?? none;
    if (tabId !== null) this.#tabs.delete(tabId);
    const closed = this.#closed.get(sessionId) ?? [];
    this.#closed.delete(sessionId);
    const opened = [...this.#opened].filter(([, of]) => of === sessionId).map(([id]) => id);
    for (const id of opened) this.tells(id);
    const told = [
      errors === 0 ? '' : counted(errors, 'console error'),
      failed === 0 ? '' : counted(failed, 'failed request'),
      signIns.length === 0 ? '' : wordsForSignIns(signIns),
      tabId === null ? '' : this.#takeRefusal(sessionId, tabId),
      isLeft ? 'routes and emulation of this tab have ended, it shows another site now' : '',
      isWithdrawn ? 'routes of this tab have ended, they are allowed no more' : '',
      opened.length === 0 ? '' : `opened: tab ${opened.slice(0, MAX_NAMED).join(', ')}`,
      closed.length === 0 ? '' : `closed: tab ${closed.slice(0, MAX_NAMED).join(', ')}`,
    ].filter((part) => part !== '');
    return told.length === 0 ? null : `State: ${told.join('; ')}.`;
  }

  #takeRefusal(sessionId: SessionId, tabId: number): string {
    const refused = this.#refused.get(tabId);
    if (refused === undefined || refused.told.has(sessionId)) return '';
    refused.told.add(sessionId);
    const ended = refused.hadPretence ? '; routes and emulation of this tab have ended' : '';
    return `the user has closed the bar of the debugger${ended}: ${WITHOUT_DEBUGGER}`;
  }

  #of(tabId: number): TabNews {
    const news = this.#tabs.get(tabId) ?? { ...none };
    this.#tabs.set(tabId, news);
    return news;
  }
}

/** Clicks and keys are the page's own events then, and only the tab that is in front can be pictured. */
const WITHOUT_DEBUGGER =
  'reading, clicks, typing and navigation go on; code, console, cookies, storage, emulation, routes and pictures while the tab is hidden do not, until the user hands the tab over anew';

/** A host may be as long as the page likes, and is no more than that: an origin has no words. */
const wordsForSignIns = (origins: readonly string[]): string =>
  `a part of the page waits, for ${origins.slice(0, MAX_NAMED).join(', ')} wants a name and a password: show the tab with browser_tabs select and let the user sign in with browser_ask_human, or open an address there as https://NAME:PASSWORD@host/, for which they are asked`;

const none: TabNews = { errors: 0, failed: 0, signIns: [], isLeft: false, isWithdrawn: false };

const MAX_NAMED = 5;
