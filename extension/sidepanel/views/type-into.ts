import { isForFile } from '../attachments.ts';

/**
 * Puts a text in the place of a part of a field as if it were typed, so that Ctrl+Z takes it back and goes on to what was typed before. Nothing else
 * that a script writes is in a field's history: https://developer.mozilla.org/docs/Web/API/Document/execCommand
 */
export const typeInto = (field: HTMLTextAreaElement, start: number, end: number, text: string): void => {
  field.focus();
  field.setSelectionRange(start, end);
  // What a field takes long for as typed is written at once.
  const isTyped = !isForFile(text) && document.execCommand(text === '' ? 'delete' : 'insertText', false, text);
  if (isTyped || start + text.length === end) return;
  field.setRangeText(text, start, end, 'end');
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
};
