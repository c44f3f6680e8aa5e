/** Frames that load by themselves again and again, as advertisements and tickers do: that they do so during an action says nothing of it. */
import type { TabEvents } from './tab-events.ts';

/** The first page of a frame belongs to the page around it, and what came once more may be a late effect of an action. */
const RESTLESS_LOADS = 3;

export class RestlessFrames {
  /** How often each frame of a tab's document has loaded a page while nobody acted in the tab. */
  readonly #loads = new Map<number, Map<number, number>>();
  readonly #acting = new Set<number>();

  constructor(events: TabEvents) {
    events.onFrameArrived((tabId, frameId) => {
      if (!this.#acting.has(tabId)) this.#count(tabId, frameId);
    });
    events.onArrived((tabId) => void this.#loads.delete(tabId));
    events.onClosed((tabId) => void this.#loads.delete(tabId));
  }

  /** Runs what may lead a frame of the tab to another page. */
  async whileActing<T>(tabId: number, act: () => Promise<T>): Promise<T> {
    this.#acting.add(tabId);
    try {
      return await act();
    } finally {
      this.#acting.delete(tabId);
    }
  }

  /** Whether a frame loads pages without anybody's doing. */
  has(tabId: number, frameId: number): boolean {
    return (this.#loads.get(tabId)?.get(frameId) ?? 0) >= RESTLESS_LOADS;
  }

  #count(tabId: number, frameId: number): void {
    const ofTab = this.#loads.get(tabId) ?? new Map<number, number>();
    this.#loads.set(tabId, ofTab.set(frameId, (ofTab.get(frameId) ?? 0) + 1));
  }
}
