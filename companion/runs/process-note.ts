/** The note of a live process on disk: who comes after a crash of ours ends what we left running. */
import type { Log } from '#companion/lib/log.ts';
import { startTimeOf } from '#companion/process/ledger.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionId } from '#protocol/ids.ts';

export interface ProcessNote {
  started(pid: number): void;
  ended(): void;
}

/** A note for one process of `sessionId`. Failing to keep it fails nothing else: refusing to work would be worse than an orphan. */
export const createProcessNote = (store: Store, sessionId: SessionId, log: Log): ProcessNote => {
  let noted: number | null = null;
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      log.warn('run.note_failed', { sessionId, error });
    }
  };
  return {
    started: (pid) => {
      const startTime = startTimeOf(pid);
      // It is gone already, or this system cannot tell two processes of one number apart.
      if (startTime === null) return;
      noted = pid;
      attempt(() => store.processes.add({ pid, startTime, sessionId }));
    },
    ended: () => {
      const pid = noted;
      if (pid !== null) attempt(() => store.processes.remove(pid));
      noted = null;
    },
  };
};
