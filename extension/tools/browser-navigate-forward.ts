import * as z from 'zod';
import { loadedResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** One step forward in the tab's history. */
export const browserNavigateForward = defineTool({
  name: 'browser_navigate_forward',
  title: 'Go forward',
  description: 'Go forward again, after going back.',
  input: z.strictObject({ tabId }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  timeoutMs: 60_000,
  run: async (_, { page }) => loadedResult(page.tabId, await page.forward()),
});
