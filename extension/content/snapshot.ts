/** Reads one frame into a tree of what means something: text, and what can be operated. Built in the page, because that is 20 times faster than the accessibility tree. */
import type { FrameSnapshot, SnapChild, SnapNode } from './api.ts';
import { isBlank } from './blank.ts';
import { attributeOf } from './component-says.ts';
import { bodyOf, childrenOf, elementAt, contains, outerOf, parentOf, treeOf } from './composed.ts';
import { type Cut, cutIn, isContentInvisible, isFaded, isShrunkAway } from './cut-off.ts';
import { handleOf, hasHand, isActionBox, isBare, isBox, isCard, isCovered, isLoneBox, isRead, shapesIn } from './drawn.ts';
import { isFrame, windowIn } from './frame-window.ts';
import { findSecrets, withoutHeld } from './held-secrets.ts';
import { areasOf } from './image-map.ts';
import { itemsIn } from './item-parts.ts';
import { looksOf, shapeOf } from './looks.ts';
import { onceInReading, whileReading } from './memo.ts';
import { MAX_TEXT_READ, beginningOf, clean, isFolded, nameOf, readable, shorten, textOf } from './name.ts';
import { optionNames } from './option-names.ts';
import { plain } from './plain.ts';
import { type RareWays, treeBegunAt, waysAround, waysIn } from './rare-ways.ts';
import { elementOf, hasRef, refOf } from './refs.ts';
import { isEditingHost, isFileField, isNamedByContent, isOperable, isTextField, roleOf } from './roles.ts';
import { isDrawnAsDots, isSensitive } from './sensitive.ts';
import { GAUGES, choiceOf, isChosen, isDraggable, isPlayer, statesOf, valueOf, writtenIn } from './states.ts';
import { isSaidBeside } from './said-beside.ts';
import { generatedText, hasHandOnHover, mayGenerate, readSheets } from './style-sheets.ts';
import { refuseToRead } from './too-large.ts';
import { type Ground, canvasGround, groundIn, hidesContent, isEdge, isTextInvisible, isVisible } from './visibility.ts';
import { withRole } from './with-role.ts';
import { isStruck, written } from './written.ts';

const UNREAD = new Set(
  ['script', 'style', 'noscript', 'template', 'head', 'link', 'meta', 'source', 'track', 'area', 'col', 'colgroup'].concat(
    // What a drawing only refers to.
    ['defs', 'symbol', 'clipPath', 'mask', 'pattern', 'marker', 'metadata', 'title', 'desc'],
  ),
);

/** Their content reads as text around them; the role adds nothing. */
const PLAIN = new Set([
  'paragraph',
  'code',
  'rowgroup',
  'group',
  'figure',
  'status',
  'strong',
  'emphasis',
  'time',
  'deletion',
  'insertion',
]);

/** Long ones are folded by the reader, who then needs a ref to open them. */
const FOLDABLE = new Set(['list', 'table', 'grid', 'listbox', 'tree', 'menu', 'feed']);
const FOLD_FROM = 12;

/** The words of a button with an icon are no longer. */
const MAX_LABEL_TEXT = 24;
/** Longer content is shown as content and not as a name. */
const MAX_LEAF_TEXT = 160;
/** A smaller canvas draws nothing for a person. */
const MIN_CANVAS_PX = 16;
const MAX_TITLE = 80;
/** A longer one is itself what it leads to, at `data:`. */
const MAX_ADDRESS = 4_000;
const MAX_OPTIONS = 200;
const MAX_WHOLE_OPTIONS = 5_000;

/** What counts inside a part that readers are told to skip. */
const OPERABLE_SELECTOR =
  'a[href]:not([tabindex="-1"]), button, input:not([type="hidden"]), select, textarea, [role="button"], [role="link"], [role="checkbox"], [onclick], [contenteditable]';

/** So many elements inside each other are read at once; a call inside a call inside a call has its end. What lies deeper is read afterwards, and as text in a row. */
const MAX_LEVELS = 250;

/** Stands for what is read afterwards. */
const DEEPER = 'deeper';

let level = 0;
let waiting: (() => void)[] = [];

const MIN_PART = 1_000;
/** A longer value is nobody's secret. */
const MAX_HELD = 2_000;

let leftToRead = MAX_TEXT_READ;
/** How many characters of texts were left out. */
let leftOut = 0;
let undrawn = 0;

/** What was shown as text when it was last read, or stood for a name. */
const toldTexts = new WeakSet<Text>();
let isReadWhole = false;
/** It is only looked at, and nobody is told. */
let isTrial = false;

/** Whether the page was read as a whole; of one that was not nothing is known to be new. */
export const isAllTold = (): boolean => isReadWhole;

/** Whether a text was shown when the page was read, or came with a part that was. */
export const wasTold = (text: Text): boolean => toldTexts.has(text);

/** What can be operated and was told of, and has been hidden since. */
const forgotten = new WeakSet<Element>();

/** Whether a reader knows that it can be operated, and has not seen it go since. */
export const isKnown = (element: Element): boolean => hasRef(element) && !forgotten.has(element);

/** Whether it can be operated and no reader knows of it, or only of what has gone since and has come again. */
export const isNews = (element: Element): boolean =>
  !hasRef(element) || (forgotten.has(element) && plain(element).checkVisibility({ opacityProperty: true }));

/** What a reader was told of it holds no more; when it shows again, that is news. */
export const forgetTold = (node: Node): void => {
  const nodes = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  do {
    const { currentNode: at } = nodes;
    if (at instanceof Text) toldTexts.delete(at);
    else if (at instanceof Element && hasRef(at)) forgotten.add(at);
  } while (nodes.nextNode() !== null);
};

/** What was told of elements with a ref, but for what they hold and where they are, and the text that styles put into elements. */
const toldAs = new WeakMap<Element, string>();
const toldGenerated = new WeakMap<Element, string>();

const PLACE = / ?-?\d+×\d+@-?\d+,-?\d+/;

/** What is disabled by what is around it is so only for as long as a dialog is open. */
const saidOf = ({ role, name = '', states = [] }: SnapNode): string =>
  [role, name, ...states.filter((state) => state !== 'disabled')].join('\n').replace(PLACE, '');

const noteTold = (children: readonly SnapChild[]): void => {
  for (const child of children) {
    if (child === null || typeof child === 'string') continue;
    const element = child.ref === undefined ? null : elementOf(child.ref);
    if (element !== null) {
      toldAs.set(element, saidOf(child));
      forgotten.delete(element);
    }
    if (child.children !== undefined) noteTold(child.children);
  }
};

/** To read a larger one takes longer than all else that a receipt tells. */
const MAX_READ_AGAIN = 30;

/** Whether a snapshot would tell something else of an element than the last one did: another name or state, other looks, another text by its styles. */
export const isToldOtherwise = (element: Element): boolean => {
  const before = toldAs.get(element);
  if (isReadWhole && mayGenerate(element) && generatedIn(element) !== (toldGenerated.get(element) ?? '')) return true;
  const now = before === undefined ? null : saidNow(element);
  // Where it stands may make it something else when it is read by itself.
  return before !== undefined && now !== null && now !== before && now.split('\n')[0] === before.split('\n')[0];
};

/** Whether a reader knows it as it is now. */
export const isToldAsItIs = (element: Element): boolean => isKnown(element) && toldAs.get(element) === saidNow(element);

