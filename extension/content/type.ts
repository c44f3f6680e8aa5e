/** Puts text into a field the way an editor does, so that frameworks, masks and undo all notice. */
import type { Outcome, TypeOptions } from './api.ts';
import { beginChange, changeOf } from './changes.ts';
import { FaultError, stopIfCancelled } from './fault.ts';
import { clean } from './name.ts';
import { nextFrame, nextTask } from './frames.ts';
import { whyUnusable } from './ready.ts';
import { isEditingHost, isTextField, roleOf } from './roles.ts';
import { findTarget } from './target.ts';

const KEY_CODES: Record<string, number> = { Enter: 13, Tab: 9, ' ': 32 };

/** Replaces the text of the field, or says why that is not possible yet. */
export const type = async (options: TypeOptions, signal: AbortSignal): Promise<Outcome> => {
  const element = fieldAt(findTarget(options.target));
  const refusal = whyUnusable(element);
  if (refusal !== null) return refusal;
  if (isTextField(element) && element.readOnly) return { notReady: 'it is read-only' };
  stopIfCancelled(signal);
  beginChange();
  element.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
  element.focus({ preventScroll: true });
  if (element instanceof HTMLSelectElement) choose(element, options.text);
  else if (element instanceof HTMLInputElement && !isTextField(element)) setNative(element, options.text);
  else await write(element, options, signal);
  stopIfCancelled(signal);
  if (options.submits) pressEnter(element);
  await nextFrame();
  return { done: changeOf(element, null) };
};

/** The element that takes the text: the target, or the one field inside it. */
const fieldAt = (element: Element): HTMLElement => {
  if (isEditable(element)) return element;
  if (element instanceof HTMLLabelElement && element.control !== null && isEditable(element.control)) return element.control;
  const host = element instanceof HTMLElement && element.isContentEditable ? element.closest('[contenteditable]') : null;
  if (host instanceof HTMLElement) return host;
  const inside = [...element.querySelectorAll('input, textarea, select, [contenteditable]')].filter(isEditable);
  const [only] = inside;
  if (only !== undefined && inside.length === 1) return only;
  const hint = ['checkbox', 'radio', 'switch'].includes(roleOf(element)) ? ' Use browser_click on it.' : '';
  throw new FaultError('TOOL_ARGUMENTS', `"target" is a ${roleOf(element) || element.localName}, which takes no text.${hint}`);
};

const isEditable = (element: Element): element is HTMLElement => {
  if (element instanceof HTMLSelectElement || isTextField(element) || isEditingHost(element)) return true;
  return (
    element instanceof HTMLInputElement && ['date', 'datetime-local', 'time', 'month', 'week', 'color', 'range'].includes(element.type)
  );
};

const write = async (element: HTMLElement, { text, isSlow }: TypeOptions, signal: AbortSignal): Promise<void> => {
  const before = textIn(element);
  selectAll(element);
  if (isSlow) {
    if (before !== '') document.execCommand('delete');
    for (const character of text) {
      stopIfCancelled(signal);
      await typeKey(element, character);
    }
  } else if (text === '') document.execCommand('delete');
  else document.execCommand('insertText', false, text);
  // A page that cancels editing commands, or a field that is not drawn.
  if (isTextField(element) && element.value === before && before !== text) setNative(element, text);
  else if (isTextField(element)) element.dispatchEvent(new Event('change', { bubbles: true }));
};

const textIn = (element: HTMLElement): string => (isTextField(element) ? element.value : (element.textContent ?? ''));

const selectAll = (element: HTMLElement): void => {
  if (isTextField(element)) return element.select();
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
};

const typeKey = async (element: HTMLElement, character: string): Promise<void> => {
  const key = character === '\n' ? 'Enter' : character;
  const init = keyInit(key);
  if (element.dispatchEvent(new KeyboardEvent('keydown', init)) && element.dispatchEvent(new KeyboardEvent('keypress', init))) {
    if (key === 'Enter') document.execCommand(element instanceof HTMLInputElement ? 'insertText' : 'insertLineBreak');
    else document.execCommand('insertText', false, character);
  }
  element.dispatchEvent(new KeyboardEvent('keyup', init));
  await nextTask();
};

/** The setter below any that a framework put on the element: it would swallow the change. */
const setNative = (element: HTMLInputElement | HTMLTextAreaElement, text: string): void => {
  const prototype = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(element, text);
  if (element.value === '' && text !== '') {
    throw new FaultError(
      'TOOL_ARGUMENTS',
      `A field of type ${element.type} does not take "${text}". Expected: ${FORMATS[element.type] ?? 'another form'}.`,
    );
  }
  element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data: text }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
};

const FORMATS: Record<string, string> = {
  color: '#rrggbb',
  date: 'YYYY-MM-DD',
  'datetime-local': 'YYYY-MM-DDThh:mm',
  month: 'YYYY-MM',
  number: 'a number such as 12.5',
  time: 'hh:mm',
  week: 'YYYY-Www',
};

/** Chooses by what the option says, else by its value. */
const choose = (select: HTMLSelectElement, text: string): void => {
  const options = [...select.options];
  const wanted = clean(text).toLowerCase();
  const option =
    options.find((candidate) => clean(candidate.label) === clean(text)) ??
    options.find((candidate) => candidate.value === text) ??
    options.find((candidate) => clean(candidate.label).toLowerCase() === wanted);
  if (option === undefined || option.disabled) {
    const known = options.slice(0, 30).map((candidate) => `"${clean(candidate.label)}"`);
    const list = `options: ${known.join(', ')}${options.length > 30 ? ' …' : ''}`;
    throw new FaultError('TOOL_ARGUMENTS', `The list has no option "${text}" that can be chosen.`, list);
  }
  option.selected = true;
  select.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  select.dispatchEvent(new Event('change', { bubbles: true }));
};

/** Enter, with what a browser does for it when the page does not. */
const pressEnter = (element: HTMLElement): void => {
  const init = keyInit('Enter');
  const isWanted = element.dispatchEvent(new KeyboardEvent('keydown', init)) && element.dispatchEvent(new KeyboardEvent('keypress', init));
  if (isWanted && element.isConnected) {
    if (element instanceof HTMLInputElement) submitImplicitly(element);
    else if (!(element instanceof HTMLSelectElement)) document.execCommand('insertLineBreak');
  }
  element.dispatchEvent(new KeyboardEvent('keyup', init));
};

/** HTML, "implicit submission": the default button is pressed; without one, only a form with a single text field is sent. */
const submitImplicitly = (element: HTMLInputElement): void => {
  const { form } = element;
  if (form === null) return;
  const controls = [...form.elements];
  const button = controls.find(
    (control) =>
      (control instanceof HTMLButtonElement && control.type === 'submit') ||
      (control instanceof HTMLInputElement && ['submit', 'image'].includes(control.type)),
  );
  if (button instanceof HTMLElement) return button.matches(':disabled') ? undefined : button.click();
  if (controls.filter((control) => control instanceof HTMLInputElement && isTextField(control)).length === 1) form.requestSubmit();
  return undefined;
};

const keyInit = (key: string): KeyboardEventInit => ({
  key,
  code: /^[a-z]$/i.test(key)
    ? `Key${key.toUpperCase()}`
    : /^\d$/.test(key)
      ? `Digit${key}`
      : key === ' '
        ? 'Space'
        : key.length > 1
          ? key
          : '',
  keyCode: KEY_CODES[key] ?? key.toUpperCase().charCodeAt(0),
  bubbles: true,
  cancelable: true,
  composed: true,
});
