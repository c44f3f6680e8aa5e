/**
 * A target that is no ref, read as steps: where to look, and what of it is meant. The words are those of Playwright's selectors, which
 * models know best: https://playwright.dev/docs/other-locators. Pure.
 */

/** `whole` is all that is shown; `near` is the same, or else a part; `part` is a part of it; `pattern` is a regular expression. */
export interface Words {
  readonly how: 'whole' | 'near' | 'part' | 'pattern';
  readonly text: string;
}

export type Combinator = ' ' | '>' | '+' | '~';

/** Looks for elements, in all that was found before it. */
export type Search =
  | { readonly by: 'css'; readonly combinator: Combinator; readonly selector: string }
  | { readonly by: 'text' | 'label' | 'placeholder' | 'alt' | 'title'; readonly words: Words }
  | { readonly by: 'role'; readonly role: string; readonly name: Words | null };

/** Chooses of what was found. */
export type Choice =
  | { readonly by: 'fits'; readonly selector: string }
  | { readonly by: 'holds' | 'holdsNot'; readonly words: Words }
  /** Of those inside each other the innermost are meant. */
  | { readonly by: 'says'; readonly words: Words }
  | { readonly by: 'nth'; readonly index: number }
  | { readonly by: 'visible' }
  | { readonly by: 'parent' }
  /** In the way of XPath; of each that was found the one in this place, where one is named, nearest first. */
  | { readonly by: 'axis'; readonly axis: Axis; readonly selector: string; readonly place: number | 'last' | null };

export type Axis = 'parent' | 'ancestor' | 'following-sibling' | 'preceding-sibling';

export type Step = Search | Choice;

const SEARCHES: ReadonlySet<Step['by']> = new Set<Search['by']>(['css', 'text', 'label', 'placeholder', 'alt', 'title', 'role']);

export const isSearch = (step: Step): step is Search => SEARCHES.has(step.by);

/** A longer one is nobody's own words, and would keep the patterns busy: it is left to the browser. */
const MAX_CHARS = 2_000;

/** Null for what is written in a way that is not known: plain CSS is one step. */
export const stepsOf = (target: string): readonly Step[] | null => {
  if (target.length > MAX_CHARS) return [{ by: 'css', combinator: ' ', selector: target }];
  const steps: Step[] = [];
  for (const part of partsOf(target)) {
    const read = readPart(part, steps.length > 0);
    if (read === null) return null;
    steps.push(...read);
  }
  return steps.length === 0 ? null : steps;
};

/** The words of a target that is nothing but words; null where it is another kind of target. */
export const wordsIn = (target: string): string | null => {
  const steps = stepsOf(target);
  const [step] = steps ?? [];
  return steps?.length === 1 && step?.by === 'text' && step.words.how !== 'pattern' ? step.words.text : null;
};

/** Stands between a frame and what is meant in it. */
const INTO_FRAME = 'internal:control=enter-frame';

/** What a target means in a frame that it names before that; null where it names none, or means the frame itself. */
export const beyondFrame = (target: string): string | null => {
  if (target.length > MAX_CHARS) return null;
  const parts = partsOf(target);
  const end = parts.lastIndexOf(INTO_FRAME);
  if (end < 0 && !/^i?frame(?![\w-])(?!.*\s)/.test(parts[0] ?? '')) return null;
  const inside = parts.slice(end < 0 ? 1 : end + 1);
  const begin = inside.findIndex((part) => (stepsOf(part) ?? []).some(isSearch));
  return begin < 0 ? null : inside.slice(begin).join(' >> ');
};

const STRING = /"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'/;
const PATTERN = /\/(?:[^/\\[]|\\[^]|\[(?:[^\]\\]|\\[^])*\])+\/[a-z]*/;

