/** Whether an element can be pressed now: visible, at rest, enabled, and not behind something else. */
import type { NotReady, Point } from './api.ts';
import { activity, intoView, leftOf } from './changes.ts';
import { isTransparent } from './colors.ts';
import { contains, elementAt, parentOf, queryAll } from './composed.ts';
import { isDrawn, nextFrame } from './frames.ts';
import { imageUnder } from './image-map.ts';
import { itemsIn, wordsOfItem } from './item-parts.ts';
import { catchesKeys, editorOf } from './key-catcher.ts';
import { shorten, textOf } from './name.ts';
import { plain } from './plain.ts';
import { refOf } from './refs.ts';
import { isOperable, isTextField, labelledBy, roleOf } from './roles.ts';
import { describe } from './snapshot.ts';
import { isDisabled } from './states.ts';
import { boxOf, isVisible } from './visibility.ts';

/** What nobody can type into may have another way to be filled. */
export const READ_ONLY: NotReady = {
  notReady: 'it is read-only',
  isLasting: true,
  remedy: 'A click on it may open what fills it, as a calendar: use browser_click, then choose there.',
};

export const BEHIND_DIALOG: NotReady = {
  notReady: 'a dialog of the page is open, and nothing outside of it takes input',
  remedy: 'Close the dialog or finish what is in it first; browser_snapshot shows it.',
};

const NOT_VISIBLE: NotReady = {
  notReady: 'it is not visible',
  remedy: 'Open what it is in first, as a menu, a tab or a section that is folded; browser_snapshot shows what is there.',
};

const DISABLED: NotReady = {
  notReady: 'it is disabled',
  isOftenBrief: true,
  remedy: 'Do first what enables it, as a choice or a required field; browser_snapshot shows what is there.',
};

/** What moves for longer is pressed as it moves, unless it will soon be over. */
const MAX_FRAMES = 30;
const SOON_MS = 2_000;

/** How far around an element what opens it is looked for. */
const MAX_LEVELS = 8;

/** A script that moves an element does so many times a second. */
const STILL_MS = 100;

let scrolledAt = -Infinity;
addEventListener(
  'scroll',
  () => {
    scrolledAt = performance.now();
  },
  { capture: true, passive: true },
);

/** Where to press and what is hit there, or why not; `isMoving` when it will be elsewhere a moment later. */
export type Readiness = { readonly point: Point; readonly hit: Element; readonly isMoving?: true } | NotReady;

/** Scrolls the element into view and says where to press it, or why that cannot be done now. What never rests has a place, too. */
export const makeReady = async (element: Element): Promise<Readiness> => {
  const aimed = aimOf(element);
  const refusal = whyUnusable(element);
  if (refusal !== null) return isVisible(aimed) ? refusal : { ...refusal, ...openerOf(aimed) };
  bringIntoView(aimed);
  const isResting = await isAtRest(aimed);
  const ready = readyNow(element);
  return isResting || 'notReady' in ready ? ready : { ...ready, isMoving: true };
};

/** Where to press it as it is at this moment. */
export const readyNow = (element: Element): Readiness => {
  const ready = whyUnusable(element) ?? hitTest(aimOf(element), element);
  return 'point' in ready || !isBox(element) ? ready : (onLabelOf(element) ?? ready);
};

/** A box that is covered, or hidden below something, is pressed by what is written for it. */
const onLabelOf = (box: Element): Readiness | null => {
  if (isDisabled(box)) return null;
  const tried = labelsOf(box)
    .filter(isVisible)
    .map((label) => hitTest(label, box));
  // What is pressed for itself in a label, as a link to the terms, is not the label.
  return tried.find((ready) => 'point' in ready && [null, box].includes(ready.hit.closest(PRESSED_ALONE))) ?? null;
};

const PRESSED_ALONE = 'a[href], button, input, select, textarea';

