/** The tables, as steps from each schema version to the next. */
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { fillAttachments } from './attachment-table.ts';
import { fillUsage, USAGE_SCHEMA } from './usage-table.ts';

/** A step that looks at all entries yields after each of them. */
type Step = (db: DatabaseSync) => Iterable<void> | void;

/** One step for each version. What a step that was released makes of a database is never changed. */
const STEPS: readonly Step[] = [
  (db) =>
    db.exec(`
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
    `),
  // A writer that was replaced must notice it, and a changed bit must be noticed wherever it is.
  function* (db) {
    db.exec(`
      CREATE TABLE writer (one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL) STRICT;
      INSERT INTO writer (one, epoch) VALUES (1, 0);
      ALTER TABLE projects ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE sessions ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE grants ADD COLUMN crc INTEGER NOT NULL DEFAULT 0;
    `);
    db.function('pilotfish_crc', { varargs: true, deterministic: true }, (...values) => crcOf(values));
    db.exec(`
      UPDATE projects SET crc = pilotfish_crc(project_id, body);
      UPDATE sessions SET crc = pilotfish_crc(session_id, project_id, epoch, created_at, summary, summary_seq);
      UPDATE grants SET crc = pilotfish_crc(id, body);
    `);
    const save = db.prepare('UPDATE events SET crc = ? WHERE session_id = ? AND seq = ?');
    for (const { session_id: sessionId = null, seq = null, at, crc, body } of db.prepare('SELECT * FROM events').iterate()) {
      if (crc === crcOf([body])) save.run(crcOf([sessionId, seq, at, body]), sessionId, seq);
      yield;
    }
  },
  // What is deleted can be brought back for a while.
  (db) => db.exec('CREATE TABLE removed_sessions (session_id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT, WITHOUT ROWID'),
  // Attachments are counted and found without reading the logs.
  function* (db) {
    db.exec(
      'CREATE TABLE attachments (attachment_id TEXT PRIMARY KEY, session_id TEXT NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID; CREATE INDEX attachments_session ON attachments (session_id)',
    );
    yield* fillAttachments(db);
  },
  // A long session opens without its log being folded again.
  (db) =>
    db.exec(`
      CREATE TABLE views (
        session_id TEXT NOT NULL, part INTEGER NOT NULL, seq INTEGER NOT NULL, form TEXT NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL,
        PRIMARY KEY (session_id, part)
      ) STRICT, WITHOUT ROWID;
    `),
  // What was used is added up without reading the logs, and is still known when a session is deleted.
  function* (db) {
    db.exec(USAGE_SCHEMA);
    yield* fillUsage(db);
  },
];

/** The version that this program writes. */
export const SCHEMA_VERSION = STEPS.length;

/** The checksum of a row: of all its columns in the order of its table. */
export const crcOf = (values: readonly unknown[]): number => crc32(values.map(toText).join('\0'));

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'bigint' ? value.toString() : '';

/** Takes `db` to the newest version, in one transaction. */
export const migrate = (db: DatabaseSync): void => exhaust(migration(db));

/** The same in pieces, of one entry each: it is taken back where its reader leaves early. */
export function* migration(db: DatabaseSync): Generator<void> {
  const version = readVersion(db);
  if (version >= SCHEMA_VERSION) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    for (const step of STEPS.slice(version)) yield* step(db) ?? [];
    db.exec(`PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT`);
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK');
  }
}

/** How many pieces `migration` has. */
export const countPieces = (db: DatabaseSync): number => {
  const steps = STEPS.slice(readVersion(db)).filter((step) => step.constructor !== Function).length;
  // A log has no gaps, so its last number is its length, which is found without reading it.
  const sum = 'SELECT TOTAL((SELECT MAX(seq) FROM events WHERE events.session_id = sessions.session_id)) AS entries FROM sessions';
  return steps * Number(db.prepare(sum).get()?.['entries'] ?? 0);
};

/** All pieces at once. */
export const exhaust = (pieces: Iterable<void>): void => {
  for (const _ of pieces);
};

/** An empty database of that version, in memory. */
export const createSchema = (version: number): DatabaseSync => {
  const db = new DatabaseSync(':memory:');
  for (const step of STEPS.slice(0, version)) exhaust(step(db) ?? []);
  return db;
};

export const readVersion = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);

/** How the tables are defined, for comparing two databases. */
export const schemaText = (db: DatabaseSync): string =>
  JSON.stringify(db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all());
