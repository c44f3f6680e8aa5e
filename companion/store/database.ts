/**
 * The one SQLite file: checked, with our schema, in WAL mode, with one writer. A damaged file is moved aside and reported,
 * never emptied.
 */
import { closeSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError } from '#protocol/errors.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import { explain } from '#protocol/faults.ts';
import { type Closing, leaveClosingNote, takeClosingNote } from './closing-note.ts';
import { salvage } from './salvage.ts';
import { createSchema, migrate, readVersion, SCHEMA_VERSION, schemaText } from './schema.ts';
import { toStoreError } from './store-error.ts';

/** `full` waits until the disk has it, for what a user was promised. `normal` survives only a crash of this process. */
export type Durability = 'full' | 'normal';

export const BUSY_TIMEOUT_MS = 2000;

export class Database {
  readonly file: string;
  /** Messages for a person about the state in which the file was found. */
  readonly warnings: readonly Warning[];
  /** Whether a later version wrote the file: then it can be read, and nothing in it is changed. */
  readonly isReadOnly: boolean;
  /** Whether nothing has happened to the file since it was closed in order. */
  readonly isAsLeft: boolean;
  /** Of a file that is as it was left: the sessions that were not settled then. Null when nothing is known of them. */
  readonly unsettled: readonly string[] | null;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #readWriter: StatementSync | null;
  /** The number of this writer: each that opens the file takes the next one. */
  readonly #epoch: number;
  /** When all of the file was last read, as Unix milliseconds. */
  readonly #checkedAt: number;
  #leaves: readonly string[] | null = null;
  readonly #replacedListeners = new Set<() => void>();
  #isReplaced = false;

