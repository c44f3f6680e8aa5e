import * as z from 'zod';
import type { Aimed, NotReady, Point } from '#extension/content/api.ts';
import { aimAt, aimInFrame, describeAim, elementField, placeFields, targetField } from '#extension/toolkit/aim.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
import type { Input } from '#extension/toolkit/page.ts';
import { placeNow, withRealInput } from '#extension/toolkit/real-input.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId } from '#extension/toolkit/tool.ts';
import { revealing, whenReady } from '#extension/toolkit/when-ready.ts';

/** Puts the pointer over an element, and says what that brings to light. */
export const browserHover = defineTool({
  name: 'browser_hover',
  title: 'Point at {element}',
  description: 'Put the pointer over an element, for menus and hints that only show then.',
  input: z.strictObject({ target: targetField.optional(), ...placeFields, element: elementField, tabId }),
  parts: { tab: 'tabId' },
  target: 'target',
  toolClass: 'write',
  scope: 'page',
  describe: (args, page) => describeAim(aimAt('browser_hover', args), args.element, page),
  run: async (args, { page, signal }) => {
    const { frameId, target: aimed } = await aimInFrame('browser_hover', page, args);
    const hover = async (isReal: boolean, move: (aimed: Aimed) => Promise<void>): Promise<{ done: null } | NotReady> => {
      const ready = await page.ask('hover', { target: aimed, isReal }, frameId);
      if ('notReady' in ready) return ready;
      await move(ready);
      return { done: null };
    };
    let isMissed = false;
    const now = (): Promise<Point> => placeNow(page, aimed);
    const isReached = async (): Promise<boolean> => {
      const is = await page.ask('isReached', null, frameId);
      isMissed = !is;
      return is;
    };
    // What swings stands still for a moment at each turn.
    const hasGoneOn = async (from: Point): Promise<boolean> => {
      if (await page.ask('isReached', null, frameId)) return false;
      const { x, y } = await now().catch(() => from);
      return Math.hypot(x - from.x, y - from.y) > 1;
    };
    const move = async (input: Input, { point, isMoving }: Aimed): Promise<void> => {
      if (isMoving !== true) await input.move(point);
      if (isMoving === true || (await hasGoneOn(point))) await input.move(point, { now, isReached });
    };
    const attempt = (): Promise<{ done: null } | NotReady> =>
      withRealInput(
        page,
        frameId,
        (input) => hover(true, (ready) => move(input, ready)),
        () => hover(false, () => Promise.resolve()),
      );
    const { url } = await page.info(frameId);
    const acted = await page.act(() => whenReady(page, signal, revealing(page, frameId, attempt)));
    const isHere = (acted.loaded === null || acted.loaded.status === 0) && page.openDialog() === null;
    const value = isHere ? await page.ask('hovered', null, frameId).catch(goneWhenChanged) : null;
    const words = isMissed ? 'It moves, and each time the pointer came it had gone on.' : 'The pointer is over it.';
    return receiptResult(words, url, frameId, { ...acted, value });
  },
});
