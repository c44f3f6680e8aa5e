import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Outcome } from '#extension/content/api.ts';
import { whenReady } from '#extension/toolkit/when-ready.ts';
import { describeAim, elementField, targetField, toAim } from '#extension/toolkit/aim.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Clicks an element once it can be clicked, and says what changed. */
export const browserClick = defineTool({
  name: 'browser_click',
  title: 'Click {element|target}',
  description: 'Click an element; waits until it can be clicked and returns what changed.',
  input: z.strictObject({
    target: targetField,
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
  toolClass: 'write',
  scope: 'page',
  describe: ({ target, element }, page) => describeAim(target, element, page),
  run: async ({ target, doubleClick = false, button = 'left', modifiers = [], trusted = false }, { page, signal }) => {
    const aim = toAim(target);
    const options = { target: aim.target, button, isDouble: doubleClick, modifiers };
    if (trusted && aim.frameId !== 0) {
      throw new CompanionError('TOOL_ARGUMENTS', '"trusted" works in the page itself, not inside a frame; remove it and retry.');
    }
    const pressTrusted = (): Promise<Outcome> =>
      page.withInput(async (input) => {
        const ready = await page.ask('aim', { target: aim.target });
        if ('notReady' in ready) return ready;
        await input.press(ready.point, options);
        // The press may have led to another page.
        return { done: await page.ask('receipt', { target: aim.target }).catch(goneWhenChanged) };
      });
    const attempt = trusted ? pressTrusted : () => page.ask('click', options, aim.frameId);
    const { url } = await page.info();
    const acted = await page.act(() => whenReady(page, aim, signal, attempt));
    const opens = acted.value?.opens ?? null;
    const newTabs = opens === null ? acted.newTabs : [...acted.newTabs, { tabId: await page.openBeside(opens), url: opens }];
    return receiptResult('Clicked.', url, aim.frameId, { ...acted, newTabs });
  },
});
