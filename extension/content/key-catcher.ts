/** Editors that draw their text themselves, and have an element only to catch keys. They are written and read as a person does it: by marking all, pasting and copying. */
import { isOnMac, positionOf } from '#extension/shared/keys.ts';
import { isTransparent } from './colors.ts';
import { outerOf } from './composed.ts';
import { nextFrame } from './frames.ts';

/** A text area that is smaller holds nothing that anybody reads. */
const MIN_SIDE = 5;

/** https://developer.mozilla.org/docs/Web/API/EditContext_API */
export const hasEditContext = (element: Element): boolean =>
  element instanceof HTMLElement && 'editContext' in element && element.editContext !== null;

/** Whether keys are caught by an element, and what they write is drawn elsewhere. */
export const catchesKeys = (element: Element): boolean =>
  (hasEditContext(element) || (element instanceof HTMLTextAreaElement && isUnseen(element))) &&
  element.checkVisibility({ visibilityProperty: true });

/** Whether it is a terminal: each key goes to a program, and what is drawn is that program's answer, not a text that could be marked and replaced. */
export const isTerminal = (element: Element): boolean => catchesKeys(element) && element.getAttribute('aria-multiline') === 'false';

/** Where a person presses to write in such an editor. */
export const editorOf = (catcher: Element): Element | null => {
  let around = outerOf(catcher);
  while (around !== null && isSmall(around)) around = outerOf(around);
  return around;
};

const isUnseen = (area: HTMLTextAreaElement): boolean => {
  const { opacity, color } = getComputedStyle(area);
  if (opacity === '0' || isTransparent(color) || isSmall(area)) return true;
  const around = outerOf(area);
  return around !== null && getComputedStyle(around).overflow !== 'visible' && isSmall(around);
};

const isSmall = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect();
  return width < MIN_SIDE || height < MIN_SIDE;
};

/** What an editor draws for people only, as it stands there from top to bottom; null where an element draws nothing so. */
export const drawnFor = (element: Element): string | null => {
  const editor = catchesKeys(element) ? editorOf(element) : null;
  if (editor === null) return null;
  const { width } = editor.getBoundingClientRect();
  const isWide = (part: Element): boolean => part.getBoundingClientRect().width > width / 2;
  const part = [...editor.querySelectorAll('[aria-hidden="true"]')].find((hidden) => hidden.textContent !== '' && isWide(hidden));
  if (part === undefined) return null;
  const lines = [...part.children].map((line) => ({ top: line.getBoundingClientRect().top, text: line.textContent ?? '' }));
  if (lines.length === 0) return part.textContent;
  return lines
    .sort((one, other) => one.top - other.top)
    .map(({ text }) => text.replaceAll('\u00a0', ' '))
    .join('\n');
};

/** Marks all the text of such an editor and gives it; null of an element that is no such editor, or gives nothing. */
export const copyAll = (element: HTMLElement): string | null => {
  if (!markAll(element)) return null;
  const data = new DataTransfer();
  const copy = new ClipboardEvent('copy', { clipboardData: data, bubbles: true, cancelable: true, composed: true });
  if (!element.dispatchEvent(copy)) return data.getData('text/plain');
  // Some put what is marked into their text area, for the browser to copy.
  return element instanceof HTMLTextAreaElement ? element.value.slice(element.selectionStart, element.selectionEnd) : null;
};

/** Writes over what is marked; false when the editor does not take it in this way. */
export const pasteInto = async (element: HTMLElement, text: string): Promise<boolean> => {
  const data = new DataTransfer();
  data.setData('text/plain', text);
  // Some look in the clipboard for the addresses of files unless a list of them comes with it, and for that a browser asks the person: one with a comment only.
  data.setData('text/uri-list', '#');
  const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true, composed: true });
  if (element.dispatchEvent(paste)) return false;
  // Some look first whether they know more about the text than that.
  await nextFrame();
  return true;
};

/** Where a person is after they have written. */
export const goToEnd = (element: HTMLElement): void => void press(element, isOnMac() ? 'ArrowDown' : 'End');

/** Only an editor answers to the keys for this by itself. */
const markAll = (element: HTMLElement): boolean => !press(element, 'a');

/** Whether the browser would do for the chord what it does. */
const press = (element: HTMLElement, key: string): boolean => {
  const held = isOnMac() ? { metaKey: true } : { ctrlKey: true };
  const init = { key, ...positionOf(key), ...held, bubbles: true, cancelable: true, composed: true };
  const isLeft = element.dispatchEvent(new KeyboardEvent('keydown', init));
  element.dispatchEvent(new KeyboardEvent('keyup', init));
  return isLeft;
};
