import * as z from 'zod';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Answers requests of a tab in the place of their server. */
export const browserRoute = defineTool({
  name: 'browser_route',
  set: 'network',
  title: 'Answer requests of the page in place of their server: {pattern}',
  description: 'Block requests of the tab that fit a pattern, or answer them with a status and body of your own.',
  input: z.strictObject({
    pattern: z.string().min(1).max(500).describe('Of the address; * stands for anything: */api/users*'),
    action: z.enum(['block', 'mock']).optional().describe('Default mock'),
    status: z.number().int().min(200).max(599).optional().describe('Default 200'),
    body: z.string().max(1_000_000).optional().describe('What is answered'),
    contentType: z.string().max(200).optional().describe('Default application/json'),
    headers: z.record(z.string(), z.string()).optional().describe('Further headers of the answer'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'write',
  scope: 'page',
  describe: ({ action = 'mock', status = 200, body = '' }) =>
    Promise.resolve([{ label: 'Answer', text: action === 'block' ? 'none: it is blocked' : `${status} ${body}` }]),
  run: async ({ pattern, action = 'mock', status = 200, body = '', contentType = 'application/json', headers = {} }, { page }) => {
    const answer = action === 'block' ? null : { status, body, headers: { 'content-type': contentType, ...headers } };
    const routes = [...(await page.routes()).filter((route) => route.pattern !== pattern), { pattern, answer }];
    await page.setRoutes(routes);
    return textResult(
      `Requests of tab ${page.tabId} to ${pattern} are ${action === 'block' ? 'blocked' : 'answered so'}, until browser_unroute or the end of the session.`,
    );
  },
});
