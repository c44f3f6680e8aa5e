/** Why the disk did not take or give something, told by its true cause. */
import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';

/** What a person can do about it, by the system's code or SQLite's (https://sqlite.org/rescode.html). */
const CAUSES: ReadonlyMap<string | number, (file: string) => { cause: string; remedy: string }> = new Map(
  Object.entries({
    'ENOSPC EDQUOT 13': (file: string) => ({
      cause: 'The disk is full.',
      remedy: `Free disk space where ${path.dirname(file)} lies; what was acknowledged is safe.`,
    }),
    'EACCES EPERM EROFS 8 14 23': (file: string) => ({
      cause: `${file} cannot be written or read by you.`,
      remedy: `Check the rights of ${path.dirname(file)}, or set PILOTFISH_HOME to a folder of your own.`,
    }),
    'EBUSY 5 6': (file: string) => ({
      cause: `Another program holds ${file}.`,
      remedy: 'Close the program that has opened it (a backup, a database viewer), then try again.',
    }),
    'EMFILE ENFILE': () => ({
      cause: 'Too many files are open.',
      remedy: 'Close other programs, or raise the limit of open files (ulimit -n), then start pilotfish again.',
    }),
    'EIO 10': (file: string) => ({
      cause: `The disk reports a fault at ${file}.`,
      remedy: 'Check the disk, and save a copy of that folder.',
    }),
    'ENOTDIR EISDIR ELOOP': (file: string) => ({
      cause: `${file} is not what it should be: a file stands where a folder is needed, or the other way round.`,
      remedy: 'Move what stands there away, then start pilotfish again.',
    }),
  }).flatMap(([codes, tell]) => codes.split(' ').map((code) => [/^\d+$/.test(code) ? Number(code) : code, tell] as const)),
);

/** STORE_FAILED for what Node or SQLite threw at `file`; what is a CompanionError already stays as it is. */
export const toStoreError = (error: unknown, file: string): CompanionError => {
  if (error instanceof CompanionError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const known = CAUSES.get(codeOf(error));
  if (known === undefined) return new CompanionError('STORE_FAILED', `${file}: ${reason}.`, { cause: error });
  const { cause, remedy } = known(file);
  return new CompanionError('STORE_FAILED', `${cause} (${reason})`, { cause: error, remedy });
};

/** SQLite's primary result code, or the system's name of the fault. */
const codeOf = (error: unknown): string | number => {
  if (!(error instanceof Error)) return '';
  // The low byte of an extended result code is the primary one.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
};
