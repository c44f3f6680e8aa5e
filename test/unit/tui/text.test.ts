import { describe, expect, test } from 'vitest';
import { paint, unpaint } from '#companion/tui/paint.ts';
import { clean, cleanLine, fit, pad, width, wrap } from '#companion/tui/text.ts';

const samples = [
  'plain words that go on for a while',
  '你好，世界。这是一个很长的句子，用来测试换行。',
  '한국어 문장과 日本語の文が混ざっている行',
  'emoji 😀🎉 family 👨‍👩‍👧‍👦 flag 🇩🇪 heart ❤️ skin 👍🏽 keycap 1️⃣',
  'नमस्ते दुनिया, สวัสดีชาวโลก, e\u0301 a\u0308\u0323',
  'averylongwordwithoutanyspacesthathastobebrokensomewhere',
  '   leading and    inner spaces   ',
  'private \ue0b0 and unassigned \u{1fbff} and \u0378',
  '',
];

describe('clean', () => {
  test('leaves every cluster as one code point with a width', () => {
    for (const sample of samples) {
      for (const character of clean(sample)) expect(character === '\n' || width(character) > 0, JSON.stringify(character)).toBe(true);
    }
  });

  test('shows flags, families and keycaps by one sign each', () => {
    expect(clean('🇩🇪 👨‍👩‍👧‍👦 ❤️ 👍🏽 1️⃣ é')).toBe('⚑ 👨 ❤ 👍 1 é');
  });

  test('counts wide characters twice and marks not at all', () => {
    expect(width('a你😀')).toBe(5);
    expect(width(paint('error', 'a你'))).toBe(3);
  });

  test('makes one line of several', () => {
    expect(cleanLine('a  \n  b\n\nc')).toBe('a b c');
  });
});

describe('wrap', () => {
  test('makes no line too wide and loses nothing but spaces at breaks', () => {
    for (const sample of samples) {
      const text = clean(sample);
      for (let columns = 2; columns < 40; columns += 1) {
        const lines = wrap(text, columns);
        for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
        expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      }
    }
  });

  test('breaks between words where it can', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrap('a\n\nb', 10)).toEqual(['a', '', 'b']);
  });

  test('begins no line with a sign that closes', () => {
    expect(wrap('一二三。四五', 6)).toEqual(['一二', '三。四', '五']);
    expect(wrap('（一二）、三', 6)).toEqual(['（一', '二）、', '三']);
    expect(wrap('……。。。。', 4).every((line) => width(line) <= 4)).toBe(true);
  });

  test('breaks between Chinese characters', () => {
    expect(wrap('你好世界', 5)).toEqual(['你好', '世界']);
  });
});

describe('fit and pad', () => {
  test('never exceed the width, and pad reaches it', () => {
    for (const sample of samples) {
      const text = paint('accent', clean(sample)) + clean(sample);
      for (let columns = 0; columns < 30; columns += 1) {
        expect(width(fit(text, columns))).toBeLessThanOrEqual(columns);
        expect(width(pad(text, columns))).toBe(columns);
      }
    }
  });

  test('keep the style of what is left and close it', () => {
    expect(fit(paint('error', 'abcdef'), 4)).toBe(paint('error', 'abc…'));
    expect(unpaint(fit(`a${paint('error', 'bcdef')}g`, 3))).toBe('ab…');
  });
});
