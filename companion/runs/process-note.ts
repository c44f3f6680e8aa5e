/** The note of a live process on disk: a daemon that comes after a crash ends what this one left running. */
import type { Log } from '#companion/lib/log.ts';
import { startTimeOf } from '#companion/process/identity.ts';
import type { Store } from '#companion/store/store.ts';
import type { SessionId } from '#protocol/ids.ts';

/** A note about one process. When it cannot be kept the run goes on: an orphan would be less harm than an agent that does not work. */
export class ProcessNote {
  readonly #processes: Store['processes'];
  readonly #sessionId: SessionId;
  readonly #log: Log;
  #pid: number | null = null;

  constructor(store: Pick<Store, 'processes'>, sessionId: SessionId, log: Log) {
    this.#processes = store.processes;
    this.#sessionId = sessionId;
    this.#log = log;
  }

  started(pid: number): void {
    const startTime = startTimeOf(pid);
    // The process is gone already, or this system cannot tell two processes with the same number apart.
    if (startTime === null) return;
    this.#pid = pid;
    this.#attempt(() => this.#processes.add({ pid, startTime, sessionId: this.#sessionId }));
  }

  ended(): void {
    const pid = this.#pid;
    this.#pid = null;
    if (pid !== null) this.#attempt(() => this.#processes.remove(pid));
  }

  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#log.warn('run.note_failed', { sessionId: this.#sessionId, error });
    }
  }
}
