/** What the person has in front of them: which tab each window shows, and in which window they work. */

/** How it was at one moment, the newest first. */
export interface InFront {
  /** The last tabs that each window has shown. */
  readonly shown: ReadonlyMap<number, readonly number[]>;
  /** The windows of this browser in which the person was. */
  readonly windows: readonly number[];
  /** Whether the person is in another program. */
  readonly isAway: boolean;
}

/** Those that have just come in front of another one, and that other. */
const KEPT_TABS = 8;

/**
 * That no window has the focus is told, too, while it goes from one to another, and on Linux even after that, so it is looked up a moment later:
 * https://developer.chrome.com/docs/extensions/reference/api/windows#event-onFocusChanged
 */
const LEAVING_MS = 300;

/** Chrome tells what came in front, but of a tab or window that never was it does not tell what was there before: that is kept here. */
export class InFrontWatch {
  readonly #shown = new Map<number, readonly number[]>();
  /** When the tab came that each window shows. */
  readonly #cameAt = new Map<number, number>();
  #windows: readonly number[] = [];
  #isAway = false;
  #leaving: ReturnType<typeof setTimeout> | undefined;

  /** Registers listeners, so it is made when the worker starts. */
  constructor() {
    const { tabs, windows } = chrome;
    tabs.onActivated.addListener(({ tabId, windowId }) => {
      this.#shown.set(windowId, newestFirst(tabId, this.#shown.get(windowId)).slice(0, KEPT_TABS));
      this.#cameAt.set(windowId, Date.now());
    });
    windows.onFocusChanged.addListener((windowId) => {
      clearTimeout(this.#leaving);
      if (windowId === windows.WINDOW_ID_NONE) this.#leaving = setTimeout(() => void this.#lookAway(), LEAVING_MS);
      else {
        this.#windows = newestFirst(windowId, this.#windows);
        this.#isAway = false;
      }
    });
    windows.onRemoved.addListener((windowId) => {
      this.#shown.delete(windowId);
      this.#cameAt.delete(windowId);
      this.#windows = this.#windows.filter((id) => id !== windowId);
    });
    void this.#begin();
  }

  now(): InFront {
    return { shown: new Map(this.#shown), windows: this.#windows, isAway: this.#isAway };
  }

  /** What a window has shown before this tab came to its front, if it did since then. */
  before(tabId: number, windowId: number, since: number): number | undefined {
    const [shown, before] = this.#shown.get(windowId) ?? [];
    return shown === tabId && (this.#cameAt.get(windowId) ?? 0) >= since ? before : undefined;
  }

  async #begin(): Promise<void> {
    for (const { id, windowId } of await chrome.tabs.query({ active: true }))
      if (id !== undefined) this.#shown.set(windowId, [...(this.#shown.get(windowId) ?? []), id].slice(0, KEPT_TABS));
    const last = await chrome.windows.getLastFocused();
    if (last.id !== undefined && !this.#windows.includes(last.id)) this.#windows = [...this.#windows, last.id];
    this.#isAway = !last.focused;
  }

  async #lookAway(): Promise<void> {
    const { id, focused } = await chrome.windows.getLastFocused();
    if (id === this.#windows[0]) this.#isAway = !focused;
  }
}

const newestFirst = (id: number, before: readonly number[] = []): readonly number[] => [id, ...before.filter((other) => other !== id)];
