/** Keeps engine processes between turns, but not too many and not for ever. */

export interface Sleeper {
  /** No turn runs on it, and its conversation can be taken up again. */
  canSleep(): boolean;
  /** Ends the process; the next turn resumes the conversation. */
  sleep(): Promise<void>;
}

export interface WarmPool {
  /** Before a process is started: puts the longest unused ones to sleep that would be too many. Their end is not waited for. */
  makeRoom(): void;
  /** The sleeper was used just now, or is new: the longest unused ones beyond the limit are put to sleep. */
  touch(sleeper: Sleeper): void;
  remove(sleeper: Sleeper): void;
  close(): void;
}

/** A pool whose limits are read anew each time, so that a changed setting holds at once. */
export const createWarmPool = (limits: () => { maxProcesses: number; idleStopMs: number }): WarmPool => {
  // Oldest use first: a touched one goes to the end.
  const timers = new Map<Sleeper, NodeJS.Timeout>();
  const remove = (sleeper: Sleeper): void => {
    clearTimeout(timers.get(sleeper));
    timers.delete(sleeper);
  };
  /** Working ones are never stopped: then there are more than the limit until one of them has done its work. */
  const trim = (toStart: number): void => {
    const tooMany = timers.size + toStart - Math.max(1, limits().maxProcesses);
    if (tooMany <= 0) return;
    for (const sleeper of [...timers.keys()].filter((each) => each.canSleep()).slice(0, tooMany)) {
      remove(sleeper);
      void sleeper.sleep();
    }
  };
  const wait = (sleeper: Sleeper): void => {
    remove(sleeper);
    const timer = setTimeout(() => {
      if (sleeper.canSleep()) void sleeper.sleep();
      else wait(sleeper);
    }, limits().idleStopMs);
    timers.set(sleeper, timer.unref());
  };
  return {
    makeRoom: () => trim(1),
    touch: (sleeper) => {
      wait(sleeper);
      trim(0);
    },
    remove,
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
};
