/** What leaves its frame by the browser's own drag and drop: the press on it and the end of its drag, which its own page hears of. */
import type { Lifted, NotReady, Target } from './api.ts';
import { handAt, readyFor, refuseFrame } from './click.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextTask } from './frames.ts';
import { plain } from './plain.ts';
import { findTarget } from './target.ts';

interface Drag {
  readonly dragged: Element;
  readonly init: DragEventInit;
}

let held: Drag | null = null;

/** What else is dragged without a page that says so. */
const DRAGGED_ANYWAY = 'a[href], img';

/** Presses on it and begins the drag, with which the page says what it carries. */
export const liftOut = async ({ target }: { target: Target }, signal: AbortSignal): Promise<{ done: Lifted } | NotReady> => {
  const source = findTarget(target);
  refuseFrame(source);
  const ready = await readyFor(target, source);
  if ('notReady' in ready) return ready;
  stopIfCancelled(signal);
  const { pointer, common } = handAt(ready.point);
  const down = { button: 0, buttons: 1 };
  ready.hit.dispatchEvent(new PointerEvent('pointerdown', { ...pointer, ...down }));
  ready.hit.dispatchEvent(new MouseEvent('mousedown', { ...common, ...down, detail: 1 }));
  await nextTask();
  // Some pages make it draggable with the press on it.
  const dragged = plain(ready.hit).closest(`[draggable="true"], ${DRAGGED_ANYWAY}`);
  const carried = new DataTransfer();
  const init = { ...common, ...down, dataTransfer: carried };
  if (dragged?.dispatchEvent(new DragEvent('dragstart', init)) !== true) {
    ready.hit.dispatchEvent(new PointerEvent('pointerup', { ...pointer, button: 0, buttons: 0 }));
    ready.hit.dispatchEvent(new MouseEvent('mouseup', { ...common, button: 0, buttons: 0, detail: 1 }));
    throw new FaultError(
      'TOOL_ARGUMENTS',
      'What is dragged does not leave its frame: its page moves it by itself, which ends at the edge of that.',
    );
  }
  dragged.dispatchEvent(new PointerEvent('pointercancel', pointer));
  held = { dragged, init };
  return { done: { site: self.origin, data: Object.fromEntries(carried.types.map((type) => [type, carried.getData(type)])) } };
};

/** Lets go of it, wherever that was. */
export const letGoOut = async (): Promise<void> => {
  if (held === null) return;
  const { dragged, init } = held;
  held = null;
  dragged.dispatchEvent(new DragEvent('dragend', { ...init, buttons: 0 }));
  await nextTask();
};
