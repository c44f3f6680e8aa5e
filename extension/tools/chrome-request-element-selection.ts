import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { hideSecrets } from '#extension/toolkit/hide-secrets.ts';
import type { PickedPlace } from '#extension/toolkit/page.ts';
import { toRef } from '#extension/toolkit/ref.ts';
import { pageResult } from '#extension/toolkit/result.ts';
import { defineTool, ofNoEffect } from '#extension/toolkit/tool.ts';

const MAX_TEXT = 200;

/** Lets the person point at elements, where words do not tell which. */
export const chromeRequestElementSelection = defineTool({
  name: 'chrome_request_element_selection',
  set: 'chrome',
  title: 'Ask you to point at elements of the page',
  description: 'Ask the user to point at elements of the page, and get their refs and selectors.',
  input: z.strictObject({
    requests: z
      .array(
        z.object({
          id: z.string().max(100).optional().describe('Comes back with the answer; default: its number'),
          name: z.string().min(1).max(200).describe('What to point at'),
          description: z.string().max(500).optional().describe('More about it'),
        }),
      )
      .min(1)
      .max(20)
      .describe('One after the other'),
    timeoutMs: z.number().min(1000).max(600_000).optional().describe('For all of them, default 180000'),
    tabId: z.number().optional().describe('Tab from get_windows_and_tabs; default: the current tab'),
    windowId: ofNoEffect('Of no effect: a tab is named by tabId'),
  }),
  parts: { tab: 'tabId' },
  toolClass: 'write',
  scope: 'page',
  timeoutMs: 620_000,
  describe: ({ requests }) =>
    Promise.resolve(
      requests.map(({ name, description }) => toolLine('line_agent', description === undefined ? name : `${name}: ${description}`)),
    ),
  run: async ({ requests, timeoutMs = 180_000 }, { page, tabs }) => {
    const end = Date.now() + timeoutMs;
    await tabs.select(page.tabId);
    const { url } = await page.info();
    const lines: string[] = [];
    for (const [index, { id = String(index + 1), name, description }] of requests.entries()) {
      const words = [`Pilotfish: point at ${name}`, ...(description === undefined ? [] : [description]), 'Escape: not this one'].join('\n');
      const left = end - Date.now();
      const picked = left <= 0 ? null : await page.pick({ words, limitMs: left });
      lines.push(`- ${id}: ${picked === null ? 'not chosen' : toWords(picked)}`);
    }
    const chosen = lines.filter((line) => !line.endsWith(': not chosen')).length;
    return pageResult(`The user pointed at ${chosen} of ${requests.length}.`, url, hideSecrets(lines.join('\n')));
  },
});

const toWords = ({ frameId, element: { ref, role, name, selector, text, source } }: PickedPlace): string =>
  [
    `[${toRef(frameId, ref)} ${role} ${JSON.stringify(name)}] selector ${selector}`,
    ...(text === '' || text === name ? [] : [`text ${JSON.stringify(text.slice(0, MAX_TEXT))}`]),
    ...(source === '' ? [] : [`source ${source}`]),
  ].join(', ');
