import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import type { PageToolAnswer } from '#extension/content/api.ts';
import { readToolName } from '#extension/toolkit/ref.ts';
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
  frameOf: ({ name }) => readToolName(name).frameId,
  toolClass: 'write',
  scope: 'page',
  describe: async ({ name: given, arguments: input = {} }, page) => {
    const { frameId, name } = readToolName(given);
    if (await page.ask('onlyLooksByPageTool', { name, input }, frameId)) page.describeAsLook();
    return [
      { ...toolLine('line_page_tool', given), element: given },
      // All of it, in pieces that a card shows whole.
      ...(JSON.stringify(input).match(/.{1,1500}/gsu) ?? []).map((text) => toolLine('line_with', text)),
    ];
  },
  run: async ({ name: given, arguments: input = {} }, { page }) => {
    const { frameId, name } = readToolName(given);
    const { url } = await page.info(frameId);
    const acted = await page.act(() => page.ask('callPageTool', { name, input }, frameId));
    const { answer = null, answerChars = 0, change = null, isFault = false } = acted.value ?? {};
    const cut = answer === null || answer.length === answerChars ? '' : ` (the first ${answer.length} of ${answerChars} characters)`;
    const said = answer === null || answer === '' ? [] : [`answer${cut}: ${hideSecrets(answer)}`];
    const result = receiptResult(wordsFor(acted.value, acted.loaded !== null), url, frameId, { ...acted, value: change }, [], said);
    return isFault ? { ...result, isError: true } : result;
  },
});

const wordsFor = (told: PageToolAnswer | null, hasLeft: boolean): string => {
  if (told === null) return 'The tool was called.';
  if (told.isFault) return 'The tool of the page answered that it failed.';
  if (told.answer !== null) return 'The tool of the page answered.';
  if (hasLeft) return 'The tool led to another page before it answered.';
  if (told.waitsForm) return 'The tool filled its form, which waits to be sent: click its button when it is right.';
  return 'The tool has not answered yet, after 15 s, and its answer is not told any more: look at the page.';
};
