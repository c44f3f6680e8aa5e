/** Closing a list that a page made, as a person does who has chosen. */
import type { Target } from './api.ts';
import { contains, focusedElement } from './composed.ts';
import { listAt, popupOf } from './options.ts';
import { plain } from './plain.ts';
import { pressByEvents } from './press-key.ts';

/** A key by events of the page's own: of a real one the browser would also close the dialog around the list. */
export const closeList = async ({ target }: { target: Target }): Promise<void> => {
  const element = listAt(target);
  const list = popupOf(element);
  const focused = focusedElement();
  const isInList = focused !== null && (contains(element, focused) || (list !== null && contains(list, focused)));
  if (!isInList && element instanceof HTMLElement) plain(element).focus({ preventScroll: true });
  await pressByEvents({ key: 'Escape', modifiers: [] });
};
