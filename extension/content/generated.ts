/** Text that style sheets put before and after the content of elements. */
import { treeOf } from './composed.ts';
import { plain } from './plain.ts';

type Root = Document | ShadowRoot;
type Pseudo = '::before' | '::after';

/** Asking the browser for a generated text is dear: where sheets cannot be read, only so many elements are asked. */
const MAX_ASKED = 1_000;

/** Icons are letters of private use; bullets and arrows only decorate. */
const TELLING = /[\p{L}\p{N}*✓✔✗✘★☆✕×]/u;

/** Hosts of telling text in each sheet, by its number of rules when it was read. */
const selectors = new WeakMap<CSSStyleSheet, { readonly length: number; readonly hosts: readonly string[] }>();
let hosts = new WeakMap<Root, (element: Element) => boolean>();

/** Called before a page is read: what sheets say may have changed. */
export const readSheets = (): void => {
  hosts = new WeakMap();
};

/** Whether sheets may put text into an element. */
export const mayGenerate = (element: Element): boolean => {
  const root = treeOf(element);
  if (root === null) return false;
  const mayHave = hosts.get(root) ?? findHosts(root);
  hosts.set(root, mayHave);
  return mayHave(element);
};

/** The text that they put into one of these, without marks that only decorate. */
export const generatedText = (element: Element, pseudo: Pseudo): string => {
  const { content, display, visibility, opacity } = getComputedStyle(element, pseudo);
  if (!content.startsWith('"') || display === 'none') return '';
  // A hint that comes with the pointer says what a picture means, and of an element with words nothing that is shown.
  const isShown = visibility === 'visible' && Number(opacity) > 0;
  if (!isShown && plain(element).textContent?.trim() !== '') return '';
  const text = (content.match(/"(?:\\.|[^"\\])*"/g) ?? []).map((part) => part.slice(1, -1).replaceAll(/\\(.)/g, '$1')).join('');
  return TELLING.test(text) ? text : '';
};

const findHosts = (root: Root): ((element: Element) => boolean) => {
  const found = new Set<Element>();
  let left = 0;
  for (const sheet of [...root.styleSheets, ...root.adoptedStyleSheets]) {
    const read = hostsIn(sheet);
    // A sheet of another site.
    if (read === null) left = MAX_ASKED;
    for (const selector of read ?? []) for (const element of matching(root, selector)) found.add(element);
  }
  return (element) => found.has(element) || (left > 0 && plain(element).childElementCount === 0 && (left -= 1) >= 0);
};

const matching = (root: Root, selector: string): Iterable<Element> => {
  try {
    return root.querySelectorAll(selector);
  } catch {
    return [];
  }
};

const hostsIn = (sheet: CSSStyleSheet): readonly string[] | null => {
  try {
    const rules = sheet.cssRules;
    const known = selectors.get(sheet);
    if (known?.length === rules.length) return known.hosts;
    const read = [...hostsAmong(rules)];
    selectors.set(sheet, { length: rules.length, hosts: read });
    return read;
  } catch {
    return null;
  }
};

const hostsAmong = function* (rules: CSSRuleList): Generator<string> {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule && /:(?:before|after)/.test(rule.selectorText)) {
      const { content } = rule.style;
      if (/attr\(|var\(/.test(content) || TELLING.test(content.replaceAll(/counters?\([^)]*\)|none|normal|inherit|initial|unset/g, ''))) {
        yield rule.selectorText.replaceAll(/(^|[\s>+~,(])::?(?:before|after)\b/g, '$1*').replaceAll(/::?(?:before|after)\b/g, '');
      }
    } else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet !== null) yield* hostsIn(rule.styleSheet) ?? [];
    } else if (rule instanceof CSSGroupingRule) yield* hostsAmong(rule.cssRules);
  }
};
