import * as z from 'zod';
import { OFFERS_META, type ToolResult } from '#protocol/browser.ts';
import { type LineChanges, diffLines } from '#extension/toolkit/diff-lines.ts';
import { DEFAULT_TOKENS, roomBelow } from '#extension/toolkit/beginning.ts';
import { wordsForMany } from '#extension/toolkit/frame-parts.ts';
import { nothingIn, readingFields, readParts, restOf, wordsForUndrawn } from '#extension/toolkit/reading.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { UNFOLDED_TOKENS, cutPages, renderSnapshot, renderTools } from '#extension/toolkit/snapshot-text.ts';
import { defineTool, filename, tabId } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';
import { pageHeadWithin } from '#extension/toolkit/page-head.ts';

/** The page as text with refs. */
export const browserSnapshot = defineTool({
  name: 'browser_snapshot',
  title: 'Look at the page',
  description: 'Read the page as compact text with a ref for everything that can be operated; better than a screenshot for acting.',
  input: z.strictObject({
    ...readingFields,
    diff: z.boolean().optional().describe('Only what changed since your last one'),
    maxTokens: readingFields.maxTokens.describe(`Size limit, default ${DEFAULT_TOKENS}, or ${UNFOLDED_TOKENS} before long lists fold`),
    depth: z.number().int().min(1).optional().describe('How many levels'),
    filename,
    tabId,
  }),
  parts: { tab: 'tabId', saves: 'filename' },
  target: 'target',
  toolClass: 'read',
  scope: 'page',
  readsWhole: ({ target, urls }) => target === undefined && urls !== true,
  run: async ({ target, urls = false, maxTokens: given, page: number = 1, diff = false, depth }, { page, tabs, lastSnapshot }) => {
    const { parts, url, title } = await readParts(page, target, urls);
    const head = pageHeadWithin({ url, title });
    const offered = number === 1 ? renderTools(parts) : '';
    const maxTokens = given ?? roomBelow(head, offered);
    const isOverview = given === undefined && target === undefined;
    const extent = { maxTokens, unfoldedTokens: isOverview ? UNFOLDED_TOKENS : maxTokens, page: number };
    const text = renderSnapshot(parts, { ...extent, depth });
    if (target === undefined && !urls) {
      const before = lastSnapshot.read();
      const { whole } = depth === undefined ? text : renderSnapshot(parts, extent);
      lastSnapshot.keep({ url, text: whole });
      if (diff && before?.url === url) return changesResult(page.tabId, url, diffLines(before.text, whole), maxTokens);
    }
    const isNew = diff && target === undefined ? 'There is no earlier snapshot of this page, so it is whole.' : '';
    const isOnlyTab = await tabs.worksOnlyIn(page.tabId);
    const words = [
      isOnlyTab ? '' : `Tab ${page.tabId}:`,
      isNew,
      text.isFolded ? 'Long lists are folded: a target or a larger maxTokens shows more.' : '',
      wordsForMany(parts),
      wordsForUndrawn(parts),
      restOf(text),
    ];
    const body = text.text === '' ? `(nothing to read: ${nothingIn(parts)})` : text.text;
    const said = `${head}\n${offered === '' ? '' : `${offered}\n\n`}${body}`;
    const result = pageResult(words.filter((word) => word !== '').join(' '), url, said);
    return offered === '' ? result : { ...result, _meta: { ...result._meta, [OFFERS_META]: ['browser_page_tool'] } };
  },
});

const MAX_MOVED = 10;

const changesResult = (tabId: number, url: string, { added, gone, moved }: LineChanges, maxTokens: number): ToolResult => {
  // Where so many stand now the page as a whole tells.
  const isSorted = moved.length > MAX_MOVED;
  const elsewhere = moved.length === 0 ? '' : `, ${moved.length} moved`;
  const told = `${counted(added.length, 'line is', 'lines are')} new, ${gone.length} gone${elsewhere}`;
  const lines = Object.entries({ new: added, gone, moved: isSorted ? [] : moved }).flatMap(([what, some]) =>
    some.length === 0 ? [] : [`${what}:`, ...some],
  );
  const [shown = '', ...rest] = cutPages(lines, maxTokens);
  const more = rest.length === 0 && !isSorted ? '' : ' Not all is shown: take a whole snapshot.';
  return pageResult(`Tab ${tabId} since your last snapshot: ${told}.${more}`, url, shown);
};
