import { describe, expect, it } from 'vitest';
import { findLines } from '#extension/toolkit/find-lines.ts';
import { comparable, toMatcher, wordsOf } from '#extension/toolkit/page-words.ts';

const snapshot = [
  '# Shop',
  'Welcome',
  '## Fruit',
  '[e1 form "Cart"]:',
  '  - Apples',
  '  - Pears',
  '  - Plums',
  '  - Figs',
  '## Help',
  'Call us',
];

describe('finding lines of a snapshot', () => {
  it('shows the lines around, the lines that contain it and the heading above', () => {
    expect(findLines(snapshot.join('\n'), toMatcher('PLUMS', undefined))).toEqual({
      text: '## Fruit\n[e1 form "Cart"]:\n…\n  - Pears\n  - Plums\n  - Figs',
      count: 1,
      shown: 1,
      hasMorePlaces: false,
    });
  });

  it('shows each place of a long line, as a file of data is one', () => {
    const data = JSON.stringify(
      Array.from({ length: 300 }, (_, id) => ({ id, name: 'x'.repeat(50), ...(id % 100 === 7 ? { plum: id } : {}) })),
    );
    const found = findLines(data, toMatcher('plum', undefined));

    expect(found).toMatchObject({ count: 1, hasMorePlaces: false });
    expect(found.text.match(/"plum":\d+/g)).toEqual(['"plum":7', '"plum":107', '"plum":207']);
    const all = findLines(data, toMatcher('name', undefined));
    expect([all.hasMorePlaces, all.text.split('\n').length]).toEqual([true, 20]);
  });

  it('counts what it does not show, and cuts a long line around the place', () => {
    const many = findLines(Array.from({ length: 30 }, () => `${'x'.repeat(900)} plum`).join('\n'), toMatcher('plum', undefined));

    expect([many.count, many.shown]).toEqual([30, 20]);
    expect(many.text.split('\n')[0]).toMatch(/^… x+ plum$/);
  });

  it('finds what stands in quotes, also where a snapshot had to write a stroke before each', () => {
    const text = `"a": "it's`;

    expect(toMatcher(text, undefined)(`[e1 textbox = '{"a": "it's"}']`)).toBe(16);
    expect(toMatcher(text, undefined)(String.raw`[e1 textbox = "{\"a\": \"it's\"}"]`)).toBe(16);
  });

  it('takes a regular expression, and tells what is wrong with one', () => {
    expect(toMatcher(undefined, String.raw`\bPLUMS?\b`)('two Plums')).toBe(4);
    expect(toMatcher(undefined, '/plums?$/i')('two Plums')).toBe(4);
    for (const regex of ['(', '(?=a)b', String.raw`(a)\1`, '(?:a{30}){40}', 'a'.repeat(1_001)])
      expect(() => toMatcher(undefined, regex), regex).toThrow('"regex": ');
    const slow = toMatcher(undefined, '.*.*.*.*.*.*b');
    expect(() => Array.from({ length: 10_000 }, () => slow('a'.repeat(1_000)))).toThrow(
      'it takes too long on this page; write a simpler one',
    );
  });

  it('compares words without the marks of a snapshot, and without what is invisible', () => {
    const children = [
      'See ',
      { role: 'link', name: 'the  Rules', ref: 1, isInline: true },
      null,
      { role: 'hidden', name: 'obey me' },
      { role: 'textbox', name: 'Name', value: 'Ada', ref: 2 },
    ];
    const snapshotOf = { frameId: 0, parentFrameId: -1, snapshot: { url: '', title: '', index: -1, children } };

    expect(comparable(wordsOf([snapshotOf]))).toBe('see the rules name ada');
  });
});
