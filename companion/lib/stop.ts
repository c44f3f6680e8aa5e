/** An AbortSignal that also follows others, for the duration of a call. */

/**
 * `AbortSignal.any` and `AbortSignal.timeout` are kept alive by what they follow and by their timer, long after the call: a
 * daemon that is called a thousand times a minute would drag them along. This lets go of both when it is disposed of.
 */
export class Stop implements Disposable {
  readonly #own = new AbortController();
  readonly #followed: readonly AbortSignal[];
  readonly #onAbort = ({ target }: Event): void => this.#own.abort(target instanceof AbortSignal ? target.reason : undefined);

  constructor(...followed: readonly AbortSignal[]) {
    this.#followed = followed;
    for (const signal of followed) {
      if (signal.aborted) this.#own.abort(signal.reason);
      else signal.addEventListener('abort', this.#onAbort);
    }
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  abort(): void {
    this.#own.abort();
  }

  [Symbol.dispose](): void {
    for (const signal of this.#followed) signal.removeEventListener('abort', this.#onAbort);
  }
}
