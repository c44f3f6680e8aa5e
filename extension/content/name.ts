/** The accessible name of an element, in short: what a screen reader would call it (W3C accname 1.2, without its rare corners). */
import { attributeOf } from './component-says.ts';
import { childrenOf, treeOf } from './composed.ts';
import { generatedText, mayGenerate } from './style-sheets.ts';
import { itemsIn } from './item-parts.ts';
import { labelsFor } from './labels.ts';
import { onceInReading } from './memo.ts';
import { plain } from './plain.ts';
import { MADE_FIELDS, isEditingHost, isNamedByContent, isTextField } from './roles.ts';
import { isDrawnAsDots, isSensitive } from './sensitive.ts';
import { hidesContent } from './visibility.ts';
import { signsAround } from './written.ts';

const MAX_NAME = 200;

/** Deeper than this, text in an element is no part of its name: a call inside a call has its end. */
const MAX_LEVELS = 1_000;

/** Elements whose text is not what they show. */
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'select', 'textarea', 'progress', 'meter']);

/** Names are cut early: the text of a card that is one large link is inside it anyway. */
export const nameOf = (element: Element, role: string): string => {
  const given = byReference(element) || attributeOf(element, 'aria-label');
  if (given) return cleanName(given);
  const [own, title] = [cleanName(byNature(element, role)), cleanName(plain(element).getAttribute('title') ?? '')];
  const isSign = own !== '' && own !== title && isNamedByContent(role) && !WORD_OR_NUMBER.test(own);
  return isSign ? `${title} ${own}`.trim() : own || title;
};

/** A page may put megabytes into an attribute. */
const cleanName = (given: string): string => clean(given.slice(0, MAX_LOOKED_AT));

/** A sign on a button (🗑, ×, B) does not say what it does; what comes up beside the pointer then does. */
const WORD_OR_NUMBER = /\p{L}{2}|\p{N}/u;

/** Text as it is drawn: without characters that no reader sees, and nothing that a terminal or a bidi algorithm acts on. Joiners inside words and emoji belong to them. */
export const readable = (text: string): string =>
  UNSEEN.test(text) ? text.replaceAll(DRAWN_AS_NOTHING, '').replaceAll(CONTROLS, ' ') : text;

/** Readable text in one line. */
export const clean = (text: string): string => readable(text).replaceAll(/\s+/g, ' ').trim();

const UNSEEN = /[\p{Cf}\p{Cc}]/u;
/** Soft hyphens, marks of direction, spaces without width, tags; and joiners that join nothing. */
const DRAWN_AS_NOTHING =
  /[\u00AD\u061C\u200B\u200E\u200F\u2060-\u2064\uFEFF\u{E0000}-\u{E007F}]|(?<![\p{L}\p{M}\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])[\u200C\u200D]|[\u200C\u200D](?![\p{L}\p{M}\p{Extended_Pictographic}])/gu;
/** Line breaks and tabs are white space and stay. */
const CONTROLS = /(?![\t\n\r\u200C\u200D])[\p{Cc}\p{Cf}]+/gu;

/** `text`, cut to `max` characters with an ellipsis. */
export const shorten = (text: string, max = MAX_NAME): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

/** So many characters of a page are read: nobody reads a text of many megabytes, and to go through it takes longer than a call may. */
export const MAX_TEXT_READ = 4_000_000;

/** A text of so many characters may begin with white space alone. */
const MAX_LOOKED_AT = 20_000;

/** Of a text of many megabytes no more is taken out of the page than is wanted. */
export const beginningOf = (text: Text, max: number): string => (text.length <= max ? text.data : text.substringData(0, max));

