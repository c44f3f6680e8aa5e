/** What may wait for a moment in which nothing else comes, so that it holds up none of what follows at once. */

/** A client that goes on at once has its next answer by then. */
const REST_MS = 10;

/** What is added all the time is done all the same. */
const MOST_MS = 50;

/** What comes meanwhile waits no longer than this, and one work. */
const SLICE_MS = 1;

/** Work that is done in its order: soon, or as soon as somebody needs it done. */
export class Afterwards {
  readonly #works: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #slice: NodeJS.Immediate | undefined;
  #since = 0;

  /** `work` never throws. */
  add(work: () => void): void {
    this.#works.push(work);
    if (this.#slice !== undefined) return;
    const now = performance.now();
    if (this.#timer === undefined) {
      this.#since = now;
      this.#timer = setTimeout(() => this.#doSlice(), REST_MS);
    } else if (now - this.#since < MOST_MS) this.#timer.refresh();
  }

  /** Does all of it now. */
  flush(): void {
    this.#stop();
    for (const work of this.#works.splice(0)) work();
  }

  #doSlice(): void {
    this.#stop();
    const end = performance.now() + SLICE_MS;
    do this.#works.shift()?.();
    while (this.#works.length > 0 && performance.now() < end);
    if (this.#works.length > 0) this.#slice = setImmediate(() => this.#doSlice());
  }

  #stop(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#slice);
    this.#timer = undefined;
    this.#slice = undefined;
  }
}
