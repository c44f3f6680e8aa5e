import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { aimAt, aimInFrame, describeAim, elementField, placeFields, targetField } from '#extension/toolkit/aim.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { clickOn } from '#extension/toolkit/clicking.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

const UNCLICKED =
  'Pressed, but it moved or was put anew before the release, so that it got no click: click again, unless what follows is what was wanted.';

/** Clicks an element once it can be clicked, and says what changed. */
export const browserClick = defineTool({
  name: 'browser_click',
  title: 'Click {element}',
  description: 'Click an element; waits until it can be clicked and returns what changed.',
  input: z.strictObject({
    target: targetField.optional(),
    ...placeFields,
    element: elementField,
    doubleClick: z.boolean().optional().describe('Click twice'),
    clickCount: z.number().int().min(1).max(3).optional().describe('Or so often; 3 marks a paragraph'),
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
  describe: (args, page) => describeAim(aimAt('browser_click', args), args.element, page),
  run: async (args, { page, signal }) => {
    const { doubleClick = false, button = 'left', modifiers = [], trusted = false } = args;
    const aim = await aimInFrame('browser_click', page, args);
    if (trusted && aim.frameId !== 0) {
      throw new CompanionError('TOOL_ARGUMENTS', '"trusted" works in the page itself, not inside a frame; remove it and retry.');
    }
    const { url } = await page.info(aim.frameId);
    const count = args.clickCount ?? (doubleClick ? 2 : 1);
    const acted = await clickOn(page, signal, aim, { button, count, modifiers }, trusted);
    const opens = acted.value?.opens ?? null;
    const newTabs = opens === null ? acted.newTabs : [...acted.newTabs, { tabId: await page.openBeside(opens), url: opens }];
    const left = aim.frameId === 0 ? 'The page was left' : 'The frame went away';
    const known = acted.value?.isUnclicked === true ? UNCLICKED : 'Clicked.';
    const words = acted.isKnown ? known : `${left} in the same moment: it is not known whether it was clicked.`;
    return receiptResult(words, url, aim.frameId, { ...acted, newTabs });
  },
});
