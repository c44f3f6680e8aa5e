/** The accessible name of an element, in short: what a screen reader would call it (W3C accname 1.2, without its rare corners). */
import { childrenOf } from './composed.ts';
import { isNamedByContent } from './roles.ts';
import { isDrawnAsDots, isSensitive } from './sensitive.ts';
import { isRendered } from './visibility.ts';

const MAX_NAME = 200;

/** Their text is not what they show. */
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'select', 'textarea']);

/** Names stop early: a card that is one big link has its text inside anyway. */
export const nameOf = (element: Element, role: string): string =>
  clean(byReference(element) || element.getAttribute('aria-label') || byNature(element, role) || element.getAttribute('title') || '');

/** White space as it is drawn, and nothing a terminal or a bidi algorithm acts on. */
export const clean = (text: string): string => text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim();

/** `text`, cut to `max` characters with an ellipsis. */
export const shorten = (text: string, max = MAX_NAME): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

/** The text drawn inside an element, images by their alternative; nothing of what is secret. */
export const textOf = (element: Element, max = MAX_NAME * 2): string => {
  let text = '';
  const collect = (node: Node, isShown: boolean): void => {
    if (text.length > max) return;
    if (node instanceof Text) text += isShown ? node.data : '';
    if (!(node instanceof Element) || !isRendered(node) || isSensitive(node)) return;
    if (node !== element && node.localName === 'img') text += ` ${node.getAttribute('alt') ?? ''} `;
    else if (node !== element && node.hasAttribute('aria-label')) text += ` ${node.getAttribute('aria-label')} `;
    else if (node.localName === 'svg') text += ` ${node.querySelector(':scope > title')?.textContent ?? ''} `;
    else if (!UNREAD.has(node.localName)) {
      const style = getComputedStyle(node);
      for (const child of childrenOf(node)) collect(child, style.visibility === 'visible' && !isDrawnAsDots(node, style));
      if (node.localName === 'br' || !style.display.startsWith('inline')) text += ' ';
    }
  };
  collect(element, true);
  return clean(text);
};

const byReference = (element: Element): string => {
  const ids = element.getAttribute('aria-labelledby')?.trim().split(/\s+/) ?? [];
  const root = element.getRootNode();
  if (!(root instanceof Document || root instanceof ShadowRoot)) return '';
  return ids
    .map((id) => root.getElementById(id))
    .map((label) => (label === null ? '' : label.getAttribute('aria-label') || (label.textContent ?? '')))
    .join(' ')
    .trim();
};

const byNature = (element: Element, role: string): string => {
  if (element instanceof HTMLInputElement && ['button', 'submit', 'reset'].includes(element.type)) {
    return element.value || (element.type === 'submit' ? 'Submit' : element.type === 'reset' ? 'Reset' : '');
  }
  if (isLabelled(element)) return byLabels(element) || element.getAttribute('placeholder') || '';
  if (element instanceof HTMLImageElement || element instanceof HTMLAreaElement) return element.alt;
  if (element.localName === 'svg') return element.querySelector(':scope > title')?.textContent ?? '';
  if (element instanceof HTMLFieldSetElement) return element.querySelector(':scope > legend')?.textContent ?? '';
  if (element instanceof HTMLTableElement) return element.caption?.textContent ?? '';
  if (element.localName === 'figure') return element.querySelector(':scope > figcaption')?.textContent ?? '';
  if (element.localName === 'details') return '';
  if (isNamedByContent(role)) return textOf(element);
  return element.getAttribute('aria-placeholder') ?? element.getAttribute('data-placeholder') ?? '';
};

type Labelled = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement | HTMLMeterElement | HTMLProgressElement | HTMLOutputElement;

const isLabelled = (element: Element): element is Labelled =>
  element instanceof HTMLInputElement ||
  element instanceof HTMLSelectElement ||
  element instanceof HTMLTextAreaElement ||
  element instanceof HTMLMeterElement ||
  element instanceof HTMLProgressElement ||
  element instanceof HTMLOutputElement;

/** A label's text without that of the field inside it. */
const byLabels = (element: Labelled): string =>
  [...(element.labels ?? [])].map((label) => label.getAttribute('aria-label') ?? textOf(label)).join(' ');
