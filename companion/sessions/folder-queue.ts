/** Prompts that wait because another session works in their folder, in the order in which they came. */
import type { SessionId } from '#protocol/ids.ts';

interface Waiting {
  /** Whether its folder is free now. */
  readonly isFree: () => boolean;
  /** Begins what waits, if it still does. */
  readonly begin: () => void;
}

export class FolderQueue {
  readonly #waiting = new Map<SessionId, Waiting>();

  add(sessionId: SessionId, waiting: Waiting): void {
    if (!this.#waiting.has(sessionId)) this.#waiting.set(sessionId, waiting);
  }

  remove(sessionId: SessionId): void {
    this.#waiting.delete(sessionId);
  }

  /** Something has ended: in each folder the first of those that wait for it begins. */
  advance(): void {
    for (const [sessionId, { isFree, begin }] of this.#waiting) {
      if (!isFree()) continue;
      this.#waiting.delete(sessionId);
      begin();
    }
  }
}
