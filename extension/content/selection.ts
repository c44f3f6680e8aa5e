/** What the user has marked in this frame. */
import type { SelectedText } from './api.ts';
import { focusedElement } from './composed.ts';
import { indexInParent } from './frame-place.ts';
import { windowIn } from './frame-window.ts';
import { clean } from './name.ts';
import { isTextField } from './roles.ts';
import { isSensitive } from './sensitive.ts';

/** A whole book may be marked; an agent does better with the page's address. */
const MAX_UNITS = 100_000;

export const readSelection = (): SelectedText => ({
  url: location.href,
  title: clean(document.title),
  text: markedText().trim().slice(0, MAX_UNITS),
  index: indexInParent(),
  indexInUse: indexInUse(),
});

/** In which of its frames the focus is; -1 where it is in none. */
const indexInUse = (): number => {
  const focused = focusedElement();
  const inner = focused === null ? null : windowIn(focused);
  return inner === null ? -1 : Array.from({ length: window.length }, (_, index) => window[index]).indexOf(inner);
};

const markedText = (): string => {
  const focused = focusedElement();
  if (focused === null || !isTextField(focused)) return focused !== null && isSensitive(focused) ? '' : (getSelection()?.toString() ?? '');
  const { selectionStart, selectionEnd } = focused;
  // Fields such as those for numbers do not tell what is marked.
  if (selectionStart === null || selectionEnd === null || isSensitive(focused)) return '';
  return focused.value.slice(selectionStart, selectionEnd);
};
