import * as z from 'zod';
import { type Found, findLines } from '#extension/toolkit/find-lines.ts';
import { countUnread, wordsForMany } from '#extension/toolkit/frame-parts.ts';
import { toMatcher, wordsForLeftOut, wordsForRest } from '#extension/toolkit/page-words.ts';
import { nothingIn } from '#extension/toolkit/reading.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { type FramePart, renderSnapshot } from '#extension/toolkit/snapshot-text.ts';
import { defineTool, filename, tabId, unlisted } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';

/** The lines of a snapshot in which something stands, with their refs. */
export const browserFind = defineTool({
  name: 'browser_find',
  title: 'Look for {text}',
  description: 'Find text on a page, with refs and what is around it; cheaper than a snapshot of a long page.',
  input: z.strictObject({
    text: z.string().min(1).optional().describe('Text, capitals do not matter'),
    regex: z.string().min(1).optional().describe('Or a regular expression, for one line of a snapshot'),
    filename: unlisted(filename),
    tabId,
  }),
  parts: { tab: 'tabId', saves: 'filename' },
  toolClass: 'read',
  scope: 'page',
  run: async ({ text, regex }, { page }) => {
    const match = toMatcher(text, regex);
    const look = async (): Promise<Found & { parts: readonly FramePart[] }> => {
      const parts = await page.read({ aim: null, urls: false });
      const lines = findLines(renderSnapshot(parts, { maxTokens: Infinity, page: 1 }).text, match);
      return { ...lines, parts };
    };
    const first = await look();
    const sought = first.count === 0 && text !== undefined ? await page.seek(text) : null;
    const isFar = sought?.isFound === true;
    const found = isFar ? await look() : first;
    const { parts } = found;
    const { url = '', isPdf = false } = parts[0]?.snapshot ?? {};
    const more = found.count > found.shown ? `; the first ${found.shown} are shown, so search for something longer` : '';
    const words =
      found.count === 0
        ? `Nothing on the page matches${isPdf ? `: ${nothingIn(parts)}` : ''}.${isFar ? '' : wordsForRest(sought?.share ?? 1)}${wordsForFrames(parts)}`
        : `${counted(found.count, 'line matches', 'lines match')}${more}.${found.hasMorePlaces ? MORE_PLACES : ''}`;
    const unread = wordsForLeftOut(parts);
    return pageResult(isFar ? `${words} Its list was scrolled to it.${unread}` : words + unread, url, found.text);
  },
});

const MORE_PLACES = ' In a long line it stands in more places than are shown: search for something longer.';

const wordsForFrames = (parts: readonly FramePart[]): string => {
  const many = wordsForMany(parts);
  const unread = many === '' ? countUnread(parts) : 0;
  if (many !== '') return ` ${many}`;
  return unread === 0
    ? ''
    : ` ${counted(unread, 'frame of it was', 'frames of it were')} not read, still loading or closed to tools: browser_wait_for waits for a text there.`;
};
