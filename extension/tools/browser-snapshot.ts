import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { targetField, toAim } from '#extension/toolkit/aim.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { renderSnapshot } from '#extension/toolkit/snapshot-text.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

const DEFAULT_TOKENS = 10_000;

/** The page as text with refs. */
export const browserSnapshot = defineTool({
  name: 'browser_snapshot',
  title: 'Read {target}',
  description: 'Read the page as compact text with a ref for everything that can be operated; better than a screenshot for acting.',
  input: z.strictObject({
    target: targetField.optional().describe('Only this part: a ref or a selector'),
    urls: z.boolean().optional().describe('Also show where links lead'),
    maxTokens: z.number().min(200).max(100_000).optional().describe(`Size limit, default ${DEFAULT_TOKENS}; long lists are folded first`),
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
    const text = renderSnapshot(parts, { maxTokens, page: number });
    const words = [
      `Snapshot of tab ${page.tabId}.`,
      text.isFolded ? 'Long lists are folded.' : '',
      text.pages > 1
        ? `Part ${text.page} of ${text.pages}: pass page ${text.page === text.pages ? 1 : text.page + 1}, or a target, for the rest.`
        : '',
    ];
    const body = text.text === '' ? '(nothing to read: the page is empty or only drawn; browser_take_screenshot shows it)' : text.text;
    return pageResult(words.filter((word) => word !== '').join(' '), url, `url: ${url}\ntitle: ${title}\n\n${body}`);
  },
});
