/** Collects an agent's raw lines, so that they are compressed in large pieces. */
import type { Log } from '#companion/lib/log.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionId, TurnId } from '#protocol/ids.ts';

const PIECE_CHARS = 256 * 1024;

export class RawBuffer {
  readonly #store: Pick<Store, 'rawLines'>;
  readonly #sessionId: SessionId;
  readonly #log: Log;
  #lines: string[] = [];
  #chars = 0;

  constructor(store: Pick<Store, 'rawLines'>, sessionId: SessionId, log: Log) {
    this.#store = store;
    this.#sessionId = sessionId;
    this.#log = log;
  }

  /** Lines before the first turn wait for it. */
  add(line: string, turnId: TurnId | null): void {
    const kept = line.slice(0, PIECE_CHARS);
    this.#lines.push(kept);
    this.#chars += kept.length;
    if (this.#chars < PIECE_CHARS) return;
    if (turnId !== null) this.flush(turnId);
    else this.#lines = [];
  }

  flush(turnId: TurnId): void {
    const piece = this.#lines;
    this.#lines = [];
    this.#chars = 0;
    try {
      this.#store.rawLines.append(this.#sessionId, turnId, piece);
    } catch (error) {
      // This is only a copy; the events are what counts.
      this.#log.warn('store.raw_lines_failed', { sessionId: this.#sessionId, error });
    }
  }
}
