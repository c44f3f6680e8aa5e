/** What of a snapshot is new since an earlier one. Refs stay with their elements, so equal lines are the same thing. Pure. */

export interface LineChanges {
  readonly added: readonly string[];
  readonly gone: readonly string[];
  /** Those that stand before or after others than they did, as few as tell it. */
  readonly moved: readonly string[];
}

/** Line by line. What only came under something else, and so is set in, is no change. */
export const diffLines = (before: string, after: string): LineChanges => {
  const olds = before.split('\n');
  const news = after.split('\n');
  return { added: without(news, olds), gone: without(olds, news), moved: movedAmong(olds, news) };
};

/** Of the lines that are there once before and after, those outside of the longest row of them that has kept its order. */
const movedAmong = (olds: readonly string[], news: readonly string[]): string[] => {
  const places = placesOf(olds);
  const counted = placesOf(news);
  const kept = news.filter((line) => line.trim() !== '' && (places.get(line.trim()) ?? -1) >= 0 && (counted.get(line.trim()) ?? -1) >= 0);
  const still = longestRow(kept.map((line) => places.get(line.trim()) ?? -1));
  return kept.filter((_, index) => !still.has(index));
};

/** Where each line stands, -1 where there are several of it. */
const placesOf = (lines: readonly string[]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>();
  for (const [index, line] of lines.entries()) places.set(line.trim(), places.has(line.trim()) ? -1 : index);
  return places;
};

/** The indices of the longest increasing row of numbers: https://en.wikipedia.org/wiki/Longest_increasing_subsequence */
const longestRow = (numbers: readonly number[]): ReadonlySet<number> => {
  /** By the length of a row, the index of the smallest number at the end of one. */
  const ends: number[] = [];
  const before = numbers.map((number, index) => {
    let [from, to] = [0, ends.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((numbers[ends[middle] ?? 0] ?? 0) < number) from = middle + 1;
      else to = middle;
    }
    ends[from] = index;
    return from === 0 ? -1 : (ends[from - 1] ?? -1);
  });
  const row = new Set<number>();
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at] ?? -1) row.add(at);
  return row;
};

/** Each line of the others takes one away that is like it. */
const without = (lines: readonly string[], others: readonly string[]): string[] => {
  const counts = new Map<string, number>();
  for (const line of others) counts.set(line.trim(), (counts.get(line.trim()) ?? 0) + 1);
  return lines.filter((line) => {
    const left = counts.get(line.trim()) ?? 0;
    if (left > 0) counts.set(line.trim(), left - 1);
    return left === 0 && line.trim() !== '';
  });
};
