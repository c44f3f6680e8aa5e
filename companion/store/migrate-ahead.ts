/** A long history of an earlier version is brought up to date before it is opened, in pieces: who asks for this daemon meanwhile is answered. */
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Log } from '#companion/lib/log.ts';
import { attempt, askInThread, BUSY_TIMEOUT_MS, examine, type Found, LARGE_BYTES } from './database.ts';
import { countPieces, migration, readVersion, SCHEMA_VERSION } from './schema.ts';
import { toStoreError } from './store-error.ts';

/** So many entries are taken until the others have their turn; each is one of a person's or an agent's, so they are no megabytes together. */
const ENTRIES_AT_A_TIME = 100;

interface Options {
  readonly log: Log;
  /** When it is aborted, the database stays as it was. */
  readonly signal: AbortSignal;
  readonly onProgress: (done: number, total: number) => void;
}

/** Does nothing where the file is small, of this version, of a later one, or damaged. `found` is what `readAhead` said of it. */
export const migrateAhead = async (file: string, found: Found, { log, signal, onProgress }: Options): Promise<void> => {
  const sizeBytes = attempt(file, () => statSync(file, { throwIfNoEntry: false }))?.size ?? 0;
  if (sizeBytes < LARGE_BYTES || (found.left === null && found.integrity !== 'ok') || examine(file, found, log).type !== 'sound') return;
  const db = attempt(file, () => new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS }));
  try {
    const version = readVersion(db);
    if (version === SCHEMA_VERSION) return;
    log.info('store.migrating', { version, to: SCHEMA_VERSION, sizeBytes });
    // What is written beside the file is as large as what changes in it, and would be taken in by the commit in one go.
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0');
    const total = countPieces(db);
    let done = 0;
    for (const _ of migration(db)) {
      if (done % ENTRIES_AT_A_TIME === 0) {
        onProgress(Math.min(done, total), total);
        await setImmediate();
        if (signal.aborted) return;
      }
      done += 1;
    }
    await askInThread(file, 'PRAGMA wal_checkpoint(TRUNCATE)', log);
  } catch (error) {
    throw toStoreError(error, file);
  } finally {
    db.close();
  }
};
