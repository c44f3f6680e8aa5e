import * as z from 'zod';
import { pageResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { pageHead } from '#extension/toolkit/page-head.ts';

/** Asks the person for what only they can do or decide. The companion asks and waits; by the time of the call they have answered. */
export const browserAskHuman = defineTool({
  name: 'browser_ask_human',
  title: 'Ask you: {message}',
  description:
    'Ask the user to do in the page what only they can (a login, a code, a captcha), or to choose; waits for as long as it takes.',
  input: z.strictObject({
    message: z.string().min(1).max(1_000).describe('What they shall do or decide'),
    options: z
      .array(z.string().min(1).max(200))
      .min(2)
      .max(12)
      .optional()
      .describe('For a choice; without, they act in the page and say when it is done'),
    tabId,
  }),
  parts: { tab: 'tabId', question: 'message', choices: 'options' },
  toolClass: 'read',
  scope: 'page',
  run: async (_, { page }) => {
    await page.rest();
    const { url, title } = await page.info();
    return pageResult('The page is now:', url, pageHead({ url, title }));
  },
});
