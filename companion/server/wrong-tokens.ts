/** Slows down who guesses tokens, and says so once; a client with a good token never comes here (S13). */
import type { Log } from '#companion/lib/log.ts';

export interface WrongTokens {
  /** One wrong token has come: resolves when it may be answered. */
  seen(): Promise<void>;
}

const WINDOW_MS = 1000;
const ALLOWED_PER_WINDOW = 20;
const DELAY_MS = 1000;

/** Delayed answers keep their sockets: no more of them than leave the good client room. */
const MAX_WAITING = 64;

/** `notify` is called once per process: the user wants to know, not to be flooded. */
export const createWrongTokens = ({
  log,
  notify,
  now = () => performance.now(),
}: {
  log: Log;
  notify: (text: string) => void;
  now?: () => number;
}): WrongTokens => {
  let windowStart = 0;
  let count = 0;
  let waiting = 0;
  let wasNotified = false;
  return {
    seen: async () => {
      if (now() - windowStart > WINDOW_MS) {
        windowStart = now();
        count = 0;
      }
      count += 1;
      if (count < ALLOWED_PER_WINDOW) return;
      if (count === ALLOWED_PER_WINDOW) log.warn('gate.wrong_tokens', { count, windowMs: WINDOW_MS });
      if (!wasNotified) {
        wasNotified = true;
        notify('A program on this machine tried many wrong tokens on the local port. They were refused; `pilotfish logs` has the times.');
      }
      if (waiting >= MAX_WAITING) return;
      waiting += 1;
      await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
      waiting -= 1;
    },
  };
};
