import * as z from 'zod';
import { lastLines } from '#extension/toolkit/beginning.ts';
import { hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import type { ConsoleEntry } from '#extension/toolkit/page.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { fits } from '#extension/toolkit/text-filter.ts';
import { defineTool, filename, tabId, unlisted } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';

const LEVELS = ['error', 'warning', 'info', 'debug'] as const;
type Level = (typeof LEVELS)[number];

/** The console of the page, with its errors. */
export const browserConsoleMessages = defineTool({
  name: 'browser_console_messages',
  title: 'Read the console of the page',
  description: 'Read what the page wrote to its console, with errors of scripts and failed loads, to see why something does not work.',
  input: z.strictObject({
    level: z.enum(LEVELS).optional().describe('The least severe to show; default: info'),
    filter: z.string().optional().describe('A part of the text; .* stands for anything, | for or'),
    limit: unlisted(z.number().min(1).optional().describe('Only the newest')),
    clear: unlisted(z.enum(['before', 'after']).optional().describe('Forget the messages, without or with a look at them')),
    filename: unlisted(filename),
    tabId,
  }),
  parts: { tab: 'tabId', saves: 'filename' },
  toolClass: 'read',
  scope: 'page',
  run: async ({ level = 'info', filter = '', limit = Infinity, clear }, { page }) => {
    const { url } = await page.info();
    const kept = await page.console(clear !== undefined);
    const entries = (clear === 'before' ? [] : kept)
      .map((entry) => ({ level: levelOf(entry), text: hideSecrets(entry.text) }))
      .filter((entry) => LEVELS.indexOf(entry.level) <= LEVELS.indexOf(level) && fits(entry.text, filter))
      .slice(-limit);
    const lines = entries.map((entry) => `[${entry.level}] ${entry.text}`);
    const all = together(lines);
    const shown = lastLines(all);
    const left = shown.length === all.length ? '' : ' Older ones are left out.';
    const count = counted(entries.length, 'message');
    const since = clear === 'before' ? 'since the messages were forgotten just now' : 'since the page was loaded';
    const forgotten = clear === 'after' ? ' They are forgotten now.' : '';
    return pageResult(`${count} of level "${level}" or above ${since}.${left}${forgotten}`, url, shown.join('\n'));
  },
});

/** The level of an entry: browsers have several kinds of console calls for one level. */
const levelOf = ({ kind }: ConsoleEntry): Level => {
  if (kind === 'error' || kind === 'assert') return 'error';
  if (kind === 'warning') return 'warning';
  return kind === 'debug' || kind === 'verbose' ? 'debug' : 'info';
};

/** Joins equal lines that follow each other into one, with their number. */
const together = (lines: readonly string[]): string[] => {
  const runs: { readonly line: string; count: number }[] = [];
  for (const line of lines) {
    const last = runs.at(-1);
    if (last?.line === line) last.count += 1;
    else runs.push({ line, count: 1 });
  }
  return runs.map(({ line, count }) => (count === 1 ? line : `${line} (${count} times)`));
};
