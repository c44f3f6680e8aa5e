/** Values of which each property is followed apart. */
import { computed, type ReadonlySignal } from '@preact/signals';

/** The same value, with its properties read from signals. */
export const followed = <T extends object>(value: T, signals: ReadonlyMap<string, ReadonlySignal<unknown>>): T => {
  const copy = { ...value };
  for (const [key, signal] of signals) Object.defineProperty(copy, key, { enumerable: true, get: () => signal.value });
  return copy;
};

/** A value that is made anew as a whole: who reads one of its properties hears only of the changes of that one. */
export const inParts = <T extends object>(whole: ReadonlySignal<T>): T => {
  const start = whole.peek();
  const parts = Object.keys(start).map((key) => [key, computed<unknown>(() => Reflect.get(whole.value, key))] as const);
  return followed(start, new Map(parts));
};
