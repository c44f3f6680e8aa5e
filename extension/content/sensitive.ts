/** Fields whose value never leaves the page: what `isSecretField` says of an element of this page. */
import { isEditingHost } from './roles.ts';
import { isSecretField } from './secret-field.ts';

type Field = HTMLInputElement | HTMLTextAreaElement;

/** A password field that shows its text for a moment stays one. */
const oncePassword = new WeakSet<Element>();

/** Whether what the user wrote into a field must not be read. */
export const isSensitive = (element: Element): boolean => {
  const isField = element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;
  if (!isField && !isEditingHost(element)) return false;
  if (isField && element.type === 'password') oncePassword.add(element);
  return isSecretField({
    type: isField ? element.type : 'editable',
    autocomplete: isField ? element.autocomplete : '',
    names: namesOf(element),
    isMasked: oncePassword.has(element) || isDrawnAsDots(element),
    isCodeBox: isField && isCodeBox(element),
    digits: isField ? digitsOf(element) : 0,
    value: isField ? element.value : (element.textContent ?? ''),
  });
};

/** Whether the letters inside are drawn as dots, by a style or by a font made for it. */
export const isDrawnAsDots = (element: Element, style = getComputedStyle(element)): boolean =>
  !['', 'none'].includes(style.getPropertyValue('-webkit-text-security')) || /text-security|password|dotsfont/i.test(style.fontFamily);

/** All that a page and a person call it; what stands beside it only when nothing else does. */
const namesOf = (element: HTMLElement): string[] => {
  const attributes = ['name', 'id', 'data-testid', 'formcontrolname', 'ng-model', 'aria-label', 'placeholder', 'title']
    .concat(['aria-placeholder', 'data-placeholder', 'aria-description'])
    .map((name) => element.getAttribute(name) ?? '');
  const root = element.getRootNode();
  const referred = ['aria-labelledby', 'aria-describedby']
    .flatMap((name) => element.getAttribute(name)?.trim().split(/\s+/) ?? [])
    .map((id) => (root instanceof Document || root instanceof ShadowRoot ? (root.getElementById(id)?.textContent ?? '') : ''));
  const labels = 'labels' in element && element.labels instanceof NodeList ? [...element.labels].map(wordsIn) : [];
  const shown = [...labels, ...referred].map(clean).filter((name) => name !== '');
  const beside = shown.length === 0 && !element.hasAttribute('aria-label') ? textBeside(element) : '';
  return [...attributes, ...shown, beside].filter((name) => name !== '');
};

const clean = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The text before a field: in its own line, in the cell or the block before it. */
const textBeside = (element: Element): string => {
  for (let at: Element | null = element; at !== null && at !== document.body && at.localName !== 'form'; at = at.parentElement) {
    let text = '';
    for (let before = at.previousSibling; before !== null && text === ''; before = before.previousSibling) {
      if (before instanceof Element && (before.matches(APART) || before.querySelector(APART) !== null)) return '';
      text = clean(before instanceof Element || before instanceof Text ? wordsIn(before) : '');
    }
    if (text !== '') return text;
  }
  return '';
};

/** What stands before these belongs to them, and a heading speaks of all that follows. */
const APART = 'input:not([type="hidden"]), textarea, select, button, [contenteditable], h1, h2, h3, h4, nav, header';

/** The text of a label without that of the fields inside it. */
const wordsIn = (node: Node): string => {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element) || node.matches('script, style, textarea, select, [contenteditable]')) return '';
  return [...node.childNodes].map(wordsIn).join(' ');
};

/** One of a row of one-character boxes, as one-time codes are asked for. */
const isCodeBox = (element: Field): boolean =>
  element.maxLength === 1 && (element.parentElement?.parentElement?.querySelectorAll('input[maxlength="1"]').length ?? 0) >= 4;

const digitsOf = (element: Field): number => {
  const isNumeric =
    element.inputMode === 'numeric' || element.type === 'tel' || (element instanceof HTMLInputElement && /\\d|0-9/.test(element.pattern));
  const inPattern = element instanceof HTMLInputElement ? /\{(?:\d,)?(\d)\}/.exec(element.pattern)?.[1] : undefined;
  return isNumeric ? Math.max(element.maxLength, Number(inPattern ?? 0)) : 0;
};
