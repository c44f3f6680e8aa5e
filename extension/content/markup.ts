/** An element's HTML as it may leave the page: without the values of secret fields, and with a limited length. */
import { queryAll } from './composed.ts';
import { FIELDS, heldIn, isSensitive } from './sensitive.ts';

const REDACTED = '[redacted]';
const MAX_BYTES = 20_000;
const MAX_ATTRIBUTE_UNITS = 500;

/** A shorter value would also be found in places where it is not secret. */
const MIN_SECRET_UNITS = 4;
const MIN_TOKEN_UNITS = 12;

/** Elements whose content is not what they show. */
const UNSEEN = 'script, style, noscript, template';

/** What they show is told better in a picture, and is long. */
const DRAWN = 'svg';

/** The values inside `element` that nobody may read. */
export const secretsIn = (element: Element): string[] => secretsOf(withInside(element));

/** Those of the whole document, in shadow roots too. */
export const secretsHere = (): string[] => secretsOf(queryAll(FIELDS));

const secretsOf = (elements: readonly Element[]): string[] =>
  elements.filter(isSecret).flatMap((element) => {
    const held = isField(element) ? [element.value, element.defaultValue] : heldIn(element);
    // A short value in a hidden field is a switch or a number, and stands in other places by chance.
    const min = isField(element) && element.type === 'hidden' ? MIN_TOKEN_UNITS : MIN_SECRET_UNITS;
    return held.filter((value) => value.length >= min);
  });

/** The HTML of `element`. */
export const markupOf = (element: Element, secrets: readonly string[]): string => {
  const { copy, copies } = redactedCopy(element);
  for (const drawn of copies) if (drawn.matches(DRAWN)) drawn.replaceChildren();
  for (const { attributes } of copies) {
    for (const attribute of attributes) {
      if (attribute.value.length > MAX_ATTRIBUTE_UNITS) attribute.value = `${attribute.value.slice(0, MAX_ATTRIBUTE_UNITS)}…`;
    }
  }
  return trimMarkup(withoutSecrets(copy.outerHTML, secrets));
};

/** The same with drawings, and as long as it is: by it shows whether anything is different. */
export const wholeMarkupOf = (element: Element, secrets: readonly string[]): string =>
  withoutSecrets(redactedCopy(element).copy.outerHTML, secrets);

/** It is copied into a document that runs and loads nothing. */
const redactedCopy = (element: Element): { readonly copy: Element; readonly copies: readonly Element[] } => {
  const copy = document.implementation.createHTMLDocument().importNode(element, true);
  const originals = withInside(element);
  const copies = withInside(copy);
  for (const [index, original] of originals.entries()) {
    const copied = copies[index];
    if (copied !== undefined && isSecret(original)) redact(copied);
  }
  for (const unseen of copies) if (unseen.matches(UNSEEN)) unseen.replaceChildren();
  return { copy, copies };
};

/** `text` without the secrets that scripts of the page have copied to where nobody looks for them. */
export const withoutSecrets = (text: string, secrets: readonly string[]): string =>
  secrets
    .toSorted((one, other) => other.length - one.length)
    .reduce((kept, secret) => kept.replaceAll(secret, REDACTED).replaceAll(escapeMarkup(secret), REDACTED), text);

/** At most `maxBytes` of UTF-8, cut between two characters, and it says so. */
export const trimMarkup = (html: string, maxBytes = MAX_BYTES): string => {
  const bytes = new TextEncoder().encode(html);
  if (bytes.length <= maxBytes) return html;
  const note = `<!-- cut: ${bytes.length} bytes in all -->`;
  const kept = new TextDecoder().decode(bytes.subarray(0, maxBytes - note.length));
  return kept.replace(/\uFFFD+$/, '') + note;
};

type Field = HTMLInputElement | HTMLTextAreaElement;

const isField = (element: Element): element is Field => element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

/** The value of a hidden field is meant for the server only, and usually is a token. */
const isSecret = (element: Element): boolean => (isField(element) && element.type === 'hidden') || isSensitive(element);

const redact = (copied: Element): void => {
  for (const { name } of copied.attributes) {
    if (['value', 'aria-valuetext', 'aria-valuenow'].includes(name) || (name.startsWith('data-') && name !== 'data-testid'))
      copied.setAttribute(name, REDACTED);
  }
  if (copied.localName !== 'input') copied.textContent = REDACTED;
};

const withInside = (element: Element): Element[] => [element, ...element.querySelectorAll('*')];

const escapeMarkup = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
