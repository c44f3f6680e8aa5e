/** What a reader of the page was told of and that an action took away: a row that was deleted, a dialog that was closed, items that a filter hides. */
import type { Change } from './api.ts';
import { parentOf } from './composed.ts';
import { isContentInvisible } from './cut-off.ts';
import { clean, isFolded, shorten } from './name.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';
import { NO_WAYS } from './rare-ways.ts';
import { forgetTold, isAllTold, isKnown, wasTold } from './snapshot.ts';
import { OPERABLE } from './touched.ts';
import { isVisible } from './visibility.ts';

/** Where more goes, the page is another one. */
const MAX_KNOWN = 300;
const MAX_TEXTS = 200;
const MAX_TEXT = 60;
/** To look for what has gone in more text takes too long. */
const MAX_AROUND = 20_000;
const MAX_TOLD = 3;
/** So many texts are looked at after each action. */
const MAX_LOOKED = 3_000;

/** Attributes by which an element is hidden. */
const HIDING = /^(?:hidden|open|style|class)$/;

export class Gone {
  /** Each with what it was in. */
  readonly #removed = new Map<Node, Element>();
  #added = new WeakSet<Node>();
  readonly #changed = new Set<Element>();
  /** Those in which something has come. */
  readonly #renewed = new Set<Element>();
  /** What is not drawn any more, with what was told of it. */
  readonly #hidden = new Map<Node, string>();
  /** Where the page stood when that was looked for last. */
  #lookedAt = '';
  /** Those of them that the browser still draws, at no size or where nobody sees it. */
  readonly #away = new Set<Element>();

