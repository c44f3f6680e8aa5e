/** What of the page has changed since the last action began, as far as a reader of the page would see it. */
import { contains, parentOf, treeOf } from './composed.ts';
import { itemsIn } from './item-parts.ts';
import { isFolded } from './name.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';
import { isNamedByContent, isOperable, roleOf } from './roles.ts';
import { choiceOf, isChoosing } from './states.ts';
import { isAllTold, isNews, isToldAsItIs, isToldOtherwise, noteText, wasTold } from './snapshot.ts';
import { readSheets } from './style-sheets.ts';
import { boxesOf, isBoxless, isVisible } from './visibility.ts';

/** Where more changes, the page is another one, and is to be read as a whole. */
const MAX_TOUCHED = 300;
const MAX_PARTS = 30;
const MAX_ELEMENTS = 1_500;
/** A page may hold any number of texts that it hides. */
const MAX_NEW_TEXTS = 200;
/** So many elements are looked at closely, and so many of those in each of them. */
const MAX_LOOKED = 100;
const MAX_INSIDE = 5;
/** Where more are put elsewhere, they stand beside each other. */
const MAX_MOVED = 3;
/** Of those that are hidden beside it, so many are passed over. */
const MAX_HIDDEN = 20;
/** An item of a list says no more. */
const MAX_MARKUP = 20_000;
/** What holds no more than this is told with what was acted on in it. */
const MAX_AROUND = 20;

/** They say what an element is in now, and a snapshot tells of them. */
const STATES =
  /^(?:disabled|value|src|alt|placeholder|aria-(?:selected|checked|pressed|expanded|current|invalid|disabled|label|sort|valuenow|valuetext))$/;
/** They may show what was there all along, or make it look or be something else. */
const SHOWING = /^(?:hidden|open|style|class|aria-hidden|inert|title|readonly|required|data-.*|aria-(?:readonly|required))$/;
/** Of a style as it was. What is only cut off or not scrolled is seen, as the page behind a dialog. */
const UNSEEN =
  /(?:^|[;\s])(?:display:\s*none|(?:content-)?visibility:\s*(?:hidden|collapse)|opacity:\s*0(?![.\d])|(?:max-)?(?:height|width):\s*0(?![.\d]))/;

/** What a class says of a press and not of what has come of it. */
const PASSING = /focus|hover|ripple|anim|transition|press|click|touch|enter|leave|dirty|pristine|\d{3}/i;
const MAX_CLASSES = 2;

/** So many beside each other are a list; fewer are told even if they were drawn anew as they were, as what is wrong with a form. */
const MIN_LIST = 3;

export const OPERABLE =
  'a[href], button, input:not([type="hidden"]), select, textarea, [role="button"], [role="link"], [role="checkbox"], [role="option"], [role^="menuitem"], [role="tab"], [role="treeitem"], [onclick], [contenteditable]';

export class Touched {
  /** Those with other text or other elements in them. */
  readonly #written = new Set<Element>();
  /** Those of them that were not there before. */
  readonly #added = new Set<Element>();
  /** Those with other words of their own. */
  readonly #reworded = new Set<Node>();
  /** Of what has another attribute, each as it was first. */
  readonly #attributes = new Map<Element, Map<string, string | null>>();
  /** What they showed for the first time: reading it once makes it known. */
  readonly #news = new Set<Element>();
  /** Those that were taken from their place, and those of them that were put to another one. */
  readonly #taken = new WeakSet<Node>();
  readonly #moved = new Set<Element>();
  /** Those that were taken away, by what they were in, in their order. */
  readonly #replaced = new Map<Node, Element[]>();
  /** What could be seen before, though nobody was told of it. */
  #seen = new WeakSet<Node>();
  #isFull = false;

  begin(): void {
    const page = isAllTold() ? document.body : null;
    this.#seen = new WeakSet(page === null ? [] : [...untoldTextsIn(page), ...newsIn(page)]);
    this.#written.clear();
    this.#added.clear();
    this.#reworded.clear();
    this.#attributes.clear();
    this.#news.clear();
    this.#moved.clear();
    this.#replaced.clear();
    this.#isFull = false;
  }

