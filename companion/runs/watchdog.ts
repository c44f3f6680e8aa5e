/** Notices that an engine says nothing for too long while it should. */

const TICKS = 20;
/** Of them, until the person is told that nothing comes: some agents repeat failed requests without a word. */
const QUIET_TICKS = 2;

export interface Watchdog {
  start(): void;
  stop(): void;
  /** There was a sign of life. */
  feed(): void;
}

/**
 * Calls `onQuiet` after a tenth of `silenceMs` without a sign of life and `onHung` after all of it, unless `isExcused`. Counts ticks and not the clock, so that
 * a machine that slept for hours wakes up with one tick more and not with all turns dead (R21).
 */
export const createWatchdog = (options: {
  silenceMs: () => number;
  isExcused: () => boolean;
  onQuiet: () => void;
  onHung: () => void;
}): Watchdog => {
  let timer: NodeJS.Timeout | null = null;
  let silentTicks = 0;
  const stop = (): void => {
    if (timer !== null) clearInterval(timer);
    timer = null;
  };
  return {
    start: () => {
      stop();
      silentTicks = 0;
      timer = setInterval(() => {
        silentTicks = options.isExcused() ? 0 : silentTicks + 1;
        if (silentTicks === QUIET_TICKS) options.onQuiet();
        if (silentTicks < TICKS) return;
        stop();
        options.onHung();
      }, options.silenceMs() / TICKS);
    },
    stop,
    feed: () => {
      silentTicks = 0;
    },
  };
};
