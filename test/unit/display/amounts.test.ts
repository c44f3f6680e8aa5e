import { counted } from '#protocol/counted.ts';
import { describe, expect, test } from 'vitest';
import { toBadge, toCost, toCount, toDuration, toMoment, toSize, toSizeAbove } from '#display/amounts.ts';
import { inLanguage, words } from '#display/words.ts';

describe('amounts', () => {
  test('durations, counts and sizes are short', () => {
    expect([140, 12_400, 60_000, 185_000, 7_260_000].map((ms) => toDuration(ms, inLanguage(words, 'en')))).toEqual([
      '0.1 s',
      '12 s',
      '1 min',
      '3 min 5 s',
      '2 h 1 min',
    ]);
    expect([140, 60_000, 185_000, 7_260_000].map((ms) => toDuration(ms, inLanguage(words, 'zh-CN')))).toEqual([
      '0.1 秒',
      '1 分钟',
      '3 分 5 秒',
      '2 小时 1 分',
    ]);
    expect([950, 1200, 34_000, 999_700].map(toCount)).toEqual(['950', '1.2k', '34k', '1M']);
    expect([12, 3400, 5_000_000, 4_294_967_296].map(toSize)).toEqual(['12 B', '3.4 kB', '5 MB', '4.3 GB']);
    expect([5_000_001, 5_100_000].map((bytes) => toSizeAbove(bytes, 5_000_000))).toEqual(['> 5 MB', '5.1 MB']);
  });

  test('what was paid is never told as nothing', () => {
    expect([0, 0.0002, 0.001, 0.42, 12.3].map(toCost)).toEqual(['$0.00', '<$0.001', '$0.001', '$0.42', '$12.30']);
  });

  test('a count in a corner has one digit', () => {
    expect([1, 9, 10, 140].map(toBadge)).toEqual(['1', '9', '9+', '9+']);
  });

  test('a moment of another day says which', () => {
    const noon = new Date(2026, 10, 21, 12, 0).getTime();
    const hour = 3_600_000;
    expect(toMoment(noon + hour, noon)).not.toMatch(/21/);
    expect(toMoment(noon + 24 * hour, noon)).toMatch(/22/);
    expect(toMoment(noon + hour, noon)).toContain('00');
  });
});

test('a number has its noun in the singular and the plural', () => {
  expect([0, 1, 2].map((count) => counted(count, 'file'))).toEqual(['0 files', '1 file', '2 files']);
  expect([1, 2].map((count) => counted(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries']);
});