/** It is told by itself, as it is now. */
export const noteToldNow = (element: Element): void => {
  const now = toldAs.has(element) ? saidNow(element) : null;
  if (now !== null) toldAs.set(element, now);
};

/** Null of what is too large, or is no one thing. */
const saidNow = (element: Element): string | null => {
  if (plain(element).querySelectorAll('*').length > MAX_READ_AGAIN) return null;
  const children: SnapChild[] = [];
  isTrial = true;
  try {
    whileReading(() => visitElement(element, aroundOf(element), children, false));
  } finally {
    isTrial = false;
  }
  const [node] = children;
  const isOne = typeof node === 'object' && node !== null && node.ref !== undefined && elementOf(node.ref) === element;
  return isOne ? saidOf(node) : null;
};

const generatedIn = (element: Element): string => generatedText(element, '::before') + generatedText(element, '::after');

const SPACES = /\s+/g;
const SPACES_IN_LINE = /[^\S\n]+/g;

interface Around extends Ground {
  /** Nothing in here can be seen. */
  readonly isUnseen: boolean;
  /** The same, wherever what is in here has its place. */
  readonly isAllUnseen: boolean;
  /** Nor can it be pressed. */
  readonly isShut: boolean;
  readonly cut: Cut;
  readonly ways: RareWays;
  /** Readers are told to skip it: only what can be operated counts. */
  readonly isSkipped: boolean;
  /** It is part of something that can be operated as a whole. */
  readonly isPart: boolean;
  /** Shapes of the drawing around that are told one by one. */
  readonly shapes: readonly Element[];
  /** Dear to find out, and asked for only where there is text. */
  readonly isTextHidden: () => boolean;
  /** A person sees dots. */
  readonly isTextSecret: boolean;
  /** The text is the name of something shown already. */
  readonly isTextNamed: boolean;
  readonly cursor: string;
  readonly isPointer: boolean;
  /** What becomes one space in its text; null where all of it is kept. */
  readonly folds: RegExp | null;
  /** It lies so deep that its structure says nothing any more. */
  readonly isDeep: boolean;
}

/** The tree below `root`, or of the whole frame. */
export const takeSnapshot = (root: Element | null, urls: boolean): FrameSnapshot => {
  refuseToRead(root);
  return whileReading(() => readFrame(root, urls));
};

const readFrame = (root: Element | null, urls: boolean): FrameSnapshot => {
  const children: SnapChild[] = [];
  readSheets();
  // A viewer of the browser's own draws it.
  const isPdf = document.contentType === 'application/pdf';
  const start = isPdf ? null : (root ?? bodyOf(document));
  beginReading();
  if (start !== null) visitElement(start, aroundOf(start), children, urls);
  isReadWhole ||= root === null;
  if (isPdf && self !== top) children.push('(a PDF, which only browser_take_screenshot shows)');
  findSecrets();
  const isJoined = waiting.length > 0;
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
  const read = isJoined ? joined(children) : children;
  noteTold(read);
  return {
    url: location.href,
    title: clean(document.title),
    index: ownIndex(),
    ...(isPdf ? { isPdf } : {}),
    ...(leftOut === 0 ? {} : { leftOut }),
    ...(undrawn === 0 ? {} : { undrawn }),
    children: root === null ? read : read.map(inFull(root)),
  };
};

/** Some elements of the frame with all that is in them, one below the other. */
export const readParts = (parts: readonly Element[]): SnapChild[] => whileReading(() => readEach(parts));

const readEach = (parts: readonly Element[]): SnapChild[] => {
  readSheets();
  beginReading();
  const children = parts.flatMap((part) => {
    const read: SnapChild[] = [];
    visitElement(part, aroundOf(part), read, false);
    // What nobody sees is no news.
    return read.every((child) => isBlank(child) || (typeof child === 'object' && child?.role === 'hidden')) ? [] : [null, ...read];
  });
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next();
  const read = joined(children);
  noteTold(read);
  return read;
};

const beginReading = (): void => {
  level = 0;
  waiting = [];
  leftToRead = MAX_TEXT_READ;
  leftOut = 0;
  undrawn = 0;
};

/** With what was read afterwards in its place. */
const joined = (children: readonly SnapChild[]): SnapChild[] =>
  children.flatMap((child) => {
    if (child === null || typeof child === 'string' || child.children === undefined) return [child];
    return child.role === DEEPER ? joined(child.children) : [{ ...child, children: joined(child.children) }];
  });

/** A field or a list that was asked for by itself is shown with all that it holds. */
const inFull =
  (root: Element) =>
  (child: SnapChild): SnapChild => {
    if (child === null || typeof child === 'string' || child.ref !== refOf(root)) return child;
    if (root instanceof HTMLSelectElement && !isSensitive(root))
      return { ...child, left: 0, isWhole: true, ...optionsOf(root, MAX_WHOLE_OPTIONS) };
    const { value, ...rest } = child;
    const whole = value === undefined || isSensitive(root) ? null : writtenIn(root);
    return whole === null ? { ...child, isWhole: true } : { ...rest, isInline: false, children: inPart(whole) };
  };

const inPart = (whole: string): string[] =>
  whole.length <= MAX_TEXT_READ
    ? [readable(whole)]
    : [readable(whole.slice(0, MAX_TEXT_READ)), `… (${whole.length - MAX_TEXT_READ} more characters of this text were not read)`];

/** What an element is surrounded by, from the root down. */
const aroundOf = (element: Element): Around => {
  const outer: Element[] = [];
  for (let at = parentOf(element); at !== null; at = parentOf(at)) outer.push(at);
  return outer.reduceRight((around, at) => within(at, getComputedStyle(at), around), aroundAll());
};

const aroundAll = (): Around => ({
  ...canvasGround(),
  isUnseen: false,
  isAllUnseen: false,
  isShut: false,
  cut: 'none',
  ways: waysAround(document),
  isSkipped: false,
  isPart: false,
  shapes: [],
  isTextHidden: () => false,
  isTextSecret: false,
  isTextNamed: false,
  cursor: '',
  isPointer: false,
  folds: SPACES,
  isDeep: false,
});

const within = (element: Element, style: CSSStyleDeclaration, around: Around, display?: string): Around => {
  const { position, cursor, whiteSpace } = style;
  const ground = groundIn(style, position, around);
  const tree = treeBegunAt(element);
  const ways = tree === null ? around.ways : waysIn(tree, around.ways);
  const isAllUnseen = around.isAllUnseen || isContentInvisible(element, style, position, ways);
  const cut = cutIn(element, style, position, ways, around.cut);
  const isUnseen = isAllUnseen || cut !== 'none';
  // What only lets through what is behind it is there for the pointer.
  const isForPointer = (): boolean => style.pointerEvents !== 'none' && (around.isAllUnseen || isFaded(style, ways));
  const isShut = around.isShut || cut !== 'none' || (isAllUnseen && !isForPointer());
  let isTextHidden: boolean | undefined;
  return {
    ...ground,
    isUnseen,
    isAllUnseen,
    isShut,
    cut,
    ways,
    isSkipped: around.isSkipped || plain(element).getAttribute('aria-hidden') === 'true',
    isPart: around.isPart,
    shapes: around.shapes,
    isTextHidden: () => (isTextHidden ??= isUnseen || isTextInvisible(element, style, ground, display)),
    isTextSecret: around.isTextSecret || (ways.dots && isDrawnAsDots(element, style)) || isSensitive(element),
    isTextNamed: around.isTextNamed,
    isDeep: around.isDeep,
    cursor,
    isPointer: cursor === 'pointer' || hasHandOnHover(element),
    folds: whiteSpace === 'pre-line' ? SPACES_IN_LINE : whiteSpace.startsWith('pre') || whiteSpace === 'break-spaces' ? null : SPACES,
  };
};

