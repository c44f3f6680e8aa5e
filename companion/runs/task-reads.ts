/**
 * Keeps who waits for the output of a background task. For each task one question at a time goes to the agent, and its answer
 * goes to all who wait.
 */
import type { Effect } from '#companion/engines/engine.ts';
import type { TaskOutput } from '#protocol/api.ts';

/** An agent that is asked answers at once or not at all. */
const ANSWER_WITHIN_MS = 5000;

export class TaskReads {
  readonly #open = new Map<string, { answer: Promise<TaskOutput | null>; resolve: (output: TaskOutput | null) => void }>();

  /** `ask` returns the effects of the question, none when there can be no answer; `apply` performs them. */
  async read(itemId: string, ask: () => Effect[], apply: (effects: readonly Effect[]) => void): Promise<TaskOutput | null> {
    const asked = this.#open.get(itemId);
    if (asked !== undefined) return asked.answer;
    const effects = ask();
    if (effects.length === 0) return null;
    const { promise: answer, resolve } = Promise.withResolvers<TaskOutput | null>();
    this.#open.set(itemId, { answer, resolve });
    const timer = setTimeout(() => this.answer(itemId, null), ANSWER_WITHIN_MS);
    apply(effects);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  answer(itemId: string, output: TaskOutput | null): void {
    this.#open.get(itemId)?.resolve(output);
    this.#open.delete(itemId);
  }

  /** Nobody will get an answer any more. */
  close(): void {
    for (const itemId of this.#open.keys()) this.answer(itemId, null);
  }
}
