/** What an engine really wrote, compressed and bounded, so that a better codec can read an old session again. */
import { deflateSync, inflateSync } from 'node:zlib';
import type { DatabaseSync } from 'node:sqlite';
import type { SessionId, TurnId } from '#protocol/ids.ts';

const MAX_LINE_CHARS = 256 * 1024;
/** Compressed bytes kept per session; the oldest go first. */
const MAX_SESSION_BYTES = 8 * 1024 * 1024;

export interface RawLines {
  append(sessionId: SessionId, turnId: TurnId, lines: readonly string[]): void;
  read(sessionId: SessionId, turnId: TurnId): string[];
}

/** The table of raw lines. */
export const createRawLines = (db: DatabaseSync): RawLines => {
  const insert = db.prepare('INSERT INTO raw_lines (session_id, turn_id, size_bytes, data) VALUES (?, ?, ?, ?)');
  const total = db.prepare('SELECT COALESCE(SUM(size_bytes), 0) AS total FROM raw_lines WHERE session_id = ?');
  const dropOldest = db.prepare('DELETE FROM raw_lines WHERE id = (SELECT MIN(id) FROM raw_lines WHERE session_id = ?)');
  const read = db.prepare('SELECT data FROM raw_lines WHERE session_id = ? AND turn_id = ? ORDER BY id');
  return {
    append: (sessionId, turnId, lines) => {
      if (lines.length === 0) return;
      const data = deflateSync(lines.map((line) => line.slice(0, MAX_LINE_CHARS)).join('\n'));
      insert.run(sessionId, turnId, data.length, data);
      while (Number(total.get(sessionId)?.['total']) > MAX_SESSION_BYTES) {
        if (dropOldest.run(sessionId).changes === 0) break;
      }
    },
    read: (sessionId, turnId) =>
      read.all(sessionId, turnId).flatMap(({ data }) => (data instanceof Uint8Array ? inflateSync(data).toString('utf8').split('\n') : [])),
  };
};
