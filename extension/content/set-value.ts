/** Gives a field a value as the browser itself would. */
import { FaultError } from './fault.ts';

/** The setter below any that a framework put on the element: it would swallow the change. */
export const setNative = (element: HTMLInputElement | HTMLTextAreaElement, text: string): void => {
  const prototype = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const set = Object.getOwnPropertyDescriptor(prototype, 'value')?.set;
  const held = element.value;
  set?.call(element, asHeld(element.type, text));
  if (text !== '' && (element.value === '' || isReplaced(element, text))) {
    // What is refused leaves the field as it was.
    set?.call(element, held);
    throw untaken(element, text);
  }
  element.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true, inputType: 'insertReplacementText', data: text }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
};

/** A time of one digit is read as it is meant. */
const asHeld = (type: string, text: string): string => (type === 'time' ? text.trim().replace(/^\d:/, '0$&') : text);

/**
 * The number that is meant for a field of numbers, with a comma for the point where that cannot part thousands. What is none is refused: the browser
 * leaves out the signs that it does not take, and has another number then.
 */
export const meantFor = (element: Element, text: string): string => {
  if (!(element instanceof HTMLInputElement) || element.type !== 'number') return text;
  const number = text.trim().replace(/^([-+]?\d+),(\d{1,2}|\d{4,})$/, '$1.$2');
  if (number !== '' && !NUMBER.test(number)) throw untaken(element, text);
  return number;
};

const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

/** What is no colour is taken for black, and what is no number for the middle of a slider. */
const isReplaced = ({ type }: Element & { readonly type: string }, text: string): boolean =>
  (type === 'color' && !CSS.supports('color', text)) || (type === 'range' && !NUMBER.test(text.trim()));

const untaken = ({ type }: Element & { readonly type: string }, text: string): FaultError =>
  new FaultError('TOOL_ARGUMENTS', `A field of type ${type} does not take "${text}". Expected: ${FORMATS[type] ?? 'another form'}.`);

const FORMATS: Record<string, string> = {
  color: 'a colour such as #ff8800',
  date: 'YYYY-MM-DD',
  'datetime-local': 'YYYY-MM-DDThh:mm',
  month: 'YYYY-MM',
  number: 'a number such as 12.5',
  range: 'a number such as 12.5',
  time: 'hh:mm',
  week: 'YYYY-Www',
};
