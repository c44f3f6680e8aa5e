import { describe, expect, test } from 'vitest';
import { LinearPattern } from '#extension/shared/linear-pattern.ts';

const LINES = [
  '',
  'a',
  'aaab',
  'ABAB abab',
  '- button "Save {draft}" [ref=e12] (2 of 3)',
  'x-1, y_2: 3.50 €',
  'Zoë sah 2 Äpfel; ſhe, K and k',
  '苹果 12 斤，🍎🍎 and 👩‍👩‍👧',
  'a]b^c$d|e\\f',
  ' leading and trailing ',
];

/** Each in the language's own reading is the judge. */
const PATTERNS = [
  '',
  'a',
  'b|a',
  'ab|',
  '^a',
  'b$',
  '^$',
  '(a+)+$',
  '(a|a)*b',
  '((a*)b)*$',
  '(?:x{2,})+',
  '(?<name>a+?)b',
  'a{2}b',
  'a{2,3}?b',
  'a{0}b',
  'a{1,}b',
  '(?:^|b)a',
  '(?:a?){3}b',
  '(?:)*a',
  '(a*)*c',
  String.raw`\bsave\b`,
  String.raw`\Ba\B`,
  String.raw`\d+(?:\.\d{2})?\s€`,
  String.raw`[\]^]b?`,
  '[^a-z ]+',
  '[]|b',
  '[^]$',
  String.raw`\p{Script=Han}+ \d`,
  String.raw`\P{L}{3}`,
  String.raw`\u{1F34E}{2}`,
  String.raw`\uD83C\uDF4E`,
  String.raw`\x41\u0042`,
  String.raw`\{.*\}`,
  String.raw`\\f|\$d`,
  '.$',
  '🍎+ ',
  String.raw`\w{3,}`,
  's',
  'K',
  'äPFEL',
  'zoë|苹果',
  String.raw`e\d+\] \(`,
];

describe('a regular expression without another try', () => {
  test.each(PATTERNS)('finds what the language finds: %s', (source) => {
    const pattern = new LinearPattern(source);

    expect(LINES.map((line) => pattern.search(line))).toEqual(LINES.map((line) => line.search(new RegExp(source, 'iu'))));
  });

  test('takes all combinations of short expressions as the language does', () => {
    const atoms = ['a', 'b', '.', '^', '$', '(?:a|b)', '(?:ab)?', String.raw`\b`, '(?:)'];
    const counted = atoms.flatMap((atom) =>
      /[\^$]|\\b/.test(atom) ? [atom] : ['', '*', '+', '{2}', '{1,2}'].map((count) => `(?:${atom})${count}`),
    );
    const sources = counted.flatMap((one) => counted.flatMap((other) => [one + other, `${one}|${other}`, `(${one}${other})*b`]));
    const lines = ['', 'a', 'b', 'ab', 'ba b', 'aab', 'abba', 'bbaa', 'c ab'];

    const different = sources.filter((source) => {
      const pattern = new LinearPattern(source);
      return lines.some((line) => pattern.search(line) !== line.search(new RegExp(source, 'iu')));
    });

    expect(different).toEqual([]);
  });

  // Each of them keeps the language busy for years.
  test.each([
    '(a+)+$',
    '^(a|a)*$',
    '^((a*)*)*$',
    `^${'a?'.repeat(60)}${'a'.repeat(60)}$`,
    `${'.*'.repeat(40)}b`,
    '(?:a{0,9}){9}c',
    '(?:a|aa|aaa)+c',
  ])('ends on a text that a page chose: %s', (source) => {
    expect(new LinearPattern(source).search(`${'a'.repeat(1_000)}!`)).toBe(-1);
  });

  test('refuses what would take much room or time to read', () => {
    for (const source of ['((a{100}){100}){100}', '((?:){1000000}){1000000}', '('.repeat(2_000), 'a{5000}'])
      expect(() => new LinearPattern(source), source).toThrow(SyntaxError);
  });

  test('ends for all lines together', () => {
    const pattern = new LinearPattern(`${'.*'.repeat(40)}b`);

    expect(() => Array.from({ length: 10_000 }, () => pattern.search('a'.repeat(1_000)))).toThrow(RangeError);
  });
});
