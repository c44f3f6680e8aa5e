import * as z from 'zod';
import { firstLines } from '#extension/toolkit/beginning.ts';
import { cutAddress } from '#extension/toolkit/cut.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { type DownloadRow, defineTool, unlisted } from '#extension/toolkit/tool.ts';

const MAX_NAME = 200;
const MAX_URL = 300;

/** What became of the session's downloads. */
export const browserDownloads = defineTool({
  name: 'browser_downloads',
  title: 'List the downloads',
  description: 'List the files that your calls downloaded, with path and state.',
  input: z.strictObject({ filter: unlisted(z.string().optional().describe('A part of the name')) }),
  toolClass: 'read',
  scope: 'browser',
  run: async ({ filter = '' }, { downloads }) => {
    const all = await downloads();
    if (all.length === 0) return textResult('Your calls have downloaded nothing.');
    const rows = all.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));
    if (rows.length === 0) return textResult(`None of your ${all.length} downloads has this name.`);
    const shown = firstLines(rows.map(toLine));
    const more = shown.length < rows.length ? ` The first ${shown.length} are shown.` : '';
    const words = rows.length === 1 ? '1 download.' : `${rows.length} downloads, the newest first.${more}`;
    // They may come from many sites.
    return pageResult(words, 'about:blank', shown.join('\n'));
  },
});

const toLine = ({ name, url, path, state, sizeBytes }: DownloadRow): string =>
  [
    `- ${name === '' ? 'no name' : inOneLine(name).slice(0, MAX_NAME)} (${state}${sizeBytes === null ? '' : `, ${sizeBytes} bytes`})`,
    ...(path === null ? [] : [`path: ${inOneLine(path)}`]),
    `from: ${cutAddress(inOneLine(url), MAX_URL)}`,
  ].join(' ');

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
