import * as z from 'zod';
import type { ToolResult } from '#protocol/browser.ts';
import { toolLine } from '#protocol/tool-lines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Change, NotReady, Point, Target } from '#extension/content/api.ts';
import { originOf } from '#extension/shared/addresses.ts';
import { actOn } from '#extension/toolkit/acting.ts';
import { type Place, aimAt, aimInFrame, describeAim, elementField } from '#extension/toolkit/aim.ts';
import { goneWhenChanged } from '#extension/toolkit/page-error.ts';
import { withRealInput } from '#extension/toolkit/real-input.ts';
import type { Aim, Input, Page } from '#extension/toolkit/page.ts';
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
    if (end.frameId !== frameId) return dragAcross(page, signal, start, end);
    const grip = (): Promise<void> => page.calm(GRIP_MS);
    const way = await Promise.all(placesIn(args.path ?? []).map((point) => placeIn(page, frameId, point)));
    const bringEnd = (): Promise<Point> => page.ask('bringEnd', null, frameId);
    const rest = (): Promise<boolean> => page.ask('restDrag', null, frameId);
    const byEvents = async (): Promise<void> => {
      await page.beginPart();
      await page.ask('pressDrag', null, frameId);
      await grip();
      await page.ask('dragByEvents', null, frameId).catch(goneWhenChanged);
    };
    const byHand = async (input: Input, from: Point, through: readonly Point[] | null): Promise<void> => {
      // What the page puts off when it is pressed counts from the press, however long the hand took to come there.
      await page.beginPart();
      await input.drag(from, through ?? bringEnd, { grip, rest });
    };
    const attempt = async (): Promise<{ done: Change } | NotReady> => {
      const ready = await page.ask('beginDrag', { start: start.target, way, end: end.target }, frameId);
      if ('notReady' in ready) return ready;
      await (ready.isNative ? byEvents() : withRealInput(page, frameId, (input) => byHand(input, ready.from, ready.way), byEvents));
      return { done: await page.ask('dragged', null, frameId).catch(goneWhenChanged) };
    };
    const { url } = await page.info(frameId);
    const acted = await actOn(page, frameId, () => whenReady(page, signal, attempt));
    return receiptResult(wordsFor(acted.value), url, frameId, acted);
  },
});

/** From one frame into another only the browser's own drag and drop leads, by the events of both pages. */
const dragAcross = async (page: Page, signal: AbortSignal, start: Aim, end: Aim): Promise<ToolResult> => {
  const [from, { url }] = await Promise.all([page.info(start.frameId), page.info(end.frameId)]);
  if (!isOneSite(from.url, url)) {
    const detail = 'Start and end are in pages of two sites, and a call acts on one of them: browser_drop puts a text or files on the end.';
    throw new CompanionError('TOOL_ARGUMENTS', detail);
  }
  const drag = async (): Promise<Change> => {
    const { site, data } = await whenReady(page, signal, () => page.ask('liftOut', { target: start.target }, start.frameId));
    try {
      return await whenReady(page, signal, () => page.ask('drop', { target: end.target, files: [], data, site }, end.frameId));
    } finally {
      // Its frame may have gone with the drop.
      await page.ask('letGoOut', null, start.frameId).catch(() => null);
    }
  };
  const acted = await actOn(page, end.frameId, drag);
  return receiptResult(wordsFor(acted.value), url, end.frameId, acted);
};

const isOneSite = (one: string, other: string): boolean => originOf(one) === originOf(other) && originOf(one) !== 'null';

const wordsFor = (change: Change | null): string => {
  if (change?.kept === 'none') return 'Nothing was dropped: the page does not take it there.';
  return change?.kept === 'other' ? 'Nothing was dropped there, but the page has moved it on the way, or drawn it anew.' : 'Dragged.';
};

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
