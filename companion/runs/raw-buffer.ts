/** Gathers an engine's raw lines, so that they are compressed in pieces worth compressing. */
import type { Log } from '#companion/lib/log.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionId, TurnId } from '#protocol/ids.ts';

const PIECE_CHARS = 256 * 1024;

export interface RawBuffer {
  /** Lines before the first turn wait for it. */
  add(line: string, turnId: TurnId | null): void;
  flush(turnId: TurnId): void;
}

/** A buffer in front of the store's raw lines. */
export const createRawBuffer = (store: Store, sessionId: SessionId, log: Log): RawBuffer => {
  let lines: string[] = [];
  let chars = 0;
  const flush = (turnId: TurnId): void => {
    const piece = lines;
    lines = [];
    chars = 0;
    try {
      store.rawLines.append(sessionId, turnId, piece);
    } catch (error) {
      // Only a copy for later: the events are what counts.
      log.warn('store.raw_lines_failed', { sessionId, error });
    }
  };
  return {
    add: (line, turnId) => {
      const kept = line.slice(0, PIECE_CHARS);
      lines.push(kept);
      chars += kept.length;
      if (chars < PIECE_CHARS) return;
      if (turnId !== null) flush(turnId);
      else lines = [];
    },
    flush,
  };
};
