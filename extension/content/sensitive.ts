/** Fields whose value never leaves the page: what `isSecretField` says of an element of this page. */
import { outerOf, parentOf, treeOf } from './composed.ts';
import { labelsFor } from './labels.ts';
import { isInReading, onceInReading } from './memo.ts';
import { plain } from './plain.ts';
import { waysAround } from './rare-ways.ts';
import { MADE_FIELDS, isEditingHost, isMadeField } from './roles.ts';
import { isSecretField, isSecretValue } from './secret-field.ts';
import { namesSecret } from './secret-words.ts';

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

/** How many words a recovery phrase has, https://github.com/bitcoin/bips/blob/master/bip-0039.mediawiki */
const PHRASE_WORDS = new Set([12, 15, 18, 21, 24]);

/** A longer text explains, and speaks of everything. */
const MAX_HEADING_UNITS = 160;

/** What stands further up is not about the fields. */
const MAX_BEFORE = 8;
const MAX_TEXTS = 300;

/** A password field that shows its text for a moment stays one. */
const oncePassword = new WeakSet<Element>();

/** Everything that may be a field with something secret in it. */
export const FIELDS = `input, textarea, select, [contenteditable], ${MADE_FIELDS}`;

/** Whether what the user wrote into a field must not be read. */
export const isSensitive = onceInReading((element: Element): boolean => {
  if (
    element instanceof HTMLSelectElement &&
    [...element.options].some(({ label, value }) => isSecretValue(label) || isSecretValue(value))
  ) {
    return true;
  }
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;
  if (!isField && !isEditingHost(element) && !isMadeField(element)) return isSlot(element);
  if (isField && element.type === 'password') oncePassword.add(element);
  return isSecretField({
    type: element instanceof HTMLSelectElement ? 'select' : isField ? element.type : 'editable',
    autocomplete: isField ? purposeOf(element) : '',
    get names() {
      return [...namesOf(element), ...namesAround(element)];
    },
    get isMasked() {
      return oncePassword.has(element) || isDrawnAsDots(element) || isBlurred(element);
    },
    get isCodeBox() {
      return isField && isCodeBox(element);
    },
    get isPhraseWord() {
      return element instanceof HTMLInputElement && isPhraseWord(element);
    },
    get digits() {
      return isField ? digitsOf(element) : 0;
    },
    get value() {
      return heldIn(element).join(' ');
    },
  });
});

/** How deep a box with one sign of a code stands beside the field that holds the code, and how many such boxes there are. */
const MAX_SLOT_LEVELS = 7;
const MAX_SLOTS = 12;

const SLOT_FIELDS = 'input:not([type="hidden"], [type="checkbox"], [type="radio"], [aria-hidden="true"])';

/** The boxes in which a page draws what a field holds, sign by sign: they stand near it. */
export const slotsOf = (field: Element): Element[] => {
  const near = new Set<Element>();
  const look = (element: Element, levels: number): void => {
    const { children } = plain(element);
    if (levels === 0 || children.length > MAX_SLOTS) return;
    for (const child of children) {
      if (near.has(child)) continue;
      near.add(child);
      look(child, levels - 1);
    }
  };
  for (let around = outerOf(field); around !== null; around = outerOf(around)) look(around, MAX_SLOT_LEVELS);
  return [...near].filter(isSlot);
};

/** Whether it shows one sign of what a secret field holds, which a page draws in boxes beside that. */
export const isSlot = (element: Element): boolean => {
  if (!isOneSign(element)) return false;
  let around = outerOf(element);
  for (let level = 0; level < MAX_SLOT_LEVELS && around !== null && plain(around).children.length <= MAX_SLOTS; level += 1) {
    const [field, ...others] = plain(around).querySelectorAll(SLOT_FIELDS);
    if (others.length > 0) return false;
    if (field instanceof HTMLInputElement)
      return isSensitive(field) && field.value !== '' && signsIn(around).join('') === field.value.replaceAll(/\s+/g, '');
    around = outerOf(around);
  }
  return false;
};

