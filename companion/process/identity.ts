/** Identifies a process for good: an id alone is given to another process sooner or later. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { RUN_MARK } from '#protocol/environment.ts';
import { statOf } from '#companion/lib/proc.ts';
import { signalGroup, signalProcess } from './group.ts';

/** Field 22 of /proc/PID/stat, counted from the third. */
const START_TIME_INDEX = 19;

/** When the process started, as a text that can be compared, or null when no process has this id. On Windows it is always null. */
export const startTimeOf = (pid: number): string | null => {
  try {
    if (process.platform === 'linux') {
      const ticks = statOf(pid)?.[START_TIME_INDEX];
      // Ticks count from the boot of the machine, so they need the boot's id beside them.
      return ticks === undefined ? null : `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`;
    }
    if (process.platform === 'win32') return null;
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    return stdout.trim() || null;
  } catch {
    // There is no such process.
    return null;
  }
};

/** Whether the process that was noted down still runs. */
export const isSameProcess = (pid: number, startTime: string): boolean => startTimeOf(pid) === startTime;

/** Ends a noted process and its group at once; false when nothing is left. Check `isSameProcess` first. */
export const killGroup = (pid: number): boolean => signalGroup(pid, 'SIGKILL');

/**
 * Ends every process of the named runs, whatever group it is in and whether or not its leader lives; returns their ids. Only
 * Linux tells what is in another process's environment.
 */
export const killRuns = (names: readonly string[]): number[] => {
  if (process.platform !== 'linux' || names.length === 0) return [];
  const killed = new Set<number>();
  // It is repeated as long as new ones are found: a process may be started during the search.
  for (let found = markedBy(names); found.some((pid) => !killed.has(pid)); found = markedBy(names)) {
    for (const pid of found) {
      killed.add(pid);
      signalProcess(pid, 'SIGKILL');
    }
  }
  return [...killed];
};

const markedBy = (names: readonly string[]): number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && names.includes(runOf(pid) ?? ''));

/** The name of the run a process belongs to. */
const runOf = (pid: number): string | undefined => {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return entries
      .find((entry) => entry.startsWith(`${RUN_MARK}=`))
      ?.slice(RUN_MARK.length + 1)
      .split('.', 1)[0];
  } catch {
    // The process has ended, or belongs to another user.
    return undefined;
  }
};
