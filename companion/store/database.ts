/** The one SQLite file: checked, of our schema, in WAL mode, with one writer. What is damaged is moved aside and told, never emptied. */
import { closeSync, openSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError } from '#protocol/errors.ts';
import { salvage } from './salvage.ts';
import { createSchema, migrate, readVersion, SCHEMA_VERSION, schemaText } from './schema.ts';
import { toStoreError } from './store-error.ts';

/** `full`: on the platter before the call returns, for what a user was promised. `normal`: safe against our own death only. */
export type Durability = 'full' | 'normal';

const BUSY_TIMEOUT_MS = 2000;

export class Database {
  readonly file: string;
  /** What a person should know about how the file was found. */
  readonly warnings: readonly string[];
  /** A later version wrote the file: it can be read, and nothing is changed in it. */
  readonly isReadOnly: boolean;
  readonly #db: DatabaseSync;
  readonly #readWriter: StatementSync | null;
  /** The number of this writer: each that opens the file takes the next one. */
  readonly #epoch: number;
  readonly #replacedListeners = new Set<() => void>();
  #isReplaced = false;

  /** Opens `file`, and makes it when it is not there. */
  constructor(file: string, log: Log) {
    this.file = file;
    const state = examine(file);
    this.isReadOnly = state.type === 'later';
    if (state.type === 'later') {
      this.warnings = [
        `${file} was written by a later pilotfish (its schema is ${state.version}, this one knows ${SCHEMA_VERSION}): the history can be read and nothing is changed in it. Update pilotfish.`,
      ];
      this.#db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, readOnly: true });
      this.#readWriter = null;
      this.#epoch = 0;
      return;
    }
    const opened = state.type === 'damaged' ? replaceDamaged(file, state.damage, log) : { db: prepare(file), warnings: [] };
    this.#db = opened.db;
    this.warnings = opened.warnings;
    this.#readWriter = this.#db.prepare('SELECT epoch FROM writer');
    this.#epoch = attempt(file, () => Number(this.#db.prepare('UPDATE writer SET epoch = epoch + 1 RETURNING epoch').get()?.['epoch']));
  }

  prepare(sql: string): StatementSync {
    try {
      return this.#db.prepare(sql);
    } catch (error) {
      throw this.isReadOnly ? this.#writtenByLater('cannot be read by this one', error) : toStoreError(error, this.file);
    }
  }

  /** Calls `listener` once, when another process has begun to write: nothing of this one is stored any more. */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.add(listener);
  }

  /** Runs `work` in one transaction of the given durability; nothing of it stays when it fails. */
  write<T>(durability: Durability, work: () => T): T {
    if (this.isReadOnly) throw this.#writtenByLater('is only read by this one');
    if (this.#isReplaced) throw replaced();
    return attempt(this.file, () => {
      // In WAL mode FULL syncs the log at this commit, and with it every earlier one.
      this.#db.exec(durability === 'full' ? 'PRAGMA synchronous = FULL; BEGIN IMMEDIATE' : 'PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE');
      try {
        this.#checkWriter();
        const result = work();
        this.#db.exec('COMMIT');
        return result;
      } catch (error) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
        throw error;
      }
    });
  }

  close(): void {
    // Leaves one file, so that a copy of it is a whole backup.
    if (!this.isReadOnly && !this.#isReplaced) this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
  }

  #writtenByLater(consequence: string, cause?: unknown): CompanionError {
    return new CompanionError('STORE_FAILED', `${this.file} was written by a later pilotfish and ${consequence}.`, {
      cause,
      remedy: 'Update pilotfish.',
    });
  }

  /** A process that was suspended may wake up after another one took its place. */
  #checkWriter(): void {
    if (Number(this.#readWriter?.get()?.['epoch']) === this.#epoch) return;
    this.#isReplaced = true;
    for (const listener of this.#replacedListeners) listener();
    throw replaced();
  }
}

const replaced = (): CompanionError => new CompanionError('DAEMON_REPLACED');

type State = { type: 'sound' } | { type: 'damaged'; damage: string } | { type: 'later'; version: number };

/** Looks at the file without changing it. */
const examine = (file: string): State => {
  // A file of no bytes is what SQLite itself takes for a new database.
  if ((attempt(file, () => statSync(file, { throwIfNoEntry: false }))?.size ?? 0) === 0) return { type: 'sound' };
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    // Not quick_check: it passes over keys out of order, and costs hardly less here (about a second per gigabyte).
    const result = String(Object.values(db.prepare('PRAGMA integrity_check(1)').get() ?? {})[0]);
    if (result !== 'ok') return { type: 'damaged', damage: result };
    const version = readVersion(db);
    if (version > SCHEMA_VERSION) return { type: 'later', version };
    const isOurs = schemaText(db) === schemaText(createSchema(version));
    return isOurs ? { type: 'sound' } : { type: 'damaged', damage: 'its tables are not those of its version' };
  } catch (error) {
    if (isCorruption(error)) return { type: 'damaged', damage: error.message };
    throw toStoreError(error, file);
  } finally {
    db?.close();
  }
};

const prepare = (file: string): DatabaseSync =>
  attempt(file, () => {
    // SQLite gives its side files the mode of the main one.
    closeSync(openSync(file, 'a', 0o600));
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    migrate(db);
    return db;
  });

const replaceDamaged = (file: string, damage: string, log: Log): { db: DatabaseSync; warnings: string[] } => {
  const aside = attempt(file, () => moveAside(file));
  log.error('store.damaged', { file, aside, damage });
  const db = prepare(file);
  const saved = salvage(db, aside, log);
  return {
    db,
    warnings: [
      `The history was damaged (${damage}). The old file is kept as ${aside}; ${saved.events} events of ${saved.sessions} sessions were brought over.`,
    ],
  };
};

/** SQLITE_ERROR (the schema cannot be read), SQLITE_CORRUPT, SQLITE_FORMAT and SQLITE_NOTADB; everything else (locked, no rights, disk) is no reason to put the file away. */
const isCorruption = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && [1, 11, 24, 26].includes(error.errcode & 0xff);

const moveAside = (file: string): string => {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (statSync(`${file}${suffix}`, { throwIfNoEntry: false }) !== undefined) renameSync(`${file}${suffix}`, `${aside}${suffix}`);
  }
  return aside;
};

const attempt = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
};
