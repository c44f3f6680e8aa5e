/** What is drawn and not written: boxes without text, shapes of a drawing. */
import { isTransparent } from './colors.ts';
import { outerOf } from './composed.ts';
import { plain } from './plain.ts';

const MIN_SIDE = 6;
const MAX_SIDE = 320;

/** A grid of more is a picture, or a table with gaps. */
const MAX_BOXES = 150;

/** A drawing with more shapes is a picture. */
const MAX_SHAPES = 60;
const MIN_DRAWING = 48;
const MIN_LINE = 8;
/** In a smaller one the words are those of its name. */
const MIN_READ = 100;
const MAX_LOOKED_AT = 400;
const SHAPES = 'rect, circle, ellipse, polygon, polyline, line';

/** Whether an element is a box without content that stands among others of its kind: a cell of a board, a swatch, a dot. */
export const isBox = (element: Element, style: CSSStyleDeclaration, background: string | null): boolean =>
  element instanceof HTMLElement && isEmpty(element) && isPaintedBox(element, style, background) && isAmongBoxes(element);

/** Whether an element is a box without content that its author has put at a place by itself and given a name, as a ball in a game. */
export const isLoneBox = (element: Element, style: CSSStyleDeclaration, background: string | null): boolean =>
  element instanceof HTMLElement &&
  plain(element).id !== '' &&
  (style.position === 'absolute' || style.position === 'fixed') &&
  style.pointerEvents !== 'none' &&
  isEmpty(element) &&
  isPaintedBox(element, style, background) &&
  smallerSideOf(element) >= MIN_LONE;

const MIN_LONE = 20;

const smallerSideOf = (element: Element): number => {
  const { width, height } = plain(element).getBoundingClientRect();
  return Math.min(width, height);
};

/** What the pointer says can be done with an element by dragging, where it says more than what is around it; nothing where it says nothing. */
export const handleOf = (element: Element, cursor: string): string => {
  const says = HANDLES.exec(cursor)?.[0] ?? '';
  if (says === '') return '';
  const around = outerOf(element);
  return around !== null && getComputedStyle(around).cursor === cursor ? '' : says;
};

/** https://drafts.csswg.org/css-ui/#cursor */
const HANDLES = /^(?:grab|move|all-scroll|(?:col|row|ew|ns|nesw|nwse|[nsew]{1,2})-resize)$/;

/** Whether what is dragged is a card with a few words, as one of a board is, and not a part of the page such as a map. */
export const isCard = (element: Element, handle: string): boolean => {
  const { length } = (plain(element).textContent ?? '').trim();
  return (handle === 'grab' || handle === 'move') && length > 0 && length <= MAX_CARD_TEXT && smallerSideOf(element) <= MAX_CARD_SIDE;
};

const MAX_CARD_TEXT = 300;
const MAX_CARD_SIDE = 160;

/** Whether nothing is written in it, and nothing in it can be pressed, as the marks of a map can. */
export const isBare = (element: Element): boolean =>
  (plain(element).textContent ?? '').trim() === '' &&
  plain(element).querySelector('img, canvas, video, iframe, input, button, [role="button"], [role="slider"]') === null &&
  ![...plain(element).querySelectorAll('*')].slice(0, MAX_LOOKED_AT).some((inner) => getComputedStyle(inner).cursor === 'pointer');

/** Whether an element is a card that lies on its face: painted, among others of its kind, and what is in it is hidden. */
export const isCovered = (element: Element, style: CSSStyleDeclaration, background: string | null): boolean =>
  element instanceof HTMLElement && !isEmpty(element) && isPaintedBox(element, style, background) && isAmongBoxes(element);

/** Whether an element inside something that can be pressed is a button of its own: an icon that is named for what it does. */
export const isActionBox = (element: Element, style: CSSStyleDeclaration): boolean =>
  element instanceof HTMLElement &&
  isEmpty(element) &&
  ACTION.test(plain(element).getAttribute('class') ?? '') &&
  isPaintedBox(element, style, null);

