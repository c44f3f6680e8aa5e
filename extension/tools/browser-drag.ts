import * as z from 'zod';
import { toolLine } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Change, NotReady, Point, Target } from '#extension/content/api.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { type Place, aimAt, aimInFrame, describeAim, elementField } from '#extension/toolkit/aim.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
import { withRealInput } from '#extension/toolkit/real-input.ts';
import type { Page } from '#extension/toolkit/page.ts';
import { receiptResult } from '#extension/toolkit/receipt.ts';
import { defineTool, tabId, unlisted } from '#extension/toolkit/tool.ts';
import { whenReady } from '#extension/toolkit/when-ready.ts';

/** A circle takes some dozens. */
const MAX_PLACES = 200;

/** How long what is pressed may take until it can be moved. */
const GRIP_MS = 1_500;

/** Drags one element to another, and says what that changed. */
export const browserDrag = defineTool({
  name: 'browser_drag',
  title: 'Drag {element}',
  description: 'Drag an element and drop it on another.',
  input: z.strictObject({
    startTarget: z.string().min(1).optional().describe('What is dragged'),
    endTarget: z.string().min(1).optional().describe('Where it is dropped'),
    startX: z.number().optional().describe('Or places in the last screenshot'),
    startY: z.number().optional().describe('See startX'),
    endX: z.number().optional().describe('See startX'),
    endY: z.number().optional().describe('See startX'),
    path: z.array(z.number()).optional().describe('x, y, … on the way, to draw'),
    startElement: unlisted(elementField),
    endElement: unlisted(elementField),
    tabId,
  }),
  parts: { tab: 'tabId' },
  target: 'startTarget',
  toolClass: 'write',
  scope: 'page',
  describe: async (args, page) => {
    const [from, to] = placesOf(args);
    return [
      ...(await describeAim(aimAt('browser_drag', from), args.startElement, page)),
      toolLine('line_dropped_on', ''),
      ...(await describeAim(aimAt('browser_drag', to), args.endElement, page)),
    ];
  },
  run: async (args, { page, signal }) => {
    const [from, to] = placesOf(args);
    const start = await aimInFrame('browser_drag', page, from);
    const end = await aimInFrame('browser_drag', page, to);
    const { frameId } = start;
    if (end.frameId !== frameId) throw new CompanionError('TOOL_ARGUMENTS', 'Both targets must be in the same frame.');
    const grip = (): Promise<void> => page.calm(GRIP_MS);
    const way = await Promise.all(placesIn(args.path ?? []).map((point) => placeIn(page, frameId, point)));
    const bringEnd = (): Promise<Point> => page.ask('bringEnd', null, frameId);
    const rest = (): Promise<boolean> => page.ask('restDrag', null, frameId);
    const byEvents = async (): Promise<void> => {
      await page.ask('pressDrag', null, frameId);
      await grip();
      await page.ask('dragByEvents', null, frameId).catch(goneWhenChanged);
    };
    const attempt = async (): Promise<{ done: Change } | NotReady> => {
      const ready = await page.ask('beginDrag', { start: start.target, way, end: end.target }, frameId);
      if ('notReady' in ready) return ready;
      await (ready.isNative
        ? byEvents()
        : withRealInput(page, frameId, (input) => input.drag(ready.from, ready.way ?? bringEnd, { grip, rest }), byEvents));
      return { done: await page.ask('dragged', null, frameId).catch(goneWhenChanged) };
    };
    const { url } = await page.info(frameId);
    const acted = await actOn(page, frameId, () => whenReady(page, signal, attempt));
    const words = acted.value?.kept === 'none' ? 'Nothing was dropped: the page does not take it there.' : 'Dragged.';
    return receiptResult(words, url, frameId, acted);
  },
});

const placesIn = (path: readonly number[]): Point[] => {
  if (path.length % 2 === 1 || path.length > 2 * MAX_PLACES)
    throw new CompanionError('TOOL_ARGUMENTS', `"path" of browser_drag takes up to ${MAX_PLACES} pairs of x and y.`);
  return path.flatMap((x, index) => (index % 2 === 0 ? [{ x, y: path[index + 1] ?? 0 }] : []));
};

const placeIn = async (page: Page, frameId: number, point: Point): Promise<Target> =>
  frameId === 0 ? { point } : { inView: await page.placeInFrame(point, frameId) };

interface Ends {
  readonly startTarget?: string | undefined;
  readonly endTarget?: string | undefined;
  readonly startX?: number | undefined;
  readonly startY?: number | undefined;
  readonly endX?: number | undefined;
  readonly endY?: number | undefined;
}

/** Each end is an element, or a place in the last picture. */
const placesOf = ({ startTarget, endTarget, startX, startY, endX, endY }: Ends): readonly [Place, Place] => {
  const hasStart = startTarget !== undefined || (startX !== undefined && startY !== undefined);
  const hasEnd = endTarget !== undefined || (endX !== undefined && endY !== undefined);
  if (!hasStart || !hasEnd) {
    const detail = 'browser_drag needs "startTarget", or "startX" and "startY", and "endTarget", or "endX" and "endY".';
    throw new CompanionError('TOOL_ARGUMENTS', detail);
  }
  return [
    { target: startTarget, x: startX, y: startY },
    { target: endTarget, x: endX, y: endY },
  ];
};
