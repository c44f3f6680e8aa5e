import * as z from 'zod';
import type { Said } from '#protocol/said.ts';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import { firstLines } from '#extension/toolkit/beginning.ts';
import { hideInAddress, hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { type BookmarkRow, defineTool, type SubjectLines } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';

/** The person's bookmarks. */
export const browserBookmarks = defineTool({
  name: 'browser_bookmarks',
  set: 'bookmarks',
  title: 'Use your bookmarks: {action} {query} {title} {url}',
  description: "Find, add or delete bookmarks of the user's.",
  input: z
    .strictObject({
      action: z.enum(['search', 'add', 'delete']).describe('What to do'),
      query: z.string().optional().describe('For search: words of name or address; without it the newest'),
      url: z.string().optional().describe('For add, and to name the one to delete'),
      title: z.string().optional().describe('For add: its name'),
      folder: z.string().optional().describe('For add: the name or id of its folder; only in there, for search'),
      createFolder: z.boolean().optional().describe('For add: makes the folder where there is none'),
      id: z.string().optional().describe('For delete: its id from a search'),
      maxResults: z.number().int().min(1).max(500).optional().describe('For search, default 50'),
    })
    .refine(({ action, url }) => action !== 'add' || /^https?:$/.test(URL.parse(url ?? '')?.protocol ?? ''), {
      error: 'to add one, "url" must be an http or https address',
    })
    .refine(({ action, id, url }) => action !== 'delete' || id !== undefined || url !== undefined, {
      error: 'give the "id" or the "url" of the bookmark to delete',
    }),
  toolClass: 'sensitive',
  scope: 'browser',
  permissions: ['bookmarks'],
  isReading: ({ action }) => action === 'search',
  describe: async ({ action, id, url }, _page, profile) => {
    if (action !== 'delete') return [];
    const found = await profile.bookmarksOf({ id, url });
    // An id says nothing to a person, but before they let the browser look there is no more to say.
    return found === null ? [toolLine('line_bookmark', url ?? id ?? '')] : found.slice(0, MAX_NAMED).map(toSubject);
  },
  run: async ({ action, query, url, title, folder, createFolder, id, maxResults = 50 }, { profile }) => {
    switch (action) {
      case 'search': {
        const found = await profile.findBookmarks({ query: query ?? '', folder, maxResults });
        if (found.length === 0) return textResult('No bookmark fits.');
        const shown = firstLines(found.map(toLine));
        const more = shown.length < found.length ? ` The first ${shown.length} are shown: give a "query" or a "folder".` : '';
        return pageResult(`${counted(found.length, 'bookmark')}.${more}`, 'about:blank', shown.join('\n'));
      }
      case 'add': {
        const address = new URL(url ?? '');
        const made = await profile.addBookmark({
          url: address.href,
          title: title ?? address.host,
          folder,
          createFolder: createFolder === true,
        });
        return textResult(`Added as bookmark ${made.id}.`);
      }
      case 'delete': {
        const count = await profile.removeBookmarks({ id, url });
        return textResult(
          count === 0 ? 'No such bookmark; nothing was deleted.' : `Deleted ${count === 1 ? 'it' : `${count} of this address`}.`,
        );
      }
    }
  },
});

/** So many of one address stand on the card. */
const MAX_NAMED = 5;

const toSubject = (row: BookmarkRow): SubjectLines[number] => toolLine('line_bookmark', inWords(row));

const toLine = (row: BookmarkRow): string => `- ${row.id} ${inWords(row).text}`;

const inWords = ({ title, url, folder }: BookmarkRow): Said =>
  toolText('bookmark_in', {
    title: hideSecrets(inOneLine(title)),
    url: hideInAddress(inOneLine(url)).slice(0, 500),
    folder: inOneLine(folder),
  });

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
