/** Secrets in a file that only the user can read, for systems without a keychain. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError } from '#protocol/errors.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import type { Said } from '#protocol/said.ts';
import { parseJson } from './json.ts';
import { toStoreError } from './store-error.ts';
import { table } from './table.ts';

/** Values by engine and name. */
const Entries = table(table(z.string()));
type Entries = z.infer<typeof Entries>;

/** The vault in `file`, which is made when something is first kept in it. */
export class Vault {
  readonly #file: string;
  readonly #log: Log;
  #moved: Said | null = null;
  #unreadable: Said | null = null;

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Set when the file held no vault, or cannot be read. */
  get warning(): Warning | null {
    const what = this.#unreadable ?? this.#moved;
    return what === null ? null : { what };
  }

  entries(): Entries {
    return this.#read() ?? Entries.parse({});
  }

  /** An engine left without any has no place in it. */
  replace(engineName: string, values: Record<string, string>): void {
    const known = this.#read();
    if (known === null) throw new CompanionError('STORE_FAILED', this.#unreadable?.text);
    const { [engineName]: _, ...others } = known;
    const all = Object.keys(values).length === 0 ? others : { ...others, [engineName]: values };
    // One name for all, so that what a crash leaves of it, keys included, goes with the next change.
    const draft = `${this.#file}.new`;
    try {
      rmSync(draft, { force: true });
      writeFileSync(draft, JSON.stringify(all, null, 2), { mode: 0o600, flag: 'wx', flush: true });
      renameSync(draft, this.#file);
    } catch (error) {
      rmSync(draft, { force: true });
      throw toStoreError(error, this.#file);
    }
  }

  /** Null: it is there and cannot be read, so it must not be written either. */
  #read(): Entries | null {
    try {
      const parsed = Entries.safeParse(parseJson(readFileSync(this.#file, 'utf8')));
      this.#unreadable = null;
      if (parsed.success) return parsed.data;
      this.#putAside();
      return Entries.parse({});
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return Entries.parse({});
      this.#log.error('vault.unreadable', { file: this.#file, error });
      const reason = error instanceof Error ? error.message : String(error);
      this.#unreadable = warn('vault_unreadable', { file: this.#file, reason });
      return null;
    }
  }

  #putAside(): void {
    const aside = `${this.#file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
    renameSync(this.#file, aside);
    this.#log.error('vault.damaged', { file: this.#file, aside });
    this.#moved = warn('vault_invalid', { file: this.#file, aside });
  }
}
