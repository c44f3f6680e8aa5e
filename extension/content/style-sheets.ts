/** What style sheets say of elements, and nothing else tells: text before and after their content, and the hand that comes with the pointer alone. */
import { treeOf } from './composed.ts';
import { plain } from './plain.ts';

type Root = Document | ShadowRoot;
type Pseudo = '::before' | '::after';

/** Asking the browser for a generated text is dear: where sheets cannot be read, only so many elements are asked. */
const MAX_ASKED = 1_000;

/** Icons are letters of private use; bullets and arrows only decorate. */
const TELLING = /[\p{L}\p{N}*✓✔✗✘★☆✕×]/u;

/** The selectors of a sheet. */
interface Told {
  /** Of what it puts telling text into. */
  readonly hosts: string[];
  /** Of what has the hand once the pointer is over it. */
  readonly hands: string[];
}

/** By the number of rules that a sheet had when it was read. */
const known = new WeakMap<CSSStyleSheet, { readonly length: number; readonly told: Told }>();
let hosts = new WeakMap<Root, (element: Element) => boolean>();
let hands = new WeakMap<Root, ReadonlySet<Element>>();

/** Called before a page is read: what sheets say may have changed. */
export const readSheets = (): void => {
  hosts = new WeakMap();
  hands = new WeakMap();
};

/** Whether sheets may put text into an element. */
export const mayGenerate = (element: Element): boolean => {
  const root = treeOf(element);
  if (root === null) return false;
  const mayHave = hosts.get(root) ?? findHosts(root);
  hosts.set(root, mayHave);
  return mayHave(element);
};

/** Whether the pointer becomes a hand over an element, which its style says only then. */
export const hasHandOnHover = (element: Element): boolean => {
  const root = treeOf(element);
  if (root === null) return false;
  const found = hands.get(root) ?? findHands(root);
  hands.set(root, found);
  return found.has(element);
};

/** The text that they put into one of these, without marks that only decorate. */
export const generatedText = (element: Element, pseudo: Pseudo): string => {
  const { content, display, visibility, opacity } = getComputedStyle(element, pseudo);
  if (!content.startsWith('"') || display === 'none') return '';
  // A hint that comes with the pointer says what a picture means, and of an element with words nothing that is shown.
  const isShown = visibility === 'visible' && Number(opacity) > 0;
  if (!isShown && hasWords(element)) return '';
  const text = (content.match(/"(?:\\.|[^"\\])*"/g) ?? []).map((part) => part.slice(1, -1).replaceAll(/\\(.)/g, '$1')).join('');
  return TELLING.test(text) ? text : '';
};

/** Its own, or what stands in a slot of it. */
const hasWords = (element: Element): boolean =>
  [element, ...[...plain(element).querySelectorAll('slot')].flatMap((slot) => slot.assignedNodes())].some(
    ({ textContent }) => textContent?.trim() !== '',
  );

const findHosts = (root: Root): ((element: Element) => boolean) => {
  const found = new Set<Element>();
  let left = 0;
  for (const sheet of sheetsOf(root)) {
    const told = toldBy(sheet);
    // A sheet of another site.
    if (told === null) left = MAX_ASKED;
    for (const selector of told?.hosts ?? []) for (const element of matching(root, selector)) found.add(element);
  }
  return (element) => found.has(element) || (left > 0 && plain(element).childElementCount === 0 && (left -= 1) >= 0);
};

const findHands = (root: Root): ReadonlySet<Element> =>
  new Set(sheetsOf(root).flatMap((sheet) => (toldBy(sheet)?.hands ?? []).flatMap((selector) => [...matching(root, selector)])));

const sheetsOf = (root: Root): CSSStyleSheet[] => [...root.styleSheets, ...root.adoptedStyleSheets];

const matching = (root: Root, selector: string): Iterable<Element> => {
  try {
    return root.querySelectorAll(selector);
  } catch {
    return [];
  }
};

/** Null of a sheet that may not be read. */
const toldBy = (sheet: CSSStyleSheet): Told | null => {
  try {
    const rules = sheet.cssRules;
    const before = known.get(sheet);
    if (before?.length === rules.length) return before.told;
    const told = { hosts: [], hands: [] };
    readRules(rules, told);
    known.set(sheet, { length: rules.length, told });
    return told;
  } catch {
    return null;
  }
};

const readRules = (rules: CSSRuleList, told: Told): void => {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) readRule(rule, told);
    else if (rule instanceof CSSGroupingRule) readRules(rule.cssRules, told);
    else if (rule instanceof CSSImportRule && rule.styleSheet !== null) {
      const brought = toldBy(rule.styleSheet);
      told.hosts.push(...(brought?.hosts ?? []));
      told.hands.push(...(brought?.hands ?? []));
    }
  }
};

const readRule = ({ selectorText, style }: CSSStyleRule, { hosts: texts, hands: pointed }: Told): void => {
  if (selectorText.includes(':hover') && style.cursor === 'pointer') pointed.push(withoutParts(selectorText, HOVER));
  if (!/:(?:before|after)/.test(selectorText)) return;
  const { content } = style;
  const isTelling =
    /attr\(|var\(/.test(content) || TELLING.test(content.replaceAll(/counters?\([^)]*\)|none|normal|inherit|initial|unset/g, ''));
  if (isTelling) texts.push(withoutParts(selectorText, PSEUDO));
};

const HOVER = ':hover';
const PSEUDO = '::?(?:before|after)\\b';

/** A selector without some of its parts; what has no others means all elements. */
const withoutParts = (selector: string, part: string): string =>
  selector.replaceAll(new RegExp(`(^|[\\s>+~,(])${part}`, 'g'), '$1*').replaceAll(new RegExp(part, 'g'), '');
