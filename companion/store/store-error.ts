/** Why the disk refused to store or return something, by the true cause. */
import { toDiskFault } from '#protocol/disk-faults.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explainLink } from '#protocol/link-faults.ts';

/** A STORE_FAILED error for what Node or SQLite threw at `file`; a CompanionError is returned as it is. */
export const toStoreError = (error: unknown, file: string): CompanionError => {
  if (error instanceof CompanionError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const fault = toDiskFault(codeOf(error), file);
  if (fault === null) return new CompanionError('STORE_FAILED', `${file}: ${reason}.`, { cause: error });
  return new CompanionError('STORE_FAILED', explainLink('with_words', { what: fault.cause, words: reason }), {
    cause: error,
    remedy: fault.remedy,
  });
};

/** SQLite's primary result code, or the system's name of the fault. */
const codeOf = (error: unknown): string | number => {
  if (!(error instanceof Error)) return '';
  // The low byte of an extended result code is the primary one.
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff;
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
};
