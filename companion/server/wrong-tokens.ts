/** Slows down a program that guesses tokens, and says so once; a client with a good token never comes here. */
import { setTimeout as pause } from 'node:timers/promises';
import { warn, type Warning } from '#protocol/warnings.ts';
import type { Log } from '#companion/lib/log.ts';

const WINDOW_MS = 1000;
const ALLOWED_PER_WINDOW = 20;
const DELAY_MS = 1000;

/** Delayed answers keep their sockets: no more of them than leave the good client room. */
const MAX_WAITING = 64;

/** The time, which a test may hold. */
interface Clock {
  now(): number;
  pause(ms: number): Promise<unknown>;
}

export class WrongTokens {
  readonly #log: Log;
  readonly #notify: (warning: Warning) => void;
  readonly #clock: Clock;
  #windowStart = 0;
  #count = 0;
  #waiting = 0;
  #wasNotified = false;

  /** `notify` is called once: the user wants to know, not to be flooded. */
  constructor(log: Log, notify: (warning: Warning) => void, clock: Clock = { now: () => performance.now(), pause }) {
    this.#log = log;
    this.#notify = notify;
    this.#clock = clock;
  }

  /** One wrong token has come: resolves when it may be answered. */
  async seen(): Promise<void> {
    const now = this.#clock.now();
    if (now - this.#windowStart > WINDOW_MS) {
      this.#windowStart = now;
      this.#count = 0;
    }
    this.#count += 1;
    if (this.#count < ALLOWED_PER_WINDOW) return;
    if (this.#count === ALLOWED_PER_WINDOW) this.#log.warn('gate.wrong_tokens', { count: this.#count, windowMs: WINDOW_MS });
    if (!this.#wasNotified) {
      this.#wasNotified = true;
      this.#notify({ what: warn('wrong_tokens') });
    }
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    await this.#clock.pause(DELAY_MS);
    this.#waiting -= 1;
  }
}
