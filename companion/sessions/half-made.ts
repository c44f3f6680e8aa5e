/**
 * Sessions that are being filled with what was said elsewhere. On disk such a session counts as deleted long ago, so that it is whole or
 * none, also when the daemon dies in the midst: the next one removes what it finds of it.
 */
import { setImmediate } from 'node:timers/promises';
import type { Log } from '#companion/lib/log.ts';
import type { SessionRow } from '#companion/store/event-log.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Search } from './search.ts';

/** When it was deleted: no session ever was at that time. */
const NEVER_WAS = 0;
/** Events that are removed at a time. */
const SLICE = 1000;

interface Surroundings {
  readonly store: Store;
  readonly log: Log;
  readonly search: Pick<Search, 'remove'>;
}

export class HalfMade {
  readonly #around: Surroundings;
  readonly #removing = new Set<Promise<void>>();
  #isClosed = false;

  constructor(around: Surroundings) {
    this.#around = around;
  }

  begin(row: SessionRow): void {
    const { sessions } = this.#around.store;
    sessions.mark(row.sessionId, NEVER_WAS);
    sessions.save(row);
  }

  /** All of it is on disk with this. */
  finish(sessionId: SessionId): void {
    this.#around.store.sessions.mark(sessionId, null);
  }

  /** Whether a row on disk is one that was never finished. */
  isOne({ removedAt }: Pick<SessionRow, 'removedAt'>): boolean {
    return removedAt === NEVER_WAS;
  }

  /** Removes it with all that belongs to it, a slice at a time. It never fails: the next daemon does what is left. */
  async remove(sessionId: SessionId): Promise<void> {
    const removing = this.#remove(sessionId).catch((error: unknown) => {
      this.#around.log.warn('sessions.half_made_kept', { sessionId, error });
    });
    this.#removing.add(removing);
    await removing;
    this.#removing.delete(removing);
  }

  /** What is being removed is left to the next daemon. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#removing);
  }

  async #remove(sessionId: SessionId): Promise<void> {
    const { store, search } = this.#around;
    if (this.#isClosed) return;
    for (const ref of store.attached.ofSession(sessionId)) store.attachments.remove(ref);
    while (store.events.removeNewest(sessionId, SLICE)) {
      await setImmediate();
      if (this.#isClosed) return;
    }
    store.sessions.remove(sessionId);
    search.remove(sessionId);
  }
}
