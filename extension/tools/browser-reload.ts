import * as z from 'zod';
import { loadedResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Loads the page of a tab again. */
export const browserReload = defineTool({
  name: 'browser_reload',
  title: 'Load the page again',
  description: 'Load the page again.',
  input: z.strictObject({ tabId }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  timeoutMs: 60_000,
  run: async (_, { page }) => loadedResult(page.tabId, await page.reload()),
});
