/** Who waits for what a background task has written: one question to the engine at a time for each task, its answer for all. */
import type { Effect } from '#companion/engines/engine.ts';
import type { TaskOutput } from '#protocol/api.ts';

/** An engine that is asked answers at once, or not at all. */
const ANSWER_WITHIN_MS = 5000;

export interface TaskReads {
  /** `ask` gives what the question takes, `apply` does it; null when there is no answer. */
  ask(itemId: string, ask: () => Effect[], apply: (effects: readonly Effect[]) => void): Promise<TaskOutput | null>;
  settle(itemId: string, output: TaskOutput | null): void;
  /** No answer comes any more. */
  close(): void;
}

export const createTaskReads = (): TaskReads => {
  const open = new Map<string, { answer: Promise<TaskOutput | null>; resolve: (output: TaskOutput | null) => void }>();
  const settle = (itemId: string, output: TaskOutput | null): void => {
    open.get(itemId)?.resolve(output);
    open.delete(itemId);
  };
  return {
    ask: async (itemId, ask, apply) => {
      const asked = open.get(itemId);
      if (asked !== undefined) return asked.answer;
      const effects = ask();
      if (effects.length === 0) return null;
      const { promise: answer, resolve } = Promise.withResolvers<TaskOutput | null>();
      open.set(itemId, { answer, resolve });
      const timer = setTimeout(() => settle(itemId, null), ANSWER_WITHIN_MS);
      apply(effects);
      try {
        return await answer;
      } finally {
        clearTimeout(timer);
      }
    },
    settle,
    close: () => {
      for (const itemId of open.keys()) settle(itemId, null);
    },
  };
};