/** Hidden or disabled; null when it is neither. Text can go into what is covered or moving, a click cannot. */
export const whyUnusable = (element: Element): NotReady | null => {
  if (!isVisible(aimOf(element))) return NOT_VISIBLE;
  return isDisabled(element) ? DISABLED : null;
};

/** Whether a dialog holds the page and the element is not in it, so that no person could put anything in. */
export const isBehindDialog = (element: Element): boolean => {
  const dialogs = queryAll('dialog:modal').filter(isVisible);
  return dialogs.length > 0 && !dialogs.some((dialog) => contains(dialog, element));
};

/** A menu shows when the pointer is over what is around it, or before it. */
const openerOf = (element: Element): { opener?: Point } => {
  let inner = element;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const outer = parentOf(inner);
    if (outer === null) return {};
    const seen = [plain(inner).previousElementSibling, outer].find((candidate) => candidate !== null && isVisible(candidate));
    if (seen !== undefined && seen !== null) return isSmall(seen) ? pointOver(seen) : {};
    inner = outer;
  }
  return {};
};

const pointOver = (element: Element): { opener?: Point } => {
  bringIntoView(element);
  const opener = pointsOf(element).find((point) => isHit(element, point));
  return opener === undefined ? {} : { opener };
};

/** The page itself, and its large parts, open nothing by being pointed at. */
const isSmall = (element: Element): boolean => {
  const { width, height } = plain(element).getBoundingClientRect();
  return width * height < (innerWidth * innerHeight) / 4;
};

/** Styled check boxes and file fields are often invisible themselves; their label is what a person presses. So is what only catches keys. */
const aimOf = (element: Element): Element => {
  const words = wordsOfItem(element)?.parentElement ?? null;
  if (words !== null) return words;
  if (catchesKeys(element)) return editorOf(element) ?? element;
  if (isTextField(element) && isOffPage(element)) return editorOf(element) ?? element;
  if (isTextField(element) && isCutOff(element)) return boxAround(element) ?? element;
  if (isVisible(element) && plain(element).getBoundingClientRect().width > 2) return element;
  return labelsOf(element).find(isVisible) ?? (isBox(element) ? boxAround(element) : null) ?? element;
};

/** Of some boxes and switches nothing is drawn but what is around them. */
const isBox = (element: Element): boolean =>
  element instanceof HTMLInputElement && (element.type === 'checkbox' || element.type === 'radio') && plain(element).checkVisibility();

/** Some fields are put where nobody sees them until what is around them is pressed. */
const isOffPage = (field: Element): boolean => {
  const { right, bottom } = field.getBoundingClientRect();
  return isVisible(field) && (right + scrollX <= 0 || bottom + scrollY <= 0);
};

/** Some take keys alone, for what is drawn around them, which leaves no room for them. */
const isCutOff = (field: Element): boolean => {
  const around = parentOf(field);
  return around !== null && getComputedStyle(around).overflowX === 'hidden' && !hasRoom(around);
};

const hasRoom = (element: Element): boolean => {
  const { width, height } = plain(element).getBoundingClientRect();
  return width > 2 && height > 2;
};

/** What a person presses for a field of which nothing is shown. */
const boxAround = (field: Element): Element | null => {
  let box = parentOf(field);
  for (let level = 1; level < MAX_BOX_LEVELS && box !== null && !hasRoom(box); level += 1) box = parentOf(box);
  return box !== null && hasRoom(box) && queryAll(FIELDS, box).every((other) => other === field || isCutOff(other)) ? box : null;
};

const bringIntoView = (element: Element): void => {
  const rect = boxOf(element);
  const isInView = rect.top >= 0 && rect.left >= 0 && rect.bottom <= innerHeight && rect.right <= innerWidth;
  if (isInView && isHit(element, middleOf(element))) return;
  const [inner] = getComputedStyle(element).display === 'contents' ? plain(element).children : [];
  const drawn = element instanceof HTMLAreaElement ? imageUnder(element) : inner;
  // The words of an item stand above the items that it holds.
  const first = itemsIn(element).length > 0 ? 'start' : 'center';
  for (const block of [first, 'end', 'start', first] as const) {
    intoView(drawn ?? element, { block, inline: 'center' });
    if (!isBelowHeld(element)) return;
  }
};

