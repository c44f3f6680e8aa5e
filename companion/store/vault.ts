/** Secrets in a 0600 file, for systems without a keychain (S22). */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError } from '#protocol/errors.ts';
import { parseJson } from './json.ts';

const Entries = z.record(z.string(), z.record(z.string(), z.string()));
/** Values by engine and name. */
type Entries = z.infer<typeof Entries>;

export interface Vault {
  entries(): Entries;
  /** An engine left without any has no place in it. */
  replace(engineName: string, values: Record<string, string>): void;
  /** Set when the file held no vault, or cannot be read. */
  readonly warning: string | null;
}

/** The vault in `file`, which is made when something is first kept in it. */
export const createVault = (file: string, log: Log): Vault => {
  let moved: string | null = null;
  let unreadable: string | null = null;

  /** Null: it is there and cannot be read, so it must not be written either. */
  const read = (): Entries | null => {
    try {
      const parsed = Entries.safeParse(parseJson(readFileSync(file, 'utf8')));
      unreadable = null;
      if (parsed.success) return parsed.data;
      const aside = `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
      renameSync(file, aside);
      log.error('vault.damaged', { file, aside });
      moved = `${file} was not valid; it is kept as ${aside}, and the keys in it have to be entered again.`;
      return {};
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
      log.error('vault.unreadable', { file, error });
      unreadable = `${file} could not be read (${error instanceof Error ? error.message : String(error)}); the keys in it are not used.`;
      return null;
    }
  };

  return {
    entries: () => read() ?? {},
    replace: (engineName, values) => {
      const known = read();
      if (known === null) throw new CompanionError('STORE_FAILED', unreadable ?? undefined);
      const { [engineName]: _, ...others } = known;
      const all: Entries = Object.keys(values).length === 0 ? others : { ...others, [engineName]: values };
      try {
        const draft = `${file}.${process.pid}`;
        writeFileSync(draft, JSON.stringify(all, null, 2), { mode: 0o600, flush: true });
        renameSync(draft, file);
      } catch (error) {
        throw new CompanionError('STORE_FAILED', `${file} could not be written.`, { cause: error });
      }
    },
    get warning() {
      return unreadable ?? moved;
    },
  };
};
