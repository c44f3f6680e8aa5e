import { describe, expect, test } from 'vitest';
import { choicesOf, fitsPattern, hasPart, isAtAddress } from '#extension/toolkit/address-pattern.ts';

describe('a pattern of addresses', () => {
  test.each([
    ['https://a.example/x.png', '*', true],
    ['https://a.example/x.png', '**/*.png', true],
    ['https://a.example/x.png', '**/*.jpg', false],
    ['https://a.example/x.png', 'https://a.example/x.png', true],
    ['https://a.example/x.pngs', 'https://a.example/x.png', false],
    ['https://a.example/x.png', 'https://a.example/?.png', true],
    ['https://a.example/xy.png', 'https://a.example/?.png', false],
    ['https://a.example/x+png', '*x.png', false],
    ['abab', 'ab*ab', true],
    ['aba', 'ab*ba', false],
    ['abcbcd', 'a*bcd', true],
    ['', '*', true],
    ['', '?', false],
    ['a', '', false],
    ['line\nline', 'line*line', true],
  ])('%j and %j: %s', (address, pattern, fits) => {
    expect(fitsPattern(address, pattern)).toBe(fits);
  });

  test('ends on an address that a page chose', () => {
    expect(fitsPattern('a'.repeat(20_000), `${'*a'.repeat(249)}b`)).toBe(false);
  });

  test('names several choices, and no more than fifty', () => {
    expect(choicesOf('*.{png, jpg}')).toEqual(['*.png', '*.jpg']);
    expect(choicesOf('{a,b}/{c,d}')).toEqual(['a/c', 'a/d', 'b/c', 'b/d']);
    expect(choicesOf('a{b}c{')).toEqual(['a{b}c{']);
    expect(choicesOf('{a,b}'.repeat(100))).toHaveLength(50);
  });
});

describe('an address that is waited for', () => {
  test.each([
    ['https://a.example/orders/7/edit', '/orders/', true],
    ['https://a.example/orders/7/edit', '/orders/*/edit', true],
    ['https://a.example/orders/7/edit', '/orders/*/view', false],
    ['https://a.example/orders', '**/orders', true],
    ['https://a.example/orders?page=2#top', '**/orders', true],
    ['https://a.example/orders/7', '**/orders', false],
    ['https://a.example/orders/7', '**/orders/*', true],
    ['https://a.example/done', 'https://*.example/{done,over}', true],
    ['https://a.example/done', 'http://*/done', false],
  ])('%j, for %j: %s', (address, part, hasCome) => {
    expect(hasPart(address, part)).toBe(hasCome);
  });
});

describe('a tab at an address', () => {
  test.each([
    ['https://a.example/', 'https://a.example', true],
    ['https://a.example/x?y#z', 'https://a.example/', true],
    ['https://a.example/x', 'https://a.example/x/', true],
    ['https://a.example/xy', 'https://a.example/x', false],
    ['https://a.example.evil.example/', 'https://a.example', false],
    ['https://a.example/', 'https://a.example/x', false],
    ['https://a.example/x', '*.example/x', true],
    ['https://a.example/x/y', '*.example/x', false],
  ])('%j is at %j: %s', (address, named, isThere) => {
    expect(isAtAddress(address, named)).toBe(isThere);
  });
});
