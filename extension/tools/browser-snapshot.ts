import * as z from 'zod';
import { DEFAULT_TOKENS, readingFields, readParts, restOf } from '#extension/toolkit/reading.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { renderSnapshot, renderTools } from '#extension/toolkit/snapshot-text.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** The page as text with refs. */
export const browserSnapshot = defineTool({
  name: 'browser_snapshot',
  title: 'Look at the page',
  description: 'Read the page as compact text with a ref for everything that can be operated; better than a screenshot for acting.',
  input: z.strictObject({
    ...readingFields,
    maxTokens: readingFields.maxTokens.describe(`Size limit, default ${DEFAULT_TOKENS}; long lists are folded first`),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'read',
  scope: 'page',
  run: async ({ target, urls = false, maxTokens = DEFAULT_TOKENS, page: number = 1 }, { page }) => {
    const { parts, url, title } = await readParts(page, target, urls);
    const text = renderSnapshot(parts, { maxTokens, page: number });
    const words = [`Snapshot of tab ${page.tabId}.`, text.isFolded ? 'Long lists are folded.' : '', restOf(text)];
    const body = text.text === '' ? '(nothing to read: the page is empty or only drawn; browser_take_screenshot shows it)' : text.text;
    const offered = number === 1 ? renderTools(parts[0]?.snapshot.tools) : '';
    const said = [`url: ${url}\ntitle: ${title}`, ...(offered === '' ? [] : [offered]), body].join('\n\n');
    return pageResult(words.filter((word) => word !== '').join(' '), url, said);
  },
});
