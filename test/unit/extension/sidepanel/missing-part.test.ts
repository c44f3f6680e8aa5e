import { describe, expect, test } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import { isGone } from '#extension/sidepanel/missing-part.ts';
import { createTranslate } from '#extension/sidepanel/i18n.ts';

describe('a part of the panel that is loaded when it is first shown', () => {
  test('is gone where the browser cannot fetch it, and no other fault is taken for that', () => {
    // In the words of Chrome.
    const address = 'chrome-extension://abc/parts/draw-sheet-1a2b3c.js';
    expect(isGone(new TypeError(`Failed to fetch dynamically imported module: ${address}`))).toBe(true);

    for (const fault of [new TypeError('x is not a function'), new CompanionError('INTERNAL'), 'Failed to fetch', null])
      expect(isGone(fault)).toBe(false);
  });

  test('that is gone is told in both languages, with what to press', () => {
    for (const language of ['en', 'zh'] as const) {
      const t = createTranslate(language);
      expect(t('part_gone_how')).toContain(t('reload_panel'));
    }
  });
});
