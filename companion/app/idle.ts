/** Ends a daemon that nobody uses: no browser, no stream, no request for a while, and nothing that runs. */

export interface IdleExit {
  /** Looks again: something may have ended. */
  check(): void;
  close(): void;
}

/** Calls `onIdle` once nothing has been busy for `idleMs()`; 0 means never. `lastBusyAt` is in Unix milliseconds. */
export const createIdleExit = (options: {
  idleMs: () => number;
  isBusy: () => boolean;
  lastBusyAt: () => number;
  now: () => number;
  onIdle: () => void;
}): IdleExit => {
  const { idleMs, isBusy, lastBusyAt, now, onIdle } = options;
  let idleSince = now();
  let timer: NodeJS.Timeout | undefined;

  const check = (): void => {
    clearTimeout(timer);
    const limit = idleMs();
    if (limit === 0) return;
    if (isBusy()) {
      idleSince = now();
      // Whatever ends calls check; this is for what ends without a word.
      timer = setTimeout(check, Math.max(limit, 1000));
      return;
    }
    idleSince = Math.max(idleSince, lastBusyAt());
    const left = idleSince + limit - now();
    if (left <= 0) onIdle();
    else timer = setTimeout(check, left);
  };
  check();
  return { check, close: () => clearTimeout(timer) };
};
