/** What an engine really wrote, compressed and limited, so that a better codec can read an old session again. */
import { deflateSync, inflateSync } from 'node:zlib';
import type { StatementSync } from 'node:sqlite';
import type { SessionId, TurnId } from '#protocol/ids.ts';
import type { Database } from './database.ts';

const MAX_LINE_CHARS = 256 * 1024;
/** How many compressed bytes are kept for a session; the oldest are removed first. */
const MAX_SESSION_BYTES = 8 * 1024 * 1024;

/** The table of raw lines. */
export class RawLines {
  readonly #db: Database;
  readonly #insert: StatementSync;
  readonly #total: StatementSync;
  readonly #dropOldest: StatementSync;
  readonly #read: StatementSync;

  constructor(db: Database) {
    this.#db = db;
    this.#insert = db.prepare('INSERT INTO raw_lines (session_id, turn_id, size_bytes, data) VALUES (?, ?, ?, ?)');
    this.#total = db.prepare('SELECT COALESCE(SUM(size_bytes), 0) AS total FROM raw_lines WHERE session_id = ?');
    this.#dropOldest = db.prepare('DELETE FROM raw_lines WHERE id = (SELECT MIN(id) FROM raw_lines WHERE session_id = ?)');
    this.#read = db.prepare('SELECT data FROM raw_lines WHERE session_id = ? AND turn_id = ? ORDER BY id');
  }

  append(sessionId: SessionId, turnId: TurnId, lines: readonly string[]): void {
    if (lines.length === 0) return;
    const data = deflateSync(lines.map((line) => line.slice(0, MAX_LINE_CHARS)).join('\n'));
    this.#db.write('normal', () => {
      this.#insert.run(sessionId, turnId, data.length, data);
      while (Number(this.#total.get(sessionId)?.['total']) > MAX_SESSION_BYTES) {
        if (this.#dropOldest.run(sessionId).changes === 0) break;
      }
    });
  }

  /** The lines that can still be read. */
  read(sessionId: SessionId, turnId: TurnId): string[] {
    return this.#read.all(sessionId, turnId).flatMap(({ data }) => (data instanceof Uint8Array ? inflate(data) : []));
  }
}

/** A damaged piece is left out: the lines are only a copy, and the events are what counts. */
const inflate = (data: Uint8Array): string[] => {
  try {
    return inflateSync(data).toString('utf8').split('\n');
  } catch {
    return [];
  }
};
