import { describe, expect, it } from 'vitest';
import { fits } from '#extension/toolkit/text-filter.ts';

describe('a filter of an agent', () => {
  it('is a part of the text, with anything between and other ways, and no expression that could run on', () => {
    expect(fits('GET https://a.example/api/List', 'api/list')).toBe(true);
    expect(fits('https://a.example/api/list', 'api.*list')).toBe(true);
    expect(fits('https://a.example/api/list', 'list.*api')).toBe(false);
    expect(fits('https://a.example/b', 'x|/b')).toBe(true);
    expect(fits('a.b', 'a\\.b')).toBe(true);
    expect(fits('anything', '')).toBe(true);
    expect(fits('a'.repeat(50_000), '(a+)+$')).toBe(false);
  });
});
