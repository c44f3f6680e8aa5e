import * as z from 'zod';
import { loadedResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Loads an address and waits until the page can be read. */
export const browserNavigate = defineTool({
  name: 'browser_navigate',
  title: 'Open {url}',
  description: 'Open an http or https address in the current tab; without one, in a new tab in the background.',
  input: z.strictObject({
    url: z.string().min(1).describe('The address'),
    tabId,
  }),
  parts: { address: 'url', tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  timeoutMs: 60_000,
  run: async ({ url }, { page, tabs }) => loadedResult(page.tabId, await page.open(tabs.toAddress(url))),
});
