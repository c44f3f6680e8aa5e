/** The field in a component whose own element is none. */
import { attributeOf } from './component-says.ts';
import { contains, queryAll } from './composed.ts';
import { plain } from './plain.ts';
import { isOperable, isTextField, roleOf, suggests } from './roles.ts';
import { isVisible } from './visibility.ts';

/** The parts of a form, by what they are. */
const FILLED = new Set(['checkbox', 'combobox', 'listbox', 'radio', 'searchbox', 'slider', 'spinbutton', 'switch', 'textbox']);

/** A button that opens a list is filled by choosing in that. */
const isFilled = (element: Element): boolean => FILLED.has(roleOf(element)) || opensList(element);

const opensList = (element: Element): boolean => attributeOf(element, 'aria-haspopup') === 'listbox';

/** What is filled in a component: the one field in it, or of several the one that is shown, as where a list is closed. */
export const partOf = (element: Element): Element => {
  if (isOperable(roleOf(element)) || isFilled(element)) return element;
  const parts = queryAll('*', element).filter((part) => isFilled(part) && part.closest('[aria-hidden="true"]') === null);
  const shown = parts.length > 1 ? parts.filter(isVisible) : parts;
  const [only] = shown;
  return shown.length === 1 ? (only ?? element) : (shown.find((part) => isForAll(part, shown)) ?? element);
};

/** A list may hold the field that looks for its options, and a button may stand beside one that only opens them. */
const isForAll = (part: Element, parts: readonly Element[]): boolean => {
  if (!isTextField(part)) return false;
  if (part.readOnly) return opensList(part) && parts.every((other) => other === part || isBesideIt(other));
  return (suggests(part) || roleOf(part) === 'combobox') && parts.every((other) => contains(other, part));
};

const isBesideIt = (part: Element): boolean =>
  (roleOf(part) === 'button' && opensList(part)) || (part instanceof HTMLSelectElement && plain(part).tabIndex < 0);