/** Whether it is the page as a whole, which gets the keys when nothing has the focus. */
export const isPage = (element: Element): boolean =>
  (element === document.body || element === document.documentElement) && !isEditingHost(element);

/** One element by itself, for a receipt. */
export const describe = (element: Element): SnapNode => {
  if (element instanceof HTMLLabelElement && element.control !== null) return { ...describe(element.control), ref: refOf(element) };
  if (isPage(element)) return { role: 'document', ref: refOf(element) };
  const role = roleOf(element) || 'clickable';
  // What stands in an editor is its value, and not its name.
  const name = nameOf(element, role) || (isEditingHost(element) ? '' : textOf(element) || textOfHidden(element));
  const chosen = CHOICES.has(role) ? chosenIn(element, role) : '';
  const node = toNode(element, role, shorten(name), chosen === '' || isSensitive(element) ? {} : { value: shorten(chosen) }, true);
  if (!plain(element).isConnected) return { ...node, states: ['gone'] };
  if (isStruck(getComputedStyle(element))) return { ...node, states: [...(node.states ?? []), 'struck through'] };
  const isTold = name !== '' || chosen !== '' || (role !== 'clickable' && !isNamedByContent(role));
  return isTold ? node : { ...node, ...looks(element, role, name, getComputedStyle(element)) };
};

/** What hides itself when it was pressed has said something before. */
const textOfHidden = (element: Element): string =>
  plain(element).childElementCount === 0 && !isSensitive(element) && getComputedStyle(element).display === 'none'
    ? clean(plain(element).textContent ?? '')
    : '';

const CHOICES = new Set(['combobox', 'listbox']);

/** What a list shows as chosen that a page has made of elements: a snapshot tells it by what is in the list. */
const chosenIn = (element: Element, role: string): string => {
  if (element instanceof HTMLSelectElement || valueOf(element) !== null || isTextField(element)) return '';
  if (role === 'combobox') return ['', textOf(element)].includes(nameOf(element, role)) ? '' : textOf(element);
  const chosen = withRole(['option'], element).filter(isChosen);
  return chosen.map((option) => nameOf(option, 'option')).join(', ');
};

const visitElement = (element: Element, around: Around, out: SnapChild[], urls: boolean): void => {
  const { localName } = plain(element);
  if (UNREAD.has(localName) || (!around.isSkipped && isLeftOut(element))) return;
  if (localName === 'br') return void out.push(null);
  const style = getComputedStyle(element);
  const { display, visibility } = style;
  if (display === 'none') return addAll(out, unseenFileFields(element, around));
  const isInline = /^(?:inline|ruby|contents)/.test(display) || isInFormula(element, localName, display);
  const role = roleOf(element);
  if (element instanceof HTMLTableCellElement && isDataCell(element, role)) addAll(out, emptyCells(columnsBefore(element)));
  const inside = within(element, style, around, display);
  const mayHide = inside.ways.contentVisibility || plain(element).hasAttribute('hidden');
  const visitChildren = (given?: Partial<Around>): SnapChild[] =>
    mayHide && hidesContent(style)
      ? []
      : visitInside(element, { ...inside, ...(GRIDS.has(role) ? { isPart: false } : {}), ...given }, urls);
  const isShown = visibility === 'visible' && (!inside.isSkipped || (isVisible(element) && !inside.isUnseen));

  if (role === 'file' && visibility !== 'visible') return addAll(out, unseenFileFields(element, around));
  if (role === 'iframe' || (role === 'embed' && windowIn(element) !== null))
    return isShown ? void out.push(frameNode(element, inside.isUnseen || showsNothing(element))) : undefined;
  if (element instanceof HTMLLabelElement && element.control !== null) {
    return visitLabel(element, element.control, out, visitChildren);
  }
  if (role === 'canvas' && isShown && isLarge(element)) return void out.push(canvasNode(element, style));
  if (isPlayer(element) && isShown) return void out.push(toNode(element, role, shorten(nameOf(element, role)), {}, isInline));
  if (role === 'link' && isShown && isPictureOfOther(element)) return void refOf(element);
  // In what is closed nothing can be pressed, and its words are told as such; a field may stand there for what is shown in its place.
  const isShut = around.isShut || isShrunkAway(element, style, inside.ways);
  const isPressed = (): boolean => PRESSED.has(role) || (!isOperable(role) && isClickable(element, style, inside.isPointer, around));
  if ((isShut || inside.ways.shrinking) && isShown && isPressed() && (isShut || isEdge(element)))
    return addAll(out, isInline ? visitChildren() : [null, ...visitChildren(), null]);
  if (role === 'gridcell' && around.isPart && isOnlyRead(element, role)) return void out.push({ role: 'cell', children: visitChildren() });
  if (isOperable(role) && isShown) return void out.push(operableNode(element, role, isInline, urls, visitChildren, style));
  const pressed = (): SnapNode => clickableNode(element, role, isInline, visitChildren, style);
  if (isShown && isClickable(element, style, inside.isPointer, around)) return void out.push(pressed());
  const dragged = isShown && !around.isPart ? draggedNode(element, role, handleOf(element, inside.cursor), { style, pressed }) : null;
  if (dragged !== null) return void out.push(dragged);
  if (isShown && around.shapes.includes(element)) return void out.push(shapeNode(element, style));
  if (element instanceof SVGSVGElement) return addAll(out, drawingNodes(element, role, inside, visitChildren));
  if (role === 'img') return inside.isUnseen || inside.isSkipped || !isShown ? undefined : addAll(out, pictureNodes(element, role));
  if (GAUGES.has(role) && isShown && !inside.isUnseen && !inside.isSkipped && isWordless(element))
    return void out.push(gaugeNode(element, role, isInline));
  const isDrawnBox = around.isPart
    ? isActionBox(element, style)
    : isBox(element, style, around.background) || isLoneBox(element, style, around.background);
  if (isShown && isDrawnBox) return void out.push(boxNode(element, role, style));
  if (inside.isUnseen && !around.isUnseen && isShown && isSaidBeside(element)) return addAll(out, visitChildren(SEEN));
  const read = role === 'row' ? withoutEmptyEnd(visitChildren()) : visitChildren();
  const children = withChoice(element, role, [...written(element, style, inside.ways, read, out.at(-1))], isShown && !around.isPart);
  // What lies hidden in a card is told after it.
  if (
    isShown &&
    !around.isPart &&
    children.some(isHiddenText) &&
    children.every(isNothingShown) &&
    isCovered(element, style, around.background)
  )
    out.push(boxNode(element, role, style));
  const isGroup = role === 'group' && isReached(element, role);
  // What cannot be pressed now is not told as what it would be.
  const isPart = isGroup || (isStructure(role) && (isShown || !isOperable(role)));
  const given = !isPart || inside.isSkipped || !hasOwnName(element) ? '' : shorten(nameOf(element, role));
  // What has a ref is looked for by its name.
  const isLookedFor = role === 'dialog' || role === 'alertdialog' || isReached(element, role);
  const name = !isLookedFor && children.length > 0 && isSaidAtFirst(given, children) ? '' : given;
  if (isPart && !inside.isDeep && (children.some((child) => child !== null && child !== '') || name !== '')) {
    out.push(structureNode(element, role, name, children));
    return columnsOf(element) > 1 && isDataCell(element, role) ? addAll(out, emptyCells(columnsOf(element) - 1)) : undefined;
  }
  if (isDataCell(element, role) && !inside.isDeep && !inside.isSkipped) return addAll(out, emptyCells(columnsOf(element)));
  const isAfterTerm = localName === 'dd' && isTermOfOne(plain(element).previousElementSibling);
  if (!isInline && !isAfterTerm) out.push(null);
  addAll(out, children);
  if (!isInline) out.push(isTermOfOne(element) ? endOfTerm(children) : null);
  return undefined;
};

