/** What of a snapshot is new since an earlier one. Refs stay with their elements, so equal lines are the same thing. Pure. */

export interface LineChanges {
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

/** Line by line, wherever they stand: what only moved is no change. */
export const diffLines = (before: string, after: string): LineChanges => {
  const olds = before.split('\n');
  const news = after.split('\n');
  return { added: without(news, olds), gone: without(olds, news) };
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
