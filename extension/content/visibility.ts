/** What a sighted user can see. Text that is there for machines only is told apart: it is where instructions to a model are hidden. */
import { colorsIn, isAlike, isFaint, isOpaque, isTransparent } from './colors.ts';
import { outerOf, parentOf } from './composed.ts';
import { contentBox, isMoving, isTextAway } from './cut-off.ts';
import { boxOfArea, imageUnder } from './image-map.ts';
import { plain } from './plain.ts';

/** Whether an element has a place on the page, in view or not. */
export const isVisible = (element: Element): boolean => {
  if (element instanceof HTMLAreaElement) {
    const image = imageUnder(element);
    return image !== null && isVisible(image);
  }
  if (isThin(boxOf(element))) return false;
  if (plain(element).checkVisibility({ visibilityProperty: true })) return true;
  // Browsers say of every element without a box that it is not visible.
  const { display, visibility } = getComputedStyle(element);
  return display === 'contents' && visibility === 'visible';
};

/** Nobody could see or press it, as what is turned on its edge. */
const MIN_SIDE_PX = 0.1;

/** Whether nothing of an element can be seen because of its size, nor of what is in it; what grows is told as it will be. */
export const isEdge = (element: Element): boolean => {
  if (!isThin(boxOf(element)) || !isThin(contentBox(element))) return false;
  for (let at: Element | null = element; at !== null; at = parentOf(at)) if (isMoving(at)) return false;
  return true;
};

const isThin = ({ width, height }: DOMRect): boolean => width < MIN_SIDE_PX || height < MIN_SIDE_PX;

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

/** Whether the browser leaves out all that is inside, as in a part that is folded until something in it is looked for. */
export const hidesContent = ({ contentVisibility }: CSSStyleDeclaration): boolean => contentVisibility === 'hidden';

/** What text is drawn on. */
export interface Ground {
  /** Null where it is unknown: a picture, a gradient, or what lies behind something positioned. */
  readonly background: string | null;
  /** The colour around, where only something positioned before it could hide it. */
  readonly surface: string | null;
}

/** Whether text in an element of this style cannot be seen on its ground. `display` is that of the style: each property is dear to ask for. */
export const isTextInvisible = (
  element: Element,
  style: CSSStyleDeclaration,
  { background, surface }: Ground,
  display = style.display,
): boolean => {
  if (style.visibility !== 'visible' || Number.parseFloat(style.fontSize) * element.currentCSSZoom < MIN_FONT_PX) return true;
  if (isTextAway(element, display)) return true;
  // A drawing has colours of its own, and shapes under its text.
  if (element instanceof SVGElement) return !paintsShape(style.fill, style.fillOpacity) && !paintsShape(style.stroke, style.strokeOpacity);
  if (isIndentedAway(element, style)) return true;
  const fill = style.getPropertyValue('-webkit-text-fill-color');
  const under = background ?? surface;
  // Of most texts no more has to be asked, and each property that is asked of all of them is dear.
  if (!isFaint(fill) && (under === null || !isAlike(fill, under))) return false;
  const seen = [fill, ...edgesOf(style)].filter((ink) => !isFaint(ink));
  if (seen.length === 0) return style.getPropertyValue('-webkit-background-clip') !== 'text' && !isTextLayer(element);
  // What is mixed with its ground has another colour on it.
  if (style.mixBlendMode !== 'normal') return false;
  return under !== null && seen.every((ink) => isAlike(ink, under)) && (background !== null || !isOnSomething(element));
};

/** Smaller letters are no letters. */
const MIN_FONT_PX = 2;
const MIN_OPACITY = 0.05;

/** The colours that a style draws around letters, and under them. */
const edgesOf = (style: CSSStyleDeclaration): string[] => {
  const isStroked = Number.parseFloat(style.getPropertyValue('-webkit-text-stroke-width')) > 0;
  const strokes = isStroked ? [style.getPropertyValue('-webkit-text-stroke-color')] : [];
  return [...strokes, ...(style.textShadow === 'none' ? [] : colorsIn(style.textShadow))];
};

const paintsShape = (paint: string, opacity: string): boolean => paint !== 'none' && !isFaint(paint) && Number(opacity) >= MIN_OPACITY;

const FAR_INDENT_PX = -900;

/** Before its box, or behind the end of one that shows no more. */
const isIndentedAway = (element: Element, style: CSSStyleDeclaration): boolean => {
  const { textIndent } = style;
  if (textIndent === '0px') return false;
  const { overflowX } = style;
  const indent = Number.parseFloat(textIndent);
  if (textIndent.endsWith('%')) return indent <= -100 || (indent >= 100 && overflowX !== 'visible');
  return indent < FAR_INDENT_PX || (overflowX !== 'visible' && indent > 0 && indent >= plain(element).getBoundingClientRect().width);
};

/** What a page is drawn on before any element of it paints. */
export const canvasGround = (): Ground => {
  // A frame shows what is behind it until it paints a background of its own.
  const isWhite = window.parent === window && !getComputedStyle(document.documentElement).colorScheme.includes('dark');
  return isWhite ? { background: 'rgb(255, 255, 255)', surface: null } : { background: null, surface: null };
};

/** What the content of an element stands on. */
export const groundIn = ({ backgroundImage, backgroundColor }: CSSStyleDeclaration, position: string, around: Ground): Ground => {
  if (backgroundImage !== 'none') return { background: null, surface: null };
  if (!isTransparent(backgroundColor)) return { background: isOpaque(backgroundColor) ? backgroundColor : null, surface: null };
  if (position === 'static' || position === '') return around;
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
