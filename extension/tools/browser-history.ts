import * as z from 'zod';
import type { Said } from '#protocol/said.ts';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { firstLines } from '#extension/toolkit/beginning.ts';
import { hideInAddress, hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import { pageResult, textResult } from '#extension/toolkit/result.ts';
import { type VisitRow, defineTool } from '#extension/toolkit/tool.ts';
import { counted } from '#protocol/counted.ts';

const UNITS = { minute: 60_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000, month: 2_592_000_000, year: 31_536_000_000 } as const;

/** Where the person has been. */
export const browserHistory = defineTool({
  name: 'browser_history',
  set: 'history',
  title: 'Search your browsing history for {text}',
  description: 'Find pages that the user has visited.',
  input: z.strictObject({
    text: z.string().optional().describe('Words of title or address; without it all'),
    startTime: z.string().optional().describe('2026-05-01, "2 weeks ago"; default a day ago'),
    endTime: z.string().optional().describe('The same; default now'),
    maxResults: z.number().int().min(1).max(1_000).optional().describe('Default 100'),
    excludeCurrentTabs: z.boolean().optional().describe('Without what is open now'),
  }),
  toolClass: 'sensitive',
  scope: 'browser',
  permissions: ['history'],
  isReading: () => true,
  describe: async ({ startTime, endTime }) => {
    readSpan(startTime, endTime);
    return [toolLine('line_time', timeText(startTime, endTime))];
  },
  run: async ({ text, startTime, endTime, maxResults = 100, excludeCurrentTabs = false }, { profile }) => {
    const span = readSpan(startTime, endTime);
    const found = await profile.findVisits({ text: text ?? '', ...span, maxResults, excludeCurrentTabs });
    if (found.length === 0) return textResult('No page fits.');
    const shown = firstLines(found.map(toLine));
    const more = shown.length < found.length ? ` The first ${shown.length} are shown: give a "text" or a time.` : '';
    return pageResult(`${counted(found.length, 'page')}, the newest first.${more}`, 'about:blank', shown.join('\n'));
  },
});

const timeText = (from: string | undefined, to: string | undefined): Said => {
  if (from === undefined) return to === undefined ? toolText('last_day') : toolText('last_day_until', { to });
  return to === undefined ? toolText('since', { from }) : toolText('from_until', { from, to });
};

const readSpan = (startTime: string | undefined, endTime: string | undefined): { from: number; to: number } => {
  const now = Date.now();
  return {
    from: startTime === undefined ? now - UNITS.day : readTime('startTime', startTime, now),
    to: endTime === undefined ? now : readTime('endTime', endTime, now),
  };
};

const readTime = (name: string, text: string, now: number): number => {
  const given = text.trim().toLowerCase();
  if (given === 'now') return now;
  if (given === 'today') return new Date(now).setHours(0, 0, 0, 0);
  if (given === 'yesterday') return new Date(now).setHours(0, 0, 0, 0) - UNITS.day;
  const [, count, unit] = /^(\d+|an?) (minute|hour|day|week|month|year)s? ago$/.exec(given) ?? [];
  const at =
    unit === undefined ? Date.parse(text) : now - (Number(count) || 1) * (Object.entries(UNITS).find(([key]) => key === unit)?.[1] ?? 0);
  if (Number.isNaN(at))
    throw new CompanionError('TOOL_ARGUMENTS', `browser_history: "${name}" is a date (2026-05-01) or like "2 weeks ago".`);
  return at;
};

const toLine = ({ title, url, at, visits }: VisitRow): string =>
  `- ${new Date(at).toISOString().slice(0, 16)} "${hideSecrets(inOneLine(title))}" ${hideInAddress(inOneLine(url)).slice(0, 500)} (${counted(visits, 'visit')})`;

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');
