/** What a sighted user can see. Text that is there for machines only is told apart: it is where instructions to a model are hidden. */
import { outerOf, parentOf } from './composed.ts';
import { boxOfArea, imageUnder } from './image-map.ts';
import { plain } from './plain.ts';

/** Whether an element has a place on the page, in view or not. */
export const isVisible = (element: Element): boolean => {
  if (element instanceof HTMLAreaElement) {
    const image = imageUnder(element);
    return image !== null && isVisible(image);
  }
  const { width, height } = boxOf(element);
  if (width <= 0 || height <= 0) return false;
  if (plain(element).checkVisibility({ visibilityProperty: true })) return true;
  // Browsers say of every element without a box that it is not visible.
  const { display, visibility } = getComputedStyle(element);
  return display === 'contents' && visibility === 'visible';
};

const HALF_STROKE = 0.5;

/** Where an element is; one without a box of its own is where its content is. */
export const boxOf = (element: Element): DOMRect => {
  if (element instanceof HTMLAreaElement) return boxOfArea(element);
  const own = plain(element).getBoundingClientRect();
  // What is drawn of a straight line is its stroke, which is no part of its box.
  if (element instanceof SVGGraphicsElement && own.width > 0 !== own.height > 0)
    return new DOMRect(own.left - HALF_STROKE, own.top - HALF_STROKE, own.width + 2 * HALF_STROKE, own.height + 2 * HALF_STROKE);
  if (own.width > 0 || own.height > 0 || getComputedStyle(element).display !== 'contents') return own;
  return contentBox(element);
};

/** How deep what is drawn may stand in what has no size of its own. */
const MAX_BOXLESS = 4;

/** What is drawn of an element: itself, or what stands in it where it has no size, as around a dialog that is fixed in the view. */
export const boxesOf = (element: Element): Element[] => {
  let found = [element];
  for (let level = 0; level < MAX_BOXLESS && found.some(isBoxless); level += 1)
    found = found.flatMap((at) => (isBoxless(at) ? [...plain(at).children] : [at]));
  return found;
};

/** Whether an element has no size, and what stands in it is not cut off by that. */
export const isBoxless = (element: Element): boolean => {
  const { width, height } = plain(element).getBoundingClientRect();
  if ((width > 0 && height > 0) || plain(element).childElementCount === 0) return false;
  return plain(element).checkVisibility() && getComputedStyle(element).overflow === 'visible';
};

const contentBox = (element: Element): DOMRect => {
  const content = document.createRange();
  content.selectNodeContents(element);
  return content.getBoundingClientRect();
};

/** Whether nothing inside an element can be seen, whatever its own style says. */
export const isContentInvisible = (element: Element, style: CSSStyleDeclaration): boolean =>
  (style.opacity === '0' && !isFading(element)) ||
  ((style.position === 'absolute' || style.position === 'fixed') && isOffCanvas(element, style));

/** Whether what is transparent now is about to be seen, or just was. */
const isFading = (element: Element): boolean => element.getAnimations().some(({ playState }) => playState === 'running');

/** Whether the browser leaves out all that is inside, as in a part that is folded until something in it is looked for. */
export const hidesContent = ({ contentVisibility }: CSSStyleDeclaration): boolean => contentVisibility === 'hidden';

/** What text is drawn on. */
export interface Ground {
  /** Null where it is unknown: a picture, a gradient, or what lies behind something positioned. */
  readonly background: string | null;
  /** The colour around, where only something positioned before it could hide it. */
  readonly surface: string | null;
}

/** Whether text in an element of this style cannot be seen on its ground. */
export const isTextInvisible = (element: Element, style: CSSStyleDeclaration, { background, surface }: Ground): boolean => {
  if (style.visibility !== 'visible' || style.fontSize === '0px') return true;
  if (isTransparent(style.color) && style.getPropertyValue('-webkit-background-clip') !== 'text') return !isTextLayer(element);
  if (Number.parseFloat(style.textIndent) < -900) return true;
  if (background !== null) return style.color === background;
  return surface !== null && style.color === surface && !isOnSomething(element);
};

/** What a page is drawn on before any element of it paints. */
export const canvasGround = (): Ground => {
  // A frame shows what is behind it until it paints a background of its own.
  const isWhite = window.parent === window && !getComputedStyle(document.documentElement).colorScheme.includes('dark');
  return isWhite ? { background: 'rgb(255, 255, 255)', surface: null } : { background: null, surface: null };
};

/** What the content of an element stands on. */
export const groundIn = (style: CSSStyleDeclaration, around: Ground): Ground => {
  if (style.backgroundImage !== 'none') return { background: null, surface: null };
  if (!isTransparent(style.backgroundColor)) {
    return { background: style.backgroundColor.startsWith('rgb(') ? style.backgroundColor : null, surface: null };
  }
  if (style.position === 'static' || style.position === '') return around;
  return { background: null, surface: around.background ?? around.surface };
};

/** Whether it stands for what a picture shows at its place, to be marked and copied, as on a page of a PDF. */
const isTextLayer = (element: Element): boolean => {
  const { left, top, right, bottom } = plain(element).getBoundingClientRect();
  let around = outerOf(element);
  for (let level = 0; around !== null && level < MAX_LAYERS; level += 1, around = outerOf(around)) {
    const picture = plain(around).querySelector(':scope > canvas, :scope > img, :scope > * > canvas, :scope > * > img');
    if (picture === null) continue;
    const under = plain(picture).getBoundingClientRect();
    return under.left <= left + 1 && under.top <= top + 1 && under.right >= right - 1 && under.bottom >= bottom - 1;
  }
  return false;
};

const MAX_LAYERS = 4;

/** Whether something that paints lies in the same place: a picture, or a box with a background, beside it or beside what is around it. */
const isOnSomething = (element: Element): boolean => {
  const rect = plain(element).getBoundingClientRect();
  for (let [at, parent] = [element, outerOf(element)]; parent !== null; [at, parent] = [parent, outerOf(parent)]) {
    if (['::before', '::after'].some((pseudo) => paints(getComputedStyle(parent, pseudo)))) return true;
    for (const sibling of [...plain(parent).children].slice(0, MAX_SIBLINGS)) {
      const own = plain(sibling);
      if (sibling === at || !overlaps(own.getBoundingClientRect(), rect)) continue;
      if (own.matches(PICTURES) || own.querySelector(PICTURES) !== null || paints(getComputedStyle(sibling))) return true;
    }
    if (paints(getComputedStyle(parent))) return false;
  }
  return false;
};

const MAX_SIBLINGS = 50;
const PICTURES = 'img, svg, video, canvas, picture, iframe, object';

const paints = (style: CSSStyleDeclaration): boolean =>
  style.backgroundImage !== 'none' || (!isTransparent(style.backgroundColor) && style.content !== 'none');

const overlaps = (one: DOMRect, other: DOMRect): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Whether a computed colour paints nothing. */
export const isTransparent = (color: string): boolean => color === 'transparent' || /^rgba\(.*,\s*0\)$/.test(color);

/** Clipped to nothing, or placed where no scrolling leads. */
const isOffCanvas = (element: Element, style: CSSStyleDeclaration): boolean => {
  const rect = plain(element).getBoundingClientRect();
  if (style.overflow !== 'visible' && (rect.width <= 1 || rect.height <= 1)) return true;
  if (/^rect\((?:0|1)px,? (?:0|1)px,? (?:0|1)px,? (?:0|1)px\)$/.test(style.clip)) return true;
  if (/^inset\((?:50|100)%\)$/.test(style.clipPath)) return true;
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
