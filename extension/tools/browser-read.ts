import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { targetField, toAim } from '#extension/toolkit/aim.ts';
import { renderMarkdown } from '#extension/toolkit/markdown.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

const DEFAULT_TOKENS = 10_000;

/** What a page says, to be read and not to be operated. */
export const browserRead = defineTool({
  name: 'browser_read',
  title: 'Read the text of {target}',
  description: 'Read an article or other text as Markdown, without refs or navigation; to act on a page, use browser_snapshot.',
  input: z.strictObject({
    target: targetField.optional().describe('Only this part: a ref or a selector'),
    urls: z.boolean().optional().describe('Also where links lead'),
    maxTokens: z.number().min(200).max(100_000).optional().describe(`Size limit, default ${DEFAULT_TOKENS}`),
    page: z.number().min(1).optional().describe('Which part of a text that was cut'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'read',
  scope: 'page',
  run: async ({ target, urls = false, maxTokens = DEFAULT_TOKENS, page: number = 1 }, { page }) => {
    await page.rest();
    const parts = await page.frames({ aim: target === undefined ? null : toAim(target), urls });
    const [top] = parts;
    if (top === undefined) throw new CompanionError('TOOL_FAILED', 'The page could not be read.');
    const { url, title } = top.snapshot;
    const { text, page: shown, pages } = renderMarkdown(parts, { maxTokens, page: number, isContentOnly: target === undefined });
    const more = pages === 1 ? '' : ` Part ${shown} of ${pages}: pass page ${shown === pages ? 1 : shown + 1}, or a target, for the rest.`;
    const body = text === '' ? '(no text: the page is empty or only drawn; browser_take_screenshot shows it)' : text;
    return pageResult(`Text of tab ${page.tabId}.${more}`, url, `url: ${url}\ntitle: ${title}\n\n${body}`);
  },
});
