/** The field in a component whose own element is none. */
import { queryAll } from './composed.ts';
import { isOperable, roleOf } from './roles.ts';
import { isVisible } from './visibility.ts';

/** The parts of a form, by what they are. */
const FILLED = new Set(['checkbox', 'combobox', 'listbox', 'radio', 'searchbox', 'slider', 'spinbutton', 'switch', 'textbox']);

/** A button that opens a list is filled by choosing in that. */
const isFilled = (element: Element): boolean => FILLED.has(roleOf(element)) || element.getAttribute('aria-haspopup') === 'listbox';

/** What is filled in a component: the one field in it, or of several the one that is shown, as where a list is closed. */
export const partOf = (element: Element): Element => {
  if (isOperable(roleOf(element)) || isFilled(element)) return element;
  const parts = queryAll('*', element).filter((part) => isFilled(part) && part.closest('[aria-hidden="true"]') === null);
  const [only, ...others] = parts.length > 1 ? parts.filter(isVisible) : parts;
  return others.length === 0 ? (only ?? element) : element;
};
