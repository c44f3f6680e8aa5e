import * as z from 'zod';
import { describeLoad } from './receipt.ts';
import { pageResult } from './result.ts';
import { defineTool, tabId } from './tool.ts';

/** One step back in the tab's history. */
export const browserNavigateBack = defineTool({
  name: 'browser_navigate_back',
  description: 'Go back to the previous page of the tab.',
  input: z.strictObject({ tabId }),
  toolClass: 'navigate',
  scope: 'tab',
  timeoutMs: 60_000,
  run: async (_, { page }) => {
    const loaded = await page.back();
    return pageResult(`Tab ${page.tabId}: ${describeLoad(loaded)}`, loaded.url, `url: ${loaded.url}\ntitle: ${loaded.title}`);
  },
});