/** Whether something lies over its middle that stays where it is in the view, as a bar, and leaves room beside itself. */
const isBelowHeld = (element: Element): boolean => {
  const { x, y } = middleOf(element);
  for (let at = elementAt(x, y); at !== null && !contains(at, element); at = parentOf(at)) {
    if (contains(element, at)) return false;
    if (['sticky', 'fixed'].includes(getComputedStyle(at).position)) return boxOf(at).height < innerHeight;
  }
  return false;
};

/** Nothing has changed for a while, nothing is scrolled and nothing is animated, so nothing moves. */
const isStill = (): boolean => {
  const { quietMs, animations } = activity();
  return quietMs > STILL_MS && animations === 0 && performance.now() - scrolledAt > STILL_MS;
};

const isAtRest = async (element: Element): Promise<boolean> => {
  if (!isDrawn() || isStill()) return true;
  const giveUpAt = performance.now() + SOON_MS;
  let last = plain(element).getBoundingClientRect();
  for (let frame = 0; frame < MAX_FRAMES || (isSoonOver(element) && performance.now() < giveUpAt); frame += 1) {
    await nextFrame();
    const rect = plain(element).getBoundingClientRect();
    if (rect.x === last.x && rect.y === last.y && rect.width === last.width && rect.height === last.height) return true;
    last = rect;
  }
  return false;
};

/** An animation of the browser's that moves it comes to its end. */
const isSoonOver = (element: Element): boolean =>
  document.getAnimations().some((animation) => {
    const { effect } = animation;
    const target = effect instanceof KeyframeEffect ? effect.target : null;
    return animation.playState === 'running' && leftOf(animation) < SOON_MS && target !== null && contains(target, element);
  });

/** Whether a press on what is drawn there is one on the element. */
export const isMeantBy = (hit: Element, element: Element, aimed = aimOf(element)): boolean => {
  const around = pressedWith(aimed);
  return (
    contains(aimed, hit) ||
    isLabelOf(hit, element) ||
    isWrittenOn(hit, element) ||
    isPressedFor(hit, element) ||
    isDrawnFor(hit, element) ||
    isItsOwn(hit, element) ||
    isFieldOver(hit, aimed) ||
    isPressedThrough(aimed, hit) ||
    (around !== null && pressedWith(hit) === around) ||
    isPlateOver(hit, aimed)
  );
};

const hitTest = (aimed: Element, element: Element): Readiness => {
  let cover: Element | null = null;
  let onInner: Readiness | null = null;
  const around = pressedWith(aimed);
  for (const point of [...pointsOf(aimed), ...(around === null || around === aimed ? [] : pointsOf(around))]) {
    const hit = elementAt(point.x, point.y);
    if (hit === null || !isMeantBy(hit, element, aimed)) cover ??= hit;
    else if (isForInner(hit, aimed)) onInner ??= { point, hit };
    else return { point, hit };
  }
  if (onInner !== null) return onInner;
  if (cover === null) return { notReady: 'it is outside of what can be scrolled into view' };
  if (contains(cover, aimed) && getComputedStyle(aimed).pointerEvents === 'none')
    return { notReady: 'it does not take the pointer (pointer-events: none)' };
  if (contains(cover, aimed))
    return {
      notReady: 'nothing of it is shown at its place',
      remedy: 'What is around it cuts it off: press what stands for it on the page.',
    };
  return { notReady: 'it is covered', fromPage: `covered by ${coverName(cover)}` };
};

