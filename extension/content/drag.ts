/** Dragging one element to another. */
import { BEGIN_PX, stepsAlong } from '#extension/shared/pointer-way.ts';
import type { Change, DragStart, NotReady, PageMethods, Point } from './api.ts';
import { beginChange, changeOf, intoView } from './changes.ts';
import { handAt, readyFor, refuseFrame } from './click.ts';
import { contains, elementAt } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextFrame, nextTask } from './frames.ts';
import { bringBack } from './pictured-parts.ts';
import { plain } from './plain.ts';
import { findTarget, pointNow } from './target.ts';

/** How long something may take to make room. */
const ROOM_MS = 500;

interface Drag {
  readonly from: Point;
  /** The last place is that of the end; null until the end has been brought into view. */
  readonly way: readonly Point[] | null;
  readonly source: Element;
  readonly goal: Element;
  /** Where in the goal it ends, from the corner of that. */
  readonly inGoal: Point;
  /** With what the browser's own drag and drop began, if it was that. */
  begun: Event | null;
  /** What the page drags, where it stood. */
  stood: Stand | null;
  isDropped: boolean;
}

interface Stand {
  readonly element: Element;
  readonly around: Node | null;
  readonly before: Element | null;
}

let last: Drag | null = null;

addEventListener(
  'dragstart',
  (event) => {
    if (last === null) return;
    last.begun = event;
    const { target: element } = event;
    if (element instanceof Element) last.stood = { element, around: element.parentNode, before: element.nextElementSibling };
  },
  { capture: true, passive: true },
);

addEventListener(
  'drop',
  () => {
    if (last !== null) last.isDropped = true;
  },
  { capture: true, passive: true },
);

/** Where a drag begins, and its way if the end is in view together with that; `isNative` when the page uses the browser's own drag and drop. */
export const beginDrag = async ({ start, way, end }: PageMethods['beginDrag']['options']): Promise<DragStart | NotReady> => {
  await bringBack(start);
  await bringBack(end);
  const [source, goal] = [findTarget(start), findTarget(end)];
  refuseFrame(source);
  refuseFrame(goal);
  const ready = await readyFor(start, source);
  if ('notReady' in ready) return ready;
  const before = source.getBoundingClientRect();
  const arrival = await readyFor(end, goal);
  if ('notReady' in arrival) return { ...arrival, notReady: `the end of the drag is not ready: ${arrival.notReady}` };
  const after = source.getBoundingClientRect();
  // The end was scrolled into view, and the start may have gone with that.
  const from = { x: ready.point.x + after.x - before.x, y: ready.point.y + after.y - before.y };
  const hit = elementAt(from.x, from.y);
  const corner = plain(goal).getBoundingClientRect();
  const inGoal = { x: arrival.point.x - corner.x, y: arrival.point.y - corner.y };
  const between = way.map(pointNow).filter((point) => point !== null);
  if (hit !== null && contains(source, hit)) return begun({ from, way: [...between, arrival.point], source: hit, goal, inGoal });
  if (between.length > 0) return { notReady: 'start and end are not in view together' };
  const again = await readyFor(start, source);
  if ('notReady' in again) return again;
  return begun({ from: again.point, way: null, source: elementAt(again.point.x, again.point.y) ?? source, goal, inGoal });
};

const begun = (drag: Omit<Drag, 'begun' | 'stood' | 'isDropped'>): DragStart => {
  beginChange();
  last = { ...drag, begun: null, stood: null, isDropped: false };
  return { from: drag.from, way: drag.way, isNative: drag.source.closest('[draggable="true"]') !== null };
};

/** As one who drags with one hand and turns the wheel with the other. */
export const bringEnd = async (): Promise<Point> => {
  const { goal, inGoal } = lastDrag();
  intoView(goal, { block: 'center', inline: 'center' });
  await nextFrame();
  const { x, y } = plain(goal).getBoundingClientRect();
  return { x: x + inGoal.x, y: y + inGoal.y };
};

/** Before it is let go: what makes room for it takes no drop while it still moves. */
export const restDrag = async (): Promise<boolean> => {
  await nextFrame();
  const moving = document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().endTime) <= ROOM_MS);
  const limit = new Promise((resolve) => setTimeout(resolve, ROOM_MS));
  await Promise.race([Promise.allSettled(moving.map(({ finished }) => finished)), limit]);
  return hasBegun();
};

