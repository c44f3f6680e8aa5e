import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { lookAgain } from '#extension/content/again.ts';
import type { Again, Mark } from '#extension/content/api.ts';

interface Given {
  readonly [attribute: string]: string;
}

/** Of an element what is asked for here; selectors are `*`, a tag with or without an id or attribute, or an id. */
class Element {
  readonly localName: string;
  readonly attributes: { name: string; value: string }[];
  readonly style: Record<string, string> = { display: 'inline-block', color: 'rgb(0, 0, 0)' };
  readonly assignedSlot = null;
  readonly labels = [];
  readonly isContentEditable = false;
  parentElement: Element | null = null;
  children: Element[] = [];
  shadowRoot: Element | null = null;
  innerText = '';
  box = { left: 100, top: 100, right: 180, bottom: 130 };
  scrolled = 0;

  constructor(localName: string, given: Given = {}, ...children: Element[]) {
    this.localName = localName;
    this.attributes = Object.entries(given).map(([name, value]) => ({ name, value }));
    this.append(...children);
  }

  get isConnected(): boolean {
    return this.parentElement === null ? this.localName === 'html' : this.parentElement.isConnected;
  }

  get outerHTML(): string {
    const attributes = this.attributes.map(({ name, value }) => ` ${name}="${value}"`).join('');
    return `<${this.localName}${attributes}>${this.children.map((child) => child.outerHTML).join('')}</${this.localName}>`;
  }

  append(...children: Element[]): void {
    for (const child of children) child.parentElement = this;
    this.children.push(...children);
  }

  dispatchEvent(): boolean {
    return true;
  }

  remove(): void {
    const parent = this.parentElement;
    if (parent !== null) parent.children = parent.children.filter((child) => child !== this);
    this.parentElement = null;
  }

  replaceWith(other: Element): void {
    this.parentElement?.append(other);
    this.remove();
  }

  getAttribute(wanted: string): string | null {
    return this.attributes.find(({ name }) => name === wanted)?.value ?? null;
  }

  hasAttribute(wanted: string): boolean {
    return this.getAttribute(wanted) !== null;
  }

  getRootNode(): unknown {
    return null;
  }

  getBoundingClientRect(): typeof this.box {
    return this.box;
  }

  scrollIntoView(): void {
    this.scrolled += 1;
    this.box = { left: 100, top: 300, right: 180, bottom: 330 };
  }

  querySelectorAll(selector: string): Element[] {
    return this.children.flatMap((child) => [...(child.matches(selector) ? [child] : []), ...child.querySelectorAll(selector)]);
  }