const ACTION =
  /(?:^|[\s_-])(?:archive|block|bookmark|close|copy|delete|dismiss|download|edit|fav|favou?rite|flag|follow|forward|heart|hide|important|like|menu|more|mute|options|pin|play|print|remove|reply|retweet|save|settings|share|spam|star|trash|undo|up-?vote|down-?vote)(?=$|[\s_-])/i;

const isEmpty = (element: HTMLElement): boolean =>
  plain(element).firstElementChild === null && (plain(element).textContent ?? '').trim() === '';

const isPaintedBox = (element: HTMLElement, style: CSSStyleDeclaration, background: string | null): boolean => {
  const isPainted =
    (!isTransparent(style.backgroundColor) && style.backgroundColor !== background) ||
    style.backgroundImage.startsWith('url(') ||
    (style.borderTopStyle !== 'none' && style.borderLeftStyle !== 'none');
  if (!isPainted || style.opacity === '0') return false;
  // The white space of a text, as before a line of code.
  if (style.display === 'inline' && plain(element).textContent !== '') return false;
  const { width, height } = plain(element).getBoundingClientRect();
  return width >= MIN_SIDE && height >= MIN_SIDE && width <= MAX_SIDE && height <= MAX_SIDE;
};

const isAmongBoxes = (element: HTMLElement): boolean => {
  if (element instanceof HTMLTableCellElement) {
    // The browser keeps this list; a new one for each cell of a large table would take minutes.
    const all = element.closest('table')?.getElementsByTagName('td') ?? [];
    if (all.length > MAX_BOXES) return false;
    const cells = [...all];
    return cells.filter((cell) => (cell.textContent ?? '').trim() === '').length * 2 >= cells.length;
  }
  const around = outerOf(element);
  const siblings = around === null ? [] : plain(around).children;
  if (siblings.length < 2 || siblings.length > MAX_BOXES) return false;
  return [...siblings].some((sibling) => sibling !== element && plain(sibling).localName === plain(element).localName);
};

/** The shapes of a drawing that a person could tell apart and press; none of an icon, or of what its author calls a picture. */
export const shapesIn = (drawing: SVGSVGElement): SVGElement[] => {
  const { width, height } = drawing.getBoundingClientRect();
  if (width < MIN_DRAWING || height < MIN_DRAWING || drawing.getAttribute('role') === 'img') return [];
  const drawn = [...drawing.querySelectorAll<SVGElement>(SHAPES)];
  if (drawn.length > MAX_LOOKED_AT) return [];
  const shapes = drawn.filter((shape) => shape.closest('defs, symbol, clipPath, mask, pattern') === null && !isTick(shape));
  return shapes.length > MAX_SHAPES ? [] : shapes;
};

/** The marks of an axis, and what has no size yet. */
const isTick = (shape: SVGElement): boolean => {
  const { width, height } = shape.getBoundingClientRect();
  return Math.max(width, height) < MIN_LINE || (Math.min(width, height) === 0 && !isLine(shape));
};

const isLine = (shape: SVGElement): boolean => plain(shape).localName === 'line' || plain(shape).localName === 'polyline';

/** Whether a drawing says more than its name, as a chart does by its labels, or is worked with by what has the hand cursor. */
export const isRead = (drawing: SVGSVGElement, name: string): boolean => {
  const { width, height } = drawing.getBoundingClientRect();
  if (width < MIN_READ || height < MIN_READ) return false;
  const texts = [...drawing.querySelectorAll('text')];
  return texts.length <= MAX_LOOKED_AT && texts.some((text) => !name.includes((text.textContent ?? '').trim()));
};

/** Whether something in it has the hand cursor, which no other sign tells of. */
export const hasHand = (drawing: SVGSVGElement): boolean => {
  const { width, height } = drawing.getBoundingClientRect();
  if (width < MIN_DRAWING || height < MIN_DRAWING) return false;
  const parts = [...drawing.querySelectorAll('path, g, use, image, rect, circle')];
  if (parts.length > MAX_LOOKED_AT) return false;
  const count = parts.filter((part) => getComputedStyle(part).cursor === 'pointer').length;
  return count > 0 && count <= MAX_SHAPES;
};
