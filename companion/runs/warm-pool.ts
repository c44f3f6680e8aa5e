/** Keeps agents' processes between turns, but not too many and not for ever. */

export interface Sleeper {
  /** Whether no turn runs on it, and its conversation can be resumed. */
  canSleep(): boolean;
  /** Ends the process; the next turn resumes the conversation. */
  sleep(): Promise<void>;
}

export class WarmPool {
  readonly #limits: () => { readonly maxProcesses: number; readonly idleStopMs: number };
  /** The least recently used come first: one that is used moves to the end. */
  readonly #timers = new Map<Sleeper, NodeJS.Timeout>();

  /** The limits are read each time, so that a changed setting takes effect at once. */
  constructor(limits: () => { readonly maxProcesses: number; readonly idleStopMs: number }) {
    this.#limits = limits;
  }

  /**
   * Called before a process is started. It puts the longest unused ones to sleep that would be too many, and does not wait for
   * their end.
   */
  makeRoom(): void {
    this.#trim(1);
  }

  /** The sleeper was used just now or is new; the longest unused ones beyond the limit are put to sleep. */
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

  /** Processes that work are never stopped: then there are more than the limit until one of them has finished. */
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
