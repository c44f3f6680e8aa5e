/** How a value gets into a field: by typing, choosing, a click, or the keys of a slider. */
import type { FieldKind, Outcome, Target } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { focusedElement } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextFrame, nextTask } from './frames.ts';
import { plain } from './plain.ts';
import { pressByEvents } from './press-key.ts';
import { whyUnusable } from './ready.ts';
import { refOf } from './refs.ts';
import { partOf } from './field-part.ts';
import { isTextField, labelledBy, roleOf } from './roles.ts';
import { statesOf } from './states.ts';
import { findTarget } from './target.ts';
import { isVisible } from './visibility.ts';

const TOGGLES = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

export const fieldKind = ({ target }: { target: Target }): FieldKind => {
  const found = labelledBy(findTarget(target));
  const element = partOf(found);
  const role = roleOf(element);
  const way = wayInto(element, role);
  // What a target in words fits to may change with what is typed.
  return element === found && way.by !== 'suggestions' ? way : { ...way, ref: refOf(element) };
};

const wayInto = (element: Element, role: string): FieldKind => {
  if (TOGGLES.has(role)) return { by: 'click', isOn: statesOf(element, role).includes('checked'), isRadio: role.endsWith('radio') };
  if (role === 'slider' && !(element instanceof HTMLInputElement)) return { by: 'slider' };
  if (element instanceof HTMLSelectElement || role === 'listbox') return { by: 'options' };
  const isTyped = isTextField(element) && !element.readOnly;
  if (!isTyped) return { by: role === 'combobox' || element.getAttribute('aria-haspopup') === 'listbox' ? 'options' : 'text' };
  // What is searched for is not to be found yet.
  const isSuggested = role === 'combobox' && !(element instanceof HTMLInputElement && element.list !== null) && !isSearch(element);
  return { by: isSuggested ? 'suggestions' : 'text' };
};

/** What looks for pages is said to be that, stands above them or alone in its form; components have fields of this type, too, in which something is chosen. */
const isSearch = (element: HTMLInputElement | HTMLTextAreaElement): boolean => {
  if (element.closest('search, [role="search"]') !== null) return true;
  if (!element.matches('[type="search"], [enterkeyhint="search"]')) return false;
  const { form } = element;
  return element.closest(ABOVE) !== null || (form !== null && isAlone(element, form));
};

const ABOVE = 'header, nav, [role="banner"], [role="navigation"]';

const isAlone = (field: Element, form: HTMLFormElement): boolean =>
  [...plain(form).elements].every((other) => other === field || !isVisible(other) || other instanceof HTMLButtonElement);

const MAX_STEPS = 1_000;
/** As long as a few frames take, also where the machine is busy; a slider at its end is waited for so long, once. */
const LATE_MS = 500;

/** Moves a slider by its keys, as near to the value as its steps lead. */
export const slide = async ({ target, value }: { target: Target; value: number }, signal: AbortSignal): Promise<Outcome> => {
  const element = findTarget(target);
  const refusal = whyUnusable(element);
  if (refusal !== null) return refusal;
  if (Number.isNaN(placeOf(element))) throw new FaultError('TOOL_ARGUMENTS', UNTOLD);
  beginChange();
  if (focusedElement() !== element && element instanceof HTMLElement) {
    element.focus({ preventScroll: true });
    // Of two sliders in one, some components move the one of which they heard when they were last drawn.
    await nextFrame();
  }
  let [more, less] = ['ArrowRight', 'ArrowLeft'];
  for (let step = 0; step < MAX_STEPS && placeOf(element) !== value; step += 1) {
    stopIfCancelled(signal);
    const before = placeOf(element);
    const [key, back] = before < value ? [more, less] : [less, more];
    const now = await pressOnce(element, key);
    if (Math.abs(now - value) < Math.abs(before - value)) continue;
    if (now !== before) await pressOnce(element, back);
    if (step > 0) break;
    // In a page that runs from right to left the keys may mean the opposite.
    [more, less] = [less, more];
  }
  return { done: { ...changeOf(element, null), kept: placeOf(element) === value ? 'whole' : 'other' } };
};

/** Where the slider is then. */
const pressOnce = async (slider: Element, key: string): Promise<number> => {
  const before = placeOf(slider);
  await pressByEvents({ key, modifiers: [] });
  await nextTask();
  // Some components write where they are only when they are drawn.
  const pressedAt = performance.now();
  while (placeOf(slider) === before && performance.now() - pressedAt < LATE_MS) await nextFrame();
  return placeOf(slider);
};

const UNTOLD =
  '"target" is a slider that does not tell where it is: move it with browser_press_key (ArrowRight, ArrowLeft, Home, End) or browser_drag, and look what the page shows then.';

const placeOf = (slider: Element): number => Number(slider.getAttribute('aria-valuenow') ?? Number.NaN);
