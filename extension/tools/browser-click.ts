import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Outcome } from '#extension/content/api.ts';
import { changedWhenGone, whenReady } from '#extension/toolkit/when-ready.ts';
import { describeAim, elementField, targetField, toAim } from '#extension/toolkit/aim.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
import type { Aim } from '#extension/toolkit/page.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Clicks an element once it can be clicked, and says what changed. */
export const browserClick = defineTool({
  name: 'browser_click',
  title: 'Click {element|target}',
  description: 'Click an element; waits until it can be clicked and returns what changed.',
  input: z.strictObject({
    target: targetField.optional(),
    x: z.number().optional().describe('With y instead of target: place in the last screenshot'),
    y: z.number().optional().describe('See x'),
    element: elementField,
    doubleClick: z.boolean().optional().describe('Click twice'),
    button: z.enum(['left', 'right', 'middle']).optional().describe('Default left'),
    modifiers: z
      .array(z.enum(['Alt', 'Control', 'Meta', 'Shift']))
      .optional()
      .describe('Keys held down'),
    trusted: z.boolean().optional().describe('Real input through the debugger; only when a click had no effect'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'write',
  scope: 'page',
  describe: ({ target, x, y, element }, page) => describeAim(aimAt(target, x, y), element, page),
  run: async ({ target, x, y, doubleClick = false, button = 'left', modifiers = [], trusted = false }, { page, signal }) => {
    const aim = aimAt(target, x, y);
    const options = { target: aim.target, button, isDouble: doubleClick, modifiers };
    if (trusted && aim.frameId !== 0) {
      throw new CompanionError('TOOL_ARGUMENTS', '"trusted" works in the page itself, not inside a frame; remove it and retry.');
    }
    const pressTrusted = (): Promise<Outcome> =>
      page.withInput(async (input) => {
        const ready = await page.ask('aim', { target: aim.target }).catch(changedWhenGone);
        if ('notReady' in ready) return ready;
        await input.press(ready.point, options);
        // The press may have led to another page.
        return { done: await page.ask('receipt', { target: aim.target }).catch(goneWhenChanged) };
      });
    const attempt = trusted ? pressTrusted : () => page.ask('click', options, aim.frameId);
    const { url } = await page.info();
    const acted = await page.act(() => whenReady(page, signal, attempt));
    const opens = acted.value?.opens ?? null;
    const newTabs = opens === null ? acted.newTabs : [...acted.newTabs, { tabId: await page.openBeside(opens), url: opens }];
    return receiptResult('Clicked.', url, aim.frameId, { ...acted, newTabs });
  },
});

/** Coordinates from a picture are coordinates of the page's own viewport, not of a frame in it. */
const aimAt = (target: string | undefined, x: number | undefined, y: number | undefined): Aim => {
  if (target !== undefined) return toAim(target);
  if (x !== undefined && y !== undefined) return { frameId: 0, target: { point: { x, y } } };
  throw new CompanionError('TOOL_ARGUMENTS', 'browser_click needs "target", or "x" and "y" of a place in the last screenshot.');
};
