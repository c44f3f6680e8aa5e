/** What a component says of itself by ElementInternals in place of attributes, which only the page's own world can be asked for; see tell-internals.ts. */
import { onceInReading } from './memo.ts';
import { newName } from './new-name.ts';
import { plain } from './plain.ts';

type Said = ReadonlyMap<string, string>;

const NOTHING: Said = new Map();

/** A page may put megabytes into one. */
const MAX_VALUE = 1_000;

/** So often what answers is asked for: a page may take it away. */
const MOST_ASKED = 3;

const key = newName();

let asked = 0;
let isUnanswered = false;
let isAnySaid = false;

/** What an element says by an attribute or, of a component, without one. */
export const attributeOf = (element: Element, name: string): string | null => {
  const own = plain(element);
  return own.getAttribute(name) ?? (own.localName.includes('-') ? (saidBy(element).get(name) ?? null) : null);
};

/** Whether any component has said so far what no attribute does: only then is it looked for among all elements. */
export const mayBeSaid = (): boolean => isAnySaid;

/** By what the page's own world is to be asked from now on, where a component could not be asked since the last time; null where nothing is to be done. */
export const takeUnanswered = (): string | null => {
  if (!isUnanswered || asked >= MOST_ASKED) return null;
  isUnanswered = false;
  asked += 1;
  return key;
};

const saidBy = onceInReading((component: Element): Said => {
  const silent = silentKinds(document);
  const { localName } = plain(component);
  if (!(component instanceof HTMLElement) || silent.has(localName) || isInClosedTree(component)) return NOTHING;
  const told = ask(component);
  isUnanswered ||= told === undefined;
  if (typeof told !== 'string') {
    silent.add(localName);
    return NOTHING;
  }
  isAnySaid = true;
  const parts = told.split('\n');
  return new Map(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, (parts[at + 1] ?? '').slice(0, MAX_VALUE)] as const] : [])));
});

/** To ask each of thousands would take longer than all else of a reading; a kind of component has internals, or none. */
const silentKinds = onceInReading((_page: Document) => new Set<string>());

/** An event that comes out of such a tree tells only around what it was. */
const isInClosedTree = (element: Element): boolean => {
  const root = plain(element).getRootNode();
  return root instanceof ShadowRoot && (root.mode === 'closed' || isInClosedTree(root.host));
};

/** Undefined where nothing answers, null of a component that says nothing so. */
const ask = (component: Element): unknown => {
  let told: unknown;
  const hear = (event: Event): void => {
    if (event instanceof CustomEvent) told = event.detail;
  };
  document.addEventListener(`${key} told`, hear);
  plain(component).dispatchEvent(new CustomEvent(key, { composed: true }));
  document.removeEventListener(`${key} told`, hear);
  return told;
};
