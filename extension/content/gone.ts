/** What a reader of the page was told of and that an action took away: a row that was deleted, a dialog that was closed, items that a filter hides. */
import type { Change } from './api.ts';
import { parentOf } from './composed.ts';
import { clean, shorten } from './name.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';
import { hasRef } from './refs.ts';
import { wasTold } from './snapshot.ts';
import { isVisible } from './visibility.ts';

/** Where more goes, the page is another one. */
const MAX_KNOWN = 300;
const MAX_TEXTS = 200;
const MAX_TEXT = 60;
/** To look for what has gone in more text takes too long. */
const MAX_AROUND = 20_000;
const MAX_TOLD = 3;

/** Attributes by which an element is hidden. */
const HIDING = /^(?:hidden|open|style|class)$/;

export class Gone {
  /** Each with what it was in. */
  readonly #removed = new Map<Node, Element>();
  readonly #added = new WeakSet<Node>();
  readonly #changed = new Set<Element>();
  /** Those in which something has come. */
  readonly #renewed = new Set<Element>();

  begin(): void {
    this.#removed.clear();
    this.#changed.clear();
    this.#renewed.clear();
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

  /** `parts` are what is told as new: what has another thing in its place is told by that. */
  shown(parts: readonly Element[]): Change['gone'] {
    const renewed = new Set([...this.#renewed, ...parts.map(parentOf)]);
    const texts = [...this.#textsByParent()].flatMap(([around, gone]) => {
      const left = squeezed(beginningOf(around));
      const missing =
        left.length > MAX_AROUND ? [] : gone.filter((text, at) => !left.includes(squeezed(text)) && !this.#isInPlace(around, gone, at));
      // Where some of the old is there again, the rest was taken out of it.
      return renewed.has(around) && missing.length === gone.length ? [] : missing;
    });
    const hidden = [...this.#changed].filter((element) => isHiddenNow(element) && !renewed.has(parentOf(element))).map(toldTextIn);
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

/** What stands in elements beside each other has spaces between it only as it is told. */
const squeezed = (text: string): string => clean(text).replaceAll(' ', '');

/** By itself, and not with what is around it. */
const isHiddenNow = (element: Element): boolean => {
  const around = parentOf(element);
  return plain(element).isConnected && !isVisible(element) && around !== null && isVisible(around);
};

/** What was told of it: its texts, and the names of the links in it. */
const toldTextIn = (node: Node): string => {
  const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
  const told: string[] = [];
  for (let left = MAX_TEXTS; left > 0; left -= 1) {
    const { currentNode: text } = texts;
    if (text instanceof Text && (wasTold(text) || isInLink(text))) told.push(beginningOf(text));
    if (texts.nextNode() === null) break;
  }
  return clean(told.join(' '));
};

const isInLink = ({ parentElement }: Text): boolean => {
  const link = parentElement?.closest('a[href]') ?? null;
  return link !== null && hasRef(link);
};