/** What is larger is no item of a list to choose from. */
const MAX_CHOICE_TEXT = 300;
const MAX_CHOICE = 40;

/** With what says that it is the chosen one of several lines or cards. */
const withChoice = (element: Element, role: string, children: SnapChild[], isTold: boolean): SnapChild[] => {
  if (!isTold || role === 'row' || role === 'columnheader') return children;
  const choice = children.every(isBlank) ? '' : choiceOf(element, role);
  if (choice === '' || !isShort(element)) return children;
  const isLine = children.every((child) => child === null || typeof child === 'string' || child.isInline === true);
  const isText = children.some((child) => typeof child === 'string' && !isBlank(child));
  // The only thing in it may say so itself.
  const isSaidInside = children.some((child) => typeof child === 'object' && child?.states?.includes(choice) === true);
  if (!isLine) return isSaidInside ? children : [null, `(${choice})`, null, ...children];
  return isText ? children.toSpliced(children.findLastIndex((child) => !isBlank(child)) + 1, 0, ` (${choice})`) : children;
};

const isShort = (element: Element): boolean =>
  plain(element).querySelectorAll('*').length <= MAX_CHOICE && (plain(element).textContent ?? '').length <= MAX_CHOICE_TEXT;

/** What is told as seen, because it is seen beside it. */
const SEEN: Partial<Around> = { isUnseen: false, isAllUnseen: false, isShut: false, cut: 'none', isTextHidden: () => false };

/** A formula stands in its line, but for one that has a line of its own, and its parts are that line. */
const isInFormula = (element: Element, localName: string, display: string): boolean =>
  element instanceof MathMLElement && (localName !== 'math' || display !== 'block math');

/** Whether it is a term with one description, which follows in the same line. */
const isTermOfOne = (element: Element | null): boolean => {
  const description = element?.localName === 'dt' ? element.nextElementSibling : null;
  return description?.localName === 'dd' && description.nextElementSibling?.localName !== 'dd';
};

const endOfTerm = (children: readonly SnapChild[]): string | null => {
  const last = children.findLast((child) => !isBlank(child));
  const isOneLine = last !== undefined && children.every((child) => typeof child === 'string' || child?.isInline === true);
  if (!isOneLine) return null;
  return typeof last === 'string' && /[:：]\s*$/.test(last) ? ' ' : ': ';
};

/** How much of a part is looked at for its name. */
const MAX_BEFORE_NAME = 8;

/** Whether a cell of a row that is pressed as a whole is nothing by itself. */
const isOnlyRead = (element: Element, role: string): boolean =>
  !plain(element).hasAttribute('tabindex') && !hasOwnName(element) && statesOf(element, role).length === 0;

/** Whether a part begins with what it is called, as with its heading. */
const isSaidAtFirst = (name: string, children: readonly SnapChild[]): boolean => {
  if (name === '') return false;
  let left = MAX_BEFORE_NAME;
  const says = (child: SnapChild): boolean => {
    if (child === null || left === 0) return false;
    left -= 1;
    if (typeof child === 'string') return child.trim() === name;
    return (child.role !== 'hidden' && child.name === name) || child.children?.some(says) === true;
  };
  return children.some(says);
};

/** What a card that is dragged is by itself. */
const CARDS = new Set(['', 'article', 'listitem', 'paragraph', 'row']);

const PRESSED = new Set(['button', 'gridcell', 'link', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'option', 'tab', 'treeitem']);

/** Their cells are pressed one by one, whatever is around them. */
const GRIDS = new Set(['grid', 'treegrid']);

const CELLS = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/** Whether what stands in it belongs to a column, so that the column is told also where nothing does. Tables without headings are often layout. */
const isDataCell = (element: Element, role: string): boolean => {
  if (!CELLS.has(role)) return false;
  if (!(element instanceof HTMLTableCellElement)) return true;
  const table = element.closest('table');
  return table !== null && (hasHeadings(table) || wordyColumns(table).has(element.cellIndex));
};

/** In a table without headings in which each row has as many cells, the columns that say something in any row: what only takes up room says nothing in all of them. */
const wordyColumns = onceInReading((table: HTMLTableElement): ReadonlySet<number> => {
  const rows = [...table.rows];
  const columns = rows[0]?.cells.length ?? 0;
  const isEven = columns > 1 && rows.every(({ cells }) => cells.length === columns);
  if (!isEven || table.querySelector('[colspan], [rowspan], table') !== null) return new Set();
  const saysIn = ({ cells }: HTMLTableRowElement, column: number): boolean => {
    const cell = cells[column];
    return cell !== undefined && ((plain(cell).textContent ?? '').trim() !== '' || (mayGenerate(cell) && generatedIn(cell) !== ''));
  };
  return new Set(Array.from({ length: columns }, (_, column) => column).filter((column) => rows.some((row) => saysIn(row, column))));
});

const hasHeadings = onceInReading(
  ({ tHead, caption, rows }: HTMLTableElement): boolean => tHead !== null || caption !== null || rows[0]?.querySelector('th') != null,
);

const columnsOf = (element: Element): number => (element instanceof HTMLTableCellElement ? element.colSpan : 1);

/** How many columns right before a cell are taken by cells of the rows above. */
const columnsBefore = (cell: HTMLTableCellElement): number => {
  const section = cell.parentElement?.parentElement;
  return section instanceof HTMLTableSectionElement ? (columnsTaken(section).get(cell) ?? 0) : 0;
};

const columnsTaken = onceInReading((section: HTMLTableSectionElement): ReadonlyMap<Element, number> => {
  const found = new Map<Element, number>();
  if (section.querySelector('[rowspan]') === null) return found;
  /** For how many rows from here on each column is taken. */
  let taken: readonly number[] = [];
  for (const { cells } of section.rows) {
    const below = taken.map((rows) => Math.max(0, rows - 1));
    let column = 0;
    for (const cell of cells) {
      const first = column;
      while ((taken[column] ?? 0) > 0) column += 1;
      if (column > first) found.set(cell, column - first);
      const end = column + Math.min(cell.colSpan, MAX_SPAN);
      for (; column < end; column += 1) below[column] = cell.rowSpan - 1;
    }
    taken = below;
  }
  return found;
});

