/** Finds the element a call means. */
import { wordsIn } from '#extension/shared/target-words.ts';
import type { PicturePlace, Point, Target } from './api.ts';
import { contains, elementAt, elementsOfBody, queryAll } from './composed.ts';
import { FaultError } from './fault.ts';
import { clean, nameOf, textOf } from './name.ts';
import { nearTo } from './near.ts';
import { byRef } from './refs.ts';
import { probeIn } from './selector.ts';
import { roleOf } from './roles.ts';
import { describe } from './snapshot.ts';
import { isVisible } from './visibility.ts';

/** The one element of a ref or selector; of several matches the one that can be seen, when it is only one. */
export const findTarget = (target: Target): Element => {
  if ('ref' in target) return byRef(target.ref);
  if ('point' in target) return elementIn(pointOf(target.point));
  const found = select(target.selector);
  const [first] = found;
  if (first === undefined) throw nothingMatches(target.selector);
  if (found.length === 1) return first;
  const seen = found.filter(isVisible);
  const [only] = seen;
  if (only !== undefined && seen.length === 1) return only;
  const names = found.slice(0, 3).map((element) => {
    const { ref, role, name } = describe(element);
    return `e${ref} ${role} "${name ?? ''}"`;
  });
  const detail = `The selector "${target.selector}" matches ${found.length} elements; use the ref of one.`;
  throw new FaultError('TARGET_NOT_FOUND', detail, names.join(', '));
};

const nothingMatches = (selector: string): FaultError => {
  const near = nearTo(selector);
  const words = near.length === 0 ? '' : ' What is nearest to it follows.';
  return new FaultError('TARGET_NOT_FOUND', `Nothing matches the selector "${selector}".${words}`, near.join(', '));
};

export const isThere = ({ selector }: { selector: string }): boolean => select(selector).length > 0;

let picture: PicturePlace | null = null;

/** A place is meant in the last picture; another page has none yet. */
export const pictured = (place: PicturePlace): void => {
  picture = place;
};

/** Where a place of the last picture is in the page. */
export const placeInPage = ({ x, y }: Point): Point => {
  if (picture === null) throw new FaultError('TOOL_ARGUMENTS', 'Coordinates are a place in a picture: use browser_take_screenshot first.');
  return { x: picture.left + x / picture.scale, y: picture.top + y / picture.scale };
};

/** Where a place of the last picture is in the viewport now; what was scrolled away comes back. */
export const pointOf = (point: Point): Point => {
  const { x: left, y: top } = placeInPage(point);
  const isInView = left >= scrollX && left < scrollX + innerWidth && top >= scrollY && top < scrollY + innerHeight;
  if (!isInView) scrollTo({ left: left - innerWidth / 2, top: top - innerHeight / 2, behavior: 'instant' });
  return { x: left - scrollX, y: top - scrollY };
};

const elementIn = ({ x, y }: Point): Element => {
  const element = elementAt(x, y);
  if (element === null) throw new FaultError('TARGET_NOT_FOUND', 'There is nothing at this place of the page.');
  return element;
};

/** In a larger page an element is asked for what styles draw in it only where it holds a word of what is looked for. */
const MANY_ELEMENTS = 5_000;
const MANY_LEVELS = 150;

/** `text=Sign in` and `role=button[name="Sign in"]`, as other tools have them: they mean what a snapshot shows, and no more. */
const selectByWords = (selector: string): Element[] | null => {
  const text = wordsIn(selector);
  if (text !== null) {
    const wanted = clean(text).toLowerCase();
    const all = elementsOfBody();
    const [firstWord = ''] = wanted.split(' ');
    const isLarge = all.length >= MANY_ELEMENTS || isDeep(all);
    const mayHold = (element: Element, held: string): boolean =>
      !isLarge || held.toLowerCase().includes(firstWord) || element.querySelector('img, svg, [aria-label]') !== null;
    const found: Element[] = [];
    // From the end of the document: what is inside an element comes before it, and is meant.
    for (const element of all.toReversed()) {
      if (found[0] !== undefined && element.contains(found[0])) continue;
      // Cheap first: most elements hold far more text or none of it.
      const held = element.textContent ?? '';
      if (held.length >= wanted.length * 4 + 100 || !mayHold(element, held) || !isVisible(element)) continue;
      // An element may hold another one behind a shadow root.
      if (textOf(element).toLowerCase() === wanted && !found.some((inner) => contains(element, inner))) found.unshift(element);
    }
    return found;
  }
  const [, role, name] = /^role=([a-z]+)(?:\[name=["']?(.+?)["']?\])?$/s.exec(selector) ?? [];
  if (role === undefined) return null;
  const isNamed = (element: Element): boolean => name === undefined || nameOf(element, role).toLowerCase() === clean(name).toLowerCase();
  return elementsOfBody().filter((element) => roleOf(element) === role && isVisible(element) && isNamed(element));
};

/** Whether many elements lie inside each other: the text of each would be read again for each around it. */
const isDeep = (all: readonly Element[]): boolean => {
  const levels = new Map<Element, number>();
  return all.some((element) => {
    const levelOf = (levels.get(element.parentElement ?? element) ?? 0) + 1;
    levels.set(element, levelOf);
    return levelOf > MANY_LEVELS;
  });
};

const select = (selector: string): Element[] => {
  const byWords = selectByWords(selector.trim());
  if (byWords !== null) return byWords;
  const probe = probeIn(selector);
  if (probe !== null) {
    const detail = `"target" asks for values by ${probe}, which may not be read: take a ref from browser_snapshot, or a selector by tag, id, class, name, type or role.`;
    throw new FaultError('TOOL_ARGUMENTS', detail);
  }
  try {
    return queryAll(selector);
  } catch {
    throw new FaultError('TOOL_ARGUMENTS', `"target" is neither a ref like e12 nor a valid CSS selector: "${selector}".`);
  }
};
