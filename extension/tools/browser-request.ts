import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { PageError } from '#extension/toolkit/page-error.ts';
import { toolLine } from '#protocol/tool-lines.ts';
import { beginningOf } from '#extension/toolkit/beginning.ts';
import { hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** A request that the page makes for the agent, as the person. */
export const browserRequest = defineTool({
  name: 'browser_request',
  set: 'network',
  title: 'Make a request with your cookies: {method} {url}',
  description: "Make a request from the page, with the user's cookies, and get status, headers and body.",
  input: z
    .strictObject({
      url: z.url({ protocol: /^https?$/ }).describe('The address, whole'),
      method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD']).optional().describe('Default GET'),
      headers: z.record(z.string(), z.string()).optional().describe('Headers'),
      body: z.string().max(1_000_000).optional().describe('What is sent'),
      tabId,
    })
    .refine(({ method = 'GET', body }) => body === undefined || !/^(?:GET|HEAD)$/.test(method), {
      error: 'GET and HEAD have no "body"; give "method": "POST", or leave "body" out',
    }),
  parts: { tab: 'tabId', address: 'url' },
  toolClass: 'sensitive',
  scope: 'page',
  describe: ({ url, headers, body }) =>
    Promise.resolve([
      toolLine('line_sent', url),
      ...(headers === undefined ? [] : [toolLine('line_headers', JSON.stringify(headers))]),
      ...(body === undefined ? [] : [toolLine('line_body', body)]),
    ]),
  run: async ({ url, method = 'GET', headers = {}, body }, { page }) => {
    const { url: from } = await page.info();
    const init = JSON.stringify({ method, headers, credentials: 'include', ...(body === undefined ? {} : { body }) });
    const code = `async () => {
      const answer = await fetch(${JSON.stringify(url)}, ${init});
      return [answer.status + ' ' + answer.statusText, ...[...answer.headers].map(([name, value]) => name + ': ' + value), '', await answer.text()].join('\\n');
    }`;
    const { json, isWhole } = await page.request(code).catch((error: unknown) => {
      throw error instanceof PageError && error.fromPage.startsWith('TypeError: Failed to fetch') ? noAnswer(url, from) : error;
    });
    const shown = beginningOf(hideSecrets(isWhole ? z.string().parse(JSON.parse(json)) : json));
    return pageResult(isWhole && shown.isWhole ? 'Answer:' : 'The beginning of the answer:', from, shown.text);
  },
});

/** The browser tells no page more of a request that came to nothing. */
const noAnswer = (url: string, from: string): CompanionError => {
  const site = new URL(url).origin;
  const isOther = site !== originOf(from);
  return new CompanionError('TOOL_FAILED', `The request to ${site} came to no answer that this page may read.`, {
    remedy: isOther
      ? `Open a page of ${site} with browser_navigate, and make the request there: most sites answer no page of another one.`
      : 'Check the address and that its server runs; browser_network_requests tells what became of it.',
  });
};
