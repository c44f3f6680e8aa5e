import * as z from 'zod';
import { whenReady } from '#extension/toolkit/when-ready.ts';
import { describeAim, elementField, targetField, toAim } from '#extension/toolkit/aim.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Fills a field, chooses an option, and sends with Enter when asked. */
export const browserType = defineTool({
  name: 'browser_type',
  title: 'Type into {element|target}',
  description: 'Replace the text of a field, or choose an option of a list by its text.',
  input: z.strictObject({
    target: targetField,
    text: z.string().describe('The new text, or the option'),
    element: elementField,
    submit: z.boolean().optional().describe('Press Enter afterwards'),
    slowly: z.boolean().optional().describe('Key by key, for pages that listen to keys'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'write',
  scope: 'page',
  describe: async ({ target, element, text, submit }, page) => [
    ...(await describeAim(target, element, page)),
    { label: submit === true ? 'Text, then Enter' : 'Text', text },
  ],
  run: async ({ target, text, submit = false, slowly = false }, { page, signal }) => {
    const aim = toAim(target);
    const options = { target: aim.target, text, isSlow: slowly, submits: submit };
    const { url } = await page.info();
    const acted = await page.act(() => whenReady(page, aim, signal, () => page.ask('type', options, aim.frameId)));
    return receiptResult(submit ? 'Typed and pressed Enter.' : 'Typed.', url, aim.frameId, acted);
  },
});
