/** What shows on the page for a moment only, so that no snapshot tells of it: a flash, a message that goes by itself, a count. */
import type { Passed, SnapNode } from './api.ts';
import { shapeOf } from './looks.ts';
import { clean, shorten } from './name.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';
import { hasRef } from './refs.ts';
import { roleOf } from './roles.ts';
import { isDrawnAsDots, isSensitive } from './sensitive.ts';
import { describe } from './snapshot.ts';

/** They say how an element looks. */
const LOOKS = /^(?:class|style|hidden|src|fill|stroke|opacity|visibility|display)$/;

/** A person sees nothing that is shorter. */
const SEEN_MS = 40;
/** What follows the one before it so fast is a step of a movement. */
const STEP_MS = 100;
/** What has taken so many steps, the last of them so lately, does not stop. */
const MANY_STEPS = 8;
const LATE_MS = 500;
/** A movement that takes longer goes on all the time. */
const MOVEMENT_MS = 3_000;

/** Where more is going on, it is nothing that anybody could follow. */
const MAX_KNOWN = 300;
const MAX_SPANS = 300;
const MAX_TOLD = 15;
const MAX_TEXT = 80;
/** A text may begin with white space alone. */
const MAX_LOOKED_AT = 20_000;
/** As much of it is told in a receipt. */
const MAX_SAID = 3;

/** One look or one text for as long as it lasted, or a movement of many. */
interface Span {
  /** What looks so, or what the text is in. */
  readonly element: Element;
  readonly node: Node;
  readonly what: string;
  readonly values: string[];
  readonly from: number;
  to: number;
  /** What it said then. */
  readonly text: string;
}

interface Current {
  readonly value: string;
  readonly since: number;
}

/** Of a node that has come, in place of what has changed of it. */
const COMING = 'coming';

export class Passing {
  /** What has changed is so since then. */
  readonly #current = new Map<Node, Map<string, Current>>();
  readonly #spans: Span[] = [];
  /** What was found to move all the time. */
  readonly #moving = new WeakSet<Node>();

  begin(): void {
    this.#current.clear();
    this.#spans.length = 0;
  }