/** A row of more is nobody's table. */
const MAX_SPAN = 50;

const emptyCells = (count: number): SnapNode[] => Array.from({ length: Math.min(count, MAX_SPAN) }, () => ({ role: 'cell', children: [] }));

const isEmptyCell = (child: SnapChild): boolean => {
  if (child === null || typeof child === 'string') return (child ?? '').trim() === '';
  return child.role === 'cell' && child.ref === undefined && child.children?.every(isEmptyCell) === true;
};

const withoutEmptyEnd = (children: SnapChild[]): SnapChild[] =>
  children.slice(0, children.findLastIndex((child) => !isEmptyCell(child)) + 1);

const isHiddenText = (child: SnapChild): boolean => typeof child === 'object' && child?.role === 'hidden';

const isNothingShown = (child: SnapChild): boolean => child === null || isHiddenText(child);

/** A call takes only so many arguments. */
const addAll = (out: SnapChild[], more: readonly SnapChild[]): void => {
  for (const child of more) out.push(child);
};

const pictureNodes = (element: Element, role: string): SnapNode[] => {
  const name = nameOf(element, role);
  return [...(name === '' ? [] : [{ role: 'image', name: shorten(name), isInline: true }]), ...areasOf(element).map(areaNode)];
};

const areaNode = (area: HTMLAreaElement): SnapNode => {
  const role = roleOf(area) || 'clickable';
  return toNode(area, role, shorten(nameOf(area, role)), {}, true);
};

/** Files can be handed to a field that nobody sees: a button of the page's own stands for it. Where that is its label, the label is shown. */
const unseenFileFields = (hidden: Element, { isUnseen, isSkipped }: Around): SnapNode[] => {
  if (isUnseen || isSkipped) return [];
  const fields = isFileField(hidden) ? [hidden] : [...hidden.querySelectorAll('input[type="file"]')].filter(isFileField);
  return fields
    .filter((field) => ![...(field.labels ?? [])].some(isVisible))
    .map((field) => toNode(field, 'file', shorten(nameOf(field, 'file')), {}, true));
};

/** What is inside an element, with the text that styles put around it. */
const visitInside = (element: Element, inside: Around, urls: boolean): SnapChild[] => {
  const children: SnapChild[] = [];
  const mayShowText = !inside.isTextNamed && !inside.isSkipped && !inside.isTextSecret;
  const isHost = mayShowText && mayGenerate(element);
  const addText = (pseudo: '::before' | '::after'): void => {
    const text = isHost ? generatedText(element, pseudo) : '';
    if (text === '' || inside.isTextHidden()) return;
    children.push(readable(text));
    if (!isTrial) toldGenerated.set(element, (pseudo === '::after' ? (toldGenerated.get(element) ?? '') : '') + text);
  };
  if (isHost && !isTrial) toldGenerated.delete(element);
  addText('::before');
  for (const child of childrenOf(element)) visit(child, inside, children, urls, element);
  addText('::after');
  return children.filter((child) => child !== '');
};

/** Whether readers are told to skip it, and nothing in it can be operated: not even behind what covers it. */
const isLeftOut = (element: Element): boolean => {
  const own = plain(element);
  if (own.getAttribute('aria-hidden') !== 'true') return false;
  if (!own.matches(OPERABLE_SELECTOR) && own.querySelector(OPERABLE_SELECTOR) === null) return true;
  const { left, top, right, bottom } = own.getBoundingClientRect();
  if (right <= 0 || bottom <= 0 || left >= innerWidth || top >= innerHeight) return false;
  const middle = (from: number, to: number, size: number): number => (Math.max(0, from) + Math.min(size, to)) / 2;
  const hit = elementAt(middle(left, right, innerWidth), middle(top, bottom, innerHeight));
  return hit !== null && !contains(element, hit) && !contains(hit, element);
};

const visit = (node: Node, around: Around, out: SnapChild[], urls: boolean, parent: Element): void => {
  if (isFolded(parent, node)) return;
  if (node instanceof Element) visitLevel(node, around, out, urls);
  else if (node instanceof Text && (around.isTextNamed || around.isSkipped)) noteText(node);
  else if (node instanceof Text) {
    const before = leftOut;
    const data = partOf(node);
    const text = readable(around.folds === null ? data : data.replaceAll(around.folds, ' '));
    if (text === '') return;
    if (around.isTextSecret) {
      if (clean(text) !== '') out.push('(not shown)');
    } else if (!around.isTextHidden()) {
      noteText(node);
      out.push(text);
      if (leftOut > before) out.push(`… (${leftOut - before} more characters of this text were not read)`);
    } else if (/[\p{L}\p{N}]/u.test(text)) {
      if (text.length >= MIN_SENTENCE && isFadedBelow(parent)) undrawn += text.length;
      out.push({ role: 'hidden', name: shorten(clean(text), 120), isInline: true });
    }
  }
};

/** Signs and buttons that come with the pointer say less. */
const MIN_SENTENCE = 20;

/** Whether it has its place below what is in view, and a style lets through what is behind it. */
const isFadedBelow = (element: Element): boolean => {
  const { top, width, height } = plain(element).getBoundingClientRect();
  return (
    top >= innerHeight && width > 0 && height > 0 && !plain(element).checkVisibility({ opacityProperty: true, visibilityProperty: true })
  );
};

/** Each text takes half of what is left at most, so that what comes after it is read, too. */
const partOf = (text: Text): string => {
  const most = Math.max(MIN_PART, Math.floor(leftToRead / 2));
  leftToRead -= Math.min(text.length, most);
  if (text.length <= most) return text.data;
  leftOut += text.length - most;
  // The end may be in the midst of what a secret field holds.
  return withoutHeld(beginningOf(text, most + MAX_HELD)).slice(0, most);
};

/** It is known to a reader from now on. */
export const noteText = (text: Text): void => {
  if (!isTrial) toldTexts.add(text);
};

const visitLevel = (element: Element, around: Around, out: SnapChild[], urls: boolean): void => {
  if (level < MAX_LEVELS) {
    level += 1;
    visitElement(element, around, out, urls);
    level -= 1;
    return;
  }
  const children: SnapChild[] = [];
  out.push({ role: DEEPER, children });
  waiting.push(() => {
    level = 0;
    visitElement(element, { ...around, isDeep: true }, children, urls);
  });
};

/** A label's text is the name of its field; where the field itself is not drawn, the label stands for it. */
const visitLabel = (
  label: HTMLLabelElement,
  control: HTMLElement,
  out: SnapChild[],
  visitChildren: (given: Partial<Around>) => SnapChild[],
): void => {
  // One that only holds what the form sends is not told, and its label would not be, either, where it names nothing else.
  if (plain(control).getAttribute('aria-hidden') === 'true')
    return addAll(out, visitChildren({ isPointer: true, isTextNamed: namesOther(label) }));
  const isDrawn = getComputedStyle(control).display !== 'none';
  // Nothing is written into what is not drawn.
  if (!isDrawn && isTextField(control)) return addAll(out, visitChildren({}));
  const role = roleOf(control) || 'clickable';
  const name = shorten(nameOf(control, role));
  // What is painted beside a name shows what that says.
  const given = name === '' ? {} : { isPart: true };
  if (isDrawn) return addAll(out, visitChildren({ isTextNamed: !control.hasAttribute('aria-label'), isPointer: true, ...given }));
  const node = toNode(control, role, name, {}, true);
  out.push({ ...node, ref: refOf(label) });
};

