/** Everything that outlives the daemon, behind one interface. */
import type { Log } from '#companion/lib/log.ts';
import { ensurePrivateDir, ForeignDirectoryError, type Paths } from '#companion/lib/paths.ts';
import { CompanionError } from '#protocol/errors.ts';
import { createHash } from 'node:crypto';
import { type Attachments, createAttachments } from './attachments.ts';
import { openDatabase } from './database.ts';
import { createEventTable, createSessionTable, type EventTable, type SessionTable } from './event-log.ts';
import { loadKeychain } from './keychain.ts';
import { createRawLines, type RawLines } from './raw-lines.ts';
import { createSecrets, type Secrets } from './secrets.ts';
import { createSettings, type Settings } from './settings.ts';
import {
  createGrantTable,
  createProcessTable,
  createProjectTable,
  type GrantTable,
  type ProcessTable,
  type ProjectTable,
} from './tables.ts';

export interface Store {
  readonly projects: ProjectTable;
  readonly sessions: SessionTable;
  readonly events: EventTable;
  readonly attachments: Attachments;
  readonly rawLines: RawLines;
  readonly processes: ProcessTable;
  readonly grants: GrantTable;
  readonly settings: Settings;
  readonly secrets: Secrets;
  /** What a person should know: damage that was found, a wrong setting, secrets in a file. */
  readonly warnings: readonly string[];
  close(): void;
}

/** Opens the store of the user whose paths these are. */
export const openStore = (paths: Paths, log: Log): Store => {
  try {
    ensurePrivateDir(paths.dataDir);
  } catch (error) {
    if (error instanceof ForeignDirectoryError) throw new CompanionError('STORE_FAILED', error.message, { cause: error });
    throw new CompanionError('STORE_FAILED', `${paths.dataDir} cannot be used.`, { cause: error });
  }
  const { db, warnings } = openDatabase(paths.dbFile, log);
  const damage = new Set<string>();
  const settings = createSettings(paths.settingsFile, log);
  const service = paths.isPortable ? `pilotfish-${createHash('sha256').update(paths.root).digest('hex').slice(0, 16)}` : 'pilotfish';
  const secrets = createSecrets({ vaultFile: paths.vaultFile, settings, loadKeychain: () => loadKeychain(service), log });
  return {
    projects: createProjectTable(db),
    sessions: createSessionTable(db),
    events: createEventTable(db, log, (message) => damage.add(message)),
    attachments: createAttachments(paths.attachmentsDir),
    rawLines: createRawLines(db),
    processes: createProcessTable(db),
    grants: createGrantTable(db),
    settings,
    secrets,
    get warnings() {
      return [...warnings, ...damage, ...settings.warnings, ...(secrets.warning === null ? [] : [secrets.warning])];
    },
    close: () => {
      // Leaves one file, so that a copy of it is a whole backup.
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
};
