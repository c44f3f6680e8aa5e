/** The line of a text that shows what was looked for. Pure. */
import type { Snippet } from '#protocol/search.ts';
import { fold, type Wanted } from './search-words.ts';

const MAX_CHARS = 240;
/** How much of a line stands before the first place. */
const BEFORE_CHARS = 60;
/** How much is folded around the first place to find all places near it. */
const WINDOW_CHARS = 4 * MAX_CHARS;

/** Whether the text has all that is wanted. */
export const fits = (text: string, { patterns }: Wanted): boolean => {
  const folded = fold(text);
  return patterns.every((pattern) => folded.search(pattern) >= 0);
};

/** One line around the first place that fits; without any, the beginning of the text. */
export const snippetOf = (text: string, wanted: Wanted): Snippet => {
  const first = firstPlace(text, wanted);
  const start = first <= BEFORE_CHARS ? 0 : startOfWord(text, first - BEFORE_CHARS);
  const raw = text.slice(start, start + WINDOW_CHARS);
  const line = raw.replaceAll(/\s+/gu, ' ').trim();
  const isCut = start + WINDOW_CHARS < text.length || line.length > MAX_CHARS;
  const shown = `${start > 0 ? '…' : ''}${cut(line)}${isCut ? '…' : ''}`;
  return { text: shown, marks: marksIn(shown, wanted) };
};

/** Where the words stand in a short text. */
export const marksIn = (text: string, { patterns }: Wanted): [number, number][] => {
  const { folded, places } = foldWithPlaces(text);
  const found = patterns.flatMap((pattern) =>
    [...folded.matchAll(pattern)].map((match): [number, number] => [
      places[match.index] ?? 0,
      places[match.index + match[0].length] ?? text.length,
    ]),
  );
  return merged(found.toSorted(([one], [other]) => one - other));
};

const firstPlace = (text: string, { patterns }: Wanted): number => {
  const folded = fold(text);
  const found = patterns.map((pattern) => folded.search(pattern)).filter((at) => at >= 0);
  if (found.length === 0) return 0;
  const at = Math.min(...found);
  // Most texts keep their length; of others the place is sought character by character.
  return folded.length === text.length ? at : (foldWithPlaces(text.slice(0, at * 2 + MAX_CHARS)).places[at] ?? 0);
};

/** The folded text, and for each of its places where it comes from. */
const foldWithPlaces = (text: string): { folded: string; places: number[] } => {
  let folded = '';
  const places: number[] = [];
  // An accent belongs to the letter before it.
  for (const { 0: letter, index } of text.matchAll(/\P{M}\p{M}*|\p{M}+/gu)) {
    const part = fold(letter);
    folded += part;
    for (let count = 0; count < part.length; count += 1) places.push(index);
  }
  places.push(text.length);
  return { folded, places };
};

const startOfWord = (text: string, from: number): number => {
  const space = text.slice(from, from + BEFORE_CHARS / 2).search(/\s/u);
  const at = space < 0 ? from : from + space + 1;
  return isLowSurrogate(text, at) ? at + 1 : at;
};

const cut = (line: string): string => line.slice(0, isLowSurrogate(line, MAX_CHARS) ? MAX_CHARS - 1 : MAX_CHARS);

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};

const merged = (marks: readonly [number, number][]): [number, number][] => {
  const result: [number, number][] = [];
  for (const [from, to] of marks) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
};
