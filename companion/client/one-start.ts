/** Starts one daemon for all that wait for it: each start takes the processor for as long as the others. */
import type { OnDaemonEnd } from '#companion/reach/reach-daemon.ts';

export class OneStart {
  readonly #start: (onEnd: OnDaemonEnd) => void;
  /** Who hears how the start ends that is under way. */
  #waiting: Set<OnDaemonEnd> | null = null;

  constructor(start: (onEnd: OnDaemonEnd) => void) {
    this.#start = start;
  }

  begin(onEnd: OnDaemonEnd): void {
    if (this.#waiting !== null) return void this.#waiting.add(onEnd);
    const waiting = new Set([onEnd]);
    this.#waiting = waiting;
    this.#start((...ended) => {
      if (this.#waiting === waiting) this.#waiting = null;
      for (const tell of waiting) tell(...ended);
    });
  }

  /** Nobody is to wait for it any longer: where a daemon is missed later, another one is started, also while this one hangs. */
  over(): void {
    this.#waiting = null;
  }
}
