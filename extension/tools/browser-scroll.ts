import * as z from 'zod';
import { CompanionError } from '#protocol/errors.ts';
import type { Scrolled } from '#extension/content/api.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { aimInFrame, placeFields, targetField } from '#extension/toolkit/aim.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { whenReady } from '#extension/toolkit/when-ready.ts';

/** Scrolls a page or a part of it, and says how much is left. */
export const browserScroll = defineTool({
  name: 'browser_scroll',
  title: 'Scroll {direction}',
  description: 'Scroll the page or a part of it, to load more or bring an element into view.',
  input: z.strictObject({
    target: targetField.optional().describe('Scrolls what is around it; without direction, into view'),
    ...placeFields,
    direction: z.enum(['up', 'down', 'left', 'right', 'top', 'bottom']).optional().describe('top and bottom go to the end'),
    amount: z.number().min(1).max(1_000_000).optional().describe('CSS pixels; default most of the view'),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'target',
  // It looks elsewhere and changes nothing; done twice it goes twice as far.
  toolClass: 'read',
  isReading: () => false,
  scope: 'page',
  run: async (args, { page, signal }) => {
    const { target, x, y, direction, amount } = args;
    const hasPlace = target !== undefined || x !== undefined || y !== undefined;
    if (!hasPlace && direction === undefined) {
      throw new CompanionError('TOOL_ARGUMENTS', 'browser_scroll needs "direction", or "target" to bring into view.');
    }
    const aim = hasPlace ? await aimInFrame('browser_scroll', page, args) : null;
    const frameId = aim?.frameId ?? 0;
    const options = {
      ...(aim === null ? {} : { target: aim.target }),
      ...(direction === undefined ? {} : { direction }),
      ...(amount === undefined ? {} : { amount }),
    };
    const { url } = await page.info(frameId);
    const acted = await actOn(page, frameId, () => whenReady(page, signal, () => page.ask('scroll', options, frameId)));
    return receiptResult(wordsFor(direction, acted.value), url, frameId, acted, hasPlace ? undefined : []);
  },
});

const wordsFor = (direction: string | undefined, scrolled: Scrolled | null): string => {
  if (scrolled === null) return 'Scrolled.';
  const { movedPx, leftPx, isInView, isTaken = false, mutations } = scrolled;
  // More may have come since.
  const end = mutations > 0 ? 'this was the end' : 'this is the end';
  if (direction === undefined) return isInView ? 'It is in view.' : 'It cannot be brought into view.';
  if (isTaken) return 'The page took the turn of the wheel for itself, as a map does to zoom.';
  if (movedPx === 0) return `Nothing moved: there is nothing more to scroll to (${direction}).`;
  return `Scrolled ${movedPx} px; ${leftPx === 0 ? end : `${leftPx} px are left`}.`;
};
