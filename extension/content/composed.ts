/** The page as it is composed for the user: through slots and shadow roots, open or closed. */

import { nextTask } from './frames.ts';
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
const rootOf = onceInReading((element: HTMLElement) => {
  const root = element.shadowRoot ?? chrome.dom.openOrClosedShadowRoot(element);
  if (root !== null && !noted.has(root)) {
    noted.add(root);
    found.push(new WeakRef(root));
  }
  return root;
});

const noted = new WeakSet<ShadowRoot>();
/** All that were found so far. */
let found: WeakRef<ShadowRoot>[] = [];

/** Those that are in the page still. */
const foundNow = (): ShadowRoot[] => {
  found = found.filter((root) => root.deref() !== undefined);
  return found.flatMap((root) => root.deref() ?? []).filter(({ host }) => host.isConnected);
};

/** The trees that were found so far. */
export const treesFound = (): (Document | ShadowRoot)[] => [document, ...foundNow()];

/** The trees that were found so far, and those that custom elements have come to since: the others are found by a search of the whole page, which is dear. */
export const knownTrees = (): (Document | ShadowRoot)[] => {
  const trees = new Set(treesFound());
  // What is added meanwhile comes to the end.
  for (const tree of trees)
    for (const host of tree.querySelectorAll(OTHER_HOSTS)) {
      const shadow = shadowOf(host);
      if (shadow !== null) trees.add(shadow);
    }
  return [...trees];
};

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

/** Elements that can have no shadow root, by the names that pages use most: where these are left out by the browser itself, a large page is looked through in a hundredth of the time. */
const BARE = (
  'a abbr b br button cite code dd dl dt em figure font form hr i iframe img input label legend li link meta ol option path picture pre s script ' +
  'select small source strong style sub sup table tbody td template textarea tfoot th thead time tr u ul use var g circle rect line text tspan svg polygon polyline ellipse'
).split(' ');
/** Most elements of a page are these. The browser compares names one after the other, so that they come first: a tenth of the time in a page of links or rows. */
const FREQUENT = 'div span a li p td tr b i button img svg path input option label'.split(' ');
export const PLAIN_HOSTS = [...HOSTS].join(',');
export const OTHER_HOSTS = `:not(${[...new Set([...FREQUENT, ...HOSTS, ...BARE])].join(',')})`;

/** So many elements can be looked at one by one in a call. */
export const MOST_ELEMENTS = 200_000;
/** In a page with more, what is dear to ask is asked of so many only, as whether an ordinary element has a closed shadow root. */
export const MOST_ASKED = 20_000;

/** The shadow roots that stand in a tree, or inside an element, but not those that stand in these. */
export const shadowsIn = onceInReading((within: Document | ShadowRoot | Element): readonly ShadowRoot[] => {
  const own = within instanceof Element ? plain(within) : within;
  const custom = [...own.querySelectorAll(OTHER_HOSTS)].filter(hasShadow);
  const plainHosts = own.querySelectorAll(PLAIN_HOSTS);
  const isLarge = plainHosts.length > MOST_ELEMENTS;
  const isAsked = isLarge && isSearched(within);
  const asked = isAsked ? [] : firstOf(plainHosts, isLarge ? MOST_ASKED : plainHosts.length).filter(hasShadow);
  const ordinary = isLarge ? [...new Set([...asked, ...foundIn(within)])] : asked;
  const hosts = custom.length === 0 || ordinary.length === 0 ? [...custom, ...ordinary] : [...custom, ...ordinary].toSorted(byPlace);
  return hosts.flatMap((host) => shadowOf(host) ?? []);
});

/** Whether all in a large tree were asked; one in which they were not is to be searched. */
const isSearched = (within: Document | ShadowRoot | Element): boolean => {
  const tree = within instanceof Element ? treeOf(within) : within;
  if (tree === null || searched.has(tree)) return true;
  unsearched.add(tree);
  return false;
};

/** Those plain ones in a large tree that were found so far. */
const foundIn = (within: Document | ShadowRoot | Element): Element[] => {
  const tree = within instanceof Element ? treeOf(within) : within;
  return foundNow().flatMap(({ host }) => (treeOf(host) === tree && within.contains(host) && host.matches(PLAIN_HOSTS) ? [host] : []));
};

/** Trees with more plain elements than a reading asks, and those of them in which all were asked. */
const unsearched = new Set<Document | ShadowRoot>();
let searched = new WeakSet<Document | ShadowRoot>();
const ASKED_AT_ONCE = 10_000;

/** Asks all of them, part by part, so that the page goes on meanwhile; resolves with whether there were any. */
export const searchLargeTrees = async (signal: AbortSignal): Promise<boolean> => {
  const isAny = unsearched.size > 0;
  for (const tree of unsearched) {
    const hosts = tree.querySelectorAll<HTMLElement>(PLAIN_HOSTS);
    for (let at = 0; at < hosts.length && !signal.aborted; at += 1) {
      if (at % ASKED_AT_ONCE === 0) await nextTask();
      shadowOf(hosts.item(at));
    }
    if (signal.aborted) return isAny;
    unsearched.delete(tree);
    searched.add(tree);
    // A tree that was found may be as large.
    for (const shadow of shadowsIn(tree)) shadowsIn(shadow);
  }
  return isAny;
};

/** What comes is not observed any more, or too much of it at once. */
export const forgetSearch = (): void => {
  searched = new WeakSet();
};

const hasShadow = (element: Element): boolean => shadowOf(element) !== null;

const byPlace = (one: Element, other: Element): number =>
  (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) === 0 ? 1 : -1;

/** The first of a list, without the cost of the others: an element is an object for us when it is asked for. */
const firstOf = (list: NodeListOf<Element>, most: number): Element[] =>
  Array.from({ length: Math.min(list.length, most) }, (_, at) => list[at] ?? []).flat();

/** Every match in the document, or inside an element, and in all shadow roots there. */
export const queryAll = (selector: string, within: Document | Element = document): Element[] => {
  const found: Element[] = [];
  const search = (root: Document | ShadowRoot | Element): void => {
    const own = root instanceof Element ? plain(root) : root;
    for (const element of own.querySelectorAll(selector)) if (!isOwn(element)) found.push(element);
    for (const shadow of shadowsIn(root)) search(shadow);
  };
  const shadow = within instanceof Element ? shadowOf(within) : null;
  if (shadow !== null) search(shadow);
  search(within);
  return found;
};

/** What holds all that a page shows: its body, or the drawing that is the whole document. Null while nothing has come. */
export const bodyOf = (page: Document): Element | null => page.body ?? page.documentElement;

/** Every element of the page's body, of a larger one the first ones. A selector that begins with the body would match nothing inside a shadow root. */
export const elementsOfBody = (): Element[] => {
  const body = bodyOf(document);
  if (body === null) return [];
  const all = plain(body).querySelectorAll('*');
  return all.length > MOST_ELEMENTS ? firstOf(all, MOST_ASKED).filter((element) => !isOwn(element)) : queryAll('*', body);
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
