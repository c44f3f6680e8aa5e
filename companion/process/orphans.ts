/**
 * Keeps every descendant of the daemon its descendant. A process whose parent ends is otherwise given to the system's first
 * process, and nobody can tell any more that an agent has started it.
 */
import { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import { libc } from '#companion/lib/libc.ts';
import { statOf } from '#companion/lib/proc.ts';

/** PR_SET_CHILD_SUBREAPER: https://man7.org/linux/man-pages/man2/PR_SET_CHILD_SUBREAPER.2const.html */
const SET_CHILD_SUBREAPER = 36;

/** Where Node tells of each process that it starts: https://nodejs.org/api/diagnostics_channel.html#event-child_process */
const STARTED = 'child_process';

/** Many processes may end together, and one look serves for all of them. */
const LOOK_AFTER_MS = 20;

/** It works on Linux only: elsewhere nothing is adopted, and nothing has to be reaped. To be made before anything is started. */
export class Orphans {
  /** Whether processes that agents leave behind can still be recognised. */
  readonly areAdopted: boolean;
  /** What Node has started and not yet seen the end of. */
  readonly #own = new Set<ChildProcess>();
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.areAdopted = process.platform === 'linux' && childrenOf() !== null && libc()?.prctl(SET_CHILD_SUBREAPER, 1) === true;
    if (!this.areAdopted) return;
    subscribe(STARTED, this.#noteOwn);
    process.on('SIGCHLD', this.#lookLater);
  }

  /**
   * Reaps the adopted processes that have ended. One of Node's own is left to Node, however long it takes: its end would be lost and
   * never told. On a busy machine Node hears of it much later than /proc shows it.
   */
  look(): void {
    for (const child of this.#own) if (hasBeenTold(child)) this.#own.delete(child);
    const own = new Set([...this.#own].map(({ pid }) => pid));
    for (const pid of childrenOf() ?? []) if (!own.has(pid) && hasEnded(pid)) libc()?.reap(pid);
  }

  close(): void {
    process.off('SIGCHLD', this.#lookLater);
    if (this.areAdopted) unsubscribe(STARTED, this.#noteOwn);
    clearTimeout(this.#timer);
  }

  readonly #noteOwn = (message: unknown): void => {
    const child: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'process') : null;
    if (child instanceof ChildProcess) this.#own.add(child);
  };

  readonly #lookLater = (): void => {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.look();
    }, LOOK_AFTER_MS).unref();
  };
}

/** Whether Node knows the end of the child, or that it could not be started. */
const hasBeenTold = ({ pid, exitCode, signalCode }: ChildProcess): boolean => pid === undefined || exitCode !== null || signalCode !== null;

/** Null on a system that does not list the children of a process: https://man7.org/linux/man-pages/man5/proc_tid_children.5.html */
const childrenOf = (): number[] | null => {
  try {
    return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return null;
  }
};

const hasEnded = (pid: number): boolean => statOf(pid)?.[0] === 'Z';