  note(records: readonly MutationRecord[]): void {
    for (const record of records) {
      if (this.#written.size + this.#attributes.size > MAX_TOUCHED) {
        this.#isFull = true;
        return;
      }
      this.#noteOne(record);
    }
  }

  #noteOne({ type, target, addedNodes, removedNodes, attributeName, oldValue }: MutationRecord): void {
    if (isSaidAgain(addedNodes, removedNodes)) return;
    for (const node of removedNodes) this.#take(node, target);
    if (type === 'characterData') this.#reword(target, target.parentNode);
    else if (type === 'childList') for (const node of addedNodes) this.#addNew(node, target);
    else if (target instanceof Element && attributeName !== null && isTelling(attributeName)) {
      const first = this.#attributes.get(target) ?? new Map<string, string | null>();
      if (!first.has(attributeName)) first.set(attributeName, oldValue);
      this.#attributes.set(target, first);
    }
  }

  #take(node: Node, parent: Node): void {
    this.#taken.add(node);
    if (!(node instanceof Element) || this.#added.has(node)) return;
    const others = this.#replaced.get(parent);
    if (others === undefined) this.#replaced.set(parent, [node]);
    else others.push(node);
  }

  #addNew(node: Node, parent: Node): void {
    if (!(node instanceof Element)) return this.#reword(node, parent);
    this.#add(node);
    this.#added.add(node);
    if (this.#taken.has(node)) this.#moved.add(node);
  }

  #reword(text: Node, around: Node | null): void {
    this.#add(around);
    if (around !== null && text instanceof Text && text.data.trim() !== '') this.#reworded.add(around);
  }

  #add(node: Node | null): void {
    if (node instanceof Element) this.#written.add(node);
    else if (node instanceof ShadowRoot) this.#written.add(node.host);
  }

  /** By what is another one now; a page sets many attributes anew, and takes others back, as when it closes what it has opened. */
  #byAttributes(left: ReadonlySet<Element>): Sorted {
    const sorted: Sorted = { changed: new Set(this.#written), active: new Set(), opened: new Set() };
    for (const [element, first] of this.#attributes)
      for (const [name, before] of first) {
        const now = plain(element).getAttribute(name);
        if (now !== before && !left.has(element)) sort(element, name, { before, now }, sorted);
      }
    return sorted;
  }

  /** What a mark of the one that is chosen has left for another one, of which that is told. Something else that has changed of it is told. */
  #leftByMarks(): Set<Element> {
    const marked = [...this.#attributes].flatMap(([element, first]) => {
      const marks = marksIn(element, first);
      return marks === null ? [] : [{ element, ...marks }];
    });
    const left = marked.filter(({ element, lost, gained }) => {
      const others = marked.filter((other) => other.element !== element);
      return lost.length > 0 && gained.length === 0 && lost.every((mark) => isMoved(mark, others));
    });
    return new Set(left.map(({ element }) => element));
  }

  /** In the order of the page, without what was acted on and what is told in other words; `appeared` are those of which only the text was told. `isTwin`: the target stands for what was acted on. */
  shown(
    target: Element | null,
    appeared: readonly Element[],
    toldOf: readonly Element[],
    isTwin: boolean,
  ): { parts: Element[]; hasMore: boolean } {
    const left = this.#leftByMarks();
    const { changed, active: choosing, opened: mayShow } = this.#byAttributes(left);
    const opened = [...mayShow].filter(isVisible);
    for (const element of opened) {
      if (target === null || !contains(element, target)) {
        if (newsIn(element).length > 0) this.#news.add(element);
      } else for (const inner of newsIn(element)) this.#news.add(besideTarget(inner, target));
    }
    for (const says of outermostOf(opened).flatMap(newTextsIn)) this.#news.add(says);
    for (const other of this.#toldOtherwise(left)) this.#news.add(other);
    for (const says of this.#shownElsewhere()) this.#news.add(says);
    const active = new Set([...choosing].map(activeIn));
    const open = appeared.filter((element) => plain(element).querySelector(OPERABLE) !== null);
    const inWords = [...toldOf, ...appeared.filter((element) => !open.includes(element))];
    const moved = this.#besideMoved(isTwin ? null : target);
    const found = [...changed, ...this.#news, ...open, ...active, ...moved].filter(
      (element): element is Element => element !== null && plain(element).isConnected,
    );
    const all = new Set(found.flatMap(boxesOf).map((element) => wholeOf(element, target)));
    const seen = [...all].filter((element) => {
      if (isOwn(element) || !isVisible(element) || inWords.some((told) => contains(told, element))) return false;
      if (!moved.includes(element) && this.#isAsBefore(element)) return false;
      if (target === null || moved.includes(element)) return true;
      // What opens within it can be operated by itself; all else is told with it.
      if (contains(target, element))
        return active.has(element) || (element !== target && this.#isNew(element) && plain(element).querySelector(OPERABLE) !== null);
      return (
        this.#isNew(element) ||
        !contains(element, target) ||
        this.#isRewordedAround(element) ||
        this.#isUnfolded(element) ||
        this.#isSortedOtherwise(element) ||
        this.#isChosenAround(element)
      );
    });
    const { again, hasOtherRefs } = this.#drawnAgain();
    const news = [...new Set(seen.flatMap((element) => withoutThese(element, again)))].filter((element) => !isAmong(element, again));
    const sorted = outermostOf(news.length === 0 ? seen : news).toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
    const parts: Element[] = [];
    let size = 0;
    for (const part of sorted) {
      size += 1 + plain(part).querySelectorAll('*').length;
      if (parts.length === MAX_PARTS || size > MAX_ELEMENTS) break;
      parts.push(part);
    }
    return { parts, hasMore: this.#isFull || hasOtherRefs || parts.length < sorted.length };
  }

  /** Of lists that were drawn anew, also with what is around them, what is as it was. What can be pressed has other refs now, and is told where it is not much. */
  #drawnAgain(): { again: Set<Element>; hasOtherRefs: boolean } {
    const found: Again = { read: new Set(), pressed: new Set() };
    for (const [around, old] of this.#isFull ? [] : this.#replaced)
      noteAgain(
        old.filter((element) => !plain(element).isConnected),
        this.#drawnIn(around),
        found,
        MAX_LEVELS,
      );
    const size = [...found.pressed].reduce((sum, element) => sum + 1 + plain(element).querySelectorAll('*').length, 0);
    const isMuch = size > MAX_PRESSED;
    return { again: isMuch ? found.read.union(found.pressed) : found.read, hasOtherRefs: isMuch };
  }

  #drawnIn(around: Node): Element[] {
    return [...around.childNodes].filter((node) => node instanceof Element).filter((child) => this.#added.has(child));
  }

  /** What the class of an element says now, and does not say any more. */
  classesOf(element: Element): { gained: string[]; lost: string[] } {
    const before = this.#attributes.get(element)?.get('class');
    if (before === undefined) return { gained: [], lost: [] };
    const [then, now] = [before, plain(element).getAttribute('class')].map((value) => new Set(wordsOf('class', value)));
    const telling = (words: ReadonlySet<string> = new Set()): string[] =>
      [...words].filter((word) => !PASSING.test(word)).slice(0, MAX_CLASSES);
    return {
      gained: telling(then === undefined ? now : now?.difference(then)),
      lost: telling(now === undefined ? then : then?.difference(now)),
    };
  }

  /** What was put in the place of an element that was taken away, and says the same; or stands between the same and says something else. */
  twinOf(element: Element): Element | null {
    for (const [around, old] of this.#isFull ? [] : this.#replaced) {
      const top = old.find((other) => contains(other, element));
      if (top === undefined) continue;
      const drawn = this.#drawnIn(around);
      const [only, ...more] = sayingSame(drawn, element);
      // Of several that say the same, as the buttons of rows, another one may be left.
      const isOne = more.length === 0 && sayingSame(old, element).length === 1;
      return only !== undefined && isOne ? only : inPlaceOf(element, top, old, drawn);
    }
    return null;
  }

  /** Styles may show what stands anywhere: beside a box that is checked, below an element with another attribute. */
  #shownElsewhere(): Element[] {
    if (document.body === null || !isAllTold()) return [];
    const texts = untoldTextsIn(document.body).flatMap((text) => (this.#seen.has(text) ? [] : [text.parentElement]));
    const news = newsIn(document.body).filter((element) => !this.#seen.has(element));
    return [...texts.filter((element) => element !== null && !isNamedWith(element)), ...news].filter((element) => element !== null);
  }

  /** Of what has another attribute, with what is in it, that of which another thing is told now. */
  #toldOtherwise(left: ReadonlySet<Element>): Element[] {
    if (this.#attributes.size > 0) readSheets();
    const looked = [...this.#attributes.keys()]
      .filter((element) => !left.has(element))
      .flatMap((element) => [element, ...[...plain(element).children].slice(0, MAX_INSIDE)]);
    const others = [...new Set(looked)].slice(0, MAX_LOOKED).filter((element) => plain(element).closest(CLOSED) === null);
    return others.filter((element) => isVisible(element) && isToldOtherwise(element));
  }

  /** What is drawn for it may stand in it. */
  #isNew(element: Element): boolean {
    for (let at: Element | null = element; at !== null; at = boxlessAround(at)) if (this.#added.has(at)) return true;
    return false;
  }

  /** As a line that says of itself what a button in it has done. */
  #isRewordedAround(element: Element): boolean {
    return this.#reworded.has(element) && plain(element).querySelectorAll('*').length <= MAX_AROUND;
  }

  /** Whether only something in it that says nothing has come or gone, as the ripple of a press on a button. */
  #isAsBefore(element: Element): boolean {
    const role = roleOf(element);
    const names = [...(this.#attributes.get(element)?.keys() ?? [])];
    return (
      isOperable(role) &&
      isNamedByContent(role) &&
      !this.#isNew(element) &&
      !names.some((name) => STATES.test(name)) &&
      isToldAsItIs(element)
    );
  }

  /** What has words of its own is told as a whole when it is opened. */
  #isUnfolded(element: Element): boolean {
    return element instanceof HTMLDetailsElement && element.open && this.#attributes.get(element)?.get('open') === null;
  }

  /** The head of a column says by itself what the button or the words in it have done. */
  #isSortedOtherwise(element: Element): boolean {
    const before = this.#attributes.get(element)?.get('aria-sort');
    return before !== undefined && before !== plain(element).getAttribute('aria-sort');
  }

  /** A line says by itself that it was chosen, by what in it was pressed; where that is all that is in it, it says so. */
  #isChosenAround(element: Element): boolean {
    const isAll =
      plain(element).children.length === 1 && [...element.childNodes].every((node) => !(node instanceof Text) || node.data.trim() === '');
    const names = this.#attributes.get(element);
    return !isAll && (names?.has('class') === true || names?.has('style') === true) && isLineChosen(element);
  }

  /** What was put elsewhere is told with what it stands between now. */
  #besideMoved(target: Element | null): Element[] {
    let moved = target;
    while (moved !== null && !this.#added.has(moved)) moved = parentOf(moved);
    const others = this.#moved.size > MAX_MOVED ? [] : this.#moved;
    return [...others, ...(moved === null ? [] : [moved])]
      .flatMap((element) => [shownBeside(element, 'previousElementSibling'), element, shownBeside(element, 'nextElementSibling')])
      .filter((element) => element !== null);
  }
}

/** Whether a page has only put a text in the place of the same text. */
const isSaidAgain = (added: NodeList, removed: NodeList): boolean => {
  const [now, before] = [added.item(0), removed.item(0)];
  if (added.length !== 1 || removed.length !== 1 || !(now instanceof Text) || !(before instanceof Text) || now.data !== before.data)
    return false;
  if (wasTold(before)) noteText(now);
  return true;
};

const shownBeside = (element: Element, side: 'previousElementSibling' | 'nextElementSibling'): Element | null => {
  let beside = element[side];
  for (let left = MAX_HIDDEN; beside !== null && !boxesOf(beside).some(isVisible) && left > 0; left -= 1) beside = beside[side];
  return beside;
};

/** What has changed by its attributes. */
interface Sorted {
  readonly changed: Set<Element>;
  /** What is chosen in an element that has the focus itself. */
  readonly active: Set<Element>;
  /** Those that may show now what they did not. */
  readonly opened: Set<Element>;
}

const isTelling = (name: string): boolean => STATES.test(name) || SHOWING.test(name) || name === 'aria-activedescendant';

const sort = (element: Element, name: string, { before, now }: { before: string | null; now: string | null }, into: Sorted): void => {
  const isShut = CLOSING.has(name) && now !== null && now !== 'false';
  if (STATES.test(name) || ((name === 'class' || name === 'style') && isLineChosen(element))) into.changed.add(element);
  else if (name === 'aria-activedescendant') into.active.add(element);
  else if (name === 'style' && before !== null && UNSEEN.test(before)) into.changed.add(element);
  else if (element instanceof HTMLDetailsElement && name === 'open') for (const part of partsOf(element)) into.changed.add(part);
  else if (name === 'hidden' || name === 'open') for (const set of [into.changed, into.opened]) set.add(element);
  else if (!isShut) into.opened.add(element);
};

/** Whether a class says of something small that it is the chosen one. */
const isLineChosen = (element: Element): boolean =>
  plain(element).querySelectorAll('*').length <= MAX_AROUND && choiceOf(element, roleOf(element)) !== '';

interface Marks {
  readonly lost: readonly string[];
  readonly gained: readonly string[];
}

/** By which of several alike a page shows the one that is chosen: words of its class, and an attribute that says so. */
const MARKS = /^(?:class|aria-(?:current|selected))$/;

/** The marks that an element has lost and got; null where more has changed of it. */
const marksIn = (element: Element, first: ReadonlyMap<string, string | null>): Marks | null => {
  const lost: string[] = [];
  const gained: string[] = [];
  for (const [name, before] of first) {
    const now = plain(element).getAttribute(name);
    if (now === before) continue;
    if (!MARKS.test(name)) return null;
    const [then, since] = [new Set(wordsOf(name, before)), new Set(wordsOf(name, now))];
    lost.push(...then.difference(since));
    gained.push(...since.difference(then));
  }
  return [...lost, ...gained].every((word) => !word.startsWith('.') || isChoosing(word.slice(1))) ? { lost, gained } : null;
};

const wordsOf = (name: string, value: string | null): string[] => {
  if (name === 'class') return (value ?? '').split(/\s+/).flatMap((word) => (word === '' ? [] : [`.${word}`]));
  return value === null || value === 'false' ? [] : [name];
};

/** Whether one other element has got a mark, and none has lost it. */
const isMoved = (mark: string, others: readonly Marks[]): boolean =>
  others.filter(({ gained }) => gained.includes(mark)).length === 1 && others.every(({ lost }) => !lost.includes(mark));

/** Words that stand in it by themselves are told with all of it. */
const partsOf = (details: HTMLDetailsElement): readonly Element[] =>
  [...details.childNodes].some((node) => node instanceof Text && node.data.trim() !== '') ? [details] : [...details.children];

/** With these on it nothing more of an element is to be seen, as of the page behind a dialog. */
const CLOSING = new Set(['aria-hidden', 'inert']);
const CLOSED = '[inert], [aria-hidden="true"]';

const boxlessAround = (element: Element): Element | null => {
  const around = parentOf(element);
  return around !== null && isBoxless(around) ? around : null;
};

const activeIn = (element: Element): Element | null => {
  const id = plain(element).getAttribute('aria-activedescendant') ?? '';
  return treeOf(element)?.getElementById(id) ?? null;
};

/** What can be operated, is read as a row or chosen from: a change in it is one of all of it, but for a row in which something was acted on. */
const wholeOf = (element: Element, target: Element | null): Element => {
  let whole = element;
  for (let at: Element | null = element; at !== null; at = parentOf(at)) {
    // What an item holds beside its own words are items of their own.
    if (itemsIn(at).some((items) => contains(items, element))) return whole;
    const role = roleOf(at);
    if (role === 'row' && target !== null && contains(at, target)) return contains(whole, target) ? whole : besideTarget(whole, target);
    if (at instanceof HTMLSelectElement || role === 'row' || (isOperable(role) && isNamedByContent(role))) whole = at;
  }
  return whole === element ? lineAround(element, target) : whole;
};

/** A word says nothing without its line: of `<b>2</b> items left` the number alone has changed. */
const lineAround = (element: Element, target: Element | null): Element => {
  const around = parentOf(element);
  const isWord = plain(element).childElementCount === 0 && (plain(element).textContent ?? '').trim().length <= MAX_WORD;
  if (around === null || !isWord || (target !== null && contains(around, target))) return element;
  const words = [...plain(around).childNodes].some((node) => node instanceof Text && /\p{L}/u.test(node.data));
  const isLine = (plain(around).textContent ?? '').trim().length <= MAX_LINE && plain(around).querySelector(OPERABLE) === null;
  return words && isLine && getComputedStyle(element).display.startsWith('inline') ? around : element;
};

const MAX_WORD = 12;
const MAX_LINE = 80;

/** What can be operated in it that no snapshot has told of, or not since it was hidden, so that it was not shown. */
const newsIn = (element: Element): Element[] =>
  [...plain(element).querySelectorAll(OPERABLE)].filter((inner) => isNews(inner) && isVisible(inner) && !isForMachines(inner));

/** The outermost around an element in which the target is not, as a menu beside the button that opens it in one component. */
const besideTarget = (element: Element, target: Element): Element => {
  const around = parentOf(element);
  return around === null || contains(around, target) ? element : besideTarget(around, target);
};

/** Whether readers are told to skip it, so that no snapshot tells of it where it cannot be pressed, either. */
const isForMachines = (element: Element): boolean => plain(element).closest('[aria-hidden="true"]') !== null;

/** What says something in it that was not told when the page was read, so that it was not shown; the names of what can be operated are told with that. */
const newTextsIn = (element: Element): Element[] => [
  ...new Set(untoldTextsIn(element).flatMap(({ parentElement: says }) => (says === null || isNamedWith(says) ? [] : [says]))),
];

/** Texts that can be seen in it, and that nobody was told of. */
const untoldTextsIn = (element: Element): Text[] => {
  const found: Text[] = [];
  if (!isAllTold()) return found;
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let left = MAX_NEW_TEXTS; left > 0 && texts.nextNode() !== null;) {
    const { currentNode: text } = texts;
    if (!(text instanceof Text) || wasTold(text) || text.data.trim() === '') continue;
    left -= 1;
    const { parentElement: says } = text;
    if (says !== null && !isFolded(says, text) && isVisible(says) && !isForMachines(says)) found.push(text);
  }
  return found;
};

/** Whether its text is the name of what can be operated. */
const isNamedWith = (element: Element): boolean => {
  for (let at: Element | null = element; at !== null; at = parentOf(at)) {
    const role = roleOf(at);
    if (isOperable(role) && isNamedByContent(role)) return true;
  }
  return false;
};

const wordsOfAll = (element: Element): string => (plain(element).textContent ?? '').replaceAll(/\s+/g, ' ').trim();

const saysSame = (one: Element, other: Element): boolean =>
  plain(one).localName === plain(other).localName && wordsOfAll(other) !== '' && wordsOfAll(one) === wordsOfAll(other);

const sayingSame = (tops: readonly Element[], element: Element): Element[] =>
  tops.flatMap((top) => [top, ...plain(top).querySelectorAll('*')]).filter((other) => saysSame(other, element));

/** What stands where an element did, among as many of the same kinds, which say more of what they said than not, on each step of the way to it. */
const inPlaceOf = (
  element: Element,
  top: Element,
  old: readonly Element[],
  drawn: readonly Element[],
  isBeside = false,
): Element | null => {
  const at = old.indexOf(top);
  const now = drawn[at];
  const pairs = old.map((other, place) => [other, drawn[place] ?? null] as const);
  const isOfKind = pairs.every(([other, there]) => there !== null && plain(other).localName === plain(there).localName);
  if (now === undefined || old.length !== drawn.length || !isOfKind) return null;
  let [same, other] = [0, 0];
  for (const [place, [before, there]] of pairs.entries()) {
    const words = place === at ? '' : wordsOfAll(before);
    if (there !== null && wordsOfAll(there) === words) same += words.length;
    else other += words.length;
  }
  if (other > 0 && same <= other) return null;
  const hasBeside = isBeside || old.length > 1;
  if (top === element) return hasBeside ? now : null;
  const inner = [...plain(top).children];
  const next = inner.find((child) => contains(child, element));
  return next === undefined ? null : inPlaceOf(element, next, inner, [...plain(now).children], hasBeside);
};

/** Lists lie no deeper in what was drawn anew. */
const MAX_LEVELS = 8;
/** So many elements with what can be pressed are told again with their new refs. */
const MAX_PRESSED = 40;

interface Again {
  readonly read: Set<Element>;
  readonly pressed: Set<Element>;
}

const noteAgain = (old: readonly Element[], drawn: readonly Element[], found: Again, levels: number): void => {
  // What stands beside a list is as little news as what is in it.
  const isList = old.length >= MIN_LIST || drawn.some((element) => markupIn(element) === null);
  const kept = isList ? keptIn(old.map(markupIn), drawn.map(markupIn)) : new Set<number>();
  const isSameLength = old.length === drawn.length;
  for (const [at, element] of drawn.entries()) {
    const before = old[at];
    if (kept.has(at)) (isPressedIn(element) ? found.pressed : found.read).add(element);
    // A row, or anything as small, is told as a whole.
    else if (
      levels > 0 &&
      isSameLength &&
      markupIn(element) === null &&
      before !== undefined &&
      plain(before).localName === plain(element).localName
    )
      noteAgain([...plain(before).children], [...plain(element).children], found, levels - 1);
  }
};

/** What is in an element beside what is told already; all of it where it has words of its own. */
const withoutThese = (element: Element, others: ReadonlySet<Element>): Element[] => {
  const holds = others.size > 0 && !others.has(element) && [...others].some((other) => contains(element, other));
  const hasWords = [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '');
  return holds && !hasWords ? [...plain(element).children].flatMap((child) => withoutThese(child, others)) : [element];
};

const isAmong = (element: Element, others: ReadonlySet<Element>): boolean => {
  for (let at: Element | null = element; at !== null && others.size > 0; at = parentOf(at)) if (others.has(at)) return true;
  return false;
};

/** Null of what holds more than an item of a list does. */
const markupIn = (element: Element): string | null => {
  const { textContent } = plain(element);
  const isMore = plain(element).querySelectorAll('*').length > MAX_AROUND || (textContent ?? '').length > MAX_MARKUP;
  return isMore ? null : new XMLSerializer().serializeToString(element);
};

/** Which of these were among the old ones, by where they are now; none where what is the same has another order. */
const keptIn = (old: readonly (string | null)[], now: readonly (string | null)[]): Set<number> => {
  const kept = new Set<number>();
  let from = 0;
  for (const [at, markup] of now.entries()) {
    if (markup === null || !old.includes(markup)) continue;
    const found = old.indexOf(markup, from);
    if (found < 0) return new Set();
    kept.add(at);
    from = found + 1;
  }
  return kept;
};

/** Whether an agent would press something in it. */
const isPressedIn = (element: Element): boolean => {
  const { cursor } = getComputedStyle(element);
  return cursor === 'pointer' || plain(element).matches(OPERABLE) || plain(element).querySelector(OPERABLE) !== null;
};

const outermostOf = (elements: readonly Element[]): Element[] =>
  elements.filter((element) => !elements.some((other) => other !== element && contains(other, element)));

const isBefore = (one: Element, other: Element): boolean => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
