/** XPath, as far as our targets say the same: one engine looks for elements in a page, and what it may be asked is decided in one place. */

const STEP = /^(\/\/?)([a-z][a-z\d-]*|\*)((?:\[(?:[^\]"']|"[^"]*"|'[^']*')*\])*)/i;
const PREDICATE = /\[((?:[^\]"']|"[^"]*"|'[^']*')*)\]/g;
const TEXT = /^(?:text\(\)|normalize-space\((?:\.|text\(\))?\)|\.)\s*=\s*("[^"]*"|'[^']*')$/;
const ATTRIBUTE = /^@([a-z][a-z\d-]*)(?:\s*=\s*("[^"]*"|'[^']*'))?$/i;
const PART_OF_ATTRIBUTE = /^(contains|starts-with)\(\s*@([a-z][a-z\d-]*)\s*,\s*("[^"]*"|'[^']*')\s*\)$/i;

/** One of all that are found. A place in a step is another matter: it counts in each parent. */
const NTH = /^\((.*)\)\s*\[\s*(?:([1-9]\d{0,5})|last\(\))\s*\]$/s;
/** What all text in an element contains, and what its own does. */
const PART = /^contains\(\s*(text\(\)|normalize-space\((?:\.|text\(\))?\)|\.)\s*,\s*("[^"]*"|'[^']*')\s*\)$/;

/** The same as a target of a `browser_*` tool: a CSS selector with Playwright's words in it, or `text=words`; null where neither says it. */
export const targetFromXPath = (xpath: string): string | null => {
  const [, all, place] = NTH.exec(xpath.trim()) ?? [];
  if (all === undefined) return pathFrom(xpath.trim());
  const target = pathFrom(all.trim());
  return target === null ? null : `${target} >> nth=${place === undefined ? -1 : Number(place) - 1}`;
};

const pathFrom = (xpath: string): string | null => {
  let left = xpath;
  const words = /^\/\/(?:[a-z][a-z\d-]*|\*)\[\s*([^[\]]*?)\s*\]$/i.exec(left)?.[1];
  const [, said] = words === undefined ? [] : (TEXT.exec(words) ?? []);
  if (said !== undefined) return `text=${quoted(inside(said))}`;
  let selector = '';
  while (left !== '') {
    const [whole, axis, name, predicates] = STEP.exec(left) ?? [];
    const tests = name === undefined ? null : testsFrom(name, predicates ?? '');
    if (whole === undefined || tests === null) return null;
    const before = selector === '' ? '' : axis === '/' ? ' > ' : ' ';
    // A path from the top begins with the document's own element.
    const top = selector === '' && axis === '/' ? ':root' : '';
    selector += `${before}${name}${top}${tests}`;
    left = left.slice(whole.length);
  }
  return selector === '' ? null : selector;
};

/** The predicates of one step. A place counts among all of a kind, so it may stand only before what chooses some of them. */
const testsFrom = (name: string, predicates: string): string | null => {
  let tests = '';
  for (const [, predicate = ''] of predicates.matchAll(PREDICATE)) {
    for (const part of conditionsIn(predicate)) {
      const test = testFrom(name, part.trim());
      if (test === null || (/^:(?:nth|last)-/.test(test) && tests !== '')) return null;
      tests += test;
    }
  }
  return tests;
};

/** `@id="a and b" and @name="c"` has two. */
const conditionsIn = (predicate: string): string[] =>
  predicate
    .split(/("[^"]*"|'[^']*')/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(/\s+and\s+/g, '\0') : part))
    .join('')
    .split('\0');

const testFrom = (name: string, condition: string): string | null => {
  const kind = name === '*' ? 'child' : 'of-type';
  if (/^[1-9]\d*$/.test(condition)) return `:nth-${kind}(${condition})`;
  if (condition === 'last()') return `:last-${kind}`;
  const [, attribute, value] = ATTRIBUTE.exec(condition) ?? [];
  if (attribute !== undefined) return value === undefined ? `[${attribute}]` : `[${attribute}="${escaped(inside(value))}"]`;
  const [, said] = TEXT.exec(condition) ?? [];
  if (said !== undefined) return inside(said).trim() === '' ? null : `:text-is(${quoted(inside(said))})`;
  const [, of, words] = PART.exec(condition) ?? [];
  if (words !== undefined)
    return inside(words).trim() === '' ? null : `:${of?.includes('text') === true ? 'text' : 'has-text'}(${quoted(inside(words))})`;
  const [, how, partOf, part] = PART_OF_ATTRIBUTE.exec(condition) ?? [];
  // CSS finds an empty part nowhere, XPath everywhere.
  if (partOf === undefined || part === undefined || inside(part) === '') return null;
  return `[${partOf}${how === 'contains' ? '*' : '^'}="${escaped(inside(part))}"]`;
};

/** As a string in a selector of Playwright's. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;

const inside = (literal: string): string => literal.slice(1, -1);

const escaped = (text: string): string =>
  text.replaceAll(/["\\\n\r\f]/g, (character) => `\\${character.codePointAt(0)?.toString(16) ?? ''} `);