/** The text drawn inside an element, images by their alternative; nothing of what is secret, nor of `except`, nor in an editor of what nobody has written. */
export const textOf = (element: Element, max = MAX_NAME * 2, except: readonly Node[] = []): string => {
  let text = '';
  const pictures: string[] = [];
  const isWritten = isEditingHost(element);
  const collect = (node: Node, isShown: boolean, level: number): void => {
    if (text.length > max || level > MAX_LEVELS || except.includes(node)) return;
    if (node instanceof Text) text += isShown ? beginningOf(node, Math.max(MAX_LOOKED_AT, 2 * max)) : '';
    if (!(node instanceof Element) || plain(node).getAttribute('aria-hidden') === 'true') return;
    const style = getComputedStyle(node);
    const { display } = style;
    if (display === 'none' || isSensitive(node)) return;
    const { localName } = plain(node);
    if (node !== element && localName === 'img') {
      const picture = ` ${node.getAttribute('alt') ?? ''} `;
      pictures.push(picture);
      text += picture;
    } else if (node !== element && plain(node).hasAttribute('aria-label') && !isWrittenIn(node))
      text += ` ${plain(node).getAttribute('aria-label')} `;
    else if (localName === 'svg') text += ` ${drawnName(node)} `;
    else if (!UNREAD.has(localName)) {
      // What was taken away has no style any more.
      const isDrawn = ['visible', ''].includes(style.visibility) && !isDrawnAsDots(node, style);
      const isApart = !display.startsWith('inline') && display !== 'contents';
      if (isApart) text += ' ';
      const isHost = isDrawn && !isWritten && mayGenerate(node);
      if (isHost) text += generatedText(node, '::before');
      const [open, close] = signsAround(node);
      text += open;
      if (!hidesContent(style)) for (const child of childrenOf(node)) if (!isFolded(node, child)) collect(child, isDrawn, level + 1);
      text += close;
      if (isHost) text += generatedText(node, '::after');
      if (isApart || localName === 'br') text += ' ';
    }
  };
  collect(element, true, 0);
  return clean(isWritten ? text : pictures.reduce(withoutSaid, text));
};

/** Of the words for a picture that stand beside it, too, as on the card of a product, nothing is said twice. */
const withoutSaid = (text: string, picture: string): string => {
  const rest = text.replace(picture, () => ' ');
  return rest.includes(picture.trim()) ? rest : text;
};

/** A label of what is written in is not drawn, and names only that. */
const isWrittenIn = (element: Element): boolean => isTextField(element) || isEditingHost(element);

/** Whether a child is not drawn, because its parent is closed. */
export const isFolded = (parent: Element, child: Node): boolean =>
  parent instanceof HTMLDetailsElement && !parent.open && !(child instanceof Element && child.localName === 'summary');

/** What a drawing inside a name says: its title, else the text in it. */
const drawnName = (drawing: Element): string =>
  drawing.querySelector(':scope > title')?.textContent ??
  [...drawing.querySelectorAll('text')].map(({ textContent }) => textContent).join(' ');

const byReference = (element: Element): string => {
  const ids = plain(element).getAttribute('aria-labelledby')?.trim().split(/\s+/) ?? [];
  const root = treeOf(element);
  if (root === null) return '';
  return ids
    .map((id) => root.getElementById(id))
    .map((label) => (label === null ? '' : label.getAttribute('aria-label') || wordsOf(label)))
    .join(' ')
    .trim();
};

/** A label that nobody sees names, too; one with a field in it does not say what is in that, nor one that is seen what is hidden in it. */
const wordsOf = (label: Element): string => {
  const seen = textOf(label);
  if (seen !== '' || [label, ...plain(label).querySelectorAll('*')].some(isSensitive)) return seen;
  return plain(label).textContent ?? '';
};

