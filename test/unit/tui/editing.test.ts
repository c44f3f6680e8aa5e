import { describe, expect, test } from 'vitest';
import { draftOf, edit, emptyDraft, insert, moveLine, type Draft } from '#companion/tui/editing.ts';

const press = (draft: Draft, ...keys: string[]): Draft => keys.reduce((current, key) => edit(current, key) ?? current, draft);

/** A draft with the cursor where the bar stands. */
const at = (text: string): Draft => ({ text: text.replace('|', ''), cursor: text.indexOf('|') });
const show = ({ text, cursor }: Draft): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`;

describe('editing', () => {
  test('types characters and spaces, and no key names', () => {
    expect(show(press(emptyDraft, '你', 'space', '😀', 'f5', 'C-q'))).toBe('你 😀|');
  });

  test.for([
    ['a👨‍👩‍👧|', 'backspace', 'a|'],
    ['|🇩🇪b', 'delete', '|b'],
    ['a你|', 'left', 'a|你'],
    ['|é', 'right', 'é|'],
    ['one two|', 'C-w', 'one |'],
    ['one two |', 'C-w', 'one |'],
    ['one |two', 'C-left', '|one two'],
    ['one| two', 'C-right', 'one two|'],
    ['a\nbc|d', 'home', 'a\n|bcd'],
    ['a\nb|cd\ne', 'end', 'a\nbcd|\ne'],
    ['a\nbc|d', 'C-u', 'a\n|d'],
    ['a\n|d', 'C-u', 'a|d'],
    ['|d', 'C-u', '|d'],
    ['a|bc\nd', 'C-k', 'a|\nd'],
    ['a\n|b', 'backspace', 'a|b'],
    ['|\nb', 'home', '|\nb'],
    ['|', 'backspace', '|'],
    ['x|', 'right', 'x|'],
  ] as const)('%s, %s', ([before, key, after]) => {
    expect(show(press(at(before), key))).toBe(after);
  });

  test('moves between lines, keeping the column', () => {
    expect(show(moveLine(at('abc\nd\nef|g'), -1) ?? emptyDraft)).toBe('abc\nd|\nefg');
    expect(show(moveLine(at('ab|c\nd'), 1) ?? emptyDraft)).toBe('abc\nd|');
    expect(moveLine(at('a|b\nc'), -1)).toBeNull();
    expect(moveLine(at('ab\n|c'), 1)).toBeNull();
  });

  test('makes a paste harmless', () => {
    expect(insert(draftOf('a'), '\u001b[31mb\r\nc\u202e')).toEqual(draftOf('ab\nc'));
  });
});
