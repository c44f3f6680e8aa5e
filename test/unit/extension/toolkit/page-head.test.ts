import { describe, expect, it } from 'vitest';
import { pageHead, pageHeadWithin } from '#extension/toolkit/page-head.ts';

describe('where a page is', () => {
  it('is told whole', () => {
    const url = `https://a.example/?state=${'x'.repeat(900)}`;

    expect(pageHead({ url, title: 'A page' })).toBe(`url: ${url}\ntitle: A page`);
  });

  it('goes on from the origin that the envelope names already', () => {
    expect(pageHeadWithin({ url: 'https://a.example/shop?page=2#top', title: 'Shop' })).toBe('/shop?page=2#top "Shop"');
    expect(pageHeadWithin({ url: 'about:blank', title: '' })).toBe('about:blank');
    expect(pageHeadWithin({ url: 'https://me@a.example/', title: 'A' })).toBe('https://me@a.example/ "A"');
  });

  it('stays short, whatever the page puts there, and breaks nothing in two that may be a secret', () => {
    const url = `https://a.example/play?lang=ts&token=half-${'x'.repeat(200_000)}`;

    expect(pageHead({ url, title: 'A' })).toBe('url: https://a.example/play?lang=ts&token=… (200042 characters)\ntitle: A');
    expect(pageHead({ url: 'about:blank', title: `${'word '.repeat(59)}Tr0ub4dor` })).toMatch(/word … \(304 characters\)$/);
    expect(pageHead({ url: 'about:blank', title: '潮'.repeat(500) })).toMatch(/潮{300}… \(500 characters\)$/);
  });
});
