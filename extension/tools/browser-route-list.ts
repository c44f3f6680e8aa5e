import * as z from 'zod';
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
    const lines = (await page.routes()).map(
      ({ pattern, answer }) => `- ${pattern}: ${answer === null ? 'blocked' : `answered with ${answer.status}`}`,
    );
    return textResult(lines.length === 0 ? 'All requests go to their server.' : lines.join('\n'));
  },
});
