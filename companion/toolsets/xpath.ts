/** XPath, as far as our targets say the same: one engine looks for elements in a page, and what it may be asked is decided in one place. */

const PREDICATES = String.raw`((?:\[(?:[^\]"']|"[^"]*"|'[^']*')*\])*)`;
const STEP = new RegExp(String.raw`^(\/\/?)(?:([a-z-]+)::)?([a-z][a-z\d-]*|\*|\.\.)${PREDICATES}`, 'i');
const PREDICATE = /\[((?:[^\]"']|"[^"]*"|'[^']*')*)\]/g;
const TEXT = /^(?:text\(\)|normalize-space\((?:\.|text\(\))?\)|\.)\s*=\s*("[^"]*"|'[^']*')$/;
const ATTRIBUTE = /^@([a-z][a-z\d-]*)(?:\s*=\s*("[^"]*"|'[^']*'))?$/i;
const PART_OF_ATTRIBUTE = /^(contains|starts-with)\(\s*@([a-z][a-z\d-]*)\s*,\s*("[^"]*"|'[^']*')\s*\)$/i;
/** One word of several, in the way of XPath. */
const WORD_OF_ATTRIBUTE =
  /^contains\(\s*concat\(\s*(?:' '|" ")\s*,\s*(?:normalize-space\(\s*)?@([a-z][a-z\d-]*)\s*\)?\s*,\s*(?:' '|" ")\s*\)\s*,\s*(?:' ([\w-]+) '|" ([\w-]+) ")\s*\)$/i;
const NAME = /^(?:local-)?name\(\)\s*=\s*(?:"([a-z][a-z\d-]*)"|'([a-z][a-z\d-]*)')$/i;
const NOT = /^not\(\s*(.*)\s*\)$/s;
const PLACE = /^(?:position\(\)\s*=\s*)?([1-9]\d{0,5}|last\(\))$/;

/** One of all that are found. A place in a step is another matter: it counts in each parent. */
const NTH = /^\((.*)\)\s*\[\s*(?:([1-9]\d{0,5})|last\(\))\s*\]$/s;
/** What all text in an element contains, and what its own does. */
const PART = /^contains\(\s*(text\(\)|normalize-space\((?:\.|text\(\))?\)|\.)\s*,\s*("[^"]*"|'[^']*')\s*\)$/;

/** The same as a target of a `browser_*` tool: a CSS selector with Playwright's words in it, or `text=words`; null where neither says it. */
export const targetFromXPath = (xpath: string): string | null => {
  const [, all, place] = NTH.exec(xpath.trim()) ?? [];
  if (all === undefined) return eitherFrom(xpath.trim());
  const target = eitherFrom(all.trim());
  return target === null ? null : `${target} >> nth=${place === undefined ? -1 : Number(place) - 1}`;
};

/** One path, or several that CSS can name together. */
const eitherFrom = (xpath: string): string | null => {
  const paths = outsideStrings(xpath, '|').map((path) => pathFrom(path.trim()));
  const [only] = paths;
  if (paths.length === 1) return only ?? null;
  return paths.every((path) => path !== null && isPlain(path)) ? paths.join(', ') : null;
};

const isPlain = (target: string): boolean => !/ >> |^text=|:(?:has-)?text\b/.test(target);

const pathFrom = (xpath: string): string | null => {
  let left = xpath;
  const words = /^\/\/(?:[a-z][a-z\d-]*|\*)\[\s*([^[\]]*?)\s*\]$/i.exec(left)?.[1];
  const [, said] = words === undefined ? [] : (TEXT.exec(words) ?? []);
  if (said !== undefined) return `text=${quoted(inside(said))}`;
  const parts: string[] = [];
  let selector = '';
  while (left !== '') {
    const [whole, between, axis = '', name, predicates] = STEP.exec(left) ?? [];
    if (whole === undefined || between === undefined || name === undefined) return null;
    left = left.slice(whole.length);
    const around = aroundFrom(between, axis, name, predicates ?? '');
    if (around !== null) {
      // Nothing is around the whole document.
      if (selector === '' && parts.length === 0) return null;
      parts.push(...[selector, around].filter((part) => part !== ''));
      selector = '';
      continue;
    }
    const tests = isDown(axis) ? testsFrom(name, predicates ?? '') : null;
    if (tests === null || name === '..') return null;
    const isChild = between === '/' && !axis.startsWith('descendant');
    const isFirst = selector === '' && parts.length === 0;
    const before = isChild && !isFirst ? (selector === '' ? '> ' : ' > ') : selector === '' ? '' : ' ';
    // A path from the top begins with the document's own element.
    selector += `${before}${name}${isFirst && isChild ? ':root' : ''}${tests}`;
  }
  const all = [...parts, ...(selector === '' ? [] : [selector])];
  return all.length === 0 ? null : all.join(' >> ');
};

const isDown = (axis: string): boolean => ['', 'child', 'descendant'].includes(axis);

const AXES = new Set(['parent', 'ancestor', 'following-sibling', 'preceding-sibling']);

/** A step that leads to what is around an element or beside it, in the words of our targets; null for any other, or where it asks for more. */
const aroundFrom = (between: string, axis: string, name: string, predicates: string): string | null => {
  if (between !== '/') return null;
  if (name === '..') return axis === '' && predicates === '' ? '..' : null;
  if (!AXES.has(axis)) return null;
  const conditions = [...predicates.matchAll(PREDICATE)].map(([, condition = '']) => condition.trim());
  const [, place] = PLACE.exec(conditions.at(-1) ?? '') ?? [];
  const tests = testsFrom(name, (place === undefined ? conditions : conditions.slice(0, -1)).map((one) => `[${one}]`).join(''));
  if (tests === null || !isPlain(tests) || /:(?:nth|last)-/.test(tests)) return null;
  return `xpath=${axis}::${name}${tests}${place === undefined ? '' : `[${place}]`}`;
};

/** The predicates of one step. A place counts among all of a kind, so it may stand only before what chooses some of them. */
const testsFrom = (name: string, predicates: string): string | null => {
  let tests = '';
  for (const [, predicate = ''] of predicates.matchAll(PREDICATE)) {
    for (const part of outsideStrings(predicate, /\s+and\s+/g)) {
      const test = testFrom(name, part.trim());
      if (test === null || (/^:(?:nth|last)-/.test(test) && tests !== '')) return null;
      tests += test;
    }
  }
  return tests;
};

/** `@id="a and b" and @name="c"` has two. */
const outsideStrings = (text: string, sign: string | RegExp): string[] =>
  text
    .split(/("[^"]*"|'[^']*')/)
    .map((part, index) => (index % 2 === 0 ? part.replaceAll(sign, '\0') : part))
    .join('')
    .split('\0');

const testFrom = (name: string, condition: string): string | null => {
  const kind = name === '*' ? 'child' : 'of-type';
  const [, place] = PLACE.exec(condition) ?? [];
  if (place !== undefined) return place === 'last()' ? `:last-${kind}` : `:nth-${kind}(${place})`;
  const ways = outsideStrings(condition, /\s+or\s+/g).map((way) => attributeTest(way.trim()));
  if (ways.length > 1) return ways.includes(null) ? null : `:is(${ways.join(', ')})`;
  const [, hindrance] = NOT.exec(condition) ?? [];
  const refused = hindrance === undefined ? null : attributeTest(hindrance.trim());
  if (hindrance !== undefined) return refused === null ? null : `:not(${refused})`;
  const [, said] = TEXT.exec(condition) ?? [];
  if (said !== undefined) return inside(said).trim() === '' ? null : `:text-is(${quoted(inside(said))})`;
  const [, of, words] = PART.exec(condition) ?? [];
  if (words !== undefined)
    return inside(words).trim() === '' ? null : `:${of?.includes('text') === true ? 'text' : 'has-text'}(${quoted(inside(words))})`;
  const [, double, single] = NAME.exec(condition) ?? [];
  const named = double ?? single;
  return named === undefined ? attributeTest(condition) : `:is(${named})`;
};

const attributeTest = (condition: string): string | null => {
  const [, attribute, value] = ATTRIBUTE.exec(condition) ?? [];
  if (attribute !== undefined) return value === undefined ? `[${attribute}]` : `[${attribute}="${escaped(inside(value))}"]`;
  const [, wordsOf, single, double] = WORD_OF_ATTRIBUTE.exec(condition) ?? [];
  if (wordsOf !== undefined) return `[${wordsOf}~="${single ?? double ?? ''}"]`;
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
