/** Finds the element a call means. */
import type { PicturePlace, Point, Target } from './api.ts';
import { folded } from '#extension/shared/same-words.ts';
import { wordsIn } from '#extension/shared/target-steps.ts';
import { contains, elementAt, focusedElement, parentOf, queryAll, treeOf } from './composed.ts';
import { FaultError } from './fault.ts';
import { withoutHeld } from './held-secrets.ts';
import { clean, nameOf, shorten, textOf } from './name.ts';
import { nearTo } from './near.ts';
import { plain } from './plain.ts';
import { byRef } from './refs.ts';
import { isOperable, labelledBy, roleOf } from './roles.ts';
import { select } from './select-elements.ts';
import { describe } from './snapshot.ts';
import { isVisible } from './visibility.ts';

/** The one element of a ref or selector; of several matches the one that can be seen, or of words the one that can be pressed, when it is only one. */
export const findTarget = (target: Target): Element => {
  if ('ref' in target) return byRef(target.ref);
  if ('inView' in target) return elementIn(target.inView);
  if ('point' in target) return elementIn(pointOf(target.point));
  // What holds the field with the focus in a tree of its own matches, too, and is not what a key would reach.
  const found = target.selector === FOCUSED ? [focusedElement()].filter((element) => element !== null) : select(target.selector);
  const [first] = found;
  if (first === undefined) throw nothingMatches(target.selector);
  if (found.length === 1) return first;
  const seen = found
    .filter(isVisible)
    .filter((element, _, all) => !all.some((other) => isMadeOf(other, element) || isSaidFor(other, element)));
  const [only] = seen;
  if (only !== undefined && seen.length === 1) return only;
  const pressed = wordsIn(target.selector) === null ? [] : seen.filter(isPressed);
  const [meant] = pressed;
  if (meant !== undefined && pressed.length === 1) return meant;
  const names = [...new Set([...pressed, ...seen, ...found])].slice(0, 3).map((element) => {
    const { ref, role, name = '' } = describe(element);
    const around = partAround(element, found);
    return `e${ref} ${role} "${name}"${around === '' || around === name ? '' : ` in "${around}"`}`;
  });
  const detail = `The selector "${target.selector}" matches ${found.length} elements; use the ref of one.`;
  throw new FaultError('TARGET_NOT_FOUND', detail, names.join(', '));
};

const FOCUSED = ':focus';

const MAX_AROUND = 60;

/** What tells an element from the others: the widest part around it that holds none of them, as its row or its group, by its name or its words. */
const partAround = (element: Element, others: readonly Element[]): string => {
  const apart = others.filter((other) => !contains(element, other) && !contains(other, element));
  const holdsOther = (part: Element): boolean => apart.some((other) => contains(part, other));
  let widest = element;
  for (let at = parentOf(element); at !== null && !holdsOther(at); at = parentOf(at)) widest = at;
  return shorten(nameOf(widest, roleOf(widest)) || textOf(widest), MAX_AROUND);
};

/** An option of a menu that has opened says the same as cells of a table. */
const isPressed = (element: Element): boolean => isOperable(roleOf(element)) || getComputedStyle(element).cursor === 'pointer';

/** Components give their inner field what names them, too, as their id. */
const isMadeOf = (component: Element, part: Element): boolean =>
  component !== part && treeOf(component) !== treeOf(part) && contains(component, part);

/** The words of a label mean its field. */
const isSaidFor = (field: Element, words: Element): boolean => field !== words && labelledBy(words) === field;

const nothingMatches = (selector: string): FaultError => {
  if (selector === FOCUSED)
    return new FaultError('TARGET_NOT_FOUND', 'Nothing in the page has the focus: press a field first, or give one as the target.');
  if (hidesWords(selector))
    return new FaultError(
      'TARGET_NOT_FOUND',
      `Nothing that is shown matches the selector "${selector}". It is in the page, but hidden. Open what it is in, as a menu, a tab or a section that is folded.`,
    );
  const near = nearTo(selector);
  const words = near.length === 0 ? '' : ' What is nearest to it follows.';
  return new FaultError('TARGET_NOT_FOUND', `Nothing matches the selector "${selector}".${words}`, near.join(', '));
};

