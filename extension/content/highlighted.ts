/** What only its ground shows as the chosen one of several rows or items: no class, no attribute says so. */
import { isAlike, isFaint } from './colors.ts';
import { outerOf } from './composed.ts';
import { onceInReading } from './memo.ts';
import { plain } from './plain.ts';

/** Of fewer each may be another one by itself; more are no list to choose from. */
const MIN_ALIKE = 3;
const MAX_ALIKE = 200;
/** The others are drawn on one ground, or on two by turns. */
const MAX_GROUNDS = 2;

/** Whether an element is the only one of those beside it on a ground of its own. What is under the pointer may be so for that alone. */
export const isHighlighted = (element: Element): boolean => {
  const around = outerOf(element);
  return around !== null && oddOneIn(around) === element && !plain(element).matches(':hover');
};

const oddOneIn = onceInReading((around: Element): Element | null => {
  const { children } = plain(around);
  if (children.length < MIN_ALIKE || children.length > MAX_ALIKE) return null;
  const [first, ...others] = [...children].filter((child) => !isHead(child));
  if (first === undefined || others.length < MIN_ALIKE - 1 || others.some(({ localName }) => localName !== first.localName)) return null;
  const grounds: { readonly color: string; readonly elements: Element[] }[] = [];
  for (const element of [first, ...others]) {
    const color = groundOf(element);
    const same = grounds.find((ground) => ground.color === color || isAlike(color, ground.color));
    if (same === undefined) grounds.push({ color, elements: [element] });
    else same.elements.push(element);
    if (grounds.length > MAX_GROUNDS + 1) return null;
  }
  const single = grounds.filter(({ elements }) => elements.length === 1);
  const [odd = null] = single.length === 1 && grounds.length > 1 ? (single[0]?.elements ?? []) : [];
  // The second of three is so by turns as well.
  return others.length === 2 && odd === others[0] ? null : odd;
});

const isHead = (element: Element): boolean =>
  element instanceof HTMLTableRowElement && [...element.cells].every(({ localName }) => localName === 'th');

/** A row may leave its ground to its cells. */
const groundOf = (element: Element): string => {
  const [cell] = element instanceof HTMLTableRowElement ? element.cells : [];
  const painted = [element, cell].map((at) => (at === undefined ? '' : getComputedStyle(at).backgroundColor));
  return painted.find((color) => color !== '' && !isFaint(color)) ?? groundAround(outerOf(element));
};

const groundAround = (element: Element | null): string => {
  if (element === null) return 'rgb(255, 255, 255)';
  const { backgroundColor } = getComputedStyle(element);
  return isFaint(backgroundColor) ? groundAround(outerOf(element)) : backgroundColor;
};
