/** Finds names by some of their letters in order, as people type them. */
import { go, snapshot, type KeyResult, type SnapshotKey } from 'fuzzysort';

/** A value of the list, by its place in it. */
interface Listed {
  readonly index: number;
  /** What stands behind the last slash: the name of a file, which is what people type. */
  readonly name: string;
  readonly text: string;
}

interface Prepared {
  readonly textOf: unknown;
  readonly names: SnapshotKey<Listed>;
  readonly texts: SnapshotKey<Listed>;
}

/** From this score on a name is put before what only a whole path has; scattered letters score less. */
const GOOD = 0.5;

/** Lists are searched again with each letter, and looking at 20,000 names for the first time takes longer than a frame. */
const known = new WeakMap<readonly unknown[], Prepared>();

/**
 * The values whose text has the letters of the query in their order, word by word, the best first; all of them, as they stand,
 * when it is empty. Case and accents do not count. The same list and function are faster from the second time on.
 */
export const fuzzy = <T>(query: string, values: readonly T[], textOf: (value: T) => string, limit: number): readonly T[] => {
  const wanted = query.trim();
  if (wanted === '') return values.slice(0, limit);
  const { names, texts } = prepare(values, textOf);
  const places = new Set(go(wanted, names, { limit, threshold: GOOD, scoreFn }).map(({ obj }) => obj.index));
  if (places.size < limit)
    for (const { obj } of go(wanted, texts, { limit: limit + places.size, threshold: 0, scoreFn })) places.add(obj.index);
  return [...places].slice(0, limit).flatMap((index) => values.slice(index, index + 1));
};

/** Of those found alike the shortest comes first, and of those as long the one that stands first. */
const scoreFn = ({ score, obj }: KeyResult<Listed>): number => score - obj.text.length * 1e-6 - obj.index * 1e-9;

const prepare = <T>(values: readonly T[], textOf: (value: T) => string): Prepared => {
  const before = known.get(values);
  if (before?.textOf === textOf) return before;
  const listed = values.map((value, index): Listed => {
    const text = textOf(value);
    return { index, text, name: text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1) };
  });
  const prepared = { textOf, names: snapshot(listed, { key: 'name' }), texts: snapshot(listed, { key: 'text' }) };
  known.set(values, prepared);
  return prepared;
};
