/**
 * Why a daemon did not start. Nobody sees its output, so its log is read; when that says nothing, it is tried whether something
 * can be written beside it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from '#companion/lib/make-dir.ts';
import { diskFaultOf } from '#protocol/disk-faults.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { FailedStart } from './reach-daemon.ts';

/** The log's event that `readStartFailure` looks for. */
export const START_FAILED_EVENT = 'daemon.failed';

export interface StartFailure {
  readonly detail: string;
  readonly remedy: string;
}

/** The sentence that the error code has already, so that it is not said twice. */
const STARTS_SO = /^The pilotfish daemon could not be started\. /;

const TAIL_LINES = 50;

/** The newest reason that is not older than the first question. */
export const readStartFailure = ({ daemonLog }: Pick<Paths, 'daemonLog'>, { since, signal }: FailedStart): StartFailure =>
  findLogged(daemonLog, since) ??
  findUnwritable(path.dirname(daemonLog)) ??
  whyEnded(signal) ?? {
    detail: `Its log is ${daemonLog}.`,
    remedy: 'See the log named above, then run `pilotfish doctor`.',
  };

/** The runtime has no words for it: it aborts when it is given no threads, and the system kills what takes too much memory. */
const whyEnded = (signal: NodeJS.Signals | null): StartFailure | null =>
  signal === null
    ? null
    : {
        detail: `It was ended by ${signal} while it started: the system refuses it memory, or threads and processes.`,
        remedy:
          'End programs that you do not need, or raise the limits (`ulimit -u`, `ulimit -v`, those of a container), then run `pilotfish doctor`.',
      };

const findLogged = (file: string, since: number): StartFailure | null => {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-TAIL_LINES);
    return lines.toReversed().reduce<StartFailure | null>((found, line) => found ?? toFailure(line, since), null);
  } catch {
    // The daemon ended before it had a log.
    return null;
  }
};

const toFailure = (line: string, since: number): StartFailure | null => {
  if (!line.includes(START_FAILED_EVENT)) return null;
  const entry = parse(line);
  if (typeof entry !== 'object' || entry === null || !('at' in entry) || !('message' in entry) || !('remedy' in entry)) return null;
  const { at, message, remedy } = entry;
  if (typeof at !== 'string' || Date.parse(at) < since || typeof message !== 'string' || typeof remedy !== 'string') return null;
  return { detail: message.replace(STARTS_SO, ''), remedy };
};

/** The log also holds the runtime's last words, which are no JSON. */
const parse = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
};

const findUnwritable = (folder: string): StartFailure | null => {
  try {
    makeDir(folder);
    const file = path.join(folder, `start-${process.pid}`);
    try {
      writeFileSync(file, 'x', { flag: 'wx', mode: 0o600 });
    } finally {
      rmSync(file, { force: true });
    }
    return null;
  } catch (error) {
    const fault = diskFaultOf(error);
    if (fault !== null) return { detail: fault.cause, remedy: fault.remedy };
    return {
      detail: `${folder} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      remedy: 'Make that folder writable, or set PILOTFISH_HOME to one that is.',
    };
  }
};
