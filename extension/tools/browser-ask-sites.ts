import * as z from 'zod';
import { textResult } from '#extension/toolkit/result.ts';
import { defineTool } from '#extension/toolkit/tool.ts';

/** Asks the person for all sites of a task at once. The companion asks and remembers; by the time of the call they have answered. */
export const browserAskSites = defineTool({
  name: 'browser_ask_sites',
  title: 'Act on several sites',
  description: 'Ask the user once, before a task that changes pages of several sites, for all of them and for a time.',
  input: z.strictObject({
    origins: z.array(z.string().min(1).max(300)).min(1).max(20).describe('https://example.org'),
    minutes: z.number().int().min(1).max(1440).optional().describe('Default 60'),
    reason: z.string().max(500).optional().describe('What for'),
  }),
  parts: { sites: 'origins', minutes: 'minutes', reason: 'reason' },
  toolClass: 'read',
  scope: 'browser',
  run: () => Promise.resolve(textResult('Other sites, code, files and cookies are asked for as ever.')),
});
