/**
 * Why a daemon did not start. Nobody sees its output, so its log is read; when that says nothing, it is tried whether something
 * can be written beside it.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from '#companion/lib/make-dir.ts';
import { diskFaultOf } from '#protocol/disk-faults.ts';
import { explainLink } from '#protocol/link-faults.ts';
import { asItCame, isSaid, type Said } from '#protocol/said.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { FailedStart } from './reach-daemon.ts';

/** The log's event that `readStartFailure` looks for. */
export const START_FAILED_EVENT = 'daemon.failed';

export interface StartFailure {
  readonly detail: Said;
  readonly remedy: Said;
}

/** The sentence that the error code has already, so that it is not said twice. */
const STARTS_SO = /^The pilotfish daemon could not be started\. /;

const TAIL_LINES = 50;

/** The newest reason that is not older than the first question. */
export const readStartFailure = ({ daemonLog }: Pick<Paths, 'daemonLog'>, { since, signal }: FailedStart): StartFailure =>
  findLogged(daemonLog, since) ??
  findUnwritable(path.dirname(daemonLog)) ??
  whyEnded(signal) ?? {
    detail: explainLink('log_is', { file: daemonLog }),
    remedy: explainLink('see_log_above'),
  };

/** The runtime has no words for it: it aborts when it is given no threads, and the system kills what takes too much memory. */
const whyEnded = (signal: NodeJS.Signals | null): StartFailure | null =>
  signal === null
    ? null
    : {
        detail: explainLink('ended_at_start', { signal }),
        remedy: explainLink('end_programs'),
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
  const { at, message, remedy, says } = { says: null, ...entry };
  if (typeof at !== 'string' || Date.parse(at) < since || typeof message !== 'string' || typeof remedy !== 'string') return null;
  const said = { detail: null, remedy: null, ...(typeof says === 'object' ? says : {}) };
  return {
    detail: isSaid(said.detail) ? said.detail : asItCame(message.replace(STARTS_SO, '')),
    remedy: isSaid(said.remedy) ? said.remedy : asItCame(remedy),
  };
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
      detail: explainLink('folder_not_writable', { folder, words: error instanceof Error ? error.message : String(error) }),
      remedy: explainLink('make_folder_writable'),
    };
  }
};
