/** What a new daemon does about the processes and folders of one that died: nothing of it stays on the machine. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '#companion/lib/log.ts';
import { isSameProcess, killGroup, killRuns } from '#companion/process/identity.ts';
import type { Store } from '#companion/store/store.ts';

/** Kills the processes that a dead daemon left behind. Another process that only has the same number now is left alone. */
export const reapOrphans = (store: Store, log: Log): void => {
  for (const { pid, startTime, sessionId } of store.processes.list()) {
    if (isSameProcess(pid, startTime)) {
      log.warn('run.orphan_killed', { pid, sessionId });
      killGroup(pid);
    }
    store.processes.remove(pid);
  }
};

/**
 * Clears away after runs that did not end by themselves: their folders, which hold secrets, are still there, and so may be
 * processes whose leader died before the daemon.
 */
export const clearRuns = (runsDir: string, log: Log): void => {
  try {
    const names = readdirSync(runsDir);
    for (const pid of killRuns(names)) log.warn('run.orphan_killed', { pid });
    for (const name of names) rmSync(path.join(runsDir, name), { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) log.warn('run.files_left', { runsDir, error });
  }
};
