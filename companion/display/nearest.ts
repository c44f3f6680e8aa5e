/** What was probably meant by a word that was mistyped. */

/** The word of a list with the fewest slips of the hand between it and what was typed; null when none is near. */
export const nearest = (given: string, known: readonly string[]): string | null => {
  let best: { word: string; slips: number } | null = null;
  const most = Math.max(1, Math.floor(given.length / 3));
  for (const word of known) {
    const slips = slipsBetween(given, word);
    if (slips <= most && slips < (best?.slips ?? Infinity)) best = { word, slips };
  }
  return best?.word ?? null;
};

/** How many letters are missing, too many, wrong or changed places with their neighbour. */
const slipsBetween = (one: string, other: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row += 1) {
    const now = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      now.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (now[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, now];
  }
  return last[other.length] ?? 0;
};
