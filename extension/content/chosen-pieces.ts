/** What was chosen in a field that takes several, where it stands beside the field in pieces of its own. */
import type { ListOptions } from './api.ts';
import { attributeOf } from './component-says.ts';
import { childrenOf, contains, drawnIn, outerOf, parentOf, queryAll, treeOf } from './composed.ts';
import { clean, nameOf, textOf } from './name.ts';
import { plain } from './plain.ts';
import { refOf } from './refs.ts';
import { isSearchField, roleOf } from './roles.ts';
import { isChosen, isDisabled } from './states.ts';
import { boxOf, isVisible } from './visibility.ts';
import { withRole } from './with-role.ts';

/** How far around a field what was chosen in it may stand. */
const MAX_LEVELS = 3;

/** What takes a piece away is a cross or a bin, and has no room for words. */
const MAX_PRESSED_PX = 40;

/** The nearest element around a field that says something beside it and what it opens, and holds no other field. */
export const saidAround = (field: Element, popup: Element | null): { readonly around: Element; readonly text: string } | null => {
  let around = outerOf(field);
  for (let level = 0; level < MAX_LEVELS && around !== null && isOnlyField(field, around); level += 1) {
    const text = textOf(around, undefined, popup === null ? [field] : [field, popup]);
    if (text !== '') return { around, text };
    around = outerOf(around);
  }
  return null;
};

const isOnlyField = (field: Element, around: Element): boolean =>
  queryAll('input:not([type="hidden"], [aria-hidden="true"]), select, textarea', around).every(
    (other) => other === field || !isVisible(other),
  );

/** Those of a field stand beside it, those of a list that is none in the list itself, where it is closed. In the order in which they stand. */
export const chosenPieces = (field: Element, popup: Element | null): ListOptions['pieces'] => {
  const around = isSearchField(field) ? saidAround(field, popup)?.around : field;
  if (around === undefined) return [];
  const name = isNamedForReaders(field) ? '' : nameOf(field, roleOf(field));
  // A list is pressed everywhere, and what is in it has the same hand.
  const isPressed = isSearchField(field) ? isPressable : isButton;
  const isPart = (element: Element): boolean => popup === null || !contains(popup, element);
  const pressed = new Set(drawnIn(around).filter((element) => isPressed(element) && isSmall(element) && isPart(element)));
  const pieces = new Map<Element, ListOptions['pieces'][number]>();
  for (const button of pressed) {
    let piece = parentOf(button);
    while (piece !== null && piece !== around && !pressed.has(piece) && !hasWords(piece, pressed)) piece = parentOf(piece);
    if (piece === null || pressed.has(piece) || contains(piece, field)) continue;
    const label = textOf(piece, undefined, [button]);
    // A mark beside the words that name the field, as for help, takes nothing away.
    if (!isSearchField(field) || !name.includes(label)) pieces.set(piece, { label, ref: refOf(button) });
  }
  if (pieces.size > 0) return [...pieces.values()];
  return isSearchField(field) ? listedBeside(around, popup) : listedIn(field, popup);
};

/** Some tell by the name of a field, in words that nobody sees, what is chosen in it. */
const isNamedForReaders = (field: Element): boolean => {
  const ids = plain(field).getAttribute('aria-labelledby')?.trim().split(/\s+/) ?? [];
  const names = ids.flatMap((id) => treeOf(field)?.getElementById(id) ?? []);
  return names.length > 0 && names.every((named) => Math.min(boxOf(named).width, boxOf(named).height) <= 1);
};

/** What is chosen may stand beside the field in a list of its own, in which it is taken away when it is pressed. */
const listedBeside = (around: Element, popup: Element | null): ListOptions['pieces'] =>
  queryAll('[role="listbox"] [role="option"]', around)
    .filter((option) => isVisible(option) && !(popup !== null && contains(popup, option)) && !isLaidOver(option, around))
    .map((option) => ({ label: nameOf(option, 'option'), ref: refOf(option) }));

/** What is chosen in a list for several may stand in a list of its own beside the one that opens. */
const listedIn = (list: Element, popup: Element | null): ListOptions['pieces'] => {
  const isListed = (option: Element): boolean =>
    isVisible(option) && isChosen(option) && !(popup !== null && contains(popup, option)) && !isLaidOver(option, list);
  const listed = withRole(['option'], list).filter(isListed);
  return listed.length > 1 || (popup !== null && attributeOf(popup, 'aria-multiselectable') === 'true')
    ? listed.map((option) => ({ label: nameOf(option, 'option'), ref: null }))
    : [];
};

/** Whether an element, or what is around it within `outer`, lies over the page, as what is opened does. */
export const isLaidOver = (inner: Element, outer: Element | null): boolean => {
  for (let at: Element | null = inner; at !== null && at !== outer; at = parentOf(at))
    if (['absolute', 'fixed'].includes(getComputedStyle(at).position)) return true;
  return false;
};

const isButton = (element: Element): boolean => roleOf(element) === 'button';

const isPressable = (element: Element): boolean => isButton(element) || (hasHand(element) && isMark(element));

/** Whether the pointer says that it can be pressed. */
export const hasHand = (element: Element): boolean => getComputedStyle(element).cursor === 'pointer';

/** A word is pressed for itself only where the hand begins: elsewhere it is that of the box around it. */
const isMark = (element: Element): boolean => {
  const around = parentOf(element);
  return textOf(element).length <= 1 || (around !== null && !hasHand(around));
};

const isSmall = (element: Element): boolean => {
  if (isDisabled(element) || !isVisible(element)) return false;
  const { width, height } = boxOf(element);
  return width <= MAX_PRESSED_PX && height <= MAX_PRESSED_PX;
};

/** Buttons beside each other, as those that clear and open a field, are no words, and neither is what the picture on one is called. */
const hasWords = (element: Element, pressed: ReadonlySet<Element>): boolean =>
  [...childrenOf(element)].some((child) =>
    child instanceof Text
      ? clean(child.data) !== ''
      : child instanceof Element && !(child instanceof SVGElement) && !pressed.has(child) && hasWords(child, pressed),
  );
