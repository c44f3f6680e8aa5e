/** Names a process for good: an id alone is given to another process sooner or later. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { signalGroup } from './group.ts';

/** Field 22 of /proc/PID/stat, counted after the command name, which may hold spaces and parentheses itself. */
const START_TIME_INDEX = 19;

/** When the process started, as a text to compare, or null when there is none. Windows: always null. */
export const startTimeOf = (pid: number): string | null => {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const ticks = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .at(START_TIME_INDEX);
      // Ticks count from the boot, so they say nothing without it.
      return ticks === undefined ? null : `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${ticks}`;
    }
    if (process.platform === 'win32') return null;
    const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', env: { ...process.env, LC_ALL: 'C' } });
    return stdout.trim() || null;
  } catch {
    // No such process.
    return null;
  }
};

/** Whether the process that was noted down still runs. */
export const isSameProcess = (pid: number, startTime: string): boolean => startTimeOf(pid) === startTime;

/** Ends a noted process and its group at once; false when nothing is left. Check `isSameProcess` first. */
export const killGroup = (pid: number): boolean => signalGroup(pid, 'SIGKILL');