  querySelector(selector: string): Element | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  matches(selectors: string): boolean {
    const [, left] = /^:not\((.*)\)$/.exec(selectors) ?? [];
    if (left !== undefined) return !this.matches(left);
    return selectors.split(/, ?/).some((selector) => {
      const parts = /^(\*|[\w-]+)?(?:#([\w-]+))?(?:\[([\w-]+)(?:="(\w+)")?\])?$/.exec(selector);
      if (parts === null) throw new SyntaxError(selector);
      const [, tag = '*', id, name, value] = parts;
      const isNamed = name === undefined || (value === undefined ? this.hasAttribute(name) : this.getAttribute(name) === value);
      return (tag === '*' || tag === this.localName) && (id === undefined || this.getAttribute('id') === id) && isNamed;
    });
  }

  replaceChildren(): void {
    this.children = [];
  }
}

class Other {}

const copyOf = (element: Element): Element => {
  const copy = new Element(element.localName, {}, ...element.children.map(copyOf));
  copy.attributes.push(...element.attributes.map((attribute) => ({ ...attribute })));
  return copy;
};

let page = new Element('html');

beforeEach(() => {
  page = new Element('html');
  const implementation = { createHTMLDocument: () => ({ importNode: copyOf }) };
  const classes = ['HTMLInputElement', 'HTMLTextAreaElement', 'HTMLSelectElement', 'HTMLMeterElement', 'HTMLProgressElement']
    .concat(['HTMLOutputElement', 'HTMLImageElement', 'HTMLAreaElement', 'HTMLFieldSetElement', 'HTMLTableElement', 'Document'])
    .concat(['HTMLIFrameElement', 'HTMLFormElement', 'ShadowRoot', 'Text']);
  for (const name of classes) vi.stubGlobal(name, Other);
  for (const name of ['Element', 'HTMLElement']) vi.stubGlobal(name, Element);
  vi.stubGlobal('document', {
    body: page,
    addEventListener: () => null,
    removeEventListener: () => null,
    querySelectorAll: (selector: string) => page.querySelectorAll(selector),
    querySelector: (selector: string) => page.querySelector(selector),
    implementation,
  });
  vi.stubGlobal('getComputedStyle', ({ style }: Element) => ({
    ...style,
    fontFamily: '',
    getPropertyValue: (name: string) => style[name] ?? '',
  }));
  vi.stubGlobal('innerWidth', 800);
  vi.stubGlobal('innerHeight', 600);
  vi.stubGlobal('chrome', { dom: { openOrClosedShadowRoot: () => null } });
});
afterEach(() => void vi.unstubAllGlobals());

const button = (name: string, given: Given = {}): Element => new Element('button', { 'aria-label': name, ...given });
const GO: Mark = { ref: 0, selector: '#go', role: 'button', name: 'Go' };
const look = (mark: Mark, scrolls = false): Again => lookAgain({ marks: [mark], scrolls });
/** What is known of an element of the page from now on. */
const pick = (mark: Mark): { readonly mark: Mark; readonly looks: string } => {
  const [picked] = look(mark).elements;
  if (picked == null) throw new Error('it is not there');
  return { mark: { ...mark, ref: picked.ref }, looks: picked.looks };
};

describe('a picked element', () => {
  test('looks the same until its markup, its styles or those of what is inside it change', () => {
    const icon = new Element('i', { class: 'icon' });
    const go = button('Go', { id: 'go' });
    go.append(icon);
    page.append(go, button('Other'));
    const { mark, looks } = pick(GO);
    const looksNow = (): string | undefined => look(mark).elements[0]?.looks;
    go.box = { left: 0, top: 0, right: 8, bottom: 8 };
    page.append(button('More'));
    const moved = looksNow();

    icon.style['color'] = 'rgb(200, 0, 0)';
    const coloured = looksNow();
    icon.style['color'] = 'rgb(0, 0, 0)';
    const back = looksNow();
    go.append(new Element('b'));
    const filled = looksNow();

    expect([moved, back]).toEqual([looks, looks]);
    expect(new Set([looks, coloured, filled]).size).toBe(3);
  });

  test('looks different once a drawing in it is, what stands in a shadow root there, and the end of a long text', () => {
    const path = new Element('path', { d: `M0 0${'h1'.repeat(400)}` });
    const word = new Element('b', { title: 'low' });
    const card = new Element('tide-card');
    card.shadowRoot = new Element('root', {}, new Element('p', {}, word));
    const last = new Element('i', { title: 'a' });
    const long = Array.from({ length: 900 }, () => new Element('i', { title: 'a row of the table' }));
    const go = button('Go', { id: 'go' });
    go.append(new Element('svg', {}, path), card, ...long, last);
    page.append(go);
    const { mark, looks } = pick(GO);
    const looksWith = (element: Element, attribute: string, value: string): string | undefined => {
      const changed = element.attributes.find(({ name }) => name === attribute);
      const before = changed?.value ?? '';
      if (changed !== undefined) changed.value = value;
      const [looked] = look(mark).elements;
      if (changed !== undefined) changed.value = before;
      return looked?.looks;
    };

    const others = [looksWith(path, 'd', `M0 0${'h1'.repeat(399)}v1`), looksWith(word, 'title', 'top'), looksWith(last, 'title', 'b')];

    expect(new Set([looks, ...others]).size).toBe(4);
    expect(look(mark).elements[0]?.looks).toBe(looks);
  });

  test('stays the one that it is, wherever it goes and whatever it says', () => {
    const go = button('Go', { id: 'go' });
    page.append(go);
    const { mark } = pick(GO);
    const nameless = go.attributes.find(({ name }) => name === 'aria-label');
    if (nameless !== undefined) nameless.value = 'Went';
    page.append(button('Go', { id: 'go' }));

    expect(look(mark).elements[0]?.ref).toBe(mark.ref);
  });

  test('is what stands in its place and says the same, after it was put in anew', () => {
    const go = button('Go', { id: 'go' });
    page.append(go);
    const { mark, looks } = pick(GO);
    go.replaceWith(button('Go', { id: 'go' }));

    const [found] = look(mark).elements;

    expect(found?.looks).toBe(looks);
    expect(found?.ref).not.toBe(mark.ref);
  });

  test('is found elsewhere by what it says, when only one says it', () => {
    const go = button('Go', { id: 'go' });
    page.append(go);
    const { mark } = pick(GO);
    go.replaceWith(new Element('main', {}, button('Stop', { id: 'go' }), button('Go', { id: 'new', class: 'wide' })));
    const [moved] = look(mark).elements;
    page.append(button('Go', { id: 'second' }));
    const [placed] = look(mark).elements;

    const [wide, other] = ['#new', '#go'].map((selector) => pick({ ...GO, selector, name: selector === '#go' ? 'Stop' : 'Go' }));
    expect(moved?.ref).toBe(wide?.mark.ref);
    expect(placed?.ref).toBe(other?.mark.ref);
  });

  test('is gone when nothing is in its place and nothing says the same, and when its selector is none', () => {
    page.append(button('Stop', { id: 'stop' }));

    expect(look(GO)).toEqual({ elements: [null], buildError: null });
    expect(look({ ...GO, selector: '<<' })).toEqual({ elements: [null], buildError: null });
  });

  test('is shown with a little of what is around it, and brought into the view only when that is wanted', () => {
    const go = button('Go', { id: 'go' });
    page.append(go);
    const inView = look(GO, true).elements[0]?.box;
    go.box = { left: 5, top: 590, right: 900, bottom: 700 };
    const cut = look(GO, true).elements[0]?.box;
    go.box = { left: 100, top: 2_000, right: 180, bottom: 2_030 };
    const below = look(GO).elements[0]?.box;
    const brought = look(GO, true).elements[0]?.box;

    expect(inView).toEqual({ x: 88, y: 88, width: 104, height: 54 });
    expect(cut).toEqual({ x: 0, y: 578, width: 800, height: 22 });
    expect(below).toBeNull();
    expect(brought).toEqual({ x: 88, y: 288, width: 104, height: 54 });
    expect(go.scrolled).toBe(1);
  });
});

describe('the error of a build', () => {
  const overlay = (localName: string, given: Given, inside: string, text: string): Element => {
    const host = new Element(localName, given);
    const [styles, drawn] = [new Element('style'), new Element('div', { role: inside })];
    host.shadowRoot = new Element('root', {}, styles, drawn);
    styles.innerText = '* { box-sizing: border-box }';
    drawn.innerText = text;
    return host;
  };

  test.for([
    ['vite-error-overlay', {}, 'none'],
    ['rsbuild-error-overlay', {}, 'none'],
    ['nextjs-portal', {}, 'dialog'],
  ] as const)('is what the overlay of %s says', ([localName, given, inside]) => {
    page.append(overlay(localName, given, inside, 'Unexpected token\n\n \n  main.js:2:18\n'));

    expect(look(GO).buildError).toBe('Unexpected token\n  main.js:2:18');
  });

  test('is not what the part of a page of Next says that is always there', () => {
    page.append(overlay('nextjs-portal', {}, 'menu', 'Route: static'));

    expect(look(GO).buildError).toBeNull();
  });

  test('is cut where it is long', () => {
    page.append(overlay('vite-error-overlay', {}, 'none', 'x'.repeat(9_000)));

    expect(look(GO).buildError).toHaveLength(4_000);
  });
});
