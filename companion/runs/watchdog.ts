/** Watches over the turn that runs: how long nothing has come from its agent, and how long it has taken in all. */

const MAX_TICK_MS = 1000;
const TICKS_OF_SILENCE = 20;
/** How long a silence lasts before the user is told of it. */
const QUIET_MS = 10_000;

export interface WatchLimits {
  /** How long the agent may be silent, in milliseconds. */
  readonly maxSilenceMs: number;
  /** How long the turn may take, in milliseconds; 0 means that there is no limit. */
  readonly maxTurnMs: number;
}

/** What the watchdog asks and tells. */
export interface WatchOwner {
  limits(): WatchLimits;
  /** Whether the user is being asked; their time does not count as the turn's. */
  isAsking(): boolean;
  /** Called once for each silence. */
  noticeQuiet(silentMs: number): void;
  noticeHung(): void;
  noticeOvertime(limitMs: number): void;
}

/** It counts ticks instead of reading the clock, so that a machine that slept for hours wakes up with only one tick more. */
export class Watchdog {
  readonly #owner: WatchOwner;
  #timer: NodeJS.Timeout | null = null;
  #tickMs = MAX_TICK_MS;
  #silentMs = 0;
  #turnMs = 0;

  constructor(owner: WatchOwner) {
    this.#owner = owner;
  }

  start(): void {
    this.#turnMs = 0;
    this.#silentMs = 0;
    this.#arm();
  }

  /** The limits have changed; what has been counted stays. */
  renew(): void {
    if (this.#timer !== null) this.#arm();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** There was a sign of life. */
  feed(): void {
    this.#silentMs = 0;
  }

  #arm(): void {
    this.stop();
    const { maxSilenceMs, maxTurnMs } = this.#owner.limits();
    const shortest = maxTurnMs === 0 ? maxSilenceMs : Math.min(maxSilenceMs, maxTurnMs);
    this.#tickMs = Math.min(MAX_TICK_MS, shortest / TICKS_OF_SILENCE);
    this.#timer = setInterval(() => this.#tick(maxSilenceMs, maxTurnMs), this.#tickMs);
  }

  #tick(maxSilenceMs: number, maxTurnMs: number): void {
    if (this.#owner.isAsking()) {
      this.#silentMs = 0;
      return;
    }
    this.#turnMs += this.#tickMs;
    this.#silentMs += this.#tickMs;
    const quietMs = Math.min(QUIET_MS, maxSilenceMs / 2);
    const wasQuiet = this.#silentMs - this.#tickMs >= quietMs;
    // The turn may end while one of these is reported; then nothing is left to watch.
    if (maxTurnMs > 0 && this.#turnMs >= maxTurnMs) this.#owner.noticeOvertime(maxTurnMs);
    else if (this.#silentMs >= maxSilenceMs) this.#owner.noticeHung();
    else if (this.#silentMs >= quietMs && !wasQuiet) this.#owner.noticeQuiet(this.#silentMs);
  }
}
