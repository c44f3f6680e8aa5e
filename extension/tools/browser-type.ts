import * as z from 'zod';
import { whenReady } from './act.ts';
import { elementField, targetField, toAim } from './aim.ts';
import { receiptResult } from './receipt.ts';
import { defineTool, tabId } from './tool.ts';

/** Fills a field, chooses an option, and sends with Enter when asked. */
export const browserType = defineTool({
  name: 'browser_type',
  description: 'Replace the text of a field, or choose an option of a list by its text.',
  input: z.strictObject({
    target: targetField,
    text: z.string().describe('The new text, or the option'),
    element: elementField,
    submit: z.boolean().optional().describe('Press Enter afterwards'),
    slowly: z.boolean().optional().describe('Key by key, for pages that listen to keys'),
    tabId,
  }),
  toolClass: 'write',
  scope: 'page',
  run: async ({ target, text, submit = false, slowly = false }, { page, signal }) => {
    const aim = toAim(target);
    const options = { target: aim.target, text, isSlow: slowly, submits: submit };
    const { url } = await page.info();
    const acted = await page.act(() => whenReady(page, aim, signal, () => page.call('type', options, aim.frameId)));
    return receiptResult(submit ? 'Typed and pressed Enter.' : 'Typed.', url, aim.frameId, acted);
  },
});
