/** CSS selectors: one that means an element, and what one from outside may ask. */
import { outerOf, treeOf } from './composed.ts';
import { plain } from './plain.ts';
import { namesSecret } from './secret-words.ts';

/** As short as it stays unique in its document or shadow root: by id, by test id, or by the way from the nearest of these. */
export const selectorOf = (element: Element): string => {
  const tree = treeOf(element);
  const isUnique = (selector: string): boolean => tree?.querySelectorAll(selector).length === 1;
  const steps: string[] = [];
  for (let at: Element | null = element; at !== null; at = outerOf(at)) {
    const own = ownSelector(at);
    if (own !== null && isUnique(own)) return [own, ...steps].join(' > ');
    steps.unshift(stepOf(at));
    const path = steps.join(' > ');
    if (isUnique(path)) return path;
  }
  return steps.join(' > ');
};

const ownSelector = (element: Element): string | null => {
  const { id } = plain(element);
  const testId = plain(element).getAttribute('data-testid');
  if (id !== '') return `#${CSS.escape(id)}`;
  return testId === null || testId === '' ? null : `[data-testid="${CSS.escape(testId)}"]`;
};

const stepOf = (element: Element): string => {
  const { localName } = plain(element);
  const name = CSS.escape(localName);
  const around = outerOf(element);
  const alike = around === null ? [] : [...plain(around).children].filter((child) => plain(child).localName === localName);
  return alike.length < 2 ? name : `${name}:nth-of-type(${alike.indexOf(element) + 1})`;
};

/** Attributes by whose values an element may be looked for: what a page is built of, not what people and servers keep in it. */
const ASKABLE =
  /^(?:id|class|name|type|role|for|href|src|alt|title|lang|dir|rel|target|tabindex|colspan|rowspan|headers|scope|placeholder|autocomplete|inputmode|multiple|draggable|contenteditable|aria-(?!value)[a-z]+|data-(?:testid|test-id|test|cy|qa|e2e|automation-id|hook|role|type|state|index|row|col|column))$/;

/** What people write and servers keep, whatever the page calls it. */
const KEPT = /^(?:value|content|nonce|integrity|aria-value.*)$|token|secret|nonce|csrf|xsrf|session|credential|signature|otp|passw/;

/** Each says of one value whether it is that; many at once would find out by halves which it is. */
const MAX_WHOLE = 3;

/**
 * What of a selector would spell out, guess by guess, what a field or a token holds; null when nothing does.
 * Whether an attribute is there may be asked, a part of its value only of those above, and all of it of the page's own, as those by which it
 * numbers its rows. An attribute's name must be written plainly, without escapes or comments.
 */
export const probeIn = (selector: string): string | null => {
  const bare = withoutStrings(selector);
  if (bare.includes('/*')) return '/*';
  let wholes = 0;
  for (const [, inside = ''] of bare.matchAll(/\[([^\]]*)/g)) {
    const [, written = '', operator = ''] = /^\s*([a-z][a-z\d-]*)\s*([~|^$*]?=|$)/i.exec(inside) ?? [];
    const name = written.toLowerCase();
    const isFree = name !== '' && name !== 'value' && (operator === '' || ASKABLE.test(name));
    if (isFree) continue;
    wholes += 1;
    const isWhole = name !== '' && operator === '=' && !KEPT.test(name) && !namesSecret(name);
    if (!isWhole || wholes > MAX_WHOLE) return `[${inside}]`;
  }
  return null;
};

/** The attributes by whose values a selector asks. */
export const attributesIn = (selector: string): string[] =>
  [...withoutStrings(selector).matchAll(/\[\s*([a-z][a-z\d-]*)\s*[~|^$*]?=/gi)].map(([, name = '']) => name);

/** Strings and escaped characters hold no brackets of the selector's own; a string without an end goes on to the end of the text, as CSS has it. */
const withoutStrings = (selector: string): string =>
  selector.replaceAll(/\\[^]|"(?:\\[^]|[^"\\])*(?:"|\\?$)|'(?:\\[^]|[^'\\])*(?:'|\\?$)/g, (skipped) =>
    skipped.startsWith('\\') ? '\\' : '""',
  );
