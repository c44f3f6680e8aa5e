/**
 * Tabs that a page in a session's tab opens, also long after the call that has led to it. Nobody but the agent can have pressed anything in a tab
 * that is not in front: what it opens is the session's, and the person goes on seeing what they saw.
 */
import type { SessionId } from '#protocol/ids.ts';
import { type InFront, InFrontWatch } from './in-front.ts';
import type { NetworkLog } from './network-log.ts';
import type { News } from './news.ts';
import type { SessionTabs } from './session-tabs.ts';
import type { TabEvents } from './tab-events.ts';

interface Options {
  readonly events: TabEvents;
  readonly sessionTabs: SessionTabs;
  readonly network: Pick<NetworkLog, 'follow'>;
  readonly news: Pick<News, 'opened'>;
}

/** A tab that a page has opened, and what the person had in front of them before it came. */
interface Opening {
  readonly tabId: number;
  readonly by: number;
  readonly before: InFront;
}

export class OpenedTabs {
  readonly #options: Options;
  readonly #watch = new InFrontWatch();
  /** Those that may still be in front of the person. */
  readonly #openings = new Map<number, Opening>();
  /** Those that were put behind what the person saw, and that nobody has brought to the front since. */
  readonly #behind = new Set<number>();

  /** Registers listeners, so it is made when the worker starts. */
  constructor(options: Options) {
    this.#options = options;
    options.events.onOpened((tabId, by) => {
      const opening = { tabId, by, before: this.#watch.now() };
      this.#openings.set(tabId, opening);
      // A tab that is closed in the same moment is nobody's.
      void this.#take(opening).catch(() => null);
    });
    options.events.onClosed((tabId) => {
      this.#openings.delete(tabId);
      this.#behind.delete(tabId);
    });
    chrome.tabs.onActivated.addListener(({ tabId }) => this.#behind.delete(tabId));
  }

  /** Makes a tab that a page has opened one of the session. */
  async adopt(sessionId: SessionId, tabId: number): Promise<void> {
    const opening = this.#openings.get(tabId);
    this.#openings.delete(tabId);
    // What the person had in front of them may be closed meanwhile.
    if (opening !== undefined) await this.#putBehind(opening).catch(() => null);
    await this.#options.sessionTabs.adopt(sessionId, tabId);
  }

  /** An action in tab `by` has led the page of another one elsewhere, by its name: Chrome brings that to the front. */
  async keepBehind(tabId: number, by: number, since: number): Promise<void> {
    const { windowId } = await windowOf(tabId);
    const seen = this.#watch.before(tabId, windowId, since);
    if (seen !== undefined && seen !== by) await chrome.tabs.update(seen, { active: true });
  }

  async #take(opening: Opening): Promise<void> {
    const { sessionTabs, network, news } = this.#options;
    const { tabId, by } = opening;
    // Asked before anything else: a page may close itself as it opens another one.
    const sessionId = await sessionTabs.thatOpened(by);
    if (sessionId === null || this.#mayBeByPerson(opening, await windowOf(tabId))) return;
    network.follow(tabId, sessionId);
    await this.adopt(sessionId, tabId);
    news.opened(tabId, sessionId);
  }

  /** Whether the person had the page before them that has opened the tab; so it is, too, when a worker that has just started does not know. */
  #mayBeByPerson(opening: Opening, opened: OpenedIn): boolean {
    if (opening.before.isAway) return false;
    const windowId = personsWindow(opening, opened);
    const seen = windowId === undefined ? undefined : this.#seenIn(opening, windowId);
    return seen === undefined || seen === opening.by;
  }

  /** Chrome brings what a page opens to the front, and its window too. What it has taken from another program no extension can give back. */
  async #putBehind(opening: Opening): Promise<void> {
    const opened = await windowOf(opening.tabId);
    const persons = personsWindow(opening, opened);
    const seen = this.#seenIn(opening, opened.windowId);
    if (opened.isOwn) await joinOpener(opening, persons);
    else if (seen !== undefined && seen !== opening.by) {
      this.#behind.add(opening.tabId);
      await chrome.tabs.update(seen, { active: true });
    }
    const isAside = persons !== undefined && persons !== opened.windowId;
    if (isAside && !opening.before.isAway) await chrome.windows.update(persons, { focused: true });
  }

  /** What the person saw in a window before the tab came. A page may have opened another one just before. */
  #seenIn({ tabId, before }: Opening, windowId: number): number | undefined {
    return before.shown.get(windowId)?.find((id) => id !== tabId && !this.#behind.has(id));
  }
}

interface OpenedIn {
  readonly windowId: number;
  /** Whether the window came with the tab, and has no others. */
  readonly isOwn: boolean;
}

const windowOf = async (tabId: number): Promise<OpenedIn> => {
  const { windowId } = await chrome.tabs.get(tabId);
  return { windowId, isOwn: (await chrome.windows.get(windowId)).type !== 'normal' };
};

/** The window in which the person was. */
const personsWindow = ({ before }: Opening, { windowId, isOwn }: OpenedIn): number | undefined =>
  before.windows.find((id) => !isOwn || id !== windowId);

/** Moves a tab out of a window of its own, which goes with that; the page stays as it is, and keeps its opener. */
const joinOpener = async ({ tabId, by }: Opening, persons: number | undefined): Promise<void> => {
  const opener = await chrome.tabs.get(by).catch(() => null);
  const windowId = opener?.windowId ?? persons;
  if (windowId === undefined) return;
  const [shown] = await chrome.tabs.query({ windowId, active: true });
  // Only a window with a row of tabs takes one; otherwise it stays in its own.
  const moved = await chrome.tabs.move(tabId, { windowId, index: opener === null ? -1 : opener.index + 1 }).catch(() => null);
  // Chrome draws no page that came from another window before it was in front once, and nothing in it can be pressed or pictured.
  if (moved === null || shown?.id === undefined) return;
  await chrome.tabs.update(tabId, { active: true });
  await chrome.tabs.update(shown.id, { active: true });
};
