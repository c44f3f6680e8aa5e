import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { beginningOf } from '#extension/toolkit/beginning.ts';
import { hideInAddress, hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import type { Page, RequestEntry, ResponseBody } from '#extension/toolkit/page.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { defineTool, filename, tabId, unlisted } from '#extension/toolkit/tool.ts';

const PARTS = ['request-headers', 'request-body', 'response-headers', 'response-body'] as const;
type Part = (typeof PARTS)[number];

const MAX_ADDRESS = 1_000;
/** Of each part, where all are asked for: one alone is told as far as an answer reaches. */
const MAX_HEADERS = 3_000;
const MAX_BODY = 9_000;

/** What one request carried, and what was answered. */
export const browserNetworkRequest = defineTool({
  name: 'browser_network_request',
  title: 'Read a request of the tab',
  description: 'Read the headers and bodies of one request of browser_network_requests; cookies and keys are left out.',
  input: z.strictObject({
    index: z.int().describe('Its number there'),
    part: z.enum(PARTS).optional().describe('Default all'),
    filename: unlisted(filename),
    tabId,
  }),
  parts: { tab: 'tabId', saves: 'filename' },
  toolClass: 'sensitive',
  scope: 'page',
  describe: async ({ index }, page) => {
    const { method, url } = await entryOf(page, index);
    return [toolLine('line_request', `${method} ${hideInAddress(url)}`)];
  },
  run: async ({ index, part }, { page }) => {
    const begun = await entryOf(page, index);
    const wanted: readonly Part[] = part === undefined ? PARTS : [part];
    const isAsked = wanted.includes('response-body') && begun.error === null;
    const body = isAsked ? await page.responseBody(index) : null;
    // It may have ended while its body was waited for.
    const entry = (await page.requests()).entries.find((candidate) => candidate.index === index) ?? begun;
    const answer = body === 'coming' ? null : body;
    const words = [
      `Request ${index}: ${entry.error ?? entry.status ?? 'under way'}${entry.ms === null ? '' : ` after ${entry.ms} ms`}.`,
      body === 'coming' ? 'What is answered is still coming: call again for it.' : '',
      isAsked && body === null && entry.error === null
        ? 'The browser has not kept what was answered. It does from now on, while you work in this tab: repeat what asked for it (browser_reload), and look at its new number.'
        : '',
    ];
    const { url } = await page.info();
    const sections = wanted.flatMap((name) => sectionOf(name, entry, answer, part !== undefined));
    if (part !== undefined && part !== 'response-body' && sections.length === 0) words.push(`It has no ${part.replace('-', ' ')}.`);
    const said = [`${entry.method} ${hideInAddress(entry.url).slice(0, MAX_ADDRESS)}`, ...sections].join('\n');
    return pageResult(words.filter((word) => word !== '').join(' '), url, said);
  },
});

const entryOf = async (page: Page, index: number): Promise<RequestEntry> => {
  const { entries } = await page.requests();
  const found = entries.find((entry) => entry.index === index);
  if (found !== undefined) return found;
  const kept = entries.length === 0 ? 'none is kept yet' : `${entries[0]?.index} to ${entries.at(-1)?.index} are kept`;
  throw new CompanionError('TOOL_ARGUMENTS', `The pages of this site in the tab have no request ${index}: ${kept}.`, {
    remedy: 'Take its number from browser_network_requests.',
  });
};

/** Nothing where there is nothing. */
const sectionOf = (part: Part, entry: RequestEntry, answer: ResponseBody | null, isAlone: boolean): string[] => {
  const [maxHeaders, maxBody] = isAlone ? [Infinity, Infinity] : [MAX_HEADERS, MAX_BODY];
  switch (part) {
    case 'request-headers':
      return section('Request headers', entry.requestHeaders.join('\n'), maxHeaders);
    case 'request-body':
      return section('Request body', entry.requestBody ?? '', maxBody);
    case 'response-headers':
      return section('Response headers', entry.responseHeaders.join('\n'), maxHeaders);
    case 'response-body':
      return section('Response body', answer === null ? '' : (answer.text ?? `(${answer.sizeBytes} bytes that are no text)`), maxBody);
  }
};

/** Secrets are looked for in all of it, for at a cut one may not look like one. */
const section = (title: string, text: string, maxChars: number): string[] => {
  if (text === '') return [];
  const shown = hideSecrets(text);
  const { text: beginning } = beginningOf(shown.slice(0, maxChars));
  const cut = beginning.length < shown.length ? `\n(the first ${beginning.length} of ${shown.length} characters)` : '';
  return [`\n${title}:\n${beginning}${cut}`];
};