const isOneSign = (element: Element): boolean =>
  plain(element).childElementCount === 0 && /^\s*\S\s*$/u.test(plain(element).textContent ?? '');

const signsIn = (around: Element): string[] =>
  [...plain(around).querySelectorAll('*')].filter(isOneSign).map((element) => clean(plain(element).textContent ?? ''));

/** Fields that suggest by themselves say that they are for a new password to keep the browser's suggestions away; no password is chosen in a list. */
const purposeOf = (field: Field): string =>
  plain(field).getAttribute('role') === 'combobox' ? field.autocomplete.replace(/(?<!\S)new-password(?!\S)/, '') : field.autocomplete;

/** What a person wrote into a field, or a page shows as written there: its text, and the value it tells. */
export const heldIn = (element: Element): string[] =>
  (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement
    ? [element.value]
    : [clean(element.textContent ?? ''), ...VALUES.map((name) => element.getAttribute(name) ?? '')]
  ).filter((held) => held !== '');

/** Where a field that a page has made says what it holds. */
const VALUES = ['aria-valuetext', 'aria-valuenow'];

/** Whether the letters inside are drawn as dots, by a style or by a font made for it. */
export const isDrawnAsDots = (element: Element, style = getComputedStyle(element)): boolean =>
  mayDrawDots(element) &&
  (!['', 'none'].includes(style.getPropertyValue('-webkit-text-security')) || /text-security|password|dotsfont/i.test(style.fontFamily));

/** To ask each element for it is dear, and few pages do it at all. */
const mayDrawDots = (element: Element): boolean => {
  const tree = isInReading() ? treeOf(element) : null;
  return tree === null || waysAround(tree).dots;
};

