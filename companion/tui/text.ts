/** Arranges foreign text in columns: every cluster that is left has a width on which the terminal and we agree. */
import { plainText } from '#display/plain-text.ts';
import { unpaint, pieces, paint, type StyleName } from './paint.ts';
import { charWidth } from './screen.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Nothing in it joins with its neighbour, so that every code point is a cluster of its own. */
const isSimple = /^[^\p{M}\p{Cf}\p{Regional_Indicator}\p{Emoji_Modifier}\u1100-\u11ff]*$/u;

/** Foreign text without anything a terminal obeys, each cluster one code point (joined emoji become their first). */
export const clean = (text: string): string => {
  const plain = plainText(text);
  if (/^[\n\u0020-\u007e]*$/u.test(plain)) return plain;
  const normal = plain.normalize('NFC');
  const clusters = isSimple.test(normal) ? normal : Array.from(segmenter.segment(normal), ({ segment }) => oneCodePoint(segment)).join('');
  return clusters.replaceAll(/[^\n\u0020-\u007e]/gu, (character) => (widthOf(character) > 0 ? character : '\ufffd'));
};

/** The same text as one line. */
export const cleanLine = (text: string): string => clean(text).replaceAll(/\s*\n\s*/gu, ' ');

const entities: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);

/** The few named characters of HTML that agents write into prose. */
export const unwrapEntities = (text: string): string =>
  text.replaceAll(/&(\w{2,4});/g, (whole, name: string) => entities.get(name) ?? whole);

/** How many columns cleaned text takes; the marks of styles take no column. */
export const width = (text: string): number => {
  const bare = unpaint(text);
  if (/^[\u0020-\u007e]*$/u.test(bare)) return bare.length;
  let columns = 0;
  for (const character of bare) columns += widthOf(character);
  return columns;
};

/** Cleaned text cut to at most `columns`, with an ellipsis where it was longer. Styles are closed again. */
export const fit = (text: string, columns: number): string => {
  if (width(text) <= columns) return text;
  if (columns <= 0) return '';
  let left = columns - 1;
  let result = '';
  const open: StyleName[] = [];
  for (const piece of pieces(text)) {
    if (piece.type === 'style') open.push(piece.style);
    if (piece.type === 'end') open.pop();
    if (piece.type !== 'text') continue;
    let part = '';
    for (const character of piece.text) {
      left -= widthOf(character);
      if (left < 0) break;
      part += character;
    }
    result += open.reduceRight((inner, style) => paint(style, inner), left < 0 ? `${part}…` : part);
    if (left < 0) return result;
  }
  return `${result}…`;
};

/** Exactly `columns` wide: cut, or filled with spaces. */
export const pad = (text: string, columns: number): string => {
  const short = fit(text, columns);
  return short + ' '.repeat(Math.max(0, columns - width(short)));
};

/** Cleaned text in lines of at most `columns`, broken at spaces, between wide characters, and in words that are too long. */
export const wrap = (text: string, columns: number): string[] => text.split('\n').flatMap((line) => wrapLine(line, Math.max(2, columns)));

/** Whether a painted line contains the words, whatever their case. */
export const unpaintedIncludes = (line: string, lowerCaseWords: string): boolean => unpaint(line).toLowerCase().includes(lowerCaseWords);

/** Signs of scripts without spaces stand alone, with what must not begin a line behind them. */
const WORD = / +|[\u1100-\u{10ffff}][、。，．：；！？）］｝」』》〉】”’…]*|[^ \u1100-\u{10ffff}]+/gu;

const wrapLine = (line: string, columns: number): string[] => {
  if (width(line) <= columns) return [line];
  const lines: string[] = [];
  let current = '';
  let used = 0;
  for (const word of line.match(WORD) ?? []) {
    const size = width(word);
    if (used + size <= columns) {
      current += word;
      used += size;
      continue;
    }
    if (word.trim() === '') {
      // Spaces at a line break belong to neither line.
      lines.push(current);
      [current, used] = ['', 0];
      continue;
    }
    if (used > 0) lines.push(current.trimEnd());
    const parts = split(word, columns);
    for (const part of parts.slice(0, -1)) lines.push(part);
    current = parts.at(-1) ?? '';
    used = width(current);
  }
  lines.push(current);
  return lines;
};

const split = (word: string, columns: number): string[] => {
  const parts: string[] = [];
  let part = '';
  let used = 0;
  for (const character of word) {
    const size = widthOf(character);
    if (used + size > columns) {
      parts.push(part);
      [part, used] = ['', 0];
    }
    part += character;
    used += size;
  }
  return [...parts, part];
};

const widthOf = (character: string): number => {
  const codePoint = character.codePointAt(0) ?? 0;
  return codePoint >= 0x20 && codePoint < 0x7f ? 1 : charWidth(codePoint);
};

const oneCodePoint = (cluster: string): string => {
  const [first = ''] = cluster;
  if (cluster === first) return cluster;
  return /^\p{Regional_Indicator}/u.test(cluster) ? '⚑' : first;
};
