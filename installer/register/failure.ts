/** Why a part could not be installed or removed, as the reports tell it. */
import path from 'node:path';
import { toDiskFault } from '#protocol/disk-faults.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { found } from '#protocol/checks.ts';
import { explainLink } from '#protocol/link-faults.ts';
import type { Said } from '#protocol/said.ts';

/** What failed at `place`, and what to do before the command is run again. */
export const failureAt = (place: string, error: unknown, command: 'install' | 'uninstall'): ErrorBody => {
  if (error instanceof CompanionError) return error.toBody();
  const reason = error instanceof Error ? error.message : String(error);
  const words = reason.includes(place) ? reason : `${place}: ${reason}`;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const fault = toDiskFault(code, place);
  return new CompanionError('INSTALL_FAILED', fault === null ? words : explainLink('with_words', { what: fault.cause, words }), {
    remedy:
      remedyOf(code, place, `pilotfish ${command}`) ?? fault?.remedy ?? found('rights_and_again', { command: `pilotfish ${command}` }),
  }).toBody();
};

/** These parts lie where the system and the browsers look for them, so that another folder for Pilotfish's own files helps nobody. */
const remedyOf = (code: string, place: string, command: string): Said | null => {
  if (code === 'ENOSPC' || code === 'EDQUOT') return found('free_disk_and_again', { folder: path.dirname(place), command });
  if (code === 'EACCES' || code === 'EPERM') return found('rights_and_again', { command });
  return null;
};
