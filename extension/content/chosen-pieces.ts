/** What was chosen in a field that takes several, where it stands beside the field in pieces of its own. */
import type { ListOptions } from './api.ts';
import { childrenOf, contains, drawnIn, outerOf, parentOf, queryAll } from './composed.ts';
import { clean, nameOf, textOf } from './name.ts';
import { refOf } from './refs.ts';
import { roleOf } from './roles.ts';
import { isDisabled } from './states.ts';
import { boxOf, isVisible } from './visibility.ts';

/** How far around a field what was chosen in it may stand. */
const MAX_LEVELS = 3;

/** What takes a piece away is a cross or a bin, and has no room for words. */
const MAX_PRESSED_PX = 40;

/** The nearest element around a field that says something beside it, and holds no other field. */
export const saidAround = (field: Element): { readonly around: Element; readonly text: string } | null => {
  let around = outerOf(field);
  for (let level = 0; level < MAX_LEVELS && around !== null && isOnlyField(field, around); level += 1) {
    const text = textOf(around, undefined, field);
    if (text !== '') return { around, text };
    around = outerOf(around);
  }
  return null;
};

const isOnlyField = (field: Element, around: Element): boolean =>
  queryAll('input:not([type="hidden"], [aria-hidden="true"]), select, textarea', around).every(
    (other) => other === field || !isVisible(other),
  );

/** In the order in which they stand. */
export const chosenPieces = (field: Element): ListOptions['pieces'] => {
  const around = saidAround(field)?.around;
  if (around === undefined) return [];
  const name = nameOf(field, roleOf(field));
  const pressed = new Set(drawnIn(around).filter(isSmallButton));
  const pieces = new Map<Element, ListOptions['pieces'][number]>();
  for (const button of pressed) {
    let piece = parentOf(button);
    while (piece !== null && piece !== around && !pressed.has(piece) && !hasWords(piece, pressed)) piece = parentOf(piece);
    if (piece === null || pressed.has(piece) || contains(piece, field)) continue;
    const label = textOf(piece, undefined, button);
    // A mark beside the words that name the field, as for help, takes nothing away.
    if (!name.includes(label)) pieces.set(piece, { label, ref: refOf(button) });
  }
  return [...pieces.values()];
};

const isSmallButton = (element: Element): boolean => {
  const isPressed = roleOf(element) === 'button' || getComputedStyle(element).cursor === 'pointer';
  if (!isPressed || isDisabled(element) || !isVisible(element)) return false;
  const { width, height } = boxOf(element);
  return width <= MAX_PRESSED_PX && height <= MAX_PRESSED_PX;
};

/** Buttons beside each other, as those that clear and open a field, are no words. */
const hasWords = (element: Element, pressed: ReadonlySet<Element>): boolean =>
  [...childrenOf(element)].some((child) =>
    child instanceof Text ? clean(child.data) !== '' : child instanceof Element && !pressed.has(child) && hasWords(child, pressed),
  );
