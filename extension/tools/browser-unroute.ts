import * as z from 'zod';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Lets requests of a tab go to their server again. */
export const browserUnroute = defineTool({
  name: 'browser_unroute',
  set: 'network',
  isWide: true,
  title: 'Let requests of the page go to their server again',
  description: 'Take back one pattern of browser_route, or all.',
  input: z.strictObject({ pattern: z.string().optional().describe('As it was given; without it all'), tabId }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  run: async ({ pattern }, { page }) => {
    const before = await page.routes();
    const routes = pattern === undefined ? [] : before.filter((route) => route.pattern !== pattern);
    if (routes.length === before.length) return textResult('There is no such pattern; see browser_route_list.');
    await page.setRoutes(routes);
    return textResult(`${before.length - routes.length} taken back, ${routes.length} left.`);
  },
});
