/** Sessions that were deleted: for an hour they can be brought back, then they are gone for ever. */
import type { Log } from '#companion/lib/log.ts';
import type { SessionRow } from '#companion/store/event-log.ts';
import type { Store } from '#companion/store/store.ts';
import type { RemovedSession } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { explain } from '#protocol/faults.ts';
import type { HalfMade } from './half-made.ts';
import { SessionLog, sessionNotFound, type ViewInParts } from './session-log.ts';

/** How long a session can be brought back. */
export const UNDO_MS = 60 * 60_000;

interface Removed {
  readonly row: SessionRow;
  readonly removedAt: number;
  readonly timer: NodeJS.Timeout;
}

interface Surroundings {
  readonly store: Store;
  readonly log: Log;
  readonly now: () => number;
  readonly halfMade: Pick<HalfMade, 'end' | 'remove'>;
  /** A session is gone for ever; this is what it was. */
  readonly onPurge: (head: ViewInParts['head']) => void;
}

export class RemovedSessions {
  readonly #around: Surroundings;
  readonly #removed = new Map<SessionId, Removed>();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Notes on disk that a session is deleted. */
  remove(row: SessionRow, removedAt: number): void {
    this.#around.store.sessions.mark(row.sessionId, removedAt);
    this.put(row, removedAt);
  }

  /** Takes in a session that was deleted at that time, also before this process began. */
  put(row: SessionRow, removedAt: number): void {
    const leftMs = Math.min(UNDO_MS, Math.max(0, removedAt + UNDO_MS - this.#around.now()));
    const timer = setTimeout(() => void this.#expire(row), leftMs).unref();
    this.#removed.set(row.sessionId, { row, removedAt, timer });
  }

  list(): RemovedSession[] {
    return [...this.#removed.values()]
      .toSorted((one, other) => other.removedAt - one.removedAt)
      .map(({ row, removedAt }) => ({
        session: row.summary ?? this.#logOf(row).summary(),
        removedAt: new Date(removedAt).toISOString(),
        goneAt: new Date(removedAt + UNDO_MS).toISOString(),
      }));
  }

  /** The row of a session that is not deleted any more. */
  restore(sessionId: SessionId): SessionRow {
    const found = this.#removed.get(sessionId);
    if (found === undefined) throw sessionNotFound(sessionId);
    this.#around.store.sessions.mark(sessionId, null);
    this.#forget(sessionId);
    // The summary is made again, because what was open is settled.
    const { removedAt: _, ...row } = found.row;
    return { ...row, summary: null, summarySeq: 0 };
  }

  /** Throws when the id is that of a session which could still be brought back. */
  checkIsFree(sessionId: SessionId): void {
    if (this.#removed.has(sessionId)) throw new CompanionError('INPUT_INVALID', explain('session_deleted', { session: sessionId }));
  }

  /** Removes a session with all that belongs to it, for ever. When it returns, that is on disk; a long one goes a slice at a time. */
  async purge(row: SessionRow): Promise<void> {
    const { halfMade, onPurge } = this.#around;
    halfMade.end(row.sessionId);
    this.#forget(row.sessionId);
    const log = this.#logOf(row);
    await halfMade.remove(row.sessionId, async () => {
      await log.catchUp();
      onPurge(log.inParts().head);
    });
  }

  close(): void {
    for (const { timer } of this.#removed.values()) clearTimeout(timer);
    this.#removed.clear();
  }

  async #expire(row: SessionRow): Promise<void> {
    try {
      await this.purge(row);
    } catch (error) {
      // The next daemon tries again.
      this.#around.log.warn('sessions.not_purged', { sessionId: row.sessionId, error });
    }
  }

  #forget(sessionId: SessionId): void {
    clearTimeout(this.#removed.get(sessionId)?.timer);
    this.#removed.delete(sessionId);
  }

  #logOf(row: SessionRow): SessionLog {
    const { store, log, now } = this.#around;
    return new SessionLog({ row: { ...row, summary: null }, store, log, now, onEvent: () => {} });
  }
}
