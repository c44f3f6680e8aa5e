import { describe, expect, test } from 'vitest';
import { createTranslate } from '#extension/sidepanel/i18n.ts';
import { beginningOf, clip, quotations, toShortPath, toWhen } from '#extension/sidepanel/text.ts';

describe('text', () => {
  test('a long text is cut at the end of a line', () => {
    expect(clip('aaaa\nbbbb\ncccc', 11)).toEqual({ shown: 'aaaa\nbbbb', hiddenUnits: 5 });
    expect(clip('x'.repeat(20), 8)).toEqual({ shown: 'xxxxxxxx', hiddenUnits: 12 });
    expect(clip('short', 8)).toEqual({ shown: 'short', hiddenUnits: 0 });
  });

  test('no character is cut in two, however many units it has', () => {
    const family = '👩‍👩‍👧‍👦';

    expect(beginningOf(`ab${family}c`, 5)).toBe('ab');
    expect(beginningOf(`ab${family}c`, 2 + family.length)).toBe(`ab${family}`);
    expect(beginningOf(`${'潮'.repeat(900)}🇨🇳`, 902)).toBe('潮'.repeat(900));
    expect(beginningOf('e' + '\u0301'.repeat(2_000), 900)).toHaveLength(900);
    expect(clip(`${family}${family}`, family.length + 3)).toEqual({ shown: family, hiddenUnits: family.length });
    expect(toShortPath(`/home/${family}/tides.ts`, 14)).toBe('…/tides.ts');
  });

  test('a day of another year has its year', () => {
    const now = new Date(2027, 0, 2, 12);

    expect(toWhen(new Date(2027, 0, 1), now, 'en')).toBe('Jan 1');
    expect(toWhen(new Date(2026, 11, 31), now, 'en')).toBe('Dec 31, 2026');
    expect(toWhen(new Date(2026, 11, 31), now, 'zh-CN')).toBe('2026年12月31日');
  });

  test('a long path keeps its end', () => {
    expect(toShortPath('/home/somebody/projects/shop/src/cart.css', 20)).toBe('…s/shop/src/cart.css');
  });

  test('what stands in quotation marks is told from the sentence, also where it has such marks itself', () => {
    expect(quotations('Clicked “שלום” on “a “b” c”.')).toEqual(['Clicked “', 'שלום', '” on “', 'a “b” c', '”.']);
    expect(quotations('Clicked “left “ open”')).toEqual(['Clicked “', 'left “ open', '”']);
    expect(quotations('A ” b, and “c')).toEqual(['A ” b, and “', 'c']);
    expect(quotations('Nothing')).toEqual(['Nothing']);
  });

  test('every text exists in both languages and is filled in', () => {
    expect(createTranslate('en-US')('looked', { count: 3 })).toBe('Looked at 3 places');
    expect(createTranslate('zh-CN')('stop')).toBe('停止');
    expect(createTranslate('de')('stop')).toBe('Stop');
    expect(createTranslate('en')('remove', {})).toBe('Remove {name}');
  });
});
