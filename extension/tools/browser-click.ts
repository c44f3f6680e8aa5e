import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { describeAim, elementField, targetField, toAim } from '#extension/toolkit/aim.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { clickOn } from '#extension/toolkit/clicking.ts';
import type { Aim } from '#extension/toolkit/page.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Clicks an element once it can be clicked, and says what changed. */
export const browserClick = defineTool({
  name: 'browser_click',
  title: 'Click {element}',
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
    trusted: z.boolean().optional().describe('Real input from the start; tried by itself where a page wants it'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'write',
  scope: 'page',
  describe: ({ target, x, y, element }, page) => describeAim(aimAt(target, x, y), element, page),
  run: async ({ target, x, y, doubleClick = false, button = 'left', modifiers = [], trusted = false }, { page, signal }) => {
    const aim = aimAt(target, x, y);
    if (trusted && aim.frameId !== 0) {
      throw new CompanionError('TOOL_ARGUMENTS', '"trusted" works in the page itself, not inside a frame; remove it and retry.');
    }
    const { url } = await page.info();
    const acted = await clickOn(page, signal, aim, { button, isDouble: doubleClick, modifiers }, trusted);
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
