/** How a value gets into a field: by typing, choosing, a click, or the keys of a slider. */
import type { FieldKind, Outcome, Target } from './api.ts';
import { attributeOf } from './component-says.ts';
import { boxesNamed } from './boxes-named.ts';
import { beginChange, changeOf } from './changes.ts';
import { focusedElement } from './composed.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { nextFrame, nextTask } from './frames.ts';
import { plain } from './plain.ts';
import { pressByEvents } from './press-key.ts';
import { whyUnusable } from './ready.ts';
import { refOf } from './refs.ts';
import { fieldMeant } from './field-meant.ts';
import { partOf } from './field-part.ts';
import { radioNamed } from './radio-named.ts';
import { isEditingHost, isOperable, isTextField, roleOf, suggests } from './roles.ts';
import { statesOf } from './states.ts';
import { findTarget } from './target.ts';
import { isVisible } from './visibility.ts';

const TOGGLES = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);

export const fieldKind = ({ target, named }: { target: Target; named?: string }): FieldKind => {
  const found = fieldMeant(target);
  const radio = named === undefined ? null : radioNamed(found, named);
  if (radio !== null) return { by: 'click', isOn: isOn(radio, 'radio'), isRadio: true, isNamed: true, ref: refOf(radio) };
  const boxes = named === undefined ? null : boxesNamed(found, named);
  if (boxes !== null)
    return { by: 'boxes', boxes: boxes.map(({ box, ...told }) => ({ ...told, ref: refOf(box), isOn: isOn(box, roleOf(box)) })) };
  const element = partOf(found);
  const role = roleOf(element);
  // What a target in words fits to may change with what is typed, or with the press.
  return { ...wayInto(element, role), ref: refOf(element) };
};

/** A button may say that it stays pressed, and a branch of a tree or an option that it is checked. */
const isToggle = (element: Element, role: string): boolean =>
  TOGGLES.has(role) ||
  (role === 'button' && attributeOf(element, 'aria-pressed') !== null) ||
  (isOperable(role) && attributeOf(element, 'aria-checked') !== null);

const isOn = (element: Element, role: string): boolean | null => {
  const states = statesOf(element, role);
  return states.includes('mixed') ? null : states.includes('checked') || states.includes('pressed');
};

/** Whether it takes keys for more and less alone. */
const isSpun = (element: Element, role: string): boolean =>
  role === 'spinbutton' && attributeOf(element, 'aria-valuenow') !== null && !isTextField(element) && !isEditingHost(element);

const wayInto = (element: Element, role: string): FieldKind => {
  if (isToggle(element, role)) return { by: 'click', isOn: isOn(element, role), isRadio: role.endsWith('radio') };
  if ((role === 'slider' && !(element instanceof HTMLInputElement)) || isSpun(element, role)) return { by: 'slider' };
  if (element instanceof HTMLSelectElement || role === 'listbox') return { by: 'options' };
  const isTyped = isTextField(element) ? !element.readOnly : isEditingHost(element) && (role === 'combobox' || suggests(element));
  if (!isTyped) return { by: role === 'combobox' || attributeOf(element, 'aria-haspopup') === 'listbox' ? 'options' : 'text' };
  // What is searched for is not to be found yet.
  const isSuggested =
    (role === 'combobox' || suggests(element)) &&
    !(element instanceof HTMLInputElement && element.list !== null) &&
    !(isTextField(element) && isSearch(element));
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
/** What is farther away than so many steps is come near to by larger ones. */
const FAR_STEPS = 20;
/** As long as a few frames take, also where the machine is busy; what does not move by a key is waited for so long. */
const LATE_MS = 500;

/** Moves a slider by its keys, as near to the value as its steps lead. */
export const slide = async ({ target, value }: { target: Target; value: number }, signal: AbortSignal): Promise<Outcome> => {
  const element = findTarget(target);
  const refusal = whyUnusable(element);
  if (refusal !== null) return refusal;
  if (Number.isNaN(placeOf(element))) throw new FaultError('TOOL_ARGUMENTS', UNTOLD);
  beginChange();
  if (focusedElement() !== element && (element instanceof HTMLElement || element instanceof SVGElement)) {
    plain(element).focus({ preventScroll: true });
    // Of two sliders in one, some components move the one of which they heard when they were last drawn.
    await nextFrame();
  }
  for (const [more, less] of axesOf(element)) {
    const ahead = await moveBy({ slider: element, value, keys: [more, less] }, signal);
    const back = ahead === 'nearer' ? ahead : await moveBy({ slider: element, value, keys: [less, more] }, signal);
    if (ahead !== 'still' || back !== 'still') break;
  }
  return { done: { ...changeOf(element, null), kept: isAt(element, value) ? 'whole' : 'other' } };
};

/** A slider that adds up steps of a tenth is never quite where it says. */
const isAt = (slider: Element, value: number): boolean => Math.abs(placeOf(slider) - value) <= Math.max(1, Math.abs(value)) * 1e-9;

type Keys = readonly [more: string, less: string];

/** The keys that move it. What stands upright may hear of others than what lies, and in a page from right to left they may mean the opposite. */
const axesOf = (slider: Element): readonly Keys[] => {
  const across: Keys = ['ArrowRight', 'ArrowLeft'];
  const upright: Keys = ['ArrowUp', 'ArrowDown'];
  const isUpright = roleOf(slider) === 'spinbutton' || attributeOf(slider, 'aria-orientation') === 'vertical';
  return isUpright ? [upright, across] : [across, upright];
};

interface Moving {
  readonly slider: Element;
  readonly value: number;
  readonly keys: Keys;
}

/** Where a key has led. */
type Step = 'nearer' | 'farther' | 'still';

/** Moves it as near as these keys lead, and says where the first of them did. */
const moveBy = async ({ slider, value, keys: [more, less] }: Moving, signal: AbortSignal): Promise<Step> => {
  for (let step = 0; step < MAX_STEPS && !isAt(slider, value); step += 1) {
    stopIfCancelled(signal);
    const from = placeOf(slider);
    const led = await stepTowards(slider, value, from < value ? [more, less] : [less, more]);
    if (led !== 'nearer') return step > 0 ? 'nearer' : led;
    if (step === 0) await comeNear(slider, value, FAR_STEPS * Math.abs(placeOf(slider) - from));
  }
  return 'nearer';
};

/** By larger steps, where it has some, as long as they lead nearer. */
const comeNear = async (slider: Element, value: number, nearBy: number): Promise<void> => {
  for (let steps = 0; steps < MAX_STEPS && Math.abs(placeOf(slider) - value) > nearBy; steps += 1) {
    const led = await stepTowards(slider, value, placeOf(slider) < value ? ['PageUp', 'PageDown'] : ['PageDown', 'PageUp']);
    if (led !== 'nearer') return;
  }
};

/** One step, which is taken back where it leads farther away. */
const stepTowards = async (slider: Element, value: number, [key, back]: Keys): Promise<Step> => {
  const before = placeOf(slider);
  const now = await pressOnce(slider, key);
  if (now === before) return 'still';
  if (Math.abs(now - value) < Math.abs(before - value)) return 'nearer';
  await pressOnce(slider, back);
  return 'farther';
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

const placeOf = (slider: Element): number => Number(attributeOf(slider, 'aria-valuenow') ?? Number.NaN);
