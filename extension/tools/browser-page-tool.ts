import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Calls a tool that the page itself offers to agents. */
export const browserPageTool = defineTool({
  name: 'browser_page_tool',
  title: 'Use the tool {name} of the page',
  description: 'Call a tool that the page itself offers; browser_snapshot lists them.',
  input: z.strictObject({
    name: z.string().min(1).describe('Its name there'),
    arguments: z.record(z.string(), z.unknown()).optional().describe('What it asks for'),
    tabId,
  }),
  isOffered: true,
  parts: { tab: 'tabId' },
  toolClass: 'write',
  scope: 'page',
  describe: ({ name, arguments: given = {} }) =>
    Promise.resolve([toolLine('line_page_tool', name), toolLine('line_with', JSON.stringify(given))]),
  run: async ({ name, arguments: input = {} }, { page }) => {
    const { url } = await page.info();
    const acted = await page.act(() => page.ask('callPageTool', { name, input }));
    const { answer = null, change = null } = acted.value ?? {};
    const words =
      acted.value !== null && answer === null
        ? 'The tool has not answered yet: it may have filled a form that waits to be sent.'
        : acted.value === null
          ? 'The tool was called.'
          : 'The tool of the page answered.';
    const said = answer === null || answer === '' ? [] : [`answer: ${hideSecrets(answer)}`];
    return receiptResult(words, url, 0, { ...acted, value: change }, [], said);
  },
});
