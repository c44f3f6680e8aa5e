import { describe, expect, test } from 'vitest';
import { readWanted, wordsOf } from '#companion/store/search-words.ts';
import { fits, marksIn, snippetOf } from '#companion/store/snippet.ts';

const has = (text: string, typed: string): boolean => fits(text, readWanted(typed));
/** Whether the index leads to the text: it has all words, or for a beginning one that begins so. */
const isIndexed = (text: string, typed: string): boolean => {
  const words = [...wordsOf(text)];
  return readWanted(typed).words.every(({ word, isPrefix }) => words.some((known) => (isPrefix ? known.startsWith(word) : known === word)));
};
const marked = (text: string, typed: string): string[] => marksIn(text, readWanted(typed)).map(([from, to]) => text.slice(from, to));

describe('what is typed is found', () => {
  test.each([
    ['Fix the LOGIN page', 'login'],
    ['Fix the login page', 'pag'],
    ['Fix the login page', 'page fix '],
    ['Straße im Café, naïve', 'cafe'],
    ['Straße im Cafe\u0301', 'café '],
    ['Straße im Café', 'strasse '],
    ['Straße im Café', 'stras'],
    ['Hauptstrasse', 'HAUPTSTRAẞE '],
    ['STRASSE', 'straße '],
    ['ΟΔΟΣ Ερμού', 'οδος '],
    ['η οδός', 'ΟΔΟΣ '],
    ['npm run test:faults -- --whole', 'faults whole'],
    ['src/store/search-index.ts', 'search-ind'],
    ['snake_case_name', 'case_na'],
    ['全文搜索很快', '搜索'],
    ['全文搜索很快', '文搜'],
    ['全文搜索很快', '全文搜索'],
    ['全文搜索很快', '快'],
    ['全文搜索很快', '搜'],
    ['请用React写', 'react'],
    ['请用React写', '请用 re'],
    ['検索エンジン', 'エンジン'],
    ['한국어 검색', '검색'],
    ['ＦＵＬＬ width', 'full'],
    ['error TS2741 in stage.ts', '"in stage"'],
    ['a "quoted   text" here', '"quoted text"'],
    ['constructor and __proto__', 'constructor'],
    ['𠮷野家 and 🐟 fish', '𠮷野'],
    ['𠮷野家 and 🐟 fish', '🐟'],
    ['done ❤️ and shipped🚀', '🚀'],
    ['done ❤️ and shipped🚀', '❤'],
    ['👍🏽 from 🇩🇪', '👍 🇩🇪'],
    ['ค้นหาข้อความได้เร็ว', 'ข้อความ'],
    ['חיפוש מהיר בעברית', 'מהיר'],
    ['الْبَحْثُ سريع', 'البحث'],
    ['100% _done_ a*b C:\\temp', '100% _don'],
    ['100% _done_ a*b C:\\temp', 'a*b'],
    ['NOT this OR that', 'NOT OR'],
  ])('%s: %s', (text, typed) => {
    expect(isIndexed(text, typed)).toBe(true);
    expect(has(text, typed)).toBe(true);
    expect(marked(text, typed).join('')).not.toBe('');
  });
});

describe('what is not there is not found', () => {
  test.each([
    ['Fix the login page', 'log '],
    ['Fix the login page', 'age'],
    ['全文搜索很快', '文全'],
    ['上海人 海人', '上海市'],
    ['in the stage, in', '"stage in the"'],
    ['Fix the login page', 'login pages '],
    ['Fix the login page', '🚀'],
    ['a🚀 b🐟', '🚀🐟'],
    ['Fix the login page', 'login OR nothing'],
    ['Fix the login page', 'l%n '],
  ])('%s: %s', (text, typed) => {
    expect(has(text, typed)).toBe(false);
  });

  test('pairs that are there, but not beside each other, must be read to be told apart', () => {
    expect(isIndexed('上海 and 海市', '上海市')).toBe(true);
    expect(readWanted('上海市').mustBeRead).toBe(true);
    expect(has('上海 and 海市', '上海市')).toBe(false);
  });
});

test('the signs of a language that is one letter without them count', () => {
  for (const typed of ['C++', 'c+', 'Ｃ＋＋']) {
    expect(has('written in C++17', typed), typed).toBe(true);
    expect(isIndexed('written in C++17', typed), typed).toBe(true);
    expect(has('a cat in C, or abc++', typed), typed).toBe(false);
  }
  expect(has('port it from C# to F#', 'c# f#')).toBe(true);
  expect(has('port it from C to F', 'c# f#')).toBe(false);
  expect(readWanted('c++ ').mustBeRead).toBe(true);
});

test('signs alone ask for nothing', () => {
  expect(readWanted('!!! -- "').words).toEqual([]);
  expect(readWanted('"" " ').words).toEqual([]);
});

test('a key or a hash is no word', () => {
  expect([...wordsOf(`short ${'x'.repeat(500)}`)]).toEqual(['short']);
});

describe('the line that is shown', () => {
  test('stands around the first place, is one line, and its marks are where the words are', () => {
    const text = `${'word '.repeat(200)}\n\nthe needle\tstands here ${'more '.repeat(200)}`;

    const { text: shown, marks } = snippetOf(text, readWanted('needle here'));

    expect(shown.length).toBeLessThanOrEqual(242);
    expect(shown).toMatch(/^….*the needle stands here.*…$/u);
    expect(shown).not.toMatch(/[\n\t]/u);
    expect(marks.map(([from, to]) => shown.slice(from, to))).toEqual(['needle', 'here']);
  });

  test('a text that changes its length when it is folded is marked in the right place', () => {
    const text = `${'ﬁ '.repeat(300)} e\u0301t\u0301e\u0301 and then the needle`;

    const { text: shown, marks } = snippetOf(text, readWanted('needle ete '));

    expect(marks.map(([from, to]) => shown.slice(from, to))).toEqual(['e\u0301t\u0301e\u0301', 'needle']);
  });

  test('no character is cut in two', () => {
    for (let count = 0; count < 4; count += 1) {
      const { text: shown } = snippetOf(`${'x'.repeat(count)}${'🐟'.repeat(400)} needle ${'🐟'.repeat(400)}`, readWanted('needle'));
      expect(shown.isWellFormed()).toBe(true);
    }
  });
});
