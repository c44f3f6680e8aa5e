/** Everything that outlives the daemon, behind one interface. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Log } from '#companion/lib/log.ts';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { ensurePrivateDir, ForeignDirectoryError, type Paths } from '#companion/lib/paths.ts';
import { sumOf } from '#protocol/attachment-limits.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Said } from '#protocol/said.ts';
import { warn, warningText, type Warning } from '#protocol/warnings.ts';
import { AttachmentTable } from './attachment-table.ts';
import { Attachments } from './attachments.ts';
import { Audit } from './audit.ts';
import { Database, type Found } from './database.ts';
import { countHistory, EventTable, SessionTable } from './event-log.ts';
import { describeLoss, HistoryCount, readCount } from './history-count.ts';
import { loadKeychain } from './keychain.ts';
import { RawLines } from './raw-lines.ts';
import { SearchIndex } from './search-index.ts';
import { Secrets } from './secrets.ts';
import { Settings } from './settings.ts';
import { toStoreError } from './store-error.ts';
import { GrantTable, ProcessTable, ProjectTable } from './tables.ts';
import { ViewTable } from './view-table.ts';
import { UsageTable } from './usage-table.ts';

export class Store {
  readonly projects: ProjectTable;
  readonly sessions: SessionTable;
  readonly events: EventTable;
  /** What sessions looked like, so that their logs need not be folded again. */
  readonly views: ViewTable;
  readonly attachments: Attachments;
  /** Which session each attachment belongs to. */
  readonly attached: AttachmentTable;
  /** What was used, by turn and day. */
  readonly usage: UsageTable;
  readonly rawLines: RawLines;
  readonly search: SearchIndex;
  readonly processes: ProcessTable;
  readonly grants: GrantTable;
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly audit: Audit;
  /** What is secret among all that is stored and all that runs have come across. */
  readonly known: KnownSecrets;
  readonly #db: Database;
  readonly #count: HistoryCount;
  /** Damage of the history, each once. */
  readonly #damage = new Map<string, Warning>();

  /** Opens the store of the user whose paths these are. `found` is what `readAhead` has found in its database. */
  constructor(paths: Paths, log: Log, known = new KnownSecrets(), found?: Found) {
    ensureDataDir(paths.root);
    this.known = known;
    this.audit = new Audit(path.join(paths.root, 'audit.jsonl'), log, { known });
    this.#db = new Database(paths.dbFile, log, found);
    const onDamage = (what: Said): void => this.#addDamage({ what });
    this.projects = new ProjectTable(this.#db, onDamage);
    this.sessions = new SessionTable(this.#db, log, onDamage);
    this.attached = new AttachmentTable(this.#db);
    this.views = new ViewTable(this.#db);
    this.usage = new UsageTable(this.#db);
    this.events = new EventTable(this.#db, log, onDamage, [this.attached, this.usage]);
    this.rawLines = new RawLines(this.#db);
    this.search = new SearchIndex(paths.searchFile, log);
    this.processes = new ProcessTable(this.#db);
    this.grants = new GrantTable(this.#db, onDamage);
    this.#count = this.#compareWithBefore(path.join(paths.root, 'history.json'), log);
    this.attachments = new Attachments(paths.attachmentsDir, () => sumOf(this.attached.list().map(({ ref }) => ref)));
    this.settings = new Settings(paths.settingsFile, log, known);
    const service = paths.isPortable ? `pilotfish-${createHash('sha256').update(paths.root).digest('hex').slice(0, 16)}` : 'pilotfish';
    this.secrets = new Secrets({
      vaultFile: paths.vaultFile,
      settings: this.settings,
      loadKeychain: () => loadKeychain(service),
      log,
      known,
    });
  }

  /** Messages for a person: damage that was found, a wrong setting, secrets in a file. */
  get warnings(): readonly Warning[] {
    return [...this.#db.warnings, ...this.#damage.values(), ...this.settings.warnings, ...this.secrets.warnings];
  }

  /** Calls `listener` once, when another process has begun to write: nothing of this one is stored any more. */
  onReplaced(listener: () => void): void {
    this.#db.onReplaced(listener);
  }

  close(): void {
    this.#count.close();
    this.search.close();
    this.attachments.uploads.close();
    this.#db.close();
    this.audit.close();
  }

  #addDamage(warning: Warning): void {
    this.#damage.set(warningText(warning), warning);
  }

  #compareWithBefore(file: string, log: Log): HistoryCount {
    const before = this.#db.isAsLeft ? readCount(file) : null;
    // It looks at each session, which is not needed for a file that nobody has touched.
    const { strays, ...now } = before === null ? countHistory(this.#db) : { ...before, strays: 0 };
    const count = new HistoryCount(file, now);
    const loss = describeLoss(this.#db.file, count.read(), now);
    if (loss !== null) {
      log.error('store.history_missing', { before: count.read(), now });
      this.#addDamage(loss);
    }
    if (strays > 0) this.#addDamage({ what: warn('entries_stray') });
    if (!this.#db.isReadOnly) count.write();
    this.sessions.countIn(count);
    this.events.countIn(count);
    return count;
  }
}

const ensureDataDir = (directory: string): void => {
  try {
    ensurePrivateDir(directory);
  } catch (error) {
    if (!(error instanceof ForeignDirectoryError)) throw toStoreError(error, directory);
    throw new CompanionError('STORE_FAILED', error.what, { cause: error, remedy: error.remedy });
  }
};