  /** Opens `file`, and makes it when it is not there. `found` is what `readAhead` found a moment ago. */
  constructor(file: string, log: Log, found: Found = { left: takeClosingNote(file), integrity: null }) {
    this.file = file;
    const { left } = found;
    this.isAsLeft = left !== null;
    this.unsettled = left?.unsettled ?? null;
    this.#checkedAt = left?.checkedAt ?? Date.now();
    const state = examine(file, found, log);
    this.isReadOnly = state.type === 'later';
    if (state.type === 'later') {
      this.warnings = [
        { what: warn('history_later', { file, version: state.version, known: SCHEMA_VERSION }), remedy: warn('update_pilotfish') },
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

  /** The statement of a text, which is compiled once. Who steps through its rows one by one runs it nowhere else meanwhile. */
  prepare(sql: string): StatementSync {
    try {
      const known = this.#statements.get(sql) ?? this.#db.prepare(sql);
      this.#statements.set(sql, known);
      return known;
    } catch (error) {
      throw this.isReadOnly ? this.#writtenByLater('cannot be read by this one', error) : toStoreError(error, this.file);
    }
  }

  /** Calls `listener` once, when another process has begun to write: nothing of this one is stored any more. */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.add(listener);
  }

  /** Runs `work` in one transaction of the given durability; when it fails nothing of it is kept. */
  write<T>(durability: Durability, work: () => T): T {
    if (this.isReadOnly) throw this.#writtenByLater('is only read by this one');
    if (this.#isReplaced) throw replaced();
    return attempt(this.file, () => {
      // In WAL mode, FULL syncs the log at this commit, together with every earlier one.
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

  /** Nothing more is written, and these are the sessions that are not settled. */
  settle(unsettled: readonly string[]): void {
    this.#leaves = unsettled;
  }

  close(): void {
    // It leaves a single file, so that a copy of that file is a complete backup.
    if (!this.isReadOnly && !this.#isReplaced) this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    this.#db.close();
    if (!this.isReadOnly && !this.#isReplaced) leaveClosingNote(this.file, { checkedAt: this.#checkedAt, unsettled: this.#leaves });
  }

  #writtenByLater(consequence: string, cause?: unknown): CompanionError {
    return new CompanionError('STORE_FAILED', explain('written_later', { file: this.file, words: consequence }), {
      cause,
      remedy: warn('update_pilotfish'),
    });
  }

  /** A process that was suspended may go on after another one took its place. */
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
export const examine = (file: string, { left, integrity }: Found, log: Log): State => {
  const isAsLeft = left !== null;
  // SQLite itself takes an empty file for a new database.
  const sizeBytes = attempt(file, () => statSync(file, { throwIfNoEntry: false }))?.size ?? 0;
  if (sizeBytes === 0) return { type: 'sound' };
  // SQLite would read such a file, and refuse each write as if the user had no right to it.
  if (attempt(file, () => writeVersion(file)) > KNOWN_WRITE_VERSION)
    return { type: 'damaged', damage: 'its head is not one that SQLite writes' };
  let db: DatabaseSync | null = null;
  try {
    db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    if (!isAsLeft && integrity === null) log.info('store.read_whole', { sizeBytes });
    const result = isAsLeft ? 'ok' : (integrity ?? String(Object.values(db.prepare(INTEGRITY).get() ?? {})[0]));
    if (result !== 'ok') return { type: 'damaged', damage: result };
    const version = readVersion(db);
    if (version > SCHEMA_VERSION) return { type: 'later', version };
    // It was compared when it was opened before, and no table can have changed since.
    if (isAsLeft && version === SCHEMA_VERSION) return { type: 'sound' };
    const isOurs = schemaText(db) === schemaText(createSchema(version));
    return isOurs ? { type: 'sound' } : { type: 'damaged', damage: 'its tables are not those of its version' };
  } catch (error) {
    if (isCorruption(error)) return { type: 'damaged', damage: error.message };
    throw toStoreError(error, file);
  } finally {
    db?.close();
  }
};

/** quick_check is not used: it misses keys that are out of order, and is hardly faster (about a second per gigabyte). */
const INTEGRITY = 'PRAGMA integrity_check(1)';

/** What is known of the file before it is opened. */
export interface Found {
  /** What its last user noted; null when all of it has to be read. */
  readonly left: Closing | null;
  /** What SQLite said of all of it; null when it was not asked, or could not read it. */
  readonly integrity: string | null;
}

/** Less than this is read in a moment. */
export const LARGE_BYTES = 16 * 1024 * 1024;

/**
 * Reads a large file whole where that is due, in a thread of its own: who asks for this daemon meanwhile is answered.
 * `onLarge` is told its size.
 */
export const readAhead = async (file: string, log: Log, onLarge: (sizeBytes: number) => void): Promise<Found> => {
  const left = takeClosingNote(file);
  const sizeBytes = attempt(file, () => statSync(file, { throwIfNoEntry: false }))?.size ?? 0;
  if (left !== null || sizeBytes < LARGE_BYTES || attempt(file, () => writeVersion(file)) > KNOWN_WRITE_VERSION)
    return { left, integrity: null };
  onLarge(sizeBytes);
  log.info('store.read_whole', { sizeBytes });
  return { left, integrity: await askInThread(file, INTEGRITY, log) };
};

/** What SQLite answers first to `sql`, in a thread of its own; null when it could not. */
export const askInThread = (file: string, sql: string, log: Log): Promise<string | null> => {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const thread = new Worker(READER, { eval: true, workerData: { file, sql, timeout: BUSY_TIMEOUT_MS }, stdin: false });
  thread.once('message', (said: unknown) => resolve(typeof said === 'string' ? said : null));
  thread.once('error', (error) => {
    // The caller meets the fault again when it opens the file, and knows what it means.
    log.warn('store.thread_failed', { sql, error });
    resolve(null);
  });
  thread.once('exit', () => resolve(null));
  return promise;
};

/** The thread has nothing of this program: it is started from its text, which is the same in the executable. */
const READER = `
const { parentPort, workerData: { file, sql, timeout } } = require('node:worker_threads');
const { DatabaseSync } = require('node:sqlite');
const db = new DatabaseSync(file, { timeout });
try {
  parentPort.postMessage(String(Object.values(db.prepare(sql).get() ?? {})[0]));
} finally {
  db.close();
}`;

/** https://sqlite.org/fileformat2.html#file_format_version_numbers; 0 for a file that is too short. */
const writeVersion = (file: string): number => {
  const fd = openSync(file, 'r');
  try {
    const version = Buffer.alloc(1);
    readSync(fd, version, 0, 1, 18);
    return version.readUInt8(0);
  } finally {
    closeSync(fd);
  }
};

/** That of a file with a write-ahead log. */
const KNOWN_WRITE_VERSION = 2;

const prepare = (file: string): DatabaseSync =>
  attempt(file, () => {
    // SQLite gives its side files the mode of the main one.
    closeSync(openSync(file, 'a', 0o600));
    const db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON;');
    migrate(db);
    return db;
  });

const replaceDamaged = (file: string, damage: string, log: Log): { db: DatabaseSync; warnings: Warning[] } => {
  const aside = attempt(file, () => moveAside(file));
  log.error('store.damaged', { file, aside, damage });
  const db = prepare(file);
  const saved = salvage(db, aside, log);
  return {
    db,
    warnings: [{ what: warn('history_damaged', { damage, file: aside, events: saved.events, sessions: saved.sessions }) }],
  };
};

/** SQLITE_ERROR (the schema cannot be read), SQLITE_CORRUPT, SQLITE_FORMAT and SQLITE_NOTADB; everything else (locked, no rights, disk) is no reason to put the file away. */
export const isCorruption = (error: unknown): error is Error =>
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && [1, 11, 24, 26].includes(error.errcode & 0xff);

const moveAside = (file: string): string => {
  const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  for (const suffix of ['', '-wal', '-shm']) {
    if (statSync(`${file}${suffix}`, { throwIfNoEntry: false }) !== undefined) renameSync(`${file}${suffix}`, `${aside}${suffix}`);
  }
  return aside;
};

/** Runs `work`; what fails in it is told as a fault of the store. */
export const attempt = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    throw toStoreError(error, file);
  }
};
