/** How a value gets into a field: by typing, choosing, a click, or the keys of a slider. */
import type { FieldKind, Outcome, Target } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { stopIfCancelled } from './fault.ts';
import { nextTask } from './frames.ts';
import { pressByEvents } from './press-key.ts';
import { whyUnusable } from './ready.ts';
import { isTextField, labelledBy, roleOf } from './roles.ts';
import { statesOf } from './states.ts';
import { findTarget } from './target.ts';

const TOGGLES = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

export const fieldKind = ({ target }: { target: Target }): FieldKind => {
  const element = labelledBy(findTarget(target));
  const role = roleOf(element);
  if (TOGGLES.has(role)) return { by: 'click', isOn: statesOf(element, role).includes('checked'), isRadio: role.endsWith('radio') };
  if (role === 'slider' && !(element instanceof HTMLInputElement)) return { by: 'slider' };
  const isList = element instanceof HTMLSelectElement || role === 'listbox' || (role === 'combobox' && !isTextField(element));
  return { by: isList ? 'options' : 'text' };
};

const MAX_STEPS = 1_000;

/** Moves a slider by its keys, as near to the value as its steps lead. */
export const slide = async ({ target, value }: { target: Target; value: number }, signal: AbortSignal): Promise<Outcome> => {
  const element = findTarget(target);
  const refusal = whyUnusable(element);
  if (refusal !== null) return refusal;
  beginChange();
  if (element instanceof HTMLElement) element.focus({ preventScroll: true });
  for (let step = 0; step < MAX_STEPS && placeOf(element) !== value; step += 1) {
    stopIfCancelled(signal);
    const before = placeOf(element);
    await pressByEvents({ key: before < value ? 'ArrowRight' : 'ArrowLeft', modifiers: [] });
    await nextTask();
    if (Math.abs(placeOf(element) - value) >= Math.abs(before - value)) break;
  }
  return { done: { ...changeOf(element, null), kept: placeOf(element) === value ? 'whole' : 'other' } };
};

const placeOf = (slider: Element): number => Number(slider.getAttribute('aria-valuenow') ?? Number.NaN);
