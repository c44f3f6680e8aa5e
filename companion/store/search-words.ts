/**
 * The words of a text as the index has them. They are found by code of this file and not by SQLite, whose tokenizers find no Chinese word of two characters:
 * words in lower case and without accents, and of scripts that write no spaces, as of pictures, each pair of neighbours. Pure.
 */

/** What stands without spaces beside its like: some scripts, and pictures. */
const SIGN =
  ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Thai', 'Lao', 'Khmer', 'Myanmar'].map((script) => `\\p{Script=${script}}`).join('') +
  '\\p{Extended_Pictographic}\\p{Regional_Indicator}';
/** Of a script that writes spaces. */
const LETTER = `[[\\p{L}\\p{N}]--[${SIGN}]]`;
/** Longer words are no words: keys, hashes, encoded bytes. */
const MAX_WORD_CHARS = 64;

const WORD = /[\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Regional_Indicator}]+/gu;
const SPACELESS = new RegExp(`[${SIGN}]`, 'u');
/** The names of languages that would be one letter without their signs, as whose beginning nearly every word would do. */
const SIGNED_LETTER = /^\p{L}(?:\+{1,2}|#)$/u;
/** Runs of one kind within a word. */
const RUN = new RegExp(`[${SIGN}]+|[^${SIGN}]+`, 'gu');
const ASCII_ONLY = /^[\0-\x7F]*$/u;
const ACCENT = /\p{M}/gu;
/** Letters that are the same in capitals are the same: ß is ss, and a sigma at the end of a word is one like any other. */
const foldCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
/** Hangul is composed again, so that one character stays one. */
const foldOther = (text: string): string => foldCase(text.normalize('NFKD').replaceAll(ACCENT, '').normalize('NFKC'));

/** The text without differences of case, without accents, of one width. */
export const fold = (text: string): string => (ASCII_ONLY.test(text) ? text.toLowerCase() : foldOther(text));

/** Each word of a text once, for the index. */
export const wordsOf = (text: string): Set<string> => {
  const words = new Set<string>();
  for (const [run] of runsOf(fold(text))) {
    if (SPACELESS.test(run)) for (const pair of pairsOf(run)) words.add(pair);
    else if (run.length <= MAX_WORD_CHARS) words.add(run);
  }
  return words;
};

/** The runs of a folded text, each with its place. */
function* runsOf(folded: string): Generator<readonly [run: string, at: number]> {
  for (const word of folded.matchAll(WORD)) {
    if (!SPACELESS.test(word[0])) yield [word[0], word.index];
    else for (const run of word[0].matchAll(RUN)) yield [run[0], word.index + run.index];
  }
}

/** Each two neighbours, and the last by itself: so every character stands at the beginning of one. */
const pairsOf = (run: string): string[] => {
  const characters = Array.from(run);
  return characters.map((character, index) => character + (characters[index + 1] ?? ''));
};

/** What is looked for. */
export interface Wanted {
  /** Words that an entry must have; `isPrefix` is for the beginning of one. */
  readonly words: readonly { readonly word: string; readonly isPrefix: boolean }[];
  /** Each must be found in the folded text. */
  readonly patterns: readonly RegExp[];
  /** Whether an entry with the words can still lack what is looked for, because they must stand together. */
  readonly mustBeRead: boolean;
}

/** Reads what a person types. */
export const readWanted = (typed: string): Wanted => {
  const words: { word: string; isPrefix: boolean }[] = [];
  const patterns: RegExp[] = [];
  let mustBeRead = false;
  for (const { text, isQuoted, isOpen } of partsOf(typed)) {
    const folded = fold(text);
    const runs = [...runsOf(folded)].map(([run]) => run);
    if (runs.length === 0) continue;
    if (SIGNED_LETTER.test(folded)) {
      words.push(...runs.map((word) => ({ word, isPrefix: false })));
      patterns.push(patternOf([folded], true));
      mustBeRead = true;
      continue;
    }
    for (const [index, run] of runs.entries()) {
      const isPrefix = isOpen && index === runs.length - 1;
      words.push(...toWords(run, isPrefix));
      if (!isQuoted) patterns.push(patternOf([run], isPrefix));
      if (Array.from(run).length > 2 && SPACELESS.test(run)) mustBeRead = true;
    }
    if (isQuoted) patterns.push(patternOf(runs, isOpen));
    if (isQuoted && runs.length > 1) mustBeRead = true;
  }
  return { words, patterns, mustBeRead };
};

/** Quoted parts and words. The part that is still being typed is open at its end. */
const partsOf = (typed: string): { text: string; isQuoted: boolean; isOpen: boolean }[] =>
  [...typed.matchAll(/"([^"]*)("?)|[^\s"]+/gu)].map((found) => {
    const [text, quoted, closing] = found;
    const isLast = found.index + text.length === typed.length;
    return quoted === undefined
      ? { text, isQuoted: false, isOpen: isLast }
      : { text: quoted, isQuoted: true, isOpen: isLast && closing === '' && !/\s$/u.test(quoted) };
  });

const toWords = (run: string, isPrefix: boolean): { word: string; isPrefix: boolean }[] => {
  if (!SPACELESS.test(run)) return [{ word: run.slice(0, MAX_WORD_CHARS), isPrefix }];
  const pairs = pairsOf(run);
  // The last by itself is at the end of a run only; what follows it here does not matter.
  return pairs.length === 1 ? [{ word: run, isPrefix: true }] : pairs.slice(0, -1).map((word) => ({ word, isPrefix: false }));
};

/** Runs that follow each other with nothing but spaces and signs in between. */
const patternOf = (runs: readonly string[], isPrefix: boolean): RegExp => {
  const between = '[^\\p{L}\\p{N}]*';
  const [first = ''] = runs;
  const last = runs.at(-1) ?? '';
  const before = isSpaceless(first[Symbol.iterator]().next().value) ? '' : `(?<!${LETTER})`;
  const after = isPrefix || isSpaceless(Array.from(last).at(-1)) ? '' : `(?!${LETTER})`;
  return new RegExp(before + runs.map((run) => RegExp.escape(run)).join(between) + after, 'gv');
};

const isSpaceless = (character: string | undefined): boolean => character !== undefined && SPACELESS.test(character);
