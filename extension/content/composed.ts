/** The page as it is composed for the user: through slots and shadow roots, open or closed. */

import { onceInReading } from './memo.ts';
import { isOwn } from './own.ts';
import { plain } from './plain.ts';

/** The element around one in its own tree. */
export const outerOf = (element: Element): Element | null => plain(element).parentElement;

/** The document or shadow root in which an element stands, where its ids mean something; null of one that was taken away. */
export const treeOf = (element: Element): Document | ShadowRoot | null => {
  const root = plain(element).getRootNode();
  return root instanceof Document || root instanceof ShadowRoot ? root : null;
};

/** The author's shadow root of an element, if any. */
export const shadowOf = (element: Element): ShadowRoot | null => {
  if (!(element instanceof HTMLElement)) return element.shadowRoot;
  if (element instanceof HTMLFormElement) return null;
  if (isOwn(element)) return null;
  const { localName } = element;
  return HOSTS.has(localName) || localName.includes('-') ? rootOf(element) : null;
};

/** Asking the browser for a closed one is dear. */
const rootOf = onceInReading((element: HTMLElement) => element.shadowRoot ?? chrome.dom.openOrClosedShadowRoot(element));

/** Elements that may have a shadow root, beside custom ones: https://dom.spec.whatwg.org/#valid-shadow-host-name */
const HOSTS = new Set(
  ['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'header', 'main', 'nav', 'p', 'section', 'span'].concat([
    'h1',
    'h2',
    'h3',
    'h4',
    'h5',
    'h6',
  ]),
);

/** Child nodes in the order they are drawn. */
export const childrenOf = (element: Element): Iterable<Node> => {
  const shadow = shadowOf(element);
  if (shadow !== null) return shadow.childNodes;
  if (element instanceof HTMLSlotElement) {
    const assigned = element.assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return plain(element).childNodes;
};

/** The element that contains it, across slots and shadow boundaries. */
export const parentOf = (element: Element): Element | null => {
  const own = plain(element);
  const around = own.assignedSlot ?? own.parentElement;
  if (around !== null) return around;
  const root = own.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
};

/** Whether `outer` is `inner` or around it. */
export const contains = (outer: Element, inner: Element): boolean => {
  for (let element: Element | null = inner; element !== null; element = parentOf(element)) if (element === outer) return true;
  return false;
};

/** The innermost element drawn at a point of the viewport. */
export const elementAt = (x: number, y: number): Element | null => {
  let found = document.elementFromPoint(x, y);
  if (isOwn(found)) found = document.elementsFromPoint(x, y).find((element) => !isOwn(element)) ?? null;
  while (found !== null) {
    const shadow = shadowOf(found);
    const inner: Element | null = shadow?.elementFromPoint(x, y) ?? null;
    if (shadow === null || inner === null) return found;
    // Of text that stands in a slot the browser names the host; what is drawn around that text comes next.
    const drawn = inner === found ? shadow.elementsFromPoint(x, y).find((element) => treeOf(element) === shadow) : inner;
    if (drawn === undefined) return found;
    found = drawn;
  }
  return null;
};

/** Every element drawn inside another one, in the order in which they are drawn. */
export const drawnIn = (element: Element): Element[] =>
  [...childrenOf(element)].flatMap((child) => (child instanceof Element && !isOwn(child) ? [child, ...drawnIn(child)] : []));

/** Every match in the document, or inside an element, and in all shadow roots there. */
export const queryAll = (selector: string, within: Document | Element = document): Element[] => {
  const found: Element[] = [];
  const search = (root: Document | ShadowRoot | Element): void => {
    const own = root instanceof Element ? plain(root) : root;
    for (const element of own.querySelectorAll(selector)) if (!isOwn(element)) found.push(element);
    for (const element of own.querySelectorAll('*')) enter(element);
  };
  const enter = (host: Element): void => {
    const shadow = shadowOf(host);
    if (shadow !== null) search(shadow);
  };
  if (within instanceof Element) enter(within);
  search(within);
  return found;
};

/** What holds all that a page shows: its body, or the drawing that is the whole document. Null while nothing has come. */
export const bodyOf = (page: Document): Element | null => page.body ?? page.documentElement;

/** Every element of the page's body. A selector that begins with the body would match nothing inside a shadow root. */
export const elementsOfBody = (): Element[] => {
  const body = bodyOf(document);
  return body === null ? [] : queryAll('*', body);
};

/** The focused element, inside shadow roots too; null when it is the page itself. */
export const focusedElement = (): Element | null => {
  let focused = document.activeElement;
  for (;;) {
    const inner: Element | null = focused === null ? null : (shadowOf(focused)?.activeElement ?? null);
    if (inner === null) break;
    focused = inner;
  }
  return focused === document.body || focused === document.documentElement ? null : focused;
};
