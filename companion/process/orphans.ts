/**
 * Keeps every descendant of the daemon its descendant. A process whose parent ends is otherwise given to the system's first
 * process, and nobody can tell any more that an agent has started it.
 */
import { readFileSync } from 'node:fs';
import { libc } from '#companion/lib/libc.ts';

/** PR_SET_CHILD_SUBREAPER: https://man7.org/linux/man-pages/man2/PR_SET_CHILD_SUBREAPER.2const.html */
const SET_CHILD_SUBREAPER = 36;

/**
 * Node takes the status of its own children when its event loop polls; what is still there after that was adopted. To take one of
 * Node's own would be to lose its end, so that each look waits for a poll: timers alone may run twice without one.
 * https://nodejs.org/en/learn/asynchronous-work/event-loop-timers-and-nexttick
 */
const LOOK_AGAIN_MS = 20;

/** It works on Linux only: elsewhere nothing is adopted, and nothing has to be reaped. */
export class Orphans {
  /** Whether processes that agents leave behind can still be recognised. */
  readonly areAdopted: boolean;
  #ended = new Set<number>();
  #timer: NodeJS.Timeout | undefined;

  constructor() {
    this.areAdopted = process.platform === 'linux' && childrenOf() !== null && libc()?.prctl(SET_CHILD_SUBREAPER, 1) === true;
    if (this.areAdopted) process.on('SIGCHLD', this.#lookLater);
  }

  close(): void {
    process.off('SIGCHLD', this.#lookLater);
    clearTimeout(this.#timer);
  }

  readonly #lookLater = (): void => {
    this.#timer ??= setTimeout(() => setImmediate(() => this.#look()), LOOK_AGAIN_MS).unref();
  };

  /** Reaps the processes that had ended at the last look already. */
  #look(): void {
    this.#timer = undefined;
    const ended = (childrenOf() ?? []).filter(hasEnded);
    this.#ended = new Set(ended.filter((pid) => !this.#ended.has(pid) || libc()?.reap(pid) !== true));
    if (this.#ended.size > 0) this.#lookLater();
  }
}

/** Null on a system that does not list the children of a process: https://man7.org/linux/man-pages/man5/proc_tid_children.5.html */
const childrenOf = (): number[] | null => {
  try {
    return readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  } catch {
    return null;
  }
};

const hasEnded = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] === 'Z';
  } catch {
    return false;
  }
};
