/** Dragging one element to another. */
import type { Change, DragStart, NotReady, Point, Target } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { handAt, readyFor, refuseFrame } from './click.ts';
import { contains, elementAt } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextFrame, nextTask } from './frames.ts';
import { findTarget } from './target.ts';

const STEPS = 8;

/** How long something may take to make room. */
const ROOM_MS = 500;

interface Drag {
  readonly from: Point;
  readonly to: Point;
  readonly source: Element;
  readonly goal: Element;
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

/** Where a drag begins and ends, with both in view; `isNative` when the page uses the browser's own drag and drop. */
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
  if (hit === null || !contains(source, hit)) return { notReady: 'start and end are not in view together' };
  beginChange();
  last = { from, to: arrival.point, source: hit, goal, begun: null, isDropped: false };
  return { from, to: arrival.point, isNative: hit.closest('[draggable="true"]') !== null };
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
const dropNatively = async ({ from, to, goal }: Drag, dragged: Element, dataTransfer: DataTransfer): Promise<void> => {
  dragged.dispatchEvent(new PointerEvent('pointercancel', handAt(from).pointer));
  const init = { ...handAt(to).common, buttons: 1, dataTransfer };
  await nextTask();
  dragged.dispatchEvent(new DragEvent('drag', init));
  const over = elementAt(to.x, to.y) ?? goal;
  over.dispatchEvent(new DragEvent('dragenter', init));
  await nextTask();
  const isTaken = !over.dispatchEvent(new DragEvent('dragover', init));
  await nextTask();
  over.dispatchEvent(new DragEvent(isTaken ? 'drop' : 'dragleave', { ...init, buttons: 0 }));
  dragged.dispatchEvent(new DragEvent('dragend', { ...init, buttons: 0 }));
};

const moveAndRelease = async ({ from, to, source, goal }: Drag): Promise<void> => {
  let over: Element = source;
  for (let step = 1; step <= STEPS; step += 1) {
    const share = step / STEPS;
    const at = { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
    over = elementAt(at.x, at.y) ?? goal;
    const { pointer, common } = handAt(at);
    over.dispatchEvent(new PointerEvent('pointermove', { ...pointer, buttons: 1 }));
    over.dispatchEvent(new MouseEvent('mousemove', { ...common, buttons: 1 }));
    await nextTask();
  }
  const { pointer, common } = handAt(to);
  over.dispatchEvent(new PointerEvent('pointerup', { ...pointer, button: 0, buttons: 0 }));
  over.dispatchEvent(new MouseEvent('mouseup', { ...common, button: 0, buttons: 0, detail: 1 }));
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
