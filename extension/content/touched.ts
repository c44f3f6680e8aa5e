/** What of the page has changed since the last action began, as far as a reader of the page would see it. */
import { contains, parentOf, treeOf } from './composed.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';
import { hasRef } from './refs.ts';
import { isNamedByContent, isOperable, roleOf } from './roles.ts';
import { isTold } from './snapshot.ts';
import { isVisible } from './visibility.ts';

/** Where more changes, the page is another one, and is to be read as a whole. */
const MAX_TOUCHED = 300;
const MAX_PARTS = 30;
const MAX_ELEMENTS = 1_500;
/** A page may hold any number of texts that it hides. */
const MAX_NEW_TEXTS = 200;

/** They say what an element is in now, and a snapshot tells of them. */
const STATES =
  /^(?:disabled|value|src|alt|placeholder|aria-(?:selected|checked|pressed|expanded|current|invalid|disabled|label|valuenow|valuetext))$/;
/** They may show what was there all along. */
const SHOWING = /^(?:hidden|open|style|class|aria-hidden|inert)$/;
/** Of a style as it was. */
const UNSEEN = /\bnone\b|\bhidden\b|opacity:\s*0(?![.\d])/;

const OPERABLE =
  'a[href], button, input:not([type="hidden"]), select, textarea, [role="button"], [role="link"], [role="checkbox"], [role="option"], [role="menuitem"], [role="tab"], [role="treeitem"], [onclick], [contenteditable]';

export class Touched {
  readonly #changed = new Set<Element>();
  /** Those of them that were not there before. */
  readonly #added = new Set<Element>();
  /** What is chosen in an element that has the focus itself. */
  readonly #active = new Set<Element>();
  /** Those that may show now what they did not. */
  readonly #opened = new Set<Element>();
  /** What they showed for the first time: reading it once makes it known. */
  readonly #news = new Set<Element>();
  #isFull = false;

  begin(): void {
    this.#changed.clear();
    this.#added.clear();
    this.#active.clear();
    this.#opened.clear();
    this.#news.clear();
    this.#isFull = false;
  }

  note(records: readonly MutationRecord[]): void {
    for (const record of records) {
      if (this.#changed.size + this.#opened.size > MAX_TOUCHED) {
        this.#isFull = true;
        return;
      }
      this.#noteOne(record);
    }
  }

  #noteOne({ type, target, addedNodes, attributeName, oldValue }: MutationRecord): void {
    if (type === 'characterData') this.#add(target.parentNode);
    else if (type === 'childList') for (const node of addedNodes) this.#addNew(node, target);
    else if (!(target instanceof Element) || attributeName === null || plain(target).getAttribute(attributeName) === oldValue) return;
    else if (STATES.test(attributeName)) this.#add(target);
    else if (attributeName === 'aria-activedescendant') this.#active.add(target);
    else if (attributeName === 'style' && oldValue !== null && UNSEEN.test(oldValue)) this.#add(target);
    else if (target instanceof HTMLDetailsElement && attributeName === 'open') for (const child of target.children) this.#add(child);
    else if (attributeName === 'hidden' || attributeName === 'open') this.#add(target);
    else if (SHOWING.test(attributeName)) this.#opened.add(target);
  }

  #addNew(node: Node, parent: Node): void {
    this.#add(node instanceof Element ? node : parent);
    if (node instanceof Element) this.#added.add(node);
  }

  #add(node: Node | null): void {
    if (node instanceof Element) this.#changed.add(node);
    else if (node instanceof ShadowRoot) this.#changed.add(node.host);
  }

  /** In the order of the page, without what was acted on and what is told in other words; `appeared` are those of which only the text was told. */
  shown(target: Element | null, appeared: readonly Element[], toldOf: readonly Element[]): { parts: Element[]; hasMore: boolean } {
    const opened = [...this.#opened].filter(isVisible);
    for (const element of opened) if ((target === null || !contains(element, target)) && hasNews(element)) this.#news.add(element);
    for (const says of outermostOf(opened).flatMap(newTextsIn)) this.#news.add(says);
    const active = new Set([...this.#active].map(activeIn));
    const open = appeared.filter((element) => plain(element).querySelector(OPERABLE) !== null);
    const inWords = [...toldOf, ...appeared.filter((element) => !open.includes(element))];
    const found = [...this.#changed, ...this.#news, ...open, ...active].filter(
      (element): element is Element => element !== null && plain(element).isConnected,
    );
    const all = new Set(found.map((element) => wholeOf(element)));
    const seen = [...all].filter((element) => {
      if (isOwn(element) || !isVisible(element) || inWords.some((told) => contains(told, element))) return false;
      if (target === null) return true;
      // What opens within it can be operated by itself; all else is told with it.
      if (contains(target, element))
        return active.has(element) || (element !== target && this.#added.has(element) && plain(element).querySelector(OPERABLE) !== null);
      return this.#added.has(element) || !contains(element, target);
    });
    const sorted = outermostOf(seen).toSorted((one, other) => (isBefore(one, other) ? -1 : 1));
    const parts: Element[] = [];
    let size = 0;
    for (const part of sorted) {
      size += 1 + plain(part).querySelectorAll('*').length;
      if (parts.length === MAX_PARTS || size > MAX_ELEMENTS) break;
      parts.push(part);
    }
    return { parts, hasMore: this.#isFull || parts.length < sorted.length };
  }
}

const activeIn = (element: Element): Element | null => {
  const id = plain(element).getAttribute('aria-activedescendant') ?? '';
  return treeOf(element)?.getElementById(id) ?? null;
};

/** What can be operated, is read as a row or chosen from: a change in it is one of all of it. */
const wholeOf = (element: Element): Element => {
  let whole = element;
  for (let at: Element | null = element; at !== null; at = parentOf(at)) {
    const role = roleOf(at);
    if (at instanceof HTMLSelectElement || role === 'row' || (isOperable(role) && isNamedByContent(role))) whole = at;
  }
  return whole;
};

/** Something in it can be operated that no snapshot has told of, so that it was not shown. */
const hasNews = (element: Element): boolean =>
  [...plain(element).querySelectorAll(OPERABLE)].some((inner) => !hasRef(inner) && isVisible(inner));

/** What says something in it that was not told when the page was read, so that it was not shown; the names of what can be operated are told with that. */
const newTextsIn = (element: Element): Element[] => {
  const found = new Set<Element>();
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let left = MAX_NEW_TEXTS; left > 0 && texts.nextNode() !== null;) {
    const { currentNode: text } = texts;
    if (!(text instanceof Text) || isTold(text) || text.data.trim() === '') continue;
    left -= 1;
    const { parentElement: says } = text;
    if (says !== null && isVisible(says) && !isOperable(roleOf(wholeOf(says)))) found.add(says);
  }
  return [...found];
};

const outermostOf = (elements: readonly Element[]): Element[] =>
  elements.filter((element) => !elements.some((other) => other !== element && contains(other, element)));

const isBefore = (one: Element, other: Element): boolean => (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
