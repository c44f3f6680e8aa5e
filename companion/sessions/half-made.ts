/**
 * Sessions that are being filled with what was said elsewhere, or removed for ever. On disk such a session counts as deleted long ago, so
 * that it is whole or none, also when the daemon dies in the midst: the next one removes what it finds of it.
 */
import { setImmediate } from 'node:timers/promises';
import type { Log } from '#companion/lib/log.ts';
import type { SessionRow } from '#companion/store/event-log.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Search } from './search.ts';

/** When it was deleted: no session ever was at that time. */
const NEVER_WAS = 0;
/** Events that are removed at a time, and entries of the index for the search. */
const SLICE = 1000;
/** Parts of its stored view. */
const PARTS = 10;

interface Surroundings {
  readonly store: Store;
  readonly log: Log;
  readonly search: Pick<Search, 'remove'>;
}

export class HalfMade {
  readonly #around: Surroundings;
  readonly #removing = new Map<SessionId, Promise<void>>();
  #isClosed = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  begin(row: SessionRow): void {
    this.end(row.sessionId);
    this.#around.store.sessions.save(row);
  }

  /** From now on it counts as one that never was; `remove` does the rest. */
  end(sessionId: SessionId): void {
    this.#around.store.sessions.mark(sessionId, NEVER_WAS);
  }

  /** All of it is on disk with this. */
  finish(sessionId: SessionId): void {
    this.#around.store.sessions.mark(sessionId, null);
  }

  /** Whether a row on disk is one that was never finished. */
  isOne({ removedAt }: Pick<SessionRow, 'removedAt'>): boolean {
    return removedAt === NEVER_WAS;
  }

  /** Removes it with all that belongs to it, a slice at a time; `before` may still read it. It never fails: the next daemon does what is left. */
  async remove(sessionId: SessionId, before = async (): Promise<void> => {}): Promise<void> {
    const removing =
      this.#removing.get(sessionId) ??
      this.#remove(sessionId, before)
        .catch((error: unknown) => this.#around.log.warn('sessions.half_made_kept', { sessionId, error }))
        .finally(() => this.#removing.delete(sessionId));
    this.#removing.set(sessionId, removing);
    await removing;
  }

  /** Whether it is being removed. */
  isLeaving(sessionId: SessionId): boolean {
    return this.#removing.has(sessionId);
  }

  /** What is being removed is left to the next daemon. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#removing.values());
  }

  async #remove(sessionId: SessionId, before: () => Promise<void>): Promise<void> {
    const { store, search } = this.#around;
    if (this.#isClosed) return;
    await before();
    if (this.#isClosed) return;
    for (const ref of store.attached.ofSession(sessionId)) store.attachments.remove(ref);
    const removeSome = (): boolean =>
      search.remove(sessionId, SLICE) || store.events.removeNewest(sessionId, SLICE) || store.views.clearLast(sessionId, PARTS);
    while (removeSome()) {
      await setImmediate();
      if (this.#isClosed) return;
    }
    store.sessions.remove(sessionId);
  }
}
