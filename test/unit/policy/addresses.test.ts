import { describe, expect, test } from 'vitest';
import { siteOf, decideAddress, type AddressFacts } from '#companion/policy/addresses.ts';

const decide = (facts: Partial<AddressFacts>): string =>
  decideAddress({
    origin: 'https://shop.example',
    hasUser: false,
    isLoopback: false,
    isKnown: false,
    hasPageText: false,
    hasLoopback: false,
    isAskedEachTime: false,
    ...facts,
  }).decision;

describe('an address that an agent opens', () => {
  test('is free before a page was read', () => {
    expect(decide({})).toBe('allow');
    expect(decide({ isLoopback: true })).toBe('allow');
  });

  test('is asked for after a page was read, unless the origin is known', () => {
    expect(decide({ hasPageText: true })).toBe('ask');
    expect(decide({ hasPageText: true, isKnown: true })).toBe('allow');
  });

  test('is asked for each time where the person wants that, also when it is known', () => {
    expect(decide({ isAskedEachTime: true, isKnown: true })).toBe('ask');
  });

  test('with a name or a password in it is asked for always', () => {
    expect(decide({ hasUser: true })).toBe('ask');
    expect(decide({ hasUser: true, isKnown: true })).toBe('ask');
  });

  test('on another port of this machine than the one of the task is asked for before a page was read too', () => {
    expect(decide({ isLoopback: true, hasLoopback: true })).toBe('ask');
    expect(decide({ isLoopback: true, hasLoopback: true, isKnown: true })).toBe('allow');
  });
});

describe('the same site, when its server sends a browser on', () => {
  test.each([
    ['http://a.example', ['http://a.example', 'https://a.example', 'http://www.a.example', 'https://www.a.example']],
    ['https://www.a.example:8443', ['https://www.a.example:8443', 'https://a.example:8443']],
    ['not an origin', []],
  ])('as %s', (origin, same) => {
    expect(siteOf(origin)).toEqual(same);
  });
});
