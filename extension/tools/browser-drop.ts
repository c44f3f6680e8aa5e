import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { describeAim, elementField, targetField, toAim } from '#extension/toolkit/aim.ts';
import { handFiles } from '#extension/toolkit/hand-files.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { whenReady } from '#extension/toolkit/when-ready.ts';

/** Drops files of the project, or texts, on an element. */
export const browserDrop = defineTool({
  name: 'browser_drop',
  title: 'Drop something on {element}',
  description: 'Drop files of the project or data on an element, as from another program.',
  input: z
    .strictObject({
      target: targetField,
      element: elementField,
      paths: z.array(z.string()).optional().describe('Paths, from the project'),
      data: z.record(z.string(), z.string()).optional().describe('Text by MIME type'),
      tabId,
    })
    .refine(({ paths = [], data = {} }) => paths.length > 0 || Object.keys(data).length > 0, 'it needs "paths" or "data"'),
  parts: { tab: 'tabId', files: 'paths' },
  target: 'target',
  toolClass: 'write',
  scope: 'page',
  timeoutMs: 60_000,
  describe: async ({ target, element, data = {} }, page) => [
    ...(await describeAim(toAim(target), element, page)),
    ...Object.entries(data).map(([type, text]) => toolLine('line_dropped', `${type}: ${text}`)),
  ],
  run: async ({ target, data = {} }, { page, signal, files }) => {
    const { frameId, target: goal } = toAim(target);
    const { url } = await page.info(frameId);
    const given = await handFiles(page, files, frameId);
    const acted = await actOn(page, frameId, () =>
      whenReady(page, signal, () => page.ask('drop', { target: goal, files: given, data }, frameId)),
    );
    const words = acted.value?.kept === 'none' ? 'Nothing was dropped: the page does not take it there.' : 'Dropped.';
    return receiptResult(words, url, frameId, acted);
  },
});
