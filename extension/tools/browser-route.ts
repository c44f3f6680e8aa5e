import * as z from 'zod';
import type { Said } from '#protocol/said.ts';
import { toolLine, toolText } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { RouteWay } from '#extension/toolkit/page.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

const Input = z.strictObject({
  pattern: z.string().min(1).max(500).describe('Of the address; * stands for anything: **/api/users, **/*.{png,jpg}'),
  action: z.enum(['block', 'mock']).optional().describe('Default mock, or other headers alone where neither status nor body is given'),
  status: z.number().int().min(200).max(599).optional().describe('Default 200'),
  body: z.string().max(1_000_000).optional().describe('What is answered'),
  contentType: z.string().max(200).optional().describe('Default application/json'),
  headers: z
    .union([z.array(z.string()), z.record(z.string(), z.string())])
    .optional()
    .describe('"Name: value", of the answer, or of the request that goes on'),
  removeHeaders: z.string().optional().describe('Names with commas between, of the request that goes on'),
  tabId,
});
type Input = z.infer<typeof Input>;

/** Answers requests of a tab in the place of their server. */
export const browserRoute = defineTool({
  name: 'browser_route',
  set: 'network',
  title: 'Answer requests of the page in place of their server: {pattern}',
  description: 'Block requests of the tab that fit a pattern, answer them with a status and body of your own, or change their headers.',
  input: Input,
  parts: { tab: 'tabId' },
  // The answer may be a script, which runs with all that the page has.
  toolClass: 'sensitive',
  scope: 'page',
  describe: (given) => Promise.resolve([toolLine('line_answer', wordsFor(toWay(given)))]),
  run: async (given, { page }) => {
    const { pattern } = given;
    const way = toWay(given);
    const { origin } = await page.addRoute(pattern, way);
    const told = { block: 'are blocked', answer: 'are answered so', continue: 'go on with these headers' }[way.type];
    return textResult(
      `Requests of tab ${page.tabId} to ${pattern} ${told} on pages of ${origin}, until browser_unroute, or the end of the session or of the user's permission.`,
    );
  },
});

const toWay = ({ action, status, body, contentType, headers, removeHeaders }: Input): RouteWay => {
  if (action === 'block') return { type: 'block' };
  const set = Array.isArray(headers) ? Object.fromEntries(headers.map(toEntry)) : (headers ?? {});
  for (const [name, value] of Object.entries({ ...set, 'content-type': contentType ?? '' })) checkHeader(name, value);
  const remove = (removeHeaders ?? '').split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  const isAnswer = action === 'mock' || status !== undefined || body !== undefined || contentType !== undefined;
  const hasHeaders = remove.length > 0 || Object.keys(set).length > 0;
  if (!isAnswer && hasHeaders) return { type: 'continue', set, remove };
  return {
    type: 'answer',
    status: status ?? 200,
    body: body ?? '',
    headers: { 'content-type': contentType ?? 'application/json', ...set },
  };
};

const toEntry = (line: string): [string, string] => {
  const [whole, name = '', value = ''] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/s.exec(line) ?? [];
  if (whole === undefined)
    throw new CompanionError('TOOL_ARGUMENTS', `browser_route: "headers": "${line.slice(0, 80)}" is not "Name: value".`);
  return [name, value];
};

/** The debugger takes no other header, and would tell it with the request that waits for its answer. */
const checkHeader = (name: string, value: string): void => {
  try {
    new Headers([[name, value]]);
  } catch {
    throw new CompanionError('TOOL_ARGUMENTS', `browser_route: ${JSON.stringify(`${name}: ${value}`.slice(0, 80))} is no header.`, {
      remedy: 'Write it in Latin letters and in one line, its name without spaces.',
    });
  }
};

const wordsFor = (way: RouteWay): string | Said => {
  switch (way.type) {
    case 'block':
      return toolText('request_blocked');
    case 'answer':
      return `${way.status} ${way.body}`;
    case 'continue': {
      const headers = Object.entries(way.set)
        .map((entry) => entry.join(': '))
        .join(', ');
      const names = way.remove.join(', ');
      if (names === '') return toolText('other_headers', { headers });
      return headers === '' ? toolText('without_headers', { names }) : toolText('other_and_without_headers', { headers, names });
    }
  }
};