/** Whether something that could be pressed says the words, and is not shown. */
const hidesWords = (selector: string): boolean => {
  const words = wordsIn(selector);
  if (words === null) return false;
  const wanted = folded(clean(words));
  return queryAll(PRESSED).some((element) => {
    const { textContent } = plain(element);
    return folded(clean(withoutHeld(textContent ?? ''))) === wanted && !isVisible(element);
  });
};

const PRESSED = 'a, button, summary, option, label, [role]';

export const isThere = ({ selector }: { selector: string }): boolean => select(selector).length > 0;

let picture: PicturePlace | null = null;

/** A place is meant in the last picture; another page has none yet. */
export const pictured = (place: PicturePlace): void => {
  picture = place;
};

/** Where a place of the last picture is in the page. */
export const placeInPage = ({ x, y }: Point): Point => {
  if (picture === null) throw new FaultError('TOOL_ARGUMENTS', 'Coordinates are a place in a picture: use browser_take_screenshot first.');
  // The height changes with the browser's bars and moves nothing; another width lays the page out anew.
  if (picture.pageWidth !== innerWidth)
    throw new FaultError(
      'TOOL_ARGUMENTS',
      'The page has another width than in the last picture: take a new one with browser_take_screenshot.',
    );
  return { x: picture.left + x / picture.scale, y: picture.top + y / picture.scale };
};

/** Where a place of the last picture is in the viewport now; what was scrolled away comes back. */
export const pointOf = (point: Point): Point => {
  const { x: left, y: top } = placeInPage(point);
  const { x: fromLeft, y: fromTop } = picture?.scrolled ?? { x: scrollX, y: scrollY };
  const asPictured = { x: left - fromLeft, y: top - fromTop };
  if (isHeldAt(asPictured, 'fixed')) return asPictured;
  const now = { x: left - scrollX, y: top - scrollY };
  const isCovered = (fromLeft !== scrollX || fromTop !== scrollY) && [now, asPictured].some((at) => isHeldAt(at, 'fixed', 'sticky'));
  if (isInView(now) && !isCovered) return now;
  if (isInView(asPictured)) scrollTo({ left: fromLeft, top: fromTop, behavior: 'instant' });
  else scrollTo({ left: left - innerWidth / 2, top: top - innerHeight / 2, behavior: 'instant' });
  return { x: left - scrollX, y: top - scrollY };
};

/** The same, where it is in the view or beside it. */
export const pointNow = (target: Target): Point | null => {
  if ('inView' in target) return target.inView;
  if (!('point' in target)) return null;
  const { x, y } = placeInPage(target.point);
  return { x: x - scrollX, y: y - scrollY };
};

/** Whether it means whatever is there. */
export const isPlace = (target: Target): boolean => 'inView' in target || 'point' in target;

/** In the view, where a target is a place. */
export const placeOf = (target: Target): Point | null =>
  'inView' in target ? target.inView : 'point' in target ? pointOf(target.point) : null;

/** Beside the view there is nothing, and under its scroll bars neither. */
const isInView = ({ x, y }: Point): boolean => elementAt(x, y) !== null;

/** What stays where it is in the view is there still, however far the page was scrolled since, and lies over what moves. */
const isHeldAt = ({ x, y }: Point, ...positions: readonly string[]): boolean => {
  for (let at = elementAt(x, y); at !== null; at = parentOf(at)) if (positions.includes(getComputedStyle(at).position)) return true;
  return false;
};

const elementIn = ({ x, y }: Point): Element => {
  const element = elementAt(x, y);
  if (element === null) throw new FaultError('TARGET_NOT_FOUND', 'There is nothing at this place of the page.');
  return element;
};
