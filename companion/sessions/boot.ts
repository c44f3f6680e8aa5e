/** What a new daemon does about the work of one that died: nothing stays running, in the log or on the machine. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '#companion/lib/log.ts';
import { isSameProcess, killGroup, killRuns } from '#companion/process/ledger.ts';
import type { Store } from '#companion/store/store.ts';
import type { EventBody } from '#protocol/events.ts';
import { runningTurn, type SessionView } from '#protocol/view.ts';

/** The events that close a session whose daemon died: its turn is interrupted, and its partial text stays. */
export const settle = (view: SessionView): EventBody[] => {
  const turn = runningTurn(view);
  return [
    ...view.items
      .filter((item) => item.status === 'running')
      .map(({ turnId, itemId }): EventBody => ({ type: 'item.completed', turnId, itemId, status: 'cancelled' })),
    ...view.requests.map(({ requestId }): EventBody => ({ type: 'request.resolved', requestId, outcome: 'withdrawn', by: 'restart' })),
    ...(turn === undefined
      ? []
      : [
          {
            type: 'turn.completed',
            turnId: turn.turnId,
            // The user had already stopped the turn.
            outcome: turn.status === 'cancelling' ? 'cancelled' : 'interrupted',
            durationMs: Math.max(0, view.updatedAt - turn.startedAt),
          } satisfies EventBody,
        ]),
    ...(view.run.state === 'stopped' ? [] : [{ type: 'run.changed', state: 'stopped' } satisfies EventBody]),
  ];
};

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