/** Words that leave the pointer to the box in which they stand are pressed by that, as what a select asks for while it is empty; in a drawing by the shape under them. */
const isPressedThrough = (words: Element, hit: Element): boolean => {
  if (isOperable(roleOf(words)) || getComputedStyle(words).pointerEvents !== 'none' || textOf(words) === '') return false;
  if (words instanceof SVGElement && hit instanceof SVGElement) return words.ownerSVGElement === hit.ownerSVGElement && isUnder(hit, words);
  let box = parentOf(words);
  for (let level = 1; level < MAX_BOX_LEVELS && box !== null && box !== hit; level += 1) box = parentOf(box);
  return box !== null && box === hit && !isDisabled(box);
};

/** Of a drawing, what comes first is drawn first. */
const isUnder = (one: Element, other: Element): boolean => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;

/** In a drawing, what takes the press for a word or a mark is often a shape over it that paints nothing. */
const isPlateOver = (hit: Element, aimed: Element): boolean => {
  if (!(hit instanceof SVGGeometryElement && aimed instanceof SVGElement) || hit.ownerSVGElement !== aimed.ownerSVGElement) return false;
  const { fill, fillOpacity, opacity } = getComputedStyle(hit);
  return fill === 'none' || isTransparent(fill) || fillOpacity === '0' || opacity === '0';
};

/** What takes each press in it for itself: words in a button, shown or not, mean the button. */
const pressedWith = (element: Element): Element | null => {
  for (let at: Element | null = element; at !== null; at = parentOf(at)) if (WHOLE.has(roleOf(at))) return at;
  return null;
};

/** What is pressed as a whole is not pressed on a button of its own in it, as the one that clears a list, as long as there is room beside that. */
const isForInner = (hit: Element, aimed: Element): boolean => {
  const role = roleOf(aimed);
  const inner = WHOLE.has(role) || role === 'combobox' ? pressedWith(hit) : null;
  return inner !== null && inner !== aimed && contains(aimed, inner);
};

const WHOLE = new Set(['button', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'option', 'checkbox', 'radio', 'switch']);

/** The middle first; when it is covered, what sticks out may still be pressed. */
const pointsOf = (element: Element): Point[] => {
  const rect = [...plain(element).getClientRects()].find(({ width, height }) => width > 0 && height > 0) ?? boxOf(element);
  const at = (x: number, y: number): Point => ({ x: rect.left + rect.width * x, y: rect.top + rect.height * y });
  const line = element instanceof SVGGeometryElement ? middleOfLine(element) : null;
  const words = itemsIn(element).length === 0 ? null : wordsOfItem(element);
  return [
    ...(words === null ? [] : [middleOfText(words)]),
    at(0.5, 0.5),
    at(0.2, 0.5),
    at(0.8, 0.5),
    at(0.5, 0.2),
    at(0.5, 0.8),
    ...(line === null ? [] : [line]),
  ];
};

const middleOfText = (text: Text): Point => {
  const range = document.createRange();
  range.selectNodeContents(text);
  const [first = range.getBoundingClientRect()] = range.getClientRects();
  return { x: first.left + first.width / 2, y: first.top + first.height / 2 };
};

/** Of a line that is drawn the box is mostly empty. */
const middleOfLine = (line: SVGGeometryElement): Point | null => {
  const matrix = line.getScreenCTM();
  if (matrix === null) return null;
  const { x, y } = line.getPointAtLength(line.getTotalLength() / 2).matrixTransform(matrix);
  return { x, y };
};

const middleOf = (element: Element): Point => pointsOf(element)[0] ?? { x: 0, y: 0 };

const isHit = (element: Element, { x, y }: Point): boolean => {
  const hit = elementAt(x, y);
  return hit !== null && contains(element, hit);
};

/** A label and its field are pressed for each other; where a label lies behind its field, what is around the field alone is pressed. */
const isLabelOf = (hit: Element, element: Element): boolean => {
  const field = labelledBy(element);
  if (field !== element && contains(hit, field)) return queryAll(FIELDS, hit).every((other) => other === field);
  return labelsOf(element).some((label) => contains(label, hit));
};

