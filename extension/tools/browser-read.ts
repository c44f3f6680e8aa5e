import * as z from 'zod';
import { renderMarkdown } from '#extension/toolkit/markdown.ts';
import { roomBelow } from '#extension/toolkit/beginning.ts';
import { nothingIn, readingFields, readParts, restOf, wordsForUndrawn } from '#extension/toolkit/reading.ts';
import { wordsForMany } from '#extension/toolkit/frame-parts.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { pageHeadWithin } from '#extension/toolkit/page-head.ts';

/** What a page says, to be read and not to be operated. */
export const browserRead = defineTool({
  name: 'browser_read',
  title: 'Read the text of the page',
  description: 'Read an article or other text as Markdown, without refs or navigation; to act, use browser_snapshot.',
  input: z.strictObject({ ...readingFields, tabId }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'read',
  scope: 'page',
  run: async ({ target, urls = false, maxTokens: given, page: number = 1 }, { page }) => {
    const { parts, url, title } = await readParts(page, target, urls);
    const head = pageHeadWithin({ url, title });
    const text = renderMarkdown(parts, { maxTokens: given ?? roomBelow(head), page: number, isContentOnly: target === undefined });
    const body = text.text === '' ? `(no text: ${nothingIn(parts)})` : text.text;
    return pageResult(
      [`Text of tab ${page.tabId}.`, wordsForMany(parts), wordsForUndrawn(parts), restOf(text)].filter((words) => words !== '').join(' '),
      url,
      `${head}\n${body}`,
    );
  },
});
