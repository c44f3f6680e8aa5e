/** An element as other products name it, in the words of the `browser_*` tools. Pure. */
import { targetFromXPath } from '#companion/toolsets/xpath.ts';

/** A longer one is nobody's own words, and would keep the patterns busy. */
const MAX_CHARS = 500;

/** A ref, a CSS selector, `text=`, `role=` or a chain of them; what is written in no way that is known stays as it is. */
export const meantTarget = (given: string): string => {
  const text = given.trim();
  if (text.length > MAX_CHARS) return given;
  const chain = chainFrom(text);
  if (chain !== null) return chain;
  for (const [pattern, toTarget] of WAYS) {
    const [, ...parts] = pattern.exec(text) ?? [];
    const target = parts.length === 0 ? null : toTarget(...parts.map((part) => part ?? ''));
    if (target !== null) return target;
  }
  return given;
};

/** An attribute by its value; CSS has the same strings as JSON for all that stands in names. */
const having = (attribute: string, value: string): string => `[${attribute}=${JSON.stringify(value)}]`;

const byRole = (role: string, name = ''): string => (name === '' ? `role=${role}` : `role=${role}[name=${JSON.stringify(name)}]`);

/** Each with one group at least. What is quoted is a group of its own, without escapes. */
const WAYS: readonly (readonly [RegExp, (...parts: string[]) => string | null])[] = [
  // As it stands in Markdown.
  [/^`([^`]+)`$/, (inner = '') => meantTarget(inner)],
  // The line of a snapshot of another product.
  [/^-? *[a-z]+ .*\[ref=((?:f\d+)?e\d+)\].*$/i, (ref = '') => ref.toLowerCase()],
  [/^internal:((?:role|text|label)=.+)$/s, (inner = '') => inner],
  [/^internal:testid=\[([\w-]+="[^"]*")[is]?\]$/, (inner = '') => `[${inner}]`],
  [/^(?:document\s*\.\s*querySelector|\$|jQuery)\(\s*(["'`])((?:(?!\1).)+)\1\s*\)$/, (_, selector = '') => meantTarget(selector)],
  [/^(?:document\s*\.\s*getElementById|By\.id)\(\s*(["'`])((?:(?!\1).)+)\1\s*\)$/, (_, id = '') => having('id', id)],
  // jQuery's word for it.
  [/^(?=.*:contains\()(.+)$/s, (selector = '') => selector.replaceAll(':contains(', ':has-text(')],
  // A ref in capitals, or with the rest of its line in a snapshot.
  [/^\[?((?:f\d+)?e\d+)(?:\s+[a-z]+(?:\s.*)?)?$/i, (ref = '') => ref.toLowerCase()],
  [/^css=(.+)$/s, (selector = '') => selector.trim()],
  [/^(?:xpath=)?\.?(\(?\/\/?[a-z*].*)$/is, (xpath = '') => targetFromXPath(xpath)],
  [/^(id|placeholder|data-testid|data-test-id|data-test)=["']?([^"']+)["']?$/, (name = '', value = '') => having(name, value)],
  // As a snapshot shows it.
  [/^([a-z]+) ("(?:[^"\\]|\\[^])+"|'[^']+')$/, (role = '', name = '') => byRole(role, name.slice(1, -1).replaceAll('\\"', '"'))],
  // Words as they stand on a page; no element of HTML is written so.
  [/^((?=.*(?:\p{Ll}|\p{Lo}))[\p{Lu}\p{Lo}][\p{L}\p{N}\s,!?'’]*)$/u, (words = '') => `text=${words}`],
  // The same in capitals alone, as on many a button; CSS makes no difference between those and small letters.
  [
    /^((?=.*\p{Lu})\p{Lu}[\p{Lu}\p{N}\s,!?'’]+)$/u,
    (words = '') => (words.split(/\s+/).every((word) => TAG.test(word)) ? null : `text=${words}`),
  ],
  // A sign, as on a button that has no other words.
  [/^([^\p{ASCII}\p{L}\p{N}][^<>]*)$/u, (words = '') => `text=${words}`],
];

/** An element of HTML as somebody may write it in capitals. */
const TAG =
  /^(?:A|ARTICLE|ASIDE|AUDIO|B|BODY|BUTTON|CANVAS|CODE|DETAILS|DIALOG|DIV|DL|DT|DD|EM|FIELDSET|FIGURE|FOOTER|FORM|H[1-6]|HEADER|HR|HTML|I|IFRAME|IMG|INPUT|LABEL|LEGEND|LI|MAIN|MENU|NAV|OL|OPTION|P|PRE|SECTION|SELECT|SPAN|STRONG|SUMMARY|SVG|TABLE|TBODY|TD|TEXTAREA|TFOOT|TH|THEAD|TR|UL|VIDEO)$/;

const STRING = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|`(?:[^`\\]|\\[^])*`/;
const PATTERN = /\/(?:[^/\\[]|\\[^]|\[(?:[^\]\\]|\\[^])*\])+\/[a-z]*/;
const WORDS = `(?:${STRING.source}|${PATTERN.source})`;

/** One call, as `getByRole('button', { name: 'Go' })`, `get_by_role("button", name="Go")` or `first`. */
const CALL = new RegExp(`\\.?\\s*([a-zA-Z_]+)\\s*(?:\\(((?:${WORDS}|[^()"'\`/])*)\\))?\\s*(?=\\.|$)`, 'y');

/** What is written as code, in JavaScript or Python, as steps one after the other; null for any other text. */
const chainFrom = (code: string): string | null => {
  const calls = callsIn(code.replace(/^(?:await\s+)?(?:(?:this\.)?page\s*\.\s*)?/, '').replace(/;$/, ''));
  const [begin] = calls ?? [];
  if (calls === null || begin === undefined || !/^(?:getBy|locator$|frameLocator$)/.test(begin.name)) return null;
  const steps = calls.map(stepOf);
  return steps.every((step) => step !== null) ? steps.filter((step) => step !== '').join(' >> ') : null;
};

interface Call {
  /** As in JavaScript. */
  readonly name: string;
  readonly given: string;
}

const callsIn = (code: string): Call[] | null => {
  const calls: Call[] = [];
  let at = 0;
  while (at < code.length) {
    CALL.lastIndex = at;
    const [whole, name = '', given = ''] = CALL.exec(code) ?? [];
    if (whole === undefined) return null;
    calls.push({ name: name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()), given: given.trim() });
    at += whole.length;
  }
  return calls;
};

/** What is looked for by one kind of words. */
const BY_WORDS = new Map([
  ['getByText', 'text'],
  ['getByLabel', 'label'],
  ['getByPlaceholder', 'placeholder'],
  ['getByTitle', 'title'],
  ['getByAltText', 'alt'],
]);

/** Null for what is not known, nothing for what the tool itself does. */
const stepOf = ({ name, given }: Call): string | null => {
  const [, first, options = ''] = new RegExp(`^(${WORDS})\\s*(?:,([^]*))?$`).exec(given) ?? [];
  const byWords = BY_WORDS.get(name);
  if (byWords !== undefined) return first === undefined ? null : `${byWords}=${wordsFrom(first, options)}`;
  const text = first === undefined || first.startsWith('/') ? null : textIn(first);
  switch (name) {
    case 'getByTestId':
      return text === null ? null : having('data-testid', text);
    case 'getByRole':
      return text === null || !/^[a-z]+$/.test(text) ? null : byRoleAndName(text, options);
    case 'locator':
      return text === null ? null : [meantTarget(text), ...filtersIn(options)].join(' >> ');
    case 'frameLocator':
      return text === null ? null : `${meantTarget(text)} >> ${INTO_FRAME}`;
    case 'contentFrame':
      return INTO_FRAME;
    case 'filter':
      return filtersIn(given).join(' >> ') || null;
    case 'nth':
      return /^-?\d+$/.test(given) ? `nth=${given}` : null;
    default:
      return PLACES.get(name) ?? (ACTIONS.has(name) ? '' : null);
  }
};

const PLACES = new Map([
  ['first', 'nth=0'],
  ['last', 'nth=-1'],
]);

const byRoleAndName = (role: string, options: string): string => {
  const name = optionIn(options, 'name');
  return name === null ? `role=${role}` : `role=${role}[name=${wordsFrom(name, options)}]`;
};

/** What follows is in the frame before it, which is told with the refs that are meant. */
const INTO_FRAME = 'internal:control=enter-frame';

/** What such code does with the element at last; here it is the tool that does something. */
const ACTIONS = new Set(['click', 'dblclick', 'fill', 'hover', 'press', 'check', 'uncheck', 'type', 'focus', 'tap', 'selectOption']);

const filtersIn = (options: string): string[] =>
  [['has_?text', 'has-text'] as const, ['has_?not_?text', 'has-not-text'] as const].flatMap(([option, engine]) => {
    const words = optionIn(options, option);
    return words === null ? [] : [`${engine}=${wordsFrom(words, EXACT)}`];
  });

const optionIn = (options: string, name: string): string | null =>
  new RegExp(`(?:^|[^\\w])${name}["']?\\s*[:=]\\s*(${WORDS})`, 'i').exec(options)?.[1] ?? null;

const EXACT = 'exact: true';

/** Words that are not said to be exact may be a part of what is shown, where nothing is just that. */
const wordsFrom = (literal: string, options: string): string => {
  if (literal.startsWith('/')) return literal;
  return `${JSON.stringify(textIn(literal))}${/\bexact\s*[:=]\s*true\b/i.test(options) ? '' : 'i'}`;
};

const textIn = (literal: string): string => literal.slice(1, -1).replaceAll(/\\([^])/g, '$1');
