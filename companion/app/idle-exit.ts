/** Ends a daemon that nobody uses: no stream and no request for a while, and nothing that runs. */

/** Nothing announces its own end, so what is busy is looked at again after this part of the limit: rest is counted from the last such look. */
const LOOKS = 10;
const SHORTEST_LOOK_MS = 1000;

/** All times are of `performance.now()`, which no change of the system's clock moves. */
export class IdleExit {
  readonly #idleMs: () => number;
  readonly #isBusy: () => boolean;
  readonly #lastBusyAt: () => number;
  readonly #onIdle: () => void;
  #idleSince = performance.now();
  #timer: NodeJS.Timeout | undefined;

  /** Calls `onIdle` once nothing has been busy for `idleMs()`; 0 means never. */
  constructor(options: { idleMs: () => number; isBusy: () => boolean; lastBusyAt: () => number; onIdle: () => void }) {
    this.#idleMs = options.idleMs;
    this.#isBusy = options.isBusy;
    this.#lastBusyAt = options.lastBusyAt;
    this.#onIdle = options.onIdle;
    this.check();
  }

  /** Looks again: something may have begun or ended. */
  readonly check = (): void => {
    clearTimeout(this.#timer);
    const limit = this.#idleMs();
    if (limit === 0) return;
    if (this.#isBusy()) {
      this.#idleSince = performance.now();
      this.#timer = setTimeout(this.check, Math.max(limit / LOOKS, SHORTEST_LOOK_MS));
      return;
    }
    this.#idleSince = Math.max(this.#idleSince, this.#lastBusyAt());
    const left = this.#idleSince + limit - performance.now();
    if (left <= 0) this.#onIdle();
    else this.#timer = setTimeout(this.check, left);
  };

  close(): void {
    clearTimeout(this.#timer);
  }
}
