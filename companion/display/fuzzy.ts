/** Finds names by some of their letters in order, as people type them. Pure. */

interface Match<T> {
  readonly value: T;
  readonly score: number;
}

const BOUNDARY = /[\s/\\._\-:@#]/;

/** The values whose text has the letters of the query in their order, the best first; all of them, as they stand, when it is empty. */
export const fuzzy = <T>(query: string, values: readonly T[], textOf: (value: T) => string, limit: number): readonly T[] => {
  const wanted = query.toLowerCase();
  if (wanted === '') return values.slice(0, limit);
  const found: Match<T>[] = [];
  for (const value of values) {
    const score = scoreOf(wanted, textOf(value));
    if (score !== null) found.push({ value, score });
  }
  return found
    .toSorted((one, other) => other.score - one.score)
    .slice(0, limit)
    .map(({ value }) => value);
};

/** Null when a letter is missing. Letters side by side and at the beginning of a word count most, and a short text more than a long one. */
const scoreOf = (wanted: string, text: string): number | null => {
  const lower = text.toLowerCase();
  const lastPart = Math.max(lower.lastIndexOf('/'), lower.lastIndexOf('\\')) + 1;
  const whole = lower.indexOf(wanted, lastPart);
  // The name of a file is what people type, and mostly its beginning.
  if (whole !== -1) return 1000 - (whole - lastPart) - text.length / 100;
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = lower.indexOf(letter, at + 1);
    if (next === -1) return null;
    const before = lower[next - 1];
    if (next === at + 1) score += 8;
    else if (before === undefined || BOUNDARY.test(before)) score += 6;
    else score += 1;
    if (next >= lastPart) score += 1;
    at = next;
  }
  return score - text.length / 100;
};
