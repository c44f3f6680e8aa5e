import * as z from 'zod';
import { NETWORKS } from '#extension/toolkit/networks.ts';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';

/** Takes the network away from a tab. */
export const browserNetworkStateSet = defineTool({
  name: 'browser_network_state_set',
  set: 'network',
  title: 'Put the tab {state}',
  description: 'Take the network away from the tab, or give it back.',
  input: z.strictObject({
    state: z.enum(['online', 'offline']).describe('offline: requests of its pages fail, but for those of workers'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  toolClass: 'navigate',
  scope: 'tab',
  run: async ({ state }, { page }) => {
    await page.emulate({ network: NETWORKS[state] });
    return textResult(
      state === 'online'
        ? `Tab ${page.tabId} is online.`
        : `Tab ${page.tabId} is offline, but for workers of its pages, until "online" or the end of the session.`,
    );
  },
});
