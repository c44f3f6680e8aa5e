/** Keeps agents' processes between turns, but not too many and not for ever. */

export interface Sleeper {
  /** No turn runs on it, and its conversation can be taken up again. */
  canSleep(): boolean;
  /** Ends the process; the next turn resumes the conversation. */
  sleep(): Promise<void>;
}

export class WarmPool {
  readonly #limits: () => { readonly maxProcesses: number; readonly idleStopMs: number };
  /** The least recently used first: one that is touched goes to the end. */
  readonly #timers = new Map<Sleeper, NodeJS.Timeout>();

  /** The limits are read anew each time, so that a changed setting holds at once. */
  constructor(limits: () => { readonly maxProcesses: number; readonly idleStopMs: number }) {
    this.#limits = limits;
  }

  /** Before a process is started: puts the longest unused ones to sleep that would be too many. Their end is not waited for. */
  makeRoom(): void {
    this.#trim(1);
  }

  /** The sleeper was used just now, or is new: the longest unused ones beyond the limit are put to sleep. */
  touch(sleeper: Sleeper): void {
    this.#wait(sleeper);
    this.#trim(0);
  }

  remove(sleeper: Sleeper): void {
    clearTimeout(this.#timers.get(sleeper));
    this.#timers.delete(sleeper);
  }

  close(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  /** Working ones are never stopped: then there are more than the limit until one of them has done its work. */
  #trim(toStart: number): void {
    const tooMany = this.#timers.size + toStart - Math.max(1, this.#limits().maxProcesses);
    if (tooMany <= 0) return;
    for (const sleeper of [...this.#timers.keys()].filter((each) => each.canSleep()).slice(0, tooMany)) {
      this.remove(sleeper);
      void sleeper.sleep();
    }
  }

  #wait(sleeper: Sleeper): void {
    this.remove(sleeper);
    const timer = setTimeout(() => {
      if (sleeper.canSleep()) void sleeper.sleep();
      else this.#wait(sleeper);
    }, this.#limits().idleStopMs);
    this.#timers.set(sleeper, timer.unref());
  }
}
