/** What a style draws nothing of, though it stands in the page: cut away, shrunk to nothing, turned away or put where no scrolling leads. */
import { colorsIn, isFaint } from './colors.ts';
import { outerOf, parentOf, treeOf } from './composed.ts';
import { plain } from './plain.ts';
import type { RareWays } from './rare-ways.ts';

/** With less opacity nobody sees it. */
const MIN_OPACITY = 0.05;
/** Letters that are blurred so far are one cloud. */
const BLURRED_PX = 12;
/** What is no larger shows nothing. */
const MAX_NOTHING_PX = 1;
/** What is drawn smaller than by this has no size. */
const MIN_SCALE = 0.01;
/** Text that begins so far away was put there. */
const FAR_PX = 900;

/** Whether nothing inside an element can be seen, whatever its own style says. */
export const isContentInvisible = (element: Element, style: CSSStyleDeclaration, position: string, ways: RareWays): boolean =>
  (isFaded(style, ways) && !isMoving(element)) ||
  (ways.maskImage && isMasked(style)) ||
  ((position === 'absolute' || position === 'fixed') && (isClippedOut(style) || isBeyond(element, style))) ||
  (ways.clipPath && isClipped(element, style)) ||
  (ways.backfaceVisibility && isTurnedAway(element, style)) ||
  isShrunkAway(element, style, ways);

/** Whether the text in an element is drawn at no size, or where no scrolling leads, by whatever is done to it or to what is around it. */
export const isTextAway = (element: Element, display: string): boolean => {
  // Where what stands in a slot is drawn, its slot does not tell.
  if (display === 'contents' || plain(element).childNodes.length === 0) return false;
  const rect = plain(element).getBoundingClientRect();
  if (isNone(rect)) return isNone(contentBox(element)) && !isMoving(element);
  const { left, right, bottom } = rect;
  if (left > -FAR_PX && ((right > 0 && bottom > 0) || (right + scrollX > 0 && bottom + scrollY > 0))) return false;
  const text = contentBox(element);
  return (text.bottom + scrollY <= 0 || (text.right + scrollX <= 0 && !isFromRight())) && !isPartOfMore(element);
};

/** What is around an element and cuts off all of it: `flow` leaves what has a place of its own, `placed` only what is fixed in the view. */
export type Cut = 'none' | 'flow' | 'placed';

/** The same for what is inside an element. */
export const cutIn = (element: Element, style: CSSStyleDeclaration, position: string, ways: RareWays, around: Cut): Cut => {
  const isOut = position === 'fixed' || (around === 'flow' && position === 'absolute');
  const cut = isOut ? 'none' : around;
  // Few pages cut to one side alone, and this is asked of each element.
  const mayCut = !FLOWS.has(style.overflowY) || (ways.contain && /paint|strict|content/.test(style.contain));
  if (cut === 'placed' || !mayCut || !cutsAll(element, style)) return cut;
  return position === 'static' ? 'flow' : 'placed';
};

/** What was taken out of the page has no style. */
const FLOWS = new Set(['visible', '']);

const cutsAll = (element: Element, { display }: CSSStyleDeclaration): boolean => {
  const hasBox = display !== 'contents' && (display !== 'inline' || element instanceof SVGSVGElement);
  // How these say it is how the view is scrolled.
  return hasBox && !plain(element).matches(':root, body') && isNone(plain(element).getBoundingClientRect()) && !isMoving(element);
};

const isNone = ({ width, height }: DOMRect): boolean => width <= MAX_NOTHING_PX || height <= MAX_NOTHING_PX;

/** Whether what cannot be seen now is about to be, or just was. */
export const isMoving = (element: Element): boolean => element.getAnimations().some(({ playState }) => playState === 'running');

/** Whether it lets through all that is behind it. */
export const isFaded = (style: CSSStyleDeclaration, ways: RareWays): boolean => {
  const { opacity } = style;
  if (opacity !== '1' && opacity !== '' && Number(opacity) < MIN_OPACITY) return true;
  if (!ways.filter) return false;
  const { filter } = style;
  const [, left = '1'] = /\bopacity\(([\d.]+)\)/.exec(filter) ?? [];
  const [, blur = '0'] = /\bblur\(([\d.]+)px\)/.exec(filter) ?? [];
  return Number(left) < MIN_OPACITY || Number(blur) >= BLURRED_PX;
};

/** A mask of nothing but colours that do not paint shows nothing. */
const isMasked = ({ maskImage }: CSSStyleDeclaration): boolean => {
  if (maskImage === 'none' || maskImage === '' || maskImage.includes('url(')) return false;
  const colors = colorsIn(maskImage);
  return colors.length > 0 && colors.every(isFaint);
};

const isClippedOut = ({ clip }: CSSStyleDeclaration): boolean => {
  const [top, right, bottom, left] = clip.match(/-?[\d.]+(?=px)/g)?.map(Number) ?? [];
  if (top === undefined || right === undefined || bottom === undefined || left === undefined) return false;
  return right - left <= MAX_NOTHING_PX || bottom - top <= MAX_NOTHING_PX;
};

/** https://www.w3.org/TR/css-masking-1/ */
const isClipped = (element: Element, { clipPath }: CSSStyleDeclaration): boolean => {
  if (clipPath === 'none' || clipPath === '') return false;
  const [, id] = /^url\("#(.+)"\)$/.exec(clipPath) ?? [];
  // A drawing of nothing leaves nothing.
  if (id !== undefined) return treeOf(element)?.getElementById(id)?.childElementCount === 0;
  const { width, height } = plain(element).getBoundingClientRect();
  return showsNothing(clipPath, width, height);
};

