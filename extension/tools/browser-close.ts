import * as z from 'zod';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Closes the tab that the session has done with. */
export const browserClose = defineTool({
  name: 'browser_close',
  isWide: true,
  title: 'Close the tab',
  description: 'Close the current tab, or the one named, once it is of no more use.',
  input: z.strictObject({ tabId }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'browser',
  run: async ({ tabId: named }, { tabs }) => {
    const { tabId: closed, wasCurrent } = await tabs.close(named);
    return textResult(`Closed tab ${closed}.${wasCurrent ? ' There is no current tab now: browser_navigate opens one.' : ''}`);
  },
});
