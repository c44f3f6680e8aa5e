import { describe, expect, test } from 'vitest';
import { randomId } from '#companion/lib/random-id.ts';

describe('an id that nobody can guess', () => {
  test('is another one each time, also beyond what the system was asked for at once', () => {
    const ids = Array.from({ length: 1_000 }, () => randomId());

    expect(new Set(ids).size).toBe(1_000);
    expect(ids.every((id) => /^[a-z2-7]{32}$/.test(id))).toBe(true);
  });

  test('has all letters in all places', () => {
    const ids = Array.from({ length: 2_000 }, () => randomId());

    for (let place = 0; place < 32; place += 1) expect(new Set(ids.map((id) => id.charAt(place))).size).toBe(32);
  });

  test('begins with what it names', () => {
    expect(randomId('call')).toMatch(/^call_[a-z2-7]{32}$/);
  });
});