/** Whether the press has begun the browser's own drag and drop: a page may make something draggable with the press on it. */
const hasBegun = (): boolean => last?.begun?.defaultPrevented === false;

const DOWN = { button: 0, buttons: 1 };

/** The press that a drag by events of the page's own begins with. */
export const pressDrag = (_: null, signal: AbortSignal): void => {
  const { from, source } = lastDrag();
  stopIfCancelled(signal);
  const { pointer, common } = handAt(from);
  source.dispatchEvent(new PointerEvent('pointerdown', { ...pointer, ...DOWN }));
  source.dispatchEvent(new MouseEvent('mousedown', { ...common, ...DOWN, detail: 1 }));
};

/** The drag by events of the page's own. */
export const dragByEvents = async (_: null, signal: AbortSignal): Promise<void> => {
  const drag = lastDrag();
  stopIfCancelled(signal);
  const { from, source } = drag;
  const { common } = handAt(from);
  const dragged = source.closest('[draggable="true"]');
  const data = new DataTransfer();
  const begins = dragged?.dispatchEvent(new DragEvent('dragstart', { ...common, ...DOWN, dataTransfer: data })) === true;
  if (dragged !== null && begins) await dropNatively(drag, dragged, data);
  else await moveAndRelease(drag);
};

/** https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model */
const dropNatively = async (drag: Drag, dragged: Element, dataTransfer: DataTransfer): Promise<void> => {
  const { from, goal } = drag;
  dragged.dispatchEvent(new PointerEvent('pointercancel', handAt(from).pointer));
  await nextTask();
  const to = drag.way?.at(-1) ?? (await bringEnd());
  const init = { ...handAt(to).common, buttons: 1, dataTransfer };
  dragged.dispatchEvent(new DragEvent('drag', init));
  const over = elementAt(to.x, to.y) ?? goal;
  over.dispatchEvent(new DragEvent('dragenter', init));
  await nextTask();
  const isTaken = !over.dispatchEvent(new DragEvent('dragover', init));
  await nextTask();
  over.dispatchEvent(new DragEvent(isTaken ? 'drop' : 'dragleave', { ...init, buttons: 0 }));
  dragged.dispatchEvent(new DragEvent('dragend', { ...init, buttons: 0 }));
};

const moveAndRelease = async (drag: Drag): Promise<void> => {
  let { from, way } = drag;
  if (way === null) {
    const near = { x: from.x, y: from.y + BEGIN_PX };
    await moveAlong(drag, from, [near]);
    [from, way] = [near, [await bringEnd()]];
  }
  const over = await moveAlong(drag, from, way);
  const { pointer, common } = handAt(way.at(-1) ?? from);
  over.dispatchEvent(new PointerEvent('pointerup', { ...pointer, button: 0, buttons: 0 }));
  over.dispatchEvent(new MouseEvent('mouseup', { ...common, button: 0, buttons: 0, detail: 1 }));
};

/** Resolves with what the pointer is over at the end. */
const moveAlong = async ({ source, goal }: Drag, from: Point, way: readonly Point[]): Promise<Element> => {
  let over = source;
  for (const at of stepsAlong(from, way)) {
    over = elementAt(at.x, at.y) ?? goal;
    const { pointer, common } = handAt(at);
    over.dispatchEvent(new PointerEvent('pointermove', { ...pointer, buttons: 1 }));
    over.dispatchEvent(new MouseEvent('mousemove', { ...common, buttons: 1 }));
    await nextTask();
  }
  return over;
};

/** What the last drag changed; `kept` is `none` when nothing took what was dropped, and `other` when it is elsewhere all the same. */
export const dragged = async (): Promise<Change> => {
  const { source, goal, stood, isDropped } = lastDrag();
  await nextFrame();
  const change = changeOf(source.isConnected ? source : goal, null);
  return hasBegun() && !isDropped ? { ...change, kept: stood !== null && isElsewhere(stood) ? 'other' : 'none' } : change;
};

/** Many a page puts what is dragged to its new place while it comes over that, or draws it anew there. */
const isElsewhere = ({ element, around, before }: Stand): boolean =>
  !element.isConnected || element.parentNode !== around || element.nextElementSibling !== before;

const lastDrag = (): Drag => {
  if (last === null) throw new FaultError('TOOL_FAILED', 'The page was loaded anew.');
  return last;
};
