import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

const side = z.int().min(100).max(4_000).optional();

/** Lays the page out as in a window of another size; the person's window stays as it is. */
export const browserResize = defineTool({
  name: 'browser_resize',
  title: 'Lay the page out in another size',
  description: 'Lay the page out in another size, as for a phone; without width and height in that of its window again.',
  input: z.strictObject({ width: side.describe('CSS pixels'), height: side.describe('CSS pixels'), tabId }),
  parts: { tab: 'tabId' },
  isWide: true,
  toolClass: 'navigate',
  scope: 'tab',
  run: async ({ width, height }, { page }) => {
    if ((width === undefined) !== (height === undefined))
      throw new CompanionError('TOOL_ARGUMENTS', 'browser_resize needs both "width" and "height", or neither.');
    const size = width === undefined || height === undefined ? null : { width, height, deviceScaleFactor: 0, mobile: false };
    const inside = await page.emulate({ size });
    // The layout has the room between the scroll bars; what was asked for is the size with them.
    const now = size ?? inside;
    const real = (await page.emulatedByOthers()).size === undefined ? 'as its window' : 'as others than you have set it';
    const words = size === null ? real : 'until the session ends, or browser_resize without width and height';
    return textResult(`Tab ${page.tabId} is ${now.width} × ${now.height} CSS pixels now, ${words}.`);
  },
});
