import * as z from 'zod';
import { lastLines } from '#extension/toolkit/beginning.ts';
import { hideInAddress } from '#extension/toolkit/hide-secrets.ts';
import { isStatic, toRequestLine } from '#extension/toolkit/request-line.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { fits } from '#extension/toolkit/text-filter.ts';
import { defineTool, filename, tabId, unlisted } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';

const MAX_SHOWN = 100;

/** The requests of the tab, without what they carry. */
export const browserNetworkRequests = defineTool({
  name: 'browser_network_requests',
  title: 'List the requests of the tab',
  description: 'List the requests of pages of this site in the tab since your first call in it, with status and time, to see what failed.',
  input: z.strictObject({
    filter: z.string().optional().describe('A part of the address; .* stands for anything, | for or'),
    static: z.boolean().optional().describe('Also pictures, fonts, styles and scripts'),
    filename: unlisted(filename),
    tabId,
  }),
  parts: { tab: 'tabId', saves: 'filename' },
  toolClass: 'read',
  scope: 'page',
  run: async ({ filter = '', static: withStatic = false }, { page }) => {
    const { url } = await page.info();
    const { since, entries } = await page.requests();
    const found = entries.filter((entry) => (withStatic || !isStatic(entry)) && fits(hideInAddress(entry.url), filter));
    const shown = lastLines(found.slice(-MAX_SHOWN).map(toRequestLine));
    const words = [
      `${counted(found.length, 'request')} of the last ${Math.round((Date.now() - since) / 1000)} s, of ${entries.length} in all.`,
      shown.length < found.length ? `The newest ${shown.length} are shown; use filter for the others.` : '',
    ].filter((part) => part !== '');
    return pageResult(words.join(' '), url, shown.join('\n'));
  },
});
