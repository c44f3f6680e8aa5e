/** Asks one after the other: no answer overtakes a later one, and of what is changed twice the last stays, here and in the daemon. */
export class InTurn {
  #last: Promise<unknown> = Promise.resolve();

  /** Begins when the question before has its answer, or has failed. */
  ask<T>(ask: () => Promise<T>): Promise<T> {
    const answer = this.#last.then(ask);
    this.#last = answer.catch(() => null);
    return answer;
  }
}