  /** `standing` is another one when something has changed. */
  begin(standing: string): void {
    this.#removed.clear();
    this.#added = new WeakSet();
    this.#changed.clear();
    this.#renewed.clear();
    this.#hidden.clear();
    // What has hidden itself meanwhile is no doing of the action.
    if (standing !== this.#lookedAt) for (const node of undrawn()) forgetTold(node);
  }

  note(records: readonly MutationRecord[]): void {
    for (const { target, addedNodes, removedNodes, attributeName } of records) {
      if (this.#removed.size + this.#changed.size >= MAX_KNOWN) return;
      if (!(target instanceof Element) || isOwn(target)) continue;
      if (attributeName !== null && HIDING.test(attributeName)) this.#changed.add(target);
      for (const node of removedNodes) if (!this.#added.has(node) && !isOwn(node)) this.#removed.set(node, target);
      for (const node of addedNodes) if (!this.#removed.has(node)) this.#added.add(node);
      if (addedNodes.length > 0) this.#renewed.add(target);
    }
  }

  /** To be called before it is found out what is new: what was away and is there again is. */
  noteReturned(): void {
    for (const element of this.#away) {
      if (isHiddenNow(element)) continue;
      this.#away.delete(element);
      forgetTold(element);
    }
  }

  /** `parts` are what is told as new: what has another thing in its place is told by that. */
  shown(parts: readonly Element[], standing: string): Change['gone'] {
    this.#lookedAt = standing;
    const renewed = new Set([...this.#renewed, ...parts.map(parentOf)]);
    const texts = [...this.#textsByParent()].flatMap(([around, gone]) => {
      const left = squeezed(readIn(around));
      const missing =
        left.length > MAX_AROUND ? [] : gone.filter((text, at) => !left.includes(squeezed(text)) && !this.#isInPlace(around, gone, at));
      // Where some of the old is there again, the rest was taken out of it.
      return renewed.has(around) && missing.length === gone.length ? [] : missing;
    });
    for (const node of [...undrawn(), ...[...this.#changed].filter(isHiddenNow)]) {
      if (this.#hidden.has(node) || (node instanceof Element && this.#away.has(node))) continue;
      this.#hidden.set(node, toldTextIn(node));
      if (node instanceof Element && isDrawn(node)) this.#away.add(node);
      else forgetTold(node);
    }
    const hidden = [...this.#hidden].flatMap(([node, text]) => (isHiddenNow(node) && !renewed.has(outerElement(node)) ? [text] : []));
    // What was drawn anew at another place is told there.
    const elsewhere = new Set(parts.map((part) => squeezed(beginningOf(part))));
    const all = [...new Set([...texts, ...hidden].filter((text) => text !== '' && !elsewhere.has(squeezed(text))))];
    return { texts: all.slice(0, MAX_TOLD).map((text) => shorten(text, MAX_TEXT)), more: Math.max(0, all.length - MAX_TOLD) };
  }

  /** Whether a list that was drawn anew has something else in the same place, as a row that is being edited. */
  #isInPlace(around: Element, gone: readonly string[], at: number): boolean {
    const now = [...plain(around).children];
    const there = now[at];
    if (there === undefined || now.length !== gone.length || !now.every((child) => this.#added.has(child))) return false;
    const text = squeezed(beginningOf(there));
    return !gone.some((old) => squeezed(old) === text);
  }

  #textsByParent(): Map<Element, string[]> {
    const found = new Map<Element, string[]>();
    for (const [node, around] of this.#removed) {
      const text = node.isConnected || !plain(around).isConnected ? '' : toldTextIn(node);
      if (text !== '') found.set(around, [...(found.get(around) ?? []), text]);
    }
    return found;
  }
}

/** There may be megabytes of it. */
const beginningOf = (node: Node): string => (plain(node).textContent ?? '').slice(0, MAX_BEGINNING);

const MAX_BEGINNING = 10 * MAX_AROUND;

/** The same without what nobody reads: a script may hold all that a page says. */
const readIn = (around: Element): string => {
  const texts = document.createTreeWalker(around, NodeFilter.SHOW_TEXT);
  let read = '';
  while (read.length < MAX_BEGINNING && texts.nextNode() !== null)
    if (texts.currentNode.parentElement?.matches(UNREAD) === false) read += beginningOf(texts.currentNode);
  return read;
};

const UNREAD = 'script, style, template, noscript';

/** What stands in elements beside each other has spaces between it only as it is told. */
const squeezed = (text: string): string => clean(text).replaceAll(' ', '');

/** By itself, and not with what is around it. */
const isHiddenNow = (node: Node): boolean => {
  const around = outerElement(node);
  if (!node.isConnected || around === null || !isVisible(around)) return false;
  return !(node instanceof Element) ? isFolded(around, node) : !isDrawn(node) || !isVisible(node) || isAway(node);
};

const outerElement = (node: Node): Element | null => (node instanceof Element ? parentOf(node) : node.parentElement);

const isDrawn = (element: Element): boolean => plain(element).checkVisibility({ visibilityProperty: true, opacityProperty: true });

/** Whether it was put where no scrolling leads. */
const isAway = (element: Element): boolean => {
  const style = getComputedStyle(element);
  return isContentInvisible(element, style, style.position, NO_WAYS);
};

/** What a reader was told of and a style or the browser hides now, each with all that goes with it: what is hidden need not have changed itself. */
const undrawn = (): Set<Node> => {
  const found = new Set<Node>();
  if (!isAllTold()) return found;
  const texts = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  let [last, isSeen]: [Element | null, boolean] = [null, true];
  for (let left = MAX_LOOKED; left > 0 && texts.nextNode() !== null; left -= 1) {
    const { currentNode: text } = texts;
    const around = text.parentElement;
    if (!(text instanceof Text) || around === null) continue;
    if (around !== last) [last, isSeen] = [around, isDrawn(around)];
    const isShown = isSeen && !isFolded(around, text);
    if (!isShown && (wasTold(text) || isIn(OPERABLE, text))) found.add(isSeen ? text : outermostHidden(around));
  }
  return found;
};

const outermostHidden = (element: Element): Element => {
  const around = parentOf(element);
  return around === null || isDrawn(around) ? element : outermostHidden(around);
};

/** What was told of it: its texts, and the names of the links in it; of a menu, what could be pressed. */
const toldTextIn = (node: Node): string => {
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const told: string[] = [];
  const pressed: string[] = [];
  for (let left = MAX_TEXTS; left > 0; left -= 1) {
    const { currentNode: text } = texts;
    if (text instanceof Text && (wasTold(text) || isIn('a[href]', text))) told.push(beginningOf(text));
    else if (text instanceof Text && isIn(OPERABLE, text)) pressed.push(beginningOf(text));
    if (texts.nextNode() === null) break;
  }
  const words = clean(told.join(' '));
  return words !== '' || pressed.length < MIN_MENU ? words : clean(pressed.join(' '));
};

const MIN_MENU = 2;

const isIn = (selector: string, { parentElement }: Text): boolean => {
  const element = parentElement?.closest(selector) ?? null;
  return element !== null && isKnown(element);
};