/** Whether it is told as the name of something else, as of a button that opens the list. */
const namesOther = (label: HTMLLabelElement): boolean =>
  label.id !== '' &&
  [...(treeOf(label)?.querySelectorAll(`[aria-labelledby~="${CSS.escape(label.id)}"]`) ?? [])].some((named) => isOperable(roleOf(named)));

const operableNode = (
  element: Element,
  role: string,
  isInline: boolean,
  urls: boolean,
  visitChildren: (given?: Partial<Around>) => SnapChild[],
  style: CSSStyleDeclaration,
): SnapNode => {
  const url = urls && element instanceof HTMLAnchorElement ? { url: shorten(element.href, MAX_ADDRESS) } : {};
  if (element instanceof HTMLSelectElement) {
    return toNode(element, role, nameOf(element, role), optionsOf(element, MAX_OPTIONS), isInline);
  }
  if (!isNamedByContent(role)) {
    const isLeaf = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || role === 'textbox';
    // The words in it are what it holds, also in a label of it.
    const children = !isLeaf
      ? visitChildren({ isPart: true, isTextNamed: false })
      : hasControls(element)
        ? visitChildren().filter(holdsControl)
        : [];
    const states = statesOf(element, role);
    if (role === 'gridcell' && states.length === 0 && onlyOne(children) !== null) return { role: 'cell', children };
    const node = toNode(element, role, shorten(nameOf(element, role)), { ...url, children }, isInline);
    return isSaid(node.value, children) || (role === 'gridcell' && isSaidBy(node.name, children)) ? { ...node, children: [] } : node;
  }
  const name = nameOf(element, role);
  // A card that is one link, or a row with buttons in it: its content is worth more than a long name.
  if (name.length <= MAX_LEAF_TEXT && !hasOperable(element) && itemsIn(element).length === 0)
    return toNode(element, role, name, { ...url, ...looks(element, role, name, style) }, isInline);
  const given = element.getAttribute('aria-label');
  const children = visitChildren({ isPart: true });
  const inner = given === null ? onlyOne(children) : null;
  // A component may say what the field in it says, too.
  const isSame = inner?.role === role;
  const only = WRAPPING.has(role) || isSame ? inner : null;
  const states = only === null ? [] : statesOf(element, role);
  if (only !== null && states.every((state) => state === 'selected' || state === 'current' || (isSame && only.states?.includes(state)))) {
    // It is told, too.
    refOf(element);
    const told = states.length === 0 ? {} : { states: [...new Set([...(only.states ?? []), ...states])] };
    // What has only the hand is pressed for what it is in.
    return { ...only, ...told, role: only.role === 'clickable' ? role : only.role };
  }
  return toNode(element, role, given === null ? '' : shorten(clean(given)), { ...url, children }, false);
};

/** Whether an editor has fields or buttons in its text, as the boxes of a list of tasks: the parts with one are told beside the text. */
const hasControls = (element: Element): boolean => isEditingHost(element) && plain(element).querySelector(CONTROLS) !== null;

const holdsControl = (child: SnapChild): boolean =>
  typeof child === 'object' &&
  child !== null &&
  ((child.ref !== undefined && CONTROL_ROLES.has(child.role)) || child.children?.some(holdsControl) === true);

const CONTROLS = 'input:not([type="hidden"]), select, textarea, button, [role="button"], [role="checkbox"]';
const CONTROL_ROLES = new Set(['button', 'checkbox', 'combobox', 'listbox', 'radio', 'slider', 'spinbutton', 'switch', 'textbox']);

/** How far around a link another one is of the same thing, and among how many. */
const MAX_CARD_LEVELS = 4;
const MAX_CARD_LINKS = 8;

/** Whether a link has no text, and another one beside it leads to the same place and says what this one would: as the picture of a product above its name. */
const isPictureOfOther = (element: Element): boolean => {
  const own = plain(element);
  const isPicture = element instanceof HTMLAnchorElement && (own.textContent ?? '').trim() === '' && /^https?:/.test(element.protocol);
  if (!isPicture || own.getAttributeNames().some((name) => OF_MORE.test(name)) || own.getAttribute('href')?.startsWith('#') !== false)
    return false;
  const name = nameOf(element, 'link');
  let around = outerOf(element);
  for (let level = 0; level < MAX_CARD_LEVELS && around !== null; level += 1, around = outerOf(around)) {
    const links = plain(around).querySelectorAll('a[href]');
    if (links.length > MAX_CARD_LINKS) return false;
    if ([...links].some((link) => link !== element && isTextOf(link, element.href, name))) return true;
  }
  return false;
};

/** A link that has them does more than to lead somewhere. */
const OF_MORE = /^(?:on|aria-(?:haspopup|expanded|controls)$|draggable$|download$|target$)/;

const isTextOf = (link: Element, href: string, name: string): boolean =>
  link instanceof HTMLAnchorElement &&
  link.href === href &&
  (link.textContent ?? '').trim() !== '' &&
  link.closest('[aria-hidden="true"]') === null &&
  isVisible(link) &&
  nameOf(link, 'link').includes(name);

/** They are pressed by the one link or button that they hold. */
const WRAPPING = new Set(['treeitem', 'option', 'tab', 'menuitem']);

/** The button or field in an element in which nothing else stands, and by which it is pressed. */
const onlyOne = (children: readonly SnapChild[]): SnapNode | null => {
  const [only, ...others] = children.filter((child) => !isBlank(child));
  return typeof only === 'object' && only?.ref !== undefined && others.length === 0 ? only : null;
};

/** Whether all that is written in an element is the value that it tells by itself. */
const isSaid = (value: string | undefined, children: readonly SnapChild[]): boolean =>
  value !== undefined && children.every(isWords) && children.some((child) => wordsOf(child) === value);

/** The same of a name, as of a day in a calendar: "Sunday, 29 November" says 29, too. */
const isSaidBy = (name: string | undefined, children: readonly SnapChild[]): boolean =>
  name !== undefined && children.every((child) => isWords(child) && name.includes(wordsOf(child)));

const isWords = (child: SnapChild): boolean => child === null || typeof child === 'string' || child.role === 'hidden';

const wordsOf = (child: SnapChild): string => (typeof child === 'string' ? child : (child?.name ?? '')).trim();

/** What has no name is told apart by its looks. */
const looks = (element: Element, role: string, name: string, style: CSSStyleDeclaration): Partial<SnapNode> => {
  if (name !== '' && !(isOneOfMarks(element, style) && isNamedAsBeside(element, name))) return {};
  const title = shorten(clean(plain(element).getAttribute('title') ?? ''), MAX_TITLE);
  if (title !== '' && title !== name) return { states: [...statesOf(element, role), `titled "${title}"`] };
  // Where it is counts for what can be put elsewhere, and for one of several that look alike, as the marks of a map.
  const isDrawn =
    (element instanceof SVGElement && !(element instanceof SVGSVGElement)) || isDraggable(element) || isOneOfMarks(element, style);
  return { states: [...statesOf(element, role), ...(isDrawn ? shapeOf(element, style) : looksOf(element, style))] };
};

