import * as z from 'zod';
import type { RouteWay } from '#extension/toolkit/page.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Which requests of a tab do not go to their server. */
export const browserRouteList = defineTool({
  name: 'browser_route_list',
  set: 'network',
  title: 'List the requests that are blocked or answered',
  description: 'List the patterns of browser_route.',
  input: z.strictObject({ tabId }),
  parts: { tab: 'tabId' },
  toolClass: 'read',
  scope: 'tab',
  run: async (_, { page }) => {
    const lines = (await page.routes()).map(({ pattern, way }) => `- ${pattern}: ${wordsFor(way)}`);
    return textResult(lines.length === 0 ? 'All requests go to their server.' : lines.join('\n'));
  },
});

const wordsFor = (way: RouteWay): string => {
  switch (way.type) {
    case 'block':
      return 'blocked';
    case 'answer':
      return `answered with ${way.status}`;
    case 'continue':
      return 'sent on with other headers';
  }
};
