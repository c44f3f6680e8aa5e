/** The note of an update that goes on: a new program has its place, and is not known to work yet. It outlives an update that is killed. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { isAlive } from './alive.ts';

interface Place {
  readonly updateTrialFile: string;
}

export interface UpdateTrial {
  /** The version on trial, and the place of the program. */
  readonly version: string;
  readonly executable: string;
  /** The process that updates. */
  readonly pid: number;
}

/** Where the program of before stays beside the new one. Windows starts a file by its last extension only. */
export const oldProgram = (executable: string): string =>
  executable.endsWith('.exe') ? `${executable.slice(0, -'.exe'.length)}.old.exe` : `${executable}.old`;

/** No trial lasts so long; what has the id of its process by then is something else. */
const MAX_MS = 15 * 60_000;

/** The update that goes on or was cut off; null where every update has come to its end. */
export const readTrial = ({ updateTrialFile: file }: Place): (UpdateTrial & { readonly isCutOff: boolean }) | null => {
  try {
    const trial: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isTrial(trial)) return null;
    return { ...trial, isCutOff: !isAlive(trial.pid) || Date.now() - statSync(file).mtimeMs > MAX_MS };
  } catch {
    // There is none.
    return null;
  }
};

/** For the daemon that answers: the update to its own version has come to its end, also where nobody waits for it any more. */
export const settleTrial = (paths: Place, version: string): void => {
  if (readTrial(paths)?.version === version) rmSync(paths.updateTrialFile, { force: true });
};

const isTrial = (value: unknown): value is UpdateTrial =>
  typeof value === 'object' &&
  value !== null &&
  'version' in value &&
  'executable' in value &&
  'pid' in value &&
  typeof value.version === 'string' &&
  typeof value.executable === 'string' &&
  typeof value.pid === 'number';
