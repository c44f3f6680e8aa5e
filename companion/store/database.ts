/** Opens the one SQLite file: checked, of our schema version, in WAL mode. What is damaged is moved aside and told, never emptied. */
import { closeSync, existsSync, openSync, renameSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError } from '#protocol/errors.ts';
import { salvage } from './salvage.ts';

const SCHEMA_VERSION = 1;
const BUSY_TIMEOUT_MS = 2000;

const SCHEMA = `
  CREATE TABLE projects (project_id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
  CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY, project_id TEXT, epoch TEXT NOT NULL, created_at INTEGER NOT NULL,
    summary TEXT, summary_seq INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE events (
    session_id TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, crc INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (session_id, seq)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE raw_lines (
    id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, turn_id TEXT NOT NULL, size_bytes INTEGER NOT NULL, data BLOB NOT NULL
  ) STRICT;
  CREATE INDEX raw_lines_session ON raw_lines (session_id, id);
  CREATE TABLE processes (pid INTEGER PRIMARY KEY, start_time TEXT NOT NULL, session_id TEXT NOT NULL) STRICT;
  CREATE TABLE grants (id TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
`;

export interface OpenedDatabase {
  readonly db: DatabaseSync;
  /** What a person should know about how the file was found. */
  readonly warnings: readonly string[];
}

/** The database in `file`, ready for use. */
export const openDatabase = (file: string, log: Log): OpenedDatabase => {
  const isNew = !existsSync(file);
  // SQLite gives its side files the mode of the main one.
  if (isNew) closeSync(openSync(file, 'a', 0o600));
  const damage = isNew ? null : findDamage(file);
  if (damage === null) {
    const db = prepare(file);
    return { db, warnings: countStrays(db) === 0 ? [] : ['Part of the history belongs to no session any more: the file was damaged.'] };
  }

  const aside = moveAside(file);
  log.error('store.damaged', { file, aside, damage });
  closeSync(openSync(file, 'a', 0o600));
  const db = prepare(file);
  const saved = salvage(db, aside, log);
  return {
    db,
    warnings: [
      `The history was damaged (${damage}). The old file is kept as ${aside}; ${saved.events} events of ${saved.sessions} sessions were brought over.`,
    ],
  };
};

/** What is wrong with the file's structure, or null. A file of a later version is refused, not touched. */
const findDamage = (file: string): string | null => {
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    const version = readVersion(db);
    if (version > SCHEMA_VERSION) {
      throw new CompanionError(
        'STORE_FAILED',
        `${file} was written by a later pilotfish (schema ${version}, this one knows ${SCHEMA_VERSION}).`,
        {
          remedy: 'Update pilotfish.',
        },
      );
    }
    // Not quick_check: it passes over keys out of order, and costs hardly less here (about a second per gigabyte).
    const result = String(Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {})[0]);
    if (result !== 'ok') return result;
    return version === 0 && hasTables(db) ? 'it has no schema version' : null;
  } catch (error) {
    if (error instanceof CompanionError) throw error;
    if (isCorruption(error)) return error.message;
    throw new CompanionError('STORE_FAILED', `${file} could not be opened: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  } finally {
    db?.close();
  }
};

const prepare = (file: string): DatabaseSync => {
  try {
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    if (readVersion(db) === 0) db.exec(`BEGIN; ${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
    return db;
  } catch (error) {
    throw new CompanionError('STORE_FAILED', `${file} could not be opened: ${error instanceof Error ? error.message : String(error)}.`, {
      cause: error,
    });
  }
};

const readVersion = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);

const hasTables = (db: DatabaseSync): boolean => db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;

/** Logs without a session: a damaged id. Jumps from one log to the next instead of reading them. */
const countStrays = (db: DatabaseSync): number =>
  Number(
    db
      .prepare(
        `WITH RECURSIVE logs (id) AS (
           SELECT MIN(session_id) FROM events
           UNION ALL SELECT (SELECT MIN(session_id) FROM events WHERE session_id > logs.id) FROM logs WHERE logs.id IS NOT NULL
         ) SELECT COUNT(*) AS count FROM logs WHERE id IS NOT NULL AND id NOT IN (SELECT session_id FROM sessions)`,
      )
      .get()?.['count'] ?? 0,
  );

/** SQLITE_CORRUPT and SQLITE_NOTADB; everything else (locked, no rights, disk) is no reason to put the file away. */
const isCorruption = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && [11, 26].includes(error.errcode & 0xff);

const moveAside = (file: string): string => {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${aside}${suffix}`);
  }
  return aside;
};
