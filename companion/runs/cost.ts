/** What a session has cost, from engines that count per process as well as from those that count per conversation. */

/** The meter of one run. */
export class CostMeter {
  readonly #before: number;
  #total: number;
  #last: number | null = null;

  /** `before` is what the session had cost until the run began. */
  constructor(before: number) {
    this.#before = before;
    this.#total = before;
  }

  /** Takes the figure that the engine reports, and returns what the session has cost in all. */
  read(reported: number): number {
    // A first figure below what was spent before can only be that of this process alone.
    if (this.#last === null) this.#total = reported >= this.#before ? reported : this.#before + reported;
    else this.#total += reported >= this.#last ? reported - this.#last : reported;
    this.#last = reported;
    return this.#total;
  }
}
