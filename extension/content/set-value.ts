/** Gives a field a value as the browser itself would. */
import { FaultError } from './fault.ts';

/** The setter below any that a framework put on the element: it would swallow the change. */
export const setNative = (element: HTMLInputElement | HTMLTextAreaElement, text: string): void => {
  const prototype = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const set = Object.getOwnPropertyDescriptor(prototype, 'value')?.set;
  const held = element.value;
  set?.call(element, asHeld(element.type, text));
  if (text !== '' && (element.value === '' || isNoColor(element, text))) {
    // What is refused leaves the field as it was.
    set?.call(element, held);
    throw new FaultError(
      'TOOL_ARGUMENTS',
      `A field of type ${element.type} does not take "${text}". Expected: ${FORMATS[element.type] ?? 'another form'}.`,
    );
  }
  element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data: text }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
};

/** A time of one digit is read as it is meant. */
const asHeld = (type: string, text: string): string => (type === 'time' ? text.trim().replace(/^\d:/, '0$&') : text);

/** What is no colour is taken for black. */
const isNoColor = ({ type }: Element & { readonly type: string }, text: string): boolean =>
  type === 'color' && !CSS.supports('color', text);

const FORMATS: Record<string, string> = {
  color: 'a colour such as #ff8800',
  date: 'YYYY-MM-DD',
  'datetime-local': 'YYYY-MM-DDThh:mm',
  month: 'YYYY-MM',
  number: 'a number such as 12.5',
  time: 'hh:mm',
  week: 'YYYY-Www',
};
