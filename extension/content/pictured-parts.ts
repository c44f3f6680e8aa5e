/** How far parts of the page were scrolled in the last picture: what one of them has scrolled away since comes back before its place is pressed. */
import type { Point, Target } from './api.ts';
import { elementAt, elementsOfBody, parentOf } from './composed.ts';
import { FaultError } from './fault.ts';
import { heardOfScroll, nextTask } from './frames.ts';
import { pointOf } from './target.ts';

let parts = new WeakMap<Element, Point>();

/** To look through a large page takes a while, and the picture is told meanwhile. */
export const noteParts = async (): Promise<void> => {
  await nextTask();
  const found = elementsOfBody().filter((element) => canScroll(element) && element !== document.scrollingElement);
  parts = new WeakMap(found.map((element) => [element, scrolledBy(element)]));
};

/** For a place of the last picture; any other target is found wherever it is. */
export const bringBack = async (target: Target): Promise<void> => {
  if (!('point' in target)) return;
  const { x, y } = pointOf(target.point);
  let hasMoved = false;
  for (let around = elementAt(x, y); around !== null; around = parentOf(around)) {
    const then = parts.get(around);
    if (then === undefined || isAt(around, then)) continue;
    around.scrollTo({ left: then.x, top: then.y, behavior: 'instant' });
    if (!isAt(around, then)) throw goneFromView();
    hasMoved = true;
  }
  // Lists of many rows draw only those that are in view.
  if (hasMoved) await heardOfScroll();
};

const canScroll = ({ scrollHeight, clientHeight, scrollWidth, clientWidth }: Element): boolean =>
  scrollHeight > clientHeight || scrollWidth > clientWidth;

const scrolledBy = ({ scrollLeft, scrollTop }: Element): Point => ({ x: scrollLeft, y: scrollTop });

/** Places between two pixels are not kept. */
const isAt = (element: Element, { x, y }: Point): boolean => {
  const now = scrolledBy(element);
  return Math.abs(now.x - x) <= 1 && Math.abs(now.y - y) <= 1;
};

const goneFromView = (): FaultError =>
  new FaultError(
    'TOOL_ARGUMENTS',
    'What the last picture showed at this place was scrolled away since and does not come back: take a new one with browser_take_screenshot.',
  );
