import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Change, NotReady } from '#extension/content/api.ts';
import { describeAim, targetField, toAim } from '#extension/toolkit/aim.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
import { withRealInput } from '#extension/toolkit/real-input.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { whenReady } from '#extension/toolkit/when-ready.ts';

/** Drags one element to another, and says what that changed. */
export const browserDrag = defineTool({
  name: 'browser_drag',
  title: 'Drag {element}',
  description: 'Drag an element and drop it on another one.',
  input: z.strictObject({
    startTarget: z.string().min(1).describe('What is dragged: a ref or selector'),
    endTarget: targetField.describe('Where it is dropped'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'startTarget',
  toolClass: 'write',
  scope: 'page',
  describe: async ({ startTarget, endTarget }, page) => [
    ...(await describeAim(toAim(startTarget), undefined, page)),
    { label: 'Dropped on', text: '' },
    ...(await describeAim(toAim(endTarget), undefined, page)),
  ],
  run: async ({ startTarget, endTarget }, { page, signal }) => {
    const [start, end] = [toAim(startTarget), toAim(endTarget)];
    const { frameId } = start;
    if (end.frameId !== frameId) throw new CompanionError('TOOL_ARGUMENTS', 'Both targets must be in the same frame.');
    const byEvents = async (): Promise<void> => page.ask('dragByEvents', null, frameId).catch(goneWhenChanged);
    const attempt = async (): Promise<{ done: Change } | NotReady> => {
      const ready = await page.ask('beginDrag', { start: start.target, end: end.target }, frameId);
      if ('notReady' in ready) return ready;
      await (ready.isNative ? byEvents() : withRealInput(page, frameId, (input) => input.drag(ready.from, ready.to), byEvents));
      return { done: await page.ask('dragged', null, frameId).catch(goneWhenChanged) };
    };
    const { url } = await page.info();
    const acted = await page.act(() => whenReady(page, signal, attempt));
    const words = acted.value?.kept === 'none' ? 'Nothing was dropped: the page does not take it there.' : 'Dragged.';
    return receiptResult(words, url, frameId, acted);
  },
});
