/** Keeps engine processes between turns, but not too many and not for ever. */

export interface Sleeper {
  /** No turn runs on it, and its conversation can be taken up again. */
  canSleep(): boolean;
  /** Ends the process; the next turn resumes the conversation. */
  sleep(): Promise<void>;
}

export interface WarmPool {
  /** Before a process is started: puts the longest unused one to sleep when there are too many. */
  makeRoom(): Promise<void>;
  /** The sleeper was used just now. */
  touch(sleeper: Sleeper): void;
  remove(sleeper: Sleeper): void;
  close(): void;
}

/** A pool whose limits are read anew each time, so that a changed setting holds at once. */
export const createWarmPool = (limits: () => { maxProcesses: number; idleStopMs: number }): WarmPool => {
  // Oldest use first: a touched one goes to the end.
  const timers = new Map<Sleeper, NodeJS.Timeout>();
  const touch = (sleeper: Sleeper): void => {
    clearTimeout(timers.get(sleeper));
    timers.delete(sleeper);
    const timer = setTimeout(() => {
      if (sleeper.canSleep()) void sleeper.sleep();
      else touch(sleeper);
    }, limits().idleStopMs);
    timers.set(sleeper, timer.unref());
  };
  return {
    makeRoom: async () => {
      // Working ones are never stopped: then there are more than the limit for a while.
      while (timers.size >= Math.max(1, limits().maxProcesses)) {
        const oldest = [...timers.keys()].find((sleeper) => sleeper.canSleep());
        if (oldest === undefined) return;
        clearTimeout(timers.get(oldest));
        timers.delete(oldest);
        await oldest.sleep();
      }
    },
    touch,
    remove: (sleeper) => {
      clearTimeout(timers.get(sleeper));
      timers.delete(sleeper);
    },
    close: () => {
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
};
