/** Gives a field a value as the browser itself would. */
import { FaultError } from './fault.ts';

/** The setter below any that a framework put on the element: it would swallow the change. */
export const setNative = (element: HTMLInputElement | HTMLTextAreaElement, text: string): void => {
  const prototype = element instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const set = Object.getOwnPropertyDescriptor(prototype, 'value')?.set;
  const held = element.value;
  set?.call(element, text);
  if (element.value === '' && text !== '') {
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

const FORMATS: Record<string, string> = {
  color: '#rrggbb',
  date: 'YYYY-MM-DD',
  'datetime-local': 'YYYY-MM-DDThh:mm',
  month: 'YYYY-MM',
  number: 'a number such as 12.5',
  time: 'hh:mm',
  week: 'YYYY-Www',
};