  note(records: readonly MutationRecord[], now: number): void {
    for (const { type, target, addedNodes, removedNodes, attributeName } of records) {
      if (this.#current.size >= MAX_KNOWN || this.#spans.length >= MAX_SPANS) return;
      const element = target instanceof Element ? target : target.parentElement;
      if (element === null || isOwn(element)) continue;
      if (type === 'characterData') this.#change(element, target, 'text', textIn(target), now);
      else if (type === 'childList') this.#move(element, addedNodes, removedNodes, now);
      else if (attributeName !== null && LOOKS.test(attributeName))
        this.#change(element, element, attributeName, plain(element).getAttribute(attributeName) ?? '', now);
    }
  }

  /** An animation of the browser's changes nothing in the document. */
  noteAnimation(element: Element, name: string, now: number): void {
    if (this.#current.size < MAX_KNOWN && !isOwn(element)) this.#change(element, element, 'animation', name, now);
  }

  /** What has come and gone, in its order; it is not told again. */
  tell(now: number): Passed[] {
    for (const node of movingIn(this.#spans, now)) this.#moving.add(node);
    const spans = this.#spans
      .filter((span) => !this.#moving.has(span.node) && isSeen(span, now) && !this.#isSoNow(span))
      .toSorted((one, other) => one.from - other.from);
    this.#spans.length = 0;
    return spans.flatMap(toPassed).slice(0, MAX_TOLD);
  }

  /** What a region that addresses the person (by this selector) has said for a moment; all that has passed is told again. */
  said(now: number, regions: string): string[] {
    const isRegion = ({ element, node }: Span): boolean =>
      element.closest(regions) !== null || (node instanceof Element && plain(node).matches(regions));
    const spans = this.#spans.filter((span) => span.what === 'text' && isSeen(span, now) && !this.#isSoNow(span) && isRegion(span));
    const texts = spans.flatMap(toPassed).map(({ value }) => value);
    return [...new Set(texts.filter((text) => text !== ''))].slice(0, MAX_SAID);
  }

  #change(element: Element, node: Node, what: string, value: string, now: number): void {
    const known = this.#current.get(node) ?? new Map<string, Current>();
    const last = known.get(what);
    if (last?.value === value) return;
    this.#current.set(node, known.set(what, { value, since: now }));
    if (last !== undefined) this.#end(element, node, what, last, now);
  }

  #move(element: Element, added: NodeList, removed: NodeList, now: number): void {
    for (const node of removed) {
      const coming = this.#current.get(node)?.get(COMING);
      if (coming === undefined || node.isConnected) continue;
      this.#current.delete(node);
      this.#end(element, node, 'text', { value: textIn(node), since: coming.since }, now);
    }
    for (const node of added) if (node.isConnected) this.#current.set(node, new Map([[COMING, { value: '', since: now }]]));
  }

  #end(element: Element, node: Node, what: string, { value, since }: Current, now: number): void {
    const last = this.#spans.findLast((span) => span.node === node && span.what === what);
    const isStep = last !== undefined && last.to === since && now - since < STEP_MS;
    if (isStep && (last.values.length > 1 || last.to - last.from < STEP_MS)) {
      last.to = now;
      last.values.push(value);
    } else {
      const text = what === 'text' || isLarge(element) ? '' : textIn(element);
      this.#spans.push({ element, node, what, values: [value], from: since, to: now, text });
    }
  }

  /** It has come to stay, or to come back. */
  #isSoNow({ node, what, values }: Span): boolean {
    return values.length === 1 && this.#current.get(node)?.get(what)?.value === values[0];
  }
}

/** What still moves has moved all along, also where a page that draws slowly does so in few steps. */
const movingIn = (spans: readonly Span[], now: number): Set<Node> => {
  const steps = new Map<Node, number>();
  const still = new Set<Node>();
  for (const { node, what, values, to } of spans) {
    if (what !== 'style') continue;
    steps.set(node, (steps.get(node) ?? 0) + values.length);
    if (now - to < LATE_MS) still.add(node);
  }
  return new Set([...still].filter((node) => (steps.get(node) ?? 0) >= MANY_STEPS));
};

/** What holds the page, or much of it, says nothing by its own text. */
const isLarge = (element: Element): boolean => plain(element).childElementCount > 3 || element.querySelector(':scope > * > * > *') !== null;

const textIn = (node: Node): string => {
  const isRead = !(node instanceof Element) || (!plain(node).matches(UNREAD) && plain(node).querySelector(UNREAD) === null);
  return isRead ? shorten(clean((node.textContent ?? '').slice(0, MAX_LOOKED_AT)), MAX_TEXT) : '';
};

const UNREAD = 'script, style, template, noscript';

const isSeen = ({ from, to, values }: Span, now: number): boolean =>
  to - from >= SEEN_MS && (values.length === 1 ? values[0] !== '' : to - from <= MOVEMENT_MS && now - to > STEP_MS);

const toPassed = ({ element, what, values, from, to, text }: Span): Passed[] => {
  const common = { what, atMs: Math.round(performance.timeOrigin + from), forMs: Math.round(to - from), steps: values.length };
  // That of the middle of a movement there and back is farthest from what is seen before and after it.
  const value = values[Math.floor(values.length / 2)] ?? '';
  const isSecret = isSensitive(element) || isDrawnAsDots(element);
  if (what === 'text') return isSecret ? [] : [{ ...common, value }];
  if (!plain(element).isConnected) return [];
  const now = plain(element).getAttribute(what) ?? '';
  return [{ ...common, node: nodeOf(element, isSecret ? '' : text), value: differenceIn(what, value, now) }];
};

/** What has no name is told apart by its looks, and by what it said. */
const nodeOf = (element: Element, said: string): SnapNode => {
  const isKnown = hasRef(element);
  const node = describe(element);
  const role = isKnown ? node.role : roleOf(element) || 'element';
  if (node.name !== undefined) return { ...node, role };
  return said === '' ? { ...node, role, states: shapeOf(element, getComputedStyle(element)) } : { ...node, role, name: said };
};

/** What of a list of classes or a style is not so now. */
const differenceIn = (what: string, value: string, now: string): string => {
  const separator = what === 'style' ? ';' : what === 'class' ? /\s+/ : null;
  if (separator === null) return shorten(clean(value), MAX_TEXT);
  const [then = [], since = []] = [value, now].map((text) => text.split(separator).map(clean).filter(Boolean));
  const came = then.filter((part) => !since.includes(part));
  return shorten(came.join(what === 'style' ? '; ' : ' ') || 'another one', MAX_TEXT);
};
