import * as z from 'zod';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** What the debugger was told before. */
const Media = z
  .object({ media: z.string(), features: z.array(z.object({ name: z.string(), value: z.string() })) })
  .catch({ media: '', features: [] });

/** Lets a page see other preferences in its styles. */
export const browserEmulateMedia = defineTool({
  name: 'browser_emulate_media',
  set: 'emulation',
  title: 'Let the page see other colours and media',
  description: 'Let the styles of the page see another colour scheme or medium; what is left out stays, and null gives it back.',
  input: z.strictObject({
    colorScheme: z.enum(['light', 'dark', 'no-preference']).nullish().describe('Colours that the user prefers'),
    reducedMotion: z.enum(['reduce', 'no-preference']).nullish().describe('Whether they want less movement'),
    forcedColors: z.enum(['active', 'none']).nullish().describe('Whether the system forces its colours'),
    contrast: z.enum(['more', 'less', 'no-preference']).nullish().describe('Contrast that they prefer'),
    media: z.enum(['screen', 'print']).nullish().describe('print for the look on paper'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  run: async ({ colorScheme, reducedMotion, forcedColors, contrast, media }, { page }) => {
    const before = Media.parse((await page.emulated()).media);
    const given = [
      ['prefers-color-scheme', colorScheme],
      ['prefers-reduced-motion', reducedMotion],
      ['forced-colors', forcedColors],
      ['prefers-contrast', contrast],
    ] as const;
    const wanted = given.flatMap(([name, value]) => {
      const chosen = value === undefined ? before.features.find((feature) => feature.name === name)?.value : value;
      return chosen === undefined || chosen === null ? [] : [{ name, value: chosen }];
    });
    const medium = media === undefined ? before.media : (media ?? '');
    await page.emulate({ media: wanted.length === 0 && medium === '' ? null : { media: medium, features: wanted } });
    const told = [...(medium === '' ? [] : [medium]), ...wanted.map(({ name, value }) => `${name} ${value}`)];
    return textResult(told.length === 0 ? `Tab ${page.tabId} sees the real ones again.` : `Tab ${page.tabId} sees: ${told.join(', ')}.`);
  },
});