const isBlurred = (element: Element): boolean => /blur\((?!0px)/.test(getComputedStyle(element).filter);

/** What names a field in its own attributes. */
const NAMING = new Set(
  ['name', 'id', 'formcontrolname', 'ng-model', 'ng-reflect-name', 'aria-label', 'placeholder', 'title']
    .concat(['label', 'aria-placeholder', 'data-placeholder', 'aria-description'])
    .concat(['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa', 'data-field', 'data-name']),
);

/** All that a page and a person call it; what stands beside or around it only when nothing else does. */
const namesOf = onceInReading((element: HTMLElement): string[] => {
  const own = plain(element);
  const attributes = own
    .getAttributeNames()
    .filter((name) => NAMING.has(name))
    .map((name) => own.getAttribute(name) ?? '');
  const tree = treeOf(element);
  const referred = ['aria-labelledby', 'aria-describedby']
    .flatMap((name) => element.getAttribute(name)?.trim().split(/\s+/) ?? [])
    .map((id) => tree?.getElementById(id)?.textContent ?? '');
  const shown = [...labelsOf(element).flatMap(wordsOfLabel), ...referred].map(clean).filter((name) => name !== '');
  const beside = shown.length > 0 || element.hasAttribute('aria-label') ? [] : wordsBeside(element);
  const names = [...attributes, ...shown, ...beside].filter((name) => name.trim() !== '');
  return names.length > 0 ? names : namesOfWrapping(element);
});

const labelsOf = (element: HTMLElement): Element[] => {
  if ('labels' in element && element.labels instanceof NodeList) return labelsFor(element, element.labels);
  const named = element.id === '' ? [] : [...document.querySelectorAll(`label[for="${CSS.escape(element.id)}"]`)];
  const around = plain(element).closest('label');
  return around === null ? named : [...named, around];
};

/** Its text, or what stands for one: a picture's, or what a style writes there. */
const wordsOfLabel = (label: Element): string[] => {
  const words = [wordsIn(label), label.getAttribute('aria-label') ?? ''];
  if (words.some((text) => clean(text) !== '')) return words;
  return [label, ...label.children].flatMap((part) =>
    ['::before', '::after'].map((pseudo) => /^"(.*)"$/.exec(getComputedStyle(part, pseudo).content)?.[1] ?? ''),
  );
};

/** What the field is called in which it stands: by its role, or the one whose inside this is. */
const namesAround = (element: Element): string[] => {
  for (let [at, level] = [parentOf(element), 0]; at !== null && level < MAX_AROUND; [at, level] = [parentOf(at), level + 1]) {
    const own = plain(at);
    if (!(at instanceof HTMLElement)) continue;
    const isCalled = (): boolean =>
      ['label', 'name', 'aria-label', 'placeholder'].some((name) => own.hasAttribute(name)) || labelsOf(at).length > 0;
    if ((own.localName.includes('-') && isCalled()) || isMadeField(at)) return namesOf(at);
  }
  return [];
};

const MAX_AROUND = 6;

const clean = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

const wordsBeside = (element: Element): string[] => {
  const head = headOf(element);
  const before = textBeside(element, head === '' ? null : plain(element).closest('tr, [role="row"]'));
  return [head, before === '' ? textOver(element) : before];
};

/** The text before a field: in its own line, in the cell or the block before it, but not before `within`. */
const textBeside = (element: Element, within: Element | null): string => {
  for (
    let at: Element | null = element;
    at !== null && at !== within && at !== document.body && !(at instanceof HTMLFormElement);
    at = outerOf(at)
  ) {
    let text = '';
    for (let before = at.previousSibling; before !== null && text === ''; before = plain(before).previousSibling) {
      if (before instanceof Element && (plain(before).matches(APART) || plain(before).querySelector(APART) !== null)) return '';
      text = clean(before instanceof Element || before instanceof Text ? wordsIn(before) : '');
    }
    if (text !== '') return text;
  }
  return '';
};

/** The head of the column in which it stands, of a table or of what a page has made as one. */
const headOf = (element: Element): string => {
  const cell = plain(element).closest('td, [role="gridcell"], [role="cell"]');
  const [first] = cell?.closest('table, [role="grid"], [role="table"]')?.querySelectorAll('tr, [role="row"]') ?? [];
  const head = first?.children[[...(cell?.parentElement?.children ?? [])].indexOf(cell ?? element)];
  return head?.matches('th, [role="columnheader"]') === true ? clean(wordsIn(head)) : '';
};

/** A text that lies over an empty field, whose blank placeholder tells a style where to draw it: it stands behind the only field of its block. */
const textOver = (element: Element): string => {
  const after = plain(element).nextElementSibling;
  const block = plain(element).parentElement;
  const isOver = /^\s+$/.test(element.getAttribute('placeholder') ?? '') && block !== null && fieldsIn(block) === 1;
  return isOver && after !== null && !plain(after).matches(APART) ? clean(wordsIn(after)) : '';
};

/** What the group is called to which it belongs, the heading over it, and the class of the blocks around it alone. */
const namesOfWrapping = (element: Element): string[] => {
  const group = plain(element).closest<HTMLElement>('fieldset, [role="group"], [role="radiogroup"]');
  const legend = group?.querySelector('legend');
  const blocks = [element, element.parentElement, element.parentElement?.parentElement].filter((block) => block instanceof HTMLElement);
  const classes = blocks.filter((block) => block === element || fieldsIn(block) === 1).map((block) => block.getAttribute('class') ?? '');
  const headings = blocks.flatMap((block) => {
    const before = plain(block).previousElementSibling;
    return before?.matches('h1, h2, h3, h4, h5, h6') === true ? [wordsIn(before)] : [];
  });
  const called = [group?.getAttribute('aria-label') ?? '', legend instanceof Element ? wordsIn(legend) : '', ...headings];
  return [...called, ...classes.flatMap((all) => all.split(/\s+/))].map(clean).filter((name) => name !== '');
};

const fieldsIn = onceInReading((block: Element): number => plain(block).querySelectorAll(FIELD).length);

/** What stands before these belongs to them, and a heading speaks of all that follows. */
const APART = `input:not([type="hidden"]), textarea, select, button, [contenteditable], ${MADE_FIELDS}, h1, h2, h3, h4, nav, header`;

/** The text of a label without that of the fields inside it. */
const wordsIn = (node: Node): string => {
  if (node instanceof Text) return node.data;
  if (node instanceof HTMLImageElement) return node.alt;
  if (!(node instanceof Element) || plain(node).matches(`script, style, textarea, select, [contenteditable], ${MADE_FIELDS}`)) return '';
  return [...plain(node).childNodes].map(wordsIn).join(' ');
};

/** One of a row of one-character boxes, as one-time codes are asked for. */
const isCodeBox = (element: Field): boolean =>
  !(element instanceof HTMLSelectElement) && element.maxLength === 1 && boxesIn(outerOf(outerOf(element) ?? element)) >= 4;

const boxesIn = (row: Element | null): number => (row === null ? 0 : plain(row).querySelectorAll('input[maxlength="1"]').length);

/** One of 12 to 24 numbered fields, where the page speaks of a secret: as the words of a wallet are asked for and shown. */
const isPhraseWord = (element: HTMLInputElement): boolean => {
  if (!namesOf(element).some(isNumbered)) return false;
  for (let group = outerOf(element); group !== null; group = outerOf(group)) {
    const count = wordFieldsIn(group);
    if (count > 24) return false;
    if (PHRASE_WORDS.has(count)) return speaksOfSecret(group);
  }
  return false;
};

/** Counted once for all that stand in a group: they may be tens of thousands. */
const wordFieldsIn = onceInReading(
  (group: Element) => plain(group).querySelectorAll('input:not([type="hidden"], [type="checkbox"], [type="radio"])').length,
);

/** "7", "7.", "Word 7", "srp__word-7". */
const isNumbered = (name: string): boolean => /^(?:\D{0,40}[^\d\p{L}]|\p{L}{0,20} ?)#?\d{1,2}[.:)]?$/u.test(name);

/** A heading or a short text in the group, or before it up to other fields. */
const speaksOfSecret = (group: Element): boolean => {
  const parts = [group, ...partsBefore(group)];
  const texts = parts.flatMap((part) => [part, ...plain(part).querySelectorAll('h1, h2, h3, h4, legend, label, p, div, span')]);
  return [document.title, ...texts.slice(0, MAX_TEXTS).map(wordsIn)]
    .map(clean)
    .some((text) => text.length <= MAX_HEADING_UNITS && namesSecret(text));
};

const partsBefore = (group: Element): Element[] => {
  const before: Element[] = [];
  for (let at: Element | null = group; at !== null; at = outerOf(at)) {
    for (let sibling = plain(at).previousElementSibling; sibling !== null; sibling = plain(sibling).previousElementSibling) {
      if (before.length === MAX_BEFORE || plain(sibling).matches(FIELD) || plain(sibling).querySelector(FIELD) !== null) return before;
      before.push(sibling);
    }
  }
  return before;
};

const FIELD = `input:not([type="hidden"]), textarea, select, [contenteditable], ${MADE_FIELDS}`;

const digitsOf = (element: Field): number => {
  if (element instanceof HTMLSelectElement) return 0;
  const isNumeric =
    element.inputMode === 'numeric' || element.type === 'tel' || (element instanceof HTMLInputElement && /\\d|0-9/.test(element.pattern));
  const inPattern = element instanceof HTMLInputElement ? /\{(?:\d,)?(\d)\}/.exec(element.pattern)?.[1] : undefined;
  return isNumeric ? Math.max(element.maxLength, Number(inPattern ?? 0)) : 0;
};