/** What stands between `>>`, but not inside of strings and patterns. One at the end belongs to the words, as in a button "Next >>". */
const partsOf = (target: string): string[] => {
  const parts: string[] = [''];
  const token = new RegExp(`${STRING.source}|(?<==)${PATTERN.source}|>>(?=\\s*\\S)|[^]`, 'g');
  for (const [piece] of target.matchAll(token)) {
    if (piece === '>>' && parts.at(-1)?.trim() !== '') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${piece}`);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
};

const KINDS = ['text', 'label', 'placeholder', 'alt', 'title'] as const;

/** All that has no words of its own would fit to none. */
const searchFor = (by: (typeof KINDS)[number], words: Words): Step[] | null => (words.text.trim() === '' ? null : [{ by, words }]);

const readPart = (part: string, isInside: boolean): Step[] | null => {
  const [, engine = '', value = ''] = /^([a-z-]+)=(.*)$/s.exec(part) ?? [];
  const kind = KINDS.find((one) => one === engine);
  if (kind !== undefined) return searchFor(kind, readWords(value, 'near'));
  switch (engine) {
    case '':
      break;
    case 'role':
      return readRole(value);
    case 'has-text':
      return [{ by: 'holds', words: readWords(value, 'part') }];
    case 'has-not-text':
      return [{ by: 'holdsNot', words: readWords(value, 'part') }];
    case 'nth':
      return /^-?\d{1,6}$/.test(value) ? [{ by: 'nth', index: Number(value) }] : null;
    case 'visible':
      return value === 'true' ? [{ by: 'visible' }] : null;
    case 'css':
      return readCss(value, isInside);
    case 'id':
    case 'data-testid':
    case 'data-test-id':
    case 'data-test':
      return [{ by: 'css', combinator: ' ', selector: `[${engine}=${JSON.stringify(readWords(value, 'whole').text)}]` }];
    case 'xpath':
      return value.trim() === '..' ? [{ by: 'parent' }] : isInside ? readAxis(value.trim()) : null;
    default:
      return null;
  }
  if (part === '..') return [{ by: 'parent' }];
  if (new RegExp(`^(?:${STRING.source})$`).test(part)) return searchFor('text', readWords(part, 'whole'));
  return readCss(part, isInside);
};

/** `ancestor::tr[1]`, with a CSS selector in it. */
const readAxis = (value: string): Step[] | null => {
  const [, axis, selector = '', place] = /^([a-z-]+)::(.+?)(?:\[(\d{1,6}|last\(\))\])?$/s.exec(value) ?? [];
  const known = AXES.find((one) => one === axis);
  if (known === undefined || isOurs(selector)) return null;
  return [{ by: 'axis', axis: known, selector, place: place === undefined ? null : place === 'last()' ? 'last' : Number(place) }];
};

const AXES: readonly Axis[] = ['parent', 'ancestor', 'following-sibling', 'preceding-sibling'];

/** `Go` in the way of where it stands, `"Go"`, which is all of it then, `"Go"i`, which may be a part of it, and `/go/i`. */
const readWords = (value: string, how: Exclude<Words['how'], 'pattern'>): Words => {
  const text = value.trim();
  if (new RegExp(`^${PATTERN.source}$`).test(text)) return { how: 'pattern', text: text.slice(1, text.lastIndexOf('/')) };
  const [, quoted, mark] = new RegExp(`^(${STRING.source})([is]?)$`).exec(text) ?? [];
  if (quoted === undefined) return { how, text };
  return { how: how === 'part' ? how : mark === 'i' ? 'near' : 'whole', text: inside(quoted) };
};

const inside = (quoted: string): string => quoted.slice(1, -1).replaceAll(/\\([^])/g, '$1');

const ROLE = new RegExp(
  `^([a-z]+)((?:\\[\\s*[a-z]+\\s*(?:[*^$]?=\\s*(?:(?:${STRING.source})[is]?|${PATTERN.source}|[^\\]"'/]*))?\\s*\\])*)$`,
);
const OF_ROLE = new RegExp(`\\[\\s*([a-z]+)\\s*(?:([*^$]?=)\\s*((?:${STRING.source})[is]?|${PATTERN.source}|[^\\]"'/]*))?\\s*\\]`, 'g');

/** What else may be asked of a role is asked of the attributes that say it, or that the browser has for it. */
const STATES = new Map([
  ['checked', ':is(:checked, [aria-checked="true"])'],
  ['disabled', ':is(:disabled, [aria-disabled="true"])'],
  ['expanded', ':is([aria-expanded="true"], details[open] > summary)'],
  ['pressed', '[aria-pressed="true"]'],
  ['selected', ':is([aria-selected="true"], option:checked)'],
]);

const readRole = (value: string): Step[] | null => {
  const [whole, role, asked = ''] = ROLE.exec(value.trim()) ?? [];
  if (whole === undefined || role === undefined) return null;
  let name: Words | null = null;
  const more: Step[] = [];
  for (const [, attribute = '', sign, given = ''] of asked.matchAll(OF_ROLE)) {
    if (attribute === 'name' && sign !== undefined) name = readWords(given, sign === '=' ? 'whole' : 'part');
    else if (attribute === 'level') more.push({ by: 'fits', selector: `:is(h${Number(given)}, [aria-level="${Number(given)}"])` });
    else if (attribute !== 'exact') {
      const state = STATES.get(attribute);
      if (state === undefined) return null;
      more.push({ by: 'fits', selector: given === 'false' ? `:not(${state})` : state });
    }
  }
  return [{ by: 'role', role, name }, ...more];
};

/** What is no CSS, outside of strings and escaped characters. */
const isOurs = (css: string): boolean =>
  /:(?:has-text|text(?:-is|-matches)?|visible)(?![\w-])/.test(css.replaceAll(new RegExp(`\\\\[^]|${STRING.source}`, 'g'), '_'));

/** CSS with Playwright's own words in it is read selector by selector; any other is the browser's to read. */
const readCss = (css: string, isInside: boolean): Step[] | null => {
  if (!isOurs(css)) {
    const [, combinator, rest] = isInside ? (/^([>+~])\s*(.*)$/s.exec(css) ?? []) : [];
    return [{ by: 'css', combinator: toCombinator(combinator), selector: rest ?? css }];
  }
  const steps: Step[] = [];
  let combinator: Combinator = ' ';
  for (const [compound] of css.matchAll(COMPOUND)) {
    const between = compound.trim();
    if (between === ',') return null;
    if (between === '' || '>+~'.includes(between)) combinator = toCombinator(between);
    else {
      const read = readCompound(compound, combinator);
      if (read === null) return null;
      steps.push(...read);
    }
  }
  return steps;
};

const toCombinator = (sign: string | undefined): Combinator => (sign === '>' || sign === '+' || sign === '~' ? sign : ' ');

/** With brackets in it, as `:is(:not(a), b)` has them. */
const BRACKET = `\\((?:${STRING.source}|\\\\[^]|[^()"'\\\\]|\\((?:${STRING.source}|\\\\[^]|[^()"'\\\\])*\\))*\\)`;
const SIMPLE = `\\[(?:${STRING.source}|\\\\[^]|[^\\]"'\\\\])*\\]|::?[a-z-]+(?:${BRACKET})?|(?:\\\\[^]|[^\\s>+~,:[(\\\\])+`;
const COMPOUND = new RegExp(`\\s*[>+~,]\\s*|\\s+|(?:${SIMPLE})+|[^]`, 'g');
const SPECIAL = /^:(has-text|text|text-is|text-matches|visible)(?:\(([^]*)\))?$/;

const readCompound = (compound: string, combinator: Combinator): Step[] | null => {
  const chosen: Step[] = [];
  let selector = '';
  for (const [simple] of compound.matchAll(new RegExp(SIMPLE, 'g'))) {
    const [isSpecial, name = '', given] = SPECIAL.exec(simple) ?? [];
    const step = isSpecial === undefined ? null : readSpecial(name, given);
    if (step !== null) chosen.push(step);
    // One inside of another, as in `:not(:has-text("x"))`, would need an engine of its own.
    else if (isOurs(simple)) return null;
    else selector += simple;
  }
  return [{ by: 'css', combinator, selector: selector === '' ? '*' : selector }, ...chosen];
};

const readSpecial = (name: string, given: string | undefined): Step | null => {
  if (name === 'visible') return given === undefined ? { by: 'visible' } : null;
  if (given === undefined || given.trim() === '') return null;
  if (name !== 'text-matches')
    return { by: name === 'has-text' ? 'holds' : 'says', words: readWords(given, name === 'text-is' ? 'whole' : 'part') };
  const [, source] = new RegExp(`^\\s*(${STRING.source})\\s*(?:,\\s*(?:${STRING.source})\\s*)?$`).exec(given) ?? [];
  return source === undefined ? null : { by: 'says', words: { how: 'pattern', text: inside(source) } };
};