/** Whether a shape leaves nothing of a box. One that is written in a way not read here leaves all of it. */
const showsNothing = (clipPath: string, width: number, height: number): boolean => {
  const [, shape = '', given = ''] = /^(inset|circle|ellipse|polygon|path)\((.*)\)/s.exec(clipPath) ?? [];
  switch (shape) {
    case 'inset': {
      const [top = '', right = top, bottom = top, left = right] = given.split(/\s+round\s+/)[0]?.split(' ') ?? [];
      const isFlat = pixels(top, height) + pixels(bottom, height) > height - MAX_NOTHING_PX;
      return isFlat || pixels(left, width) + pixels(right, width) > width - MAX_NOTHING_PX;
    }
    case 'circle':
    case 'ellipse': {
      const radii = given.split(/\s*\bat\b/)[0]?.split(' ') ?? [];
      return radii.some((radius) => pixels(radius, Math.max(width, height)) < MAX_NOTHING_PX);
    }
    case 'polygon':
      return areaOf(given, width, height) < MAX_NOTHING_PX;
    case 'path':
      // It goes nowhere.
      return !/[a-ln-y]/i.test(given);
    default:
      return false;
  }
};

/** Not a number for what is calculated or named. */
const pixels = (length: string, whole: number): number => {
  if (!/^-?[\d.]+(?:px|%)?$/.test(length)) return NaN;
  return length.endsWith('%') ? (Number.parseFloat(length) / 100) * whole : Number.parseFloat(length);
};

/** By https://en.wikipedia.org/wiki/Shoelace_formula; not a number where a corner is calculated. */
const areaOf = (corners: string, width: number, height: number): number => {
  const points = corners
    .replace(/^(?:evenodd|nonzero),\s*/, '')
    .split(',')
    .map((corner) => corner.trim().split(' '))
    .map(([x = '', y = '']) => ({ x: pixels(x, width), y: pixels(y, height) }));
  const doubled = points.reduce((sum, { x, y }, index) => {
    const next = points[(index + 1) % points.length] ?? { x, y };
    return sum + x * next.y - next.x * y;
  }, 0);
  return Math.abs(doubled) / 2;
};

/** Whether it is drawn at no size, so that nobody could press it, either. */
export const isShrunkAway = (element: Element, style: CSSStyleDeclaration, ways: RareWays): boolean =>
  ways.shrinking && isShrunk(style) && !isMoving(element);

/** What is turned on its edge may be a side of something that is turned back. */
const isShrunk = ({ transform, scale }: CSSStyleDeclaration): boolean => {
  if (
    scale
      .split(' ')
      .slice(0, 2)
      .some((factor) => Math.abs(Number.parseFloat(factor)) < MIN_SCALE)
  )
    return true;
  if (transform === 'none' || transform === '') return false;
  const { m11, m12, m13, m21, m22, m23 } = new DOMMatrix(transform);
  return m13 === 0 && m23 === 0 && Math.min(Math.hypot(m11, m12), Math.hypot(m21, m22)) < MIN_SCALE;
};

/** The back of a card that is not turned yet. */
const isTurnedAway = (element: Element, { backfaceVisibility, transform }: CSSStyleDeclaration): boolean => {
  if (backfaceVisibility !== 'hidden') return false;
  let turn = new DOMMatrix(transform === 'none' ? '' : transform);
  for (let around = outerOf(element); around !== null; around = outerOf(around)) {
    const style = getComputedStyle(around);
    if (style.transformStyle !== 'preserve-3d') break;
    if (style.transform !== 'none') turn = new DOMMatrix(style.transform).multiply(turn);
  }
  return turn.m33 < 0;
};

/** Whether an element was put where no scrolling leads. */
const isBeyond = (element: Element, style: CSSStyleDeclaration): boolean => {
  const rect = plain(element).getBoundingClientRect();
  const isBehind = rect.left >= innerWidth || rect.top >= innerHeight;
  if (style.position === 'fixed' && isBehind && innerWidth > 0 && rect.width > 0) return true;
  if (rect.right > 0 && rect.bottom > 0) return false;
  // What has no size shows where its content is.
  const { right, bottom, width, height } = rect.width > 0 && rect.height > 0 ? rect : contentBox(element);
  const { left, top } = scrolledAround(element, style);
  // What is of no size at the very edge, as what pages put their menus into, holds what goes beyond it.
  return isBefore(right + left, width) || isBefore(bottom + top, height);
};

const isBefore = (end: number, size: number): boolean => (size > 0 ? end <= 0 : end < 0);

/** How far what an element stands in is scrolled, all together: what lies before the beginning of the page by less can be scrolled to. */
const scrolledAround = (element: Element, { position }: CSSStyleDeclaration): { left: number; top: number } => {
  let [left, top] = [scrollX, scrollY];
  if (position === 'fixed') return { left, top };
  for (let around = element instanceof HTMLElement ? plain(element).offsetParent : null; around !== null; around = parentOf(around)) {
    if (around === document.scrollingElement) break;
    left += plain(around).scrollLeft;
    top += plain(around).scrollTop;
  }
  return { left, top };
};

/** A page that begins at its right is scrolled to the left. */
const isFromRight = (): boolean => getComputedStyle(document.documentElement).direction === 'rtl';

/** What goes beyond its frame, as the pictures of a slide show do, comes back into it. */
const isPartOfMore = (element: Element): boolean => {
  for (let around = outerOf(element); around !== null && !plain(around).matches(':root, body'); around = outerOf(around))
    if (getComputedStyle(around).overflowX !== 'visible') return true;
  return false;
};

/** Where what is in an element is, whatever the size of that. */
export const contentBox = (element: Element): DOMRect => {
  const content = document.createRange();
  content.selectNodeContents(element);
  return content.getBoundingClientRect();
};
