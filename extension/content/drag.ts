/** Dragging one element to another. */
import type { Change, DragStart, NotReady, Point, Target } from './api.ts';
import { beginChange, changeOf, intoView } from './changes.ts';
import { handAt, readyFor, refuseFrame } from './click.ts';
import { contains, elementAt } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextFrame, nextTask } from './frames.ts';
import { plain } from './plain.ts';
import { findTarget } from './target.ts';

const STEPS = 8;

/** Pages take a drag for one after some pixels. */
const BEGIN_PX = 12;

/** How long something may take to make room. */
const ROOM_MS = 500;

interface Drag {
  readonly from: Point;
  /** Null until the end has been brought into view. */
  to: Point | null;
  readonly source: Element;
  readonly goal: Element;
  /** Where in the goal it ends, from the corner of that. */
  readonly inGoal: Point;
  /** With what the browser's own drag and drop began, if it was that. */
  begun: Event | null;
  isDropped: boolean;
}

let last: Drag | null = null;

addEventListener(
  'dragstart',
  (event) => {
    if (last !== null) last.begun = event;
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

/** Where a drag begins, and where it ends if both are in view together; `isNative` when the page uses the browser's own drag and drop. */
export const beginDrag = async ({ start, end }: { start: Target; end: Target }): Promise<DragStart | NotReady> => {
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
  if (hit !== null && contains(source, hit)) return begun({ from, to: arrival.point, source: hit, goal, inGoal });
  const again = await readyFor(start, source);
  if ('notReady' in again) return again;
  return begun({ from: again.point, to: null, source: elementAt(again.point.x, again.point.y) ?? source, goal, inGoal });
};

const begun = (drag: Omit<Drag, 'begun' | 'isDropped'>): DragStart => {
  beginChange();
  last = { ...drag, begun: null, isDropped: false };
  return { from: drag.from, to: drag.to, isNative: drag.source.closest('[draggable="true"]') !== null };
};

/** As one who drags with one hand and turns the wheel with the other. */
export const bringEnd = async (): Promise<Point> => {
  const drag = lastDrag();
  intoView(drag.goal, { block: 'center', inline: 'center' });
  await nextFrame();
  const { x, y } = plain(drag.goal).getBoundingClientRect();
  drag.to = { x: x + drag.inGoal.x, y: y + drag.inGoal.y };
  return drag.to;
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
  const to = drag.to ?? (await bringEnd());
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
  let { from } = drag;
  if (drag.to === null) {
    const near = { x: from.x, y: from.y + BEGIN_PX };
    await moveBetween(drag, from, near);
    from = near;
  }
  const to = drag.to ?? (await bringEnd());
  const over = await moveBetween(drag, from, to);
  const { pointer, common } = handAt(to);
  over.dispatchEvent(new PointerEvent('pointerup', { ...pointer, button: 0, buttons: 0 }));
  over.dispatchEvent(new MouseEvent('mouseup', { ...common, button: 0, buttons: 0, detail: 1 }));
};

/** Resolves with what the pointer is over at the end. */
const moveBetween = async ({ goal }: Drag, from: Point, to: Point): Promise<Element> => {
  let over = goal;
  for (let step = 1; step <= STEPS; step += 1) {
    const share = step / STEPS;
    const at = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    over = elementAt(at.x, at.y) ?? goal;
    const { pointer, common } = handAt(at);
    over.dispatchEvent(new PointerEvent('pointermove', { ...pointer, buttons: 1 }));
    over.dispatchEvent(new MouseEvent('mousemove', { ...common, buttons: 1 }));
    await nextTask();
  }
  return over;
};

/** What the last drag changed; `kept` is `none` when nothing took what was dropped. */
export const dragged = async (): Promise<Change> => {
  const { source, goal, isDropped } = lastDrag();
  await nextFrame();
  const change = changeOf(source.isConnected ? source : goal, null);
  return hasBegun() && !isDropped ? { ...change, kept: 'none' } : change;
};

const lastDrag = (): Drag => {
  if (last === null) throw new FaultError('TOOL_FAILED', 'The page was loaded anew.');
  return last;
};