/** Whether what stands beside an element has its name, too, as marks of a map do. */
const isNamedAsBeside = (element: Element, name: string): boolean => {
  const { previousElementSibling, nextElementSibling } = plain(element);
  return [previousElementSibling, nextElementSibling].some((beside) => beside !== null && nameOf(beside, roleOf(beside)) === name);
};

/** Whether an element was put at its place beside others of its kind. */
const isOneOfMarks = (element: Element, { position }: CSSStyleDeclaration): boolean => {
  if (position !== 'absolute') return false;
  const { localName, parentElement } = plain(element);
  const kind = plain(element).getAttribute('class');
  const others = parentElement === null ? [] : [...plain(parentElement).children];
  return others.some((other) => other !== element && other.localName === localName && plain(other).getAttribute('class') === kind);
};

const clickableNode = (
  element: Element,
  role: string,
  isInline: boolean,
  visitChildren: (given?: Partial<Around>) => SnapChild[],
  style: CSSStyleDeclaration,
): SnapNode => {
  const name = nameOf(element, 'clickable');
  const inside = visitChildren({ isPart: true });
  // One icon beside a few words is a picture of them; of a row, the icons are buttons.
  const isRow = name.length > MAX_LABEL_TEXT || inside.filter(isBoxNode).length > 1;
  const children = isRow ? inside : inside.filter((child) => !isBoxNode(child));
  const isSimple = children.every(
    (child) => child === null || typeof child === 'string' || child.role === 'image' || child.role === 'hidden',
  );
  const isLeaf = isSimple && name.length <= MAX_LEAF_TEXT;
  if (role === 'cell' && isLeaf) return placed(role, toNode(element, role, name, looks(element, 'clickable', name, style), true));
  const shownRole = role === 'row' || role === 'listitem' ? role : 'clickable';
  if (isLeaf && shownRole === 'clickable') return toNode(element, 'clickable', name, looks(element, 'clickable', name, style), isInline);
  const given = clean(plain(element).getAttribute('aria-label') ?? '');
  // A component is pressed by the one button or field in it.
  const only = plain(element).localName.includes('-') ? onlyOne(children) : null;
  if (only !== null && ['', only.name].includes(given) && shownRole === 'clickable') return only;
  const states = statesOf(element, shownRole).filter((state) => !state.startsWith('shows '));
  const more = { children, states, ...(isLeaf ? looks(element, 'clickable', name, style) : {}) };
  return placed(role, toNode(element, shownRole, isSaidBy(given, children) ? '' : shorten(given), more, false));
};

const isBoxNode = (child: SnapChild): boolean => typeof child === 'object' && child?.role === 'box';

const boxNode = (element: Element, role: string, style: CSSStyleDeclaration): SnapNode =>
  placed(role, { role: 'box', ref: refOf(element), states: shapeOf(element, style), isInline: true });

/** What is dragged, of which only the pointer over it tells. */
const handleNode = (element: Element, style: CSSStyleDeclaration, handle: string): SnapNode => ({
  role: 'handle',
  ref: refOf(element),
  states: [handle, ...(element instanceof SVGGeometryElement ? [shapeRole(element)] : []), ...shapeOf(element, style)],
  isInline: true,
});

/** What is made to be dragged: a handle without words, or a card with a few; null for all else. */
const draggedNode = (
  element: Element,
  role: string,
  handle: string,
  { style, pressed }: { readonly style: CSSStyleDeclaration; readonly pressed: () => SnapNode },
): SnapNode | null => {
  if (handle === '' || !isVisible(element)) return null;
  if (isBare(element)) return handleNode(element, style, handle);
  if (!CARDS.has(role) || !isCard(element, handle)) return null;
  const node = pressed();
  return { ...node, states: [...(node.states ?? []), handle] };
};

/** What is drawn in it only a picture tells; where it is, a click in that picture can be aimed at it. */
const canvasNode = (element: Element, style: CSSStyleDeclaration): SnapNode => {
  const name = nameOf(element, 'canvas');
  return {
    role: 'canvas',
    ref: refOf(element),
    ...(name === '' ? {} : { name: shorten(name) }),
    states: shapeOf(element, style),
    isInline: true,
  };
};

const isLarge = (element: Element): boolean => {
  const { width, height } = element.getBoundingClientRect();
  return width >= MIN_CANVAS_PX && height >= MIN_CANVAS_PX;
};

/** A cell keeps its place in its row. */
const placed = (role: string, node: SnapNode): SnapNode =>
  role === 'cell' || role === 'gridcell' ? { role: 'cell', children: [node] } : node;

const shapeRole = (element: Element): string =>
  element instanceof SVGPolygonElement && element.points.numberOfItems === 3 ? 'triangle' : element.localName;

const shapeNode = (element: Element, style: CSSStyleDeclaration): SnapNode => ({
  role: shapeRole(element),
  ref: refOf(element),
  states: shapeOf(element, style),
  isInline: true,
});

/** A drawing is its text and the shapes in it that can be told apart; an icon is its name. */
const drawingNodes = (
  drawing: SVGSVGElement,
  role: string,
  inside: Around,
  visitChildren: (given?: Partial<Around>) => SnapChild[],
): SnapChild[] => {
  if (inside.isUnseen) return [];
  // The name of a drawing that is the whole page is the page's title.
  const name = inside.isSkipped || drawing.parentNode === document ? '' : nameOf(drawing, role);
  if (name !== '') {
    const image: SnapNode = { role: 'image', name: shorten(name), isInline: true };
    if (!inside.isPart && isRead(drawing, name)) return [null, image, null, ...visitChildren(), null];
    const isWorked = !inside.isPart && drawing.querySelector(PRESSED_IN_DRAWING) !== null;
    // Its text is what it is named for; a bar that can be pressed is not.
    const pressed = isWorked ? visitChildren().filter((child) => typeof child === 'object' && child?.ref !== undefined) : [];
    return pressed.length === 0 ? [image] : [null, image, ...pressed, null];
  }
  const shapes = inside.isPart ? [] : shapesIn(drawing);
  const hasContent = shapes.length > 0 || drawing.querySelector(DRAWN_CONTENT) !== null || (!inside.isPointer && hasHand(drawing));
  return hasContent ? [null, ...visitChildren({ shapes }), null] : [];
};

const PRESSED_IN_DRAWING = 'a, [onclick], [tabindex], [role="button"]';
const DRAWN_CONTENT = `text, foreignObject, ${PRESSED_IN_DRAWING}`;

const structureNode = (element: Element, role: string, name: string, children: SnapChild[]): SnapNode => {
  const level = role === 'heading' ? (element.getAttribute('aria-level') ?? /^h([1-6])$/.exec(element.localName)?.[1] ?? '2') : undefined;
  const isLong = FOLDABLE.has(role) && children.filter((child) => child !== null && typeof child === 'object').length >= FOLD_FROM;
  const isOrdered = element instanceof HTMLOListElement && isNumbered(element);
  // Of the rows of a grid, those that are chosen or folded; of the heads of columns, by which one it is sorted.
  const states = role === 'row' || role === 'columnheader' ? statesOf(element, role) : [];
  const isChosenRow = role === 'row' && states.length > 0;
  const isSorting = role === 'columnheader' && plain(element).hasAttribute('aria-sort') && !children.some(holdsRef);
  const hasRef = isLong || role === 'dialog' || role === 'alertdialog' || isReached(element, role) || isChosenRow || isSorting;
  const number = role === 'listitem' ? numberOf(element) : undefined;
  return {
    role: isOrdered ? 'ordered' : role,
    ...(name === '' || role === 'heading' ? {} : { name }),
    ...(hasRef ? { ref: refOf(element) } : {}),
    ...(states.length > 0 ? { states } : {}),
    ...(level === undefined ? {} : { value: level }),
    ...(number === undefined ? {} : { value: String(number) }),
    children,
  };
};

