/** What happens in the page around an action: how much changed, when it last changed, which dialogs appeared. */
import type { Change, SnapNode } from './api.ts';
import { focusedElement, shadowOf } from './composed.ts';
import { clean, nameOf, shorten, textOf } from './name.ts';
import { refOf } from './refs.ts';
import { isSensitive } from './sensitive.ts';
import { describe } from './snapshot.ts';
import { isTextField, roleOf } from './roles.ts';
import { valueOf } from './states.ts';
import { isVisible } from './visibility.ts';

/** A page that nobody works with is not watched. */
const WATCH_MS = 10_000;

/** Pages put off work for about this long after an input, to see whether more comes. */
const REACTION_MS = 400;

/** Until a page is this old it may not have drawn itself yet. */
const YOUNG_MS = 2_000;

const ANNOUNCING =
  'dialog[open], output, [role="dialog"], [role="alertdialog"], [role="alert"], [role="status"], [role="log"], [aria-live="assertive"], [aria-live="polite"]';
const MAX_APPEARED = 5;

let mutations = 0;
let lastMutationAt = -Infinity;
let lastCallAt = 0;
let observer: MutationObserver | null = null;
const roots = new Set<Document | ShadowRoot>();

interface Before {
  readonly mutations: number;
  readonly announcing: ReadonlyMap<Element, string>;
  readonly focused: Element | null;
}
let before: Before = { mutations: 0, announcing: new Map(), focused: null };
let isLeaving = false;
/** A timer of the page's own clock, which runs slowly in a hidden tab: what the page had planned for this time is done by then. */
const pageTime = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, REACTION_MS);
  });

// To be loaded is something to react to as well.
let reacting = performance.now() < YOUNG_MS ? pageTime() : Promise.resolve();

// Fires before the request is made, so that a receipt is not written about a page that is on its way out.
globalThis.navigation?.addEventListener('navigate', (event) => {
  if (!event.destination.sameDocument && event.downloadRequest === null) isLeaving = true;
});

/** Called with every call from the worker. */
export const watchPage = (): void => {
  lastCallAt = performance.now();
  if (observer !== null) return;
  observer = new MutationObserver((records) => {
    const now = performance.now();
    if (now - lastCallAt > WATCH_MS) return stopWatching();
    mutations += records.length;
    lastMutationAt = now;
    for (const record of records) for (const node of record.addedNodes) if (node instanceof Element) observeShadows(node);
    return undefined;
  });
  observe(document);
};

/** How long nothing has changed, and how much has since the page was first looked at. */
export const activity = (): { quietMs: number; mutations: number; isLoading: boolean } => ({
  quietMs: Math.min(performance.now() - lastMutationAt, 1e9),
  mutations: mutations - before.mutations,
  isLoading: document.readyState === 'loading',
});

/** Resolves when the page has had its time to react to the last action, or to its being loaded. */
export const reaction = (): Promise<void> => reacting;

/** Remembers how things are before an action. */
export const beginChange = (): void => {
  isLeaving = false;
  reacting = pageTime();
  before = { mutations, announcing: announcing(), focused: focusedElement() };
};

/** What is different since then. */
export const changeOf = (element: Element, opens: string | null): Change => {
  const focused = focusedElement();
  const isField =
    isTextField(element) || element instanceof HTMLSelectElement || (element instanceof HTMLElement && element.isContentEditable);
  return {
    element: describe(element),
    mutations: mutations - before.mutations,
    title: clean(document.title),
    appeared: [...announcing()]
      .filter(([shown, text]) => before.announcing.get(shown) !== text)
      .slice(0, MAX_APPEARED)
      .map(([shown, text]) => toMessage(shown, shorten(text))),
    focused: focused !== null && focused !== before.focused && focused !== element ? describe(focused) : null,
    opens,
    isLeaving,
    value: isField && !isSensitive(element) ? (valueOf(element) ?? '') : null,
  };
};

const stopWatching = (): void => {
  observer?.disconnect();
  observer = null;
  roots.clear();
};

const observe = (root: Document | ShadowRoot): void => {
  if (roots.has(root)) return;
  roots.add(root);
  observer?.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const element of root.querySelectorAll('*')) observeShadow(element);
};

const observeShadows = (element: Element): void => {
  observeShadow(element);
  for (const inner of element.querySelectorAll('*')) observeShadow(inner);
};

/** An observer does not look into shadow trees by itself. */
const observeShadow = (element: Element): void => {
  const shadow = shadowOf(element);
  if (shadow !== null) observe(shadow);
};

const toMessage = (element: Element, text: string): SnapNode => {
  const role = roleOf(element) || 'message';
  const name = nameOf(element, role);
  return { role, ref: refOf(element), ...(name === '' || name === text ? {} : { name: shorten(name) }), value: text };
};

/** What speaks to the user now, and what it says. */
const announcing = (): Map<Element, string> => {
  const found = [...roots].flatMap((root) => [...root.querySelectorAll(ANNOUNCING)]).filter(isVisible);
  return new Map(found.map((element) => [element, textOf(element)] as const).filter(([, text]) => text !== ''));
};
