/** What may wait for a moment in which nothing else comes, so that it holds up none of what follows at once. */

/** A client that goes on at once has its next answer by then. */
const REST_MS = 10;

/** What is added all the time is done all the same. */
const MOST_MS = 50;

/** Work that is done in its order: soon, or as soon as somebody needs it done. */
export class Afterwards {
  #works: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #since = 0;

  /** `work` never throws. */
  add(work: () => void): void {
    this.#works.push(work);
    const now = performance.now();
    if (this.#timer === undefined) {
      this.#since = now;
      this.#timer = setTimeout(() => this.flush(), REST_MS);
    } else if (now - this.#since < MOST_MS) this.#timer.refresh();
  }

  /** Does all of it now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const work of this.#works.splice(0)) work();
  }
}