/** Whether it can be pressed, or something in it can. */
const holdsRef = (child: SnapChild): boolean =>
  typeof child === 'object' && child !== null && (child.ref !== undefined || child.children?.some(holdsRef) === true);

/** Whether the items of a list are seen with numbers: a way to where one is has none. */
const isNumbered = (list: HTMLOListElement): boolean => {
  const item = [...list.children].find((child) => child instanceof HTMLLIElement);
  if (item === undefined) return true;
  const { display, listStyleType } = getComputedStyle(item);
  return (display === 'list-item' && listStyleType !== 'none') || /counter/.test(getComputedStyle(item, '::before').content);
};

/** The number of an item in a list that does not count from one. */
const numberOf = (element: Element): number | undefined => {
  const list = outerOf(element);
  return list instanceof HTMLOListElement ? numbersIn(list).get(element) : undefined;
};

/** None where each has its place for a number. */
const numbersIn = onceInReading((list: HTMLOListElement): ReadonlyMap<Element, number> => {
  const numbers = new Map<Element, number>();
  if (list.start === 1 && !list.reversed && list.querySelector(':scope > li[value]') === null) return numbers;
  const items = [...list.children].filter((item) => item instanceof HTMLLIElement).filter(isVisible);
  let next = list.reversed && !list.hasAttribute('start') ? items.length : list.start;
  for (const item of items) {
    if (item.hasAttribute('value')) next = item.value;
    numbers.set(item, next);
    next += list.reversed ? -1 : 1;
  }
  return numbers;
});

const toNode = (element: Element, role: string, name: string, more: Partial<SnapNode>, isInline: boolean): SnapNode => {
  const states = statesOf(element, role);
  const value = valueOf(element);
  return {
    role,
    ref: refOf(element),
    ...(name === '' ? {} : { name }),
    ...(states.length === 0 ? {} : { states }),
    ...(value === null ? {} : { value }),
    ...(isInline ? { isInline } : {}),
    ...more,
  };
};

/** What shows how much there is without words of its own: those of the browser's own that stand in one are for browsers that have none. */
const isWordless = (element: Element): boolean =>
  element instanceof HTMLProgressElement || element instanceof HTMLMeterElement || textOf(element) === '';

const gaugeNode = (element: Element, role: string, isInline: boolean): SnapNode => {
  const name = shorten(nameOf(element, role));
  const value = valueOf(element);
  return { role, ...(name === '' ? {} : { name }), ...(value === null ? {} : { value }), ...(isInline ? { isInline } : {}) };
};

const optionsOf = (select: HTMLSelectElement, max: number): Pick<SnapNode, 'children' | 'left'> => {
  const all = isSensitive(select) ? [] : [...select.options];
  const names = optionNames(all);
  const children = all.slice(0, max).map((option, index) => ({
    role: 'option',
    name: shorten(names[index] ?? '', 80),
    ...(option.matches(':disabled') ? { states: ['disabled'] } : {}),
  }));
  return all.length > max ? { children, left: all.length - max } : { children };
};

/** Whether a frame has no room for anything but its border. */
const showsNothing = ({ clientWidth, clientHeight }: Element): boolean => clientWidth <= 1 || clientHeight <= 1;

const frameNode = (element: Element, isUnseen: boolean): SnapNode => {
  const frame = indexOf(window, windowIn(element));
  const name = nameOf(element, 'iframe');
  return {
    role: 'iframe',
    ref: refOf(element),
    frame,
    ...(isFrame(element) && frame === -1 ? { address: element.contentDocument?.URL ?? firstAddress(element) } : {}),
    ...(name === '' ? {} : { name: shorten(name) }),
    ...(isUnseen ? { states: ['invisible'] } : {}),
  };
};

/** What a frame of another origin showed first. */
const firstAddress = (element: HTMLIFrameElement | HTMLFrameElement): string =>
  element.hasAttribute('srcdoc') ? 'about:srcdoc' : element.src;

/** WindowProxies may be compared across origins; nothing else of another origin's frame may be seen. */
const indexOf = (outer: Window, inner: Window | null): number => {
  for (let index = 0; index < outer.length; index += 1) if (outer[index] === inner) return index;
  return -1;
};

const ownIndex = (): number => (window.parent === window ? -1 : indexOf(window.parent, window));

const isStructure = (role: string): boolean => role !== '' && !PLAIN.has(role);

/** A part of the page that takes the focus by itself, as what is dropped on does. A text that only scrolls does so, too. */
const isReached = (element: Element, role: string): boolean => role !== 'pre' && isInOrder(element);

const isInOrder = (element: Element): boolean =>
  plain(element).hasAttribute('tabindex') &&
  (element instanceof HTMLElement || element instanceof SVGElement) &&
  plain(element).tabIndex >= 0;

const hasOwnName = (element: Element): boolean =>
  ['aria-label', 'aria-labelledby', 'title'].some((name) => plain(element).hasAttribute(name)) ||
  element instanceof HTMLFieldSetElement ||
  element instanceof HTMLTableElement;

const hasOperable = (element: Element): boolean =>
  plain(element).querySelector(
    'a[href], button, input, select, textarea, [role="button"], [role="link"], [role="checkbox"], [role="radio"], [role="tab"], [tabindex="0"]',
  ) !== null;

/** No role, but the page treats it as something to press. The outermost element with the hand cursor counts. */
const isClickable = (element: Element, style: CSSStyleDeclaration, isPointer: boolean, around: Around): boolean => {
  const own = plain(element);
  const isPressed =
    own.hasAttribute('onclick') ||
    isDraggable(element) ||
    (!around.isPointer && (isPointer || isScriptedLink(element))) ||
    // A text that only scrolls takes the focus, too.
    (attributeOf(element, 'role') === null && own.localName !== 'pre' && isInOrder(element) && !isGuard(element));
  return isPressed && style.pointerEvents !== 'none' && !isPage(element) && !(GROUPS.has(roleOf(element)) && hasOperable(element));
};

/** What is in them is pressed. */
const GROUPS = new Set(['radiogroup', 'tablist', 'toolbar']);

/** Whether nothing is drawn of it: it takes the focus only to pass it on, as before and behind what is in a dialog. */
const isGuard = (element: Element): boolean => plain(element).childNodes.length === 0 && !isVisible(element);

/** A link that leads nowhere, and of which a page says more than how it looks, is a button of a script. */
const isScriptedLink = (element: Element): boolean => {
  const own = plain(element);
  if (own.localName !== 'a') return false;
  const names = own.getAttributeNames();
  return !names.some((name) => PLACES.has(name)) && names.some((name) => name === 'title' || /^(?:data|aria)-/.test(name));
};

const PLACES = new Set(['href', 'xlink:href', 'name', 'role']);
