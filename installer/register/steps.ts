/**
 * Work that changes files, cut at every place where a crash could stop it. A test stops it at each of them and
 * looks at what is left; everybody else runs it to its end.
 */
export type Steps<T> = Generator<string, T, undefined>;

/** Runs all steps. */
export const finish = <T>(steps: Steps<T>): T => {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
};