/** Of a switch that is made of a button, too. */
const labelsOf = (element: Element): Element[] =>
  element instanceof HTMLInputElement || element instanceof HTMLButtonElement ? [...(element.labels ?? [])] : [];

/** Words that a page writes over a field in the same box, as what was chosen in it, are pressed for the field. */
const isWrittenOn = (hit: Element, field: Element): boolean => {
  if (!isTextField(field) || textOf(hit) === '' || !/^(?:pointer|text)$/.test(getComputedStyle(hit).cursor)) return false;
  const box = boxOfBoth(field, hit);
  if (box === null) return false;
  // Buttons in the box, as those that take a choice away, are pressed for themselves.
  for (let at: Element | null = hit; at !== null && at !== box; at = parentOf(at))
    if (isOperable(roleOf(at)) || plain(at).hasAttribute('tabindex')) return false;
  return true;
};

/** A field lies over words in the same box, as over what it asks for while it is empty: who presses the words presses the field. */
const isFieldOver = (hit: Element, words: Element): boolean =>
  isTextField(hit) && !isOperable(roleOf(words)) && textOf(words) !== '' && !contains(words, hit) && boxOfBoth(hit, words) !== null;

/** The box around a field alone, if the other element is in it, too. */
const boxOfBoth = (field: Element, other: Element): Element | null => {
  let box = parentOf(field);
  for (let level = 1; level < MAX_BOX_LEVELS && box !== null && !contains(box, other); level += 1) box = parentOf(box);
  return box !== null && contains(box, other) && queryAll(FIELDS, box).every((inner) => inner === field) ? box : null;
};

/** A field that opens a list may leave the pointer to the box around it, or lie behind that. */
const isPressedFor = (hit: Element, field: Element): boolean => {
  if (!isTextField(field) || roleOf(field) !== 'combobox') return false;
  if (getComputedStyle(field).pointerEvents !== 'none' && getComputedStyle(hit).cursor !== 'pointer') return false;
  let box = parentOf(field);
  for (let level = 1; level < MAX_BOX_LEVELS && box !== null && box !== hit; level += 1) box = parentOf(box);
  return box === hit && queryAll(FIELDS, hit).every((other) => other === field);
};

/** What is around the words of an item is pressed for it, too, but for the items that it holds. */
const isItsOwn = (hit: Element, item: Element): boolean => contains(item, hit) && !itemsIn(item).some((items) => contains(items, hit));

/** What lies over a check box in an element around that alone is drawn or written for it where it says that it can be pressed; a script of the page hears of that. */
const isDrawnFor = (hit: Element, box: Element): boolean => {
  if (!isBox(box) || getComputedStyle(hit).cursor !== 'pointer' || pressedWith(hit) !== null) return false;
  const around = boxOfBoth(box, hit);
  return around !== null && hit !== around;
};

/** How far around a field its box is. */
const MAX_BOX_LEVELS = 3;

/** One that readers are told to skip holds what a form sends, and lies under the others. */
const FIELDS = 'input:not([aria-hidden="true"]), select, textarea';

/** The nearest thing around the cover that has a name a model can use. */
const coverName = (cover: Element): string => {
  for (let element: Element | null = cover; element !== null; element = parentOf(element)) {
    const role = roleOf(element);
    if (!isOperable(role) && !['dialog', 'alertdialog', 'banner', 'navigation', 'region', 'complementary'].includes(role)) continue;
    const { ref, name } = describe(element);
    return `${role} "${shorten(name ?? textOf(element), 80)}" [e${ref}]`;
  }
  const { localName, id } = plain(cover);
  const text = shorten(textOf(cover), 60);
  return `<${localName}${id === '' ? '' : ` id="${id}"`}>${text === '' ? '' : ` "${text}"`} [e${refOf(cover)}]`;
};
