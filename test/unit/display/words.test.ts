import { describe, expect, test } from 'vitest';
import { inLanguage } from '#display/words.ts';

const texts = {
  changed: ['{count file|files} changed', '{count} 个文件已更改'],
  of: ['{done} of {count}', '{done}/{count}'],
} as const;

describe('texts with values', () => {
  const [english, chinese] = [inLanguage(texts, 'en'), inLanguage(texts, 'zh-CN')];

  test('say one and several by their number', () => {
    expect([0, 1, 2].map((count) => english('changed', { count }))).toEqual(['0 files changed', '1 file changed', '2 files changed']);
    expect(chinese('changed', { count: 1 })).toBe('1 个文件已更改');
  });

  test('take each value by its name, as it is', () => {
    expect(english('of', { done: '{count}', count: 3 })).toBe('{count} of 3');
    expect(english('of', { done: 1 })).toBe('1 of {count}');
  });
});
