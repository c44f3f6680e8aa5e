/** Scrolls the page or a part of it, and measures how far that went. */
import type { NotReady, Point, ScrollOptions, Scrolled, Target } from './api.ts';
import { beginChange, changeOf, intoView, noteMove } from './changes.ts';
import { handAt } from './click.ts';
import { elementAt, elementsOfBody, parentOf } from './composed.ts';
import { FaultError } from './fault.ts';
import { heardOfScroll } from './frames.ts';
import { plain } from './plain.ts';
import { isReversed } from './scroll-way.ts';
import { findTarget, placeOf } from './target.ts';
import { boxOf, isVisible } from './visibility.ts';

/** What stays in view of the part shown before, so that nothing is skipped. */
const SHARE_OF_VIEW = 0.8;

const PDF_STAYS =
  'Nothing moved: the browser draws this PDF, and turns to another page when it is loaded with #page=2 behind its address (browser_navigate, then browser_reload).';

/** As far as a mouse's wheel turns from one stop to the next. */
const NOTCH_PX = 100;

/** Scrolls at once; without a direction the target comes into view. */
export const scroll = async ({ target, direction, amount }: ScrollOptions): Promise<{ done: Scrolled } | NotReady> => {
  if (document.contentType === 'application/pdf') throw new FaultError('TOOL_FAILED', PDF_STAYS);
  const from = { left: scrollX, top: scrollY };
  const element = target === undefined ? null : findTarget(target);
  if (element !== null && !isVisible(element)) return { notReady: 'it is not visible' };
  beginChange();
  if (direction !== undefined) return { done: await scrollTo({ element, target, from }, direction, amount) };
  if (element === null) throw new FaultError('TOOL_ARGUMENTS', 'browser_scroll needs "target" or "direction".');
  const before = plain(element).getBoundingClientRect();
  intoView(element, { block: 'center', inline: 'nearest' });
  await heardOfScroll();
  const after = plain(element).getBoundingClientRect();
  const movedPx = Math.round(Math.hypot(after.x - before.x, after.y - before.y));
  const isInView = after.bottom > 0 && after.right > 0 && after.top < innerHeight && after.left < innerWidth;
  return { done: { ...changeOf(element, null), movedPx, leftPx: 0, isInView } };
};

interface Start {
  readonly element: Element | null;
  readonly target: Target | undefined;
  /** Where the page was. */
  readonly from: { readonly left: number; readonly top: number };
}

type Direction = NonNullable<ScrollOptions['direction']>;

/** At a place the wheel turns first, as under a hand; anywhere else only where nothing scrolls: it is how maps and drawings are zoomed. */
const scrollTo = async ({ element, target, from }: Start, direction: Direction, amount: number | undefined): Promise<Scrolled> => {
  const place = target === undefined ? null : placeOf(target);
  if (place !== null && turnWheel(place, direction, amount)) return takenBy(element);
  const scroller = scrollerOf(element, direction);
  // A place that the page was scrolled away from comes back for what is there, which is not the page.
  if (scroller === document.scrollingElement) window.scrollTo({ ...from, behavior: 'instant' });
  const scrolled = await scrollBy(scroller, direction, amount);
  const isTaken = scrolled.movedPx === 0 && place === null && turnWheel(middleOf(element), direction, amount);
  return isTaken ? takenBy(element) : scrolled;
};

const takenBy = async (element: Element | null): Promise<Scrolled> => {
  noteMove();
  await heardOfScroll();
  return { ...changeOf(element ?? document.documentElement, null), movedPx: 0, leftPx: 0, isInView: true, isTaken: true };
};

const middleOf = (element: Element | null): Point => {
  const { left, top, width, height } = element === null ? new DOMRect(0, 0, innerWidth, innerHeight) : boxOf(element);
  return { x: left + width / 2, y: top + height / 2 };
};

/** Whether the page has taken it for itself. */
const turnWheel = ({ x, y }: Point, direction: Direction, amount: number = NOTCH_PX): boolean => {
  const hit = elementAt(x, y);
  if (hit === null || direction === 'top' || direction === 'bottom') return false;
  const delta = direction === 'up' || direction === 'left' ? -amount : amount;
  const turned = direction === 'up' || direction === 'down' ? { deltaY: delta } : { deltaX: delta };
  return !plain(hit).dispatchEvent(new WheelEvent('wheel', { ...handAt({ x, y }).common, ...turned }));
};

const scrollBy = async (scroller: Element, direction: Direction, amount: number | undefined): Promise<Scrolled> => {
  const isAcross = direction === 'left' || direction === 'right';
  const isBack = direction === 'up' || direction === 'left' || direction === 'top';
  const place = (): number => (isAcross ? scroller.scrollLeft : scroller.scrollTop);
  const view = isAcross ? scroller.clientWidth : scroller.clientHeight;
  const whole = isAcross ? scroller.scrollWidth : scroller.scrollHeight;
  const isToEnd = direction === 'top' || direction === 'bottom';
  const distance = (isToEnd ? whole : (amount ?? Math.round(view * SHARE_OF_VIEW))) * (isBack ? -1 : 1);
  const before = place();
  scroller.scrollBy({ [isAcross ? 'left' : 'top']: distance, behavior: 'instant' });
  noteMove();
  await heardOfScroll();
  const now = place();
  const size = isAcross ? scroller.scrollWidth : scroller.scrollHeight;
  const beforeStart = isReversed(scroller, isAcross) ? size - view : 0;
  const leftPx = Math.max(0, Math.round(isBack ? beforeStart + now : size - view - beforeStart - now));
  return { ...changeOf(scroller, null), movedPx: Math.round(Math.abs(now - before)), leftPx, isInView: true };
};

/** What around the target scrolls that way; without one the page, or its largest part that scrolls where the page does not. */
const scrollerOf = (element: Element | null, direction: Direction): Element => {
  const isAcross = direction === 'left' || direction === 'right';
  for (let around = element; around !== null; around = parentOf(around)) if (scrolls(around, isAcross)) return around;
  const page = document.scrollingElement ?? document.documentElement;
  if (isAcross ? page.scrollWidth > page.clientWidth : page.scrollHeight > page.clientHeight) return page;
  const [largest] = elementsOfBody()
    .filter((candidate) => scrolls(candidate, isAcross) && isVisible(candidate))
    .toSorted((one, other) => other.clientWidth * other.clientHeight - one.clientWidth * one.clientHeight);
  return largest ?? page;
};

const scrolls = (element: Element, isAcross: boolean): boolean => {
  if (isAcross ? element.scrollWidth <= element.clientWidth : element.scrollHeight <= element.clientHeight) return false;
  const { overflowX, overflowY } = getComputedStyle(element);
  return ['auto', 'scroll'].includes(isAcross ? overflowX : overflowY);
};
