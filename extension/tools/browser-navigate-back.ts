import * as z from 'zod';
import { loadedResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** One step back in the tab's history. */
export const browserNavigateBack = defineTool({
  name: 'browser_navigate_back',
  title: 'Go back',
  description: 'Go back to the previous page of the tab.',
  input: z.strictObject({ tabId }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  timeoutMs: 60_000,
  run: async (_, { page }) => loadedResult(page.tabId, await page.back()),
});
