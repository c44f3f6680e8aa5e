import * as z from 'zod';
import type { Aimed, NotReady } from '#extension/content/api.ts';
import { aimAt, aimInFrame, describeAim, elementField, placeFields, targetField } from '#extension/toolkit/aim.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
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
    const isReached = async (): Promise<boolean> => {
      const is = await page.ask('isReached', null, frameId);
      isMissed = !is;
      return is;
    };
    const moving = { now: () => placeNow(page, aimed), isReached };
    const attempt = (): Promise<{ done: null } | NotReady> =>
      withRealInput(
        page,
        frameId,
        (input) => hover(true, ({ point, isMoving }) => input.move(point, isMoving === true ? moving : undefined)),
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
