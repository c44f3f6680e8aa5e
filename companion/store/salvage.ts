/** Brings over what can still be read from a damaged database. */
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '#companion/lib/log.ts';

/** Tables worth saving and their keys; raw lines and the process ledger are not. */
const TABLES = [
  { name: 'projects', columns: ['project_id', 'body'] },
  { name: 'sessions', columns: ['session_id', 'project_id', 'epoch', 'created_at', 'summary', 'summary_seq'] },
  { name: 'events', columns: ['session_id', 'seq', 'at', 'crc', 'body'] },
  { name: 'grants', columns: ['id', 'body'] },
] as const;

/** Copies rows from `damagedFile` into the fresh `db`; says how many events and sessions came over. */
export const salvage = (db: DatabaseSync, damagedFile: string, log: Log): { events: number; sessions: number } => {
  let old: DatabaseSync | null = null;
  try {
    const from = new DatabaseSync(damagedFile);
    old = from;
    db.exec('BEGIN');
    const counts = new Map<string, number>(TABLES.map((table) => [table.name, copyTable(db, from, table)]));
    // A session without a row cannot be listed, and one without its first event has no engine.
    db.exec(`
      DELETE FROM events WHERE session_id NOT IN (SELECT session_id FROM sessions);
      DELETE FROM sessions WHERE session_id NOT IN (SELECT session_id FROM events WHERE seq = 1);
      UPDATE sessions SET summary = NULL, summary_seq = 0;
      COMMIT;
    `);
    return { events: counts.get('events') ?? 0, sessions: counts.get('sessions') ?? 0 };
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    log.warn('store.salvage_failed', { file: damagedFile, error });
    return { events: 0, sessions: 0 };
  } finally {
    old?.close();
  }
};

/** Reads forwards up to the damage, then backwards down to it. */
const copyTable = (db: DatabaseSync, old: DatabaseSync, table: { name: string; columns: readonly string[] }): number => {
  const names = table.columns.join(', ');
  const insert = db.prepare(`INSERT OR IGNORE INTO ${table.name} (${names}) VALUES (${table.columns.map(() => '?').join(', ')})`);
  let copied = 0;
  for (const order of ['ASC', 'DESC']) {
    try {
      const key = table.name === 'events' ? `session_id ${order}, seq ${order}` : `${table.columns[0]} ${order}`;
      for (const row of old.prepare(`SELECT ${names} FROM ${table.name} ORDER BY ${key}`).iterate()) {
        copied += Number(insert.run(...table.columns.map((column) => row[column] ?? null)).changes);
      }
      return copied;
    } catch {
      // The damage was reached: the other direction gives what lies behind it.
    }
  }
  return copied;
};
