/** Drops files and texts on an element, as from another program. */
import type { DropOptions, Outcome } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { handAt, readyFor, refuseFrame } from './click.ts';
import { elementAt } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { toTransfer } from './files.ts';
import { isFileField } from './roles.ts';
import { nextTask } from './frames.ts';
import { findTarget } from './target.ts';

/** https://html.spec.whatwg.org/multipage/dnd.html#drag-and-drop-processing-model */
export const drop = async ({ target, files, data, site }: DropOptions, signal: AbortSignal): Promise<Outcome> => {
  if (site !== undefined && site !== self.origin) throw new FaultError('TOOL_ARGUMENTS', 'The frame shows a page of another site by now.');
  const goal = findTarget(target);
  refuseFrame(goal);
  if (isFileField(goal)) throw new FaultError('TOOL_ARGUMENTS', 'This is a file field: use browser_file_upload.');
  const ready = await readyFor(target, goal);
  if ('notReady' in ready) return ready;
  stopIfCancelled(signal);
  beginChange();
  const dataTransfer = toTransfer(files);
  for (const [type, text] of Object.entries(data)) dataTransfer.setData(type, text);
  const init = { ...handAt(ready.point).common, buttons: 1, dataTransfer };
  let over = ready.hit;
  over.dispatchEvent(new DragEvent('dragenter', init));
  await nextTask();
  // Many pages lay something over themselves that takes the drop as soon as something is dragged in.
  const shown = elementAt(ready.point.x, ready.point.y) ?? over;
  if (shown !== over) {
    shown.dispatchEvent(new DragEvent('dragenter', { ...init, relatedTarget: over }));
    over.dispatchEvent(new DragEvent('dragleave', { ...init, relatedTarget: shown }));
    over = shown;
    await nextTask();
  }
  stopIfCancelled(signal);
  const isTaken = !over.dispatchEvent(new DragEvent('dragover', init));
  await nextTask();
  over.dispatchEvent(new DragEvent(isTaken ? 'drop' : 'dragleave', { ...init, buttons: 0 }));
  await nextTask();
  const change = changeOf(goal.isConnected ? goal : over, null);
  return { done: isTaken ? change : { ...change, kept: 'none' } };
};