const byNature = (element: Element, role: string): string => {
  if (element instanceof HTMLInputElement && ['button', 'submit', 'reset'].includes(element.type)) {
    return element.value || (element.type === 'submit' ? 'Submit' : element.type === 'reset' ? 'Reset' : '');
  }
  if (element instanceof HTMLInputElement && element.type === 'image') return element.alt || element.value || 'Submit';
  if (isLabelled(element)) return byLabels(element) || element.getAttribute('placeholder') || byLabelsOfHost(element);
  if (element instanceof HTMLImageElement || element instanceof HTMLAreaElement) return element.alt;
  const own = plain(element);
  if (own.localName === 'svg') return element.querySelector(':scope > title')?.textContent ?? '';
  if (element instanceof HTMLFieldSetElement) return element.querySelector(':scope > legend')?.textContent ?? '';
  if (element instanceof HTMLTableElement) return element.caption?.textContent ?? '';
  if (own.localName === 'figure') return own.querySelector(':scope > figcaption')?.textContent ?? '';
  if (own.localName === 'details') return '';
  // What is written on a button that opens a list is its value, also where its label is around it.
  const isLabelledOne = isLabelledButton(element) || (element instanceof HTMLButtonElement && !isNamedByContent(role));
  const labels = isLabelledOne || own.localName.includes('-') ? byLabelsOf(element) : '';
  if (isNamedByContent(role))
    return labels || textOf(element, undefined, itemsIn(element)) || (element instanceof HTMLButtonElement ? byLabels(element) : '');
  return (
    labels || (own.getAttribute('aria-placeholder') ?? own.getAttribute('data-placeholder') ?? (hintIn(element) || byLabelsOfHost(element)))
  );
};

/** What styles draw into an editor while nothing is written in it; its first paragraph is where they do. */
const hintIn = (element: Element): string => {
  if (!isEditingHost(element) || textOf(element) !== '') return '';
  const [first] = plain(element).children;
  const places = (first === undefined ? [element] : [element, first]).filter(mayGenerate);
  return places.map((place) => generatedText(place, '::before') || generatedText(place, '::after')).find((text) => text !== '') ?? '';
};

type Labelled = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLMeterElement | HTMLProgressElement | HTMLOutputElement;

const isLabelled = (element: Element): element is Labelled =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLSelectElement ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLMeterElement ||
  element instanceof HTMLProgressElement ||
  element instanceof HTMLOutputElement;

/** Whether a label beside a button names it, and what is written on it is its value, as in a field for a date. One around it may name all that is in it. */
export const isLabelledButton = (element: Element): element is HTMLButtonElement =>
  element instanceof HTMLButtonElement && labelsFor(element, element.labels).some((label) => !label.contains(element));

/** A component that is a field of its own is labelled as one, which only it can find out itself: https://developer.mozilla.org/docs/Web/API/ElementInternals/labels */
const byLabelsOf = (element: Element): string => {
  const { id } = plain(element);
  const named = id === '' ? [] : [...(treeOf(element)?.querySelectorAll(`label[for="${CSS.escape(id)}"]`) ?? [])];
  const around = named.length > 0 ? null : plain(element).closest('label');
  return [...named, ...(around === null ? [] : [around])]
    .filter((label) => label instanceof HTMLLabelElement && label.control === element)
    .map((label) => label.getAttribute('aria-label') ?? textOf(label, undefined, [element]))
    .join(' ');
};

/** What labels a component names the one field in it, in its tree or as a part that it was given. */
const byLabelsOfHost = (element: Element): string => {
  const tree = plain(element).getRootNode();
  const around = plain(element).parentElement;
  const given = around !== null && plain(around).localName.includes('-') ? around : null;
  const [host, inside] = tree instanceof ShadowRoot ? [tree.host, tree] : [given, given];
  if (host === null || inside === null || inside.querySelectorAll(FIELDS).length !== 1) return '';
  return byReference(host) || (host.getAttribute('aria-label') ?? byLabelsOf(host));
};

const FIELDS = `input:not([type="hidden"]), select, textarea, ${MADE_FIELDS}`;

/** A label's text without that of the field inside it. */
const byLabels = (element: Labelled | HTMLButtonElement): string =>
  (element.labels === null ? [] : labelsFor(element, element.labels))
    .map((label) => label.getAttribute('aria-label') ?? textOfLabel(label))
    .join(' ');

/** Asked for the label and for its field. */
const textOfLabel = onceInReading((label: Element): string => textOf(label));
