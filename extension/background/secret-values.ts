/** What secret fields of pages hold, as far as these were asked. It stays in the worker's memory, and in nothing that an agent is told. */
import { hiderOf } from '#extension/shared/hide-values.ts';
import { keepNewest } from '#extension/shared/keep-newest.ts';

/** Beyond this number the one that was learned first is forgotten. */
const MAX_VALUES = 200;
const MAX_HEARD = 1_000;

interface Held {
  /** Null until a call begins in the tab. */
  readonly site: string | null;
  /** Each with the origin of the document that held it. */
  readonly values: Map<string, string>;
}

export class SecretValues {
  readonly #held = new Map<number, Held>();
  /** Takes out all of them; null when they are others than the last time. */
  #hide: ((text: string) => string) | null = null;
  /** The documents that have told at least once what they hold. */
  readonly #heard = new Set<string>();
  #learned = 0;

  /** How many times a value was learned that was not known: another number means that there is more to hide. */
  get learned(): number {
    return this.#learned;
  }

  /** What the tab held on another site is forgotten with the next call: what the last one led to may still tell it. */
  begin(tabId: number, site: string): void {
    const held = this.#held.get(tabId);
    if (held === undefined || held.site === site) return;
    if (held.site === null) this.#held.set(tabId, { ...held, site });
    else this.forget(tabId);
  }

  /** A document has been asked for all that it holds. */
  hear(documentId: string): void {
    this.#heard.add(documentId);
    keepNewest(this.#heard, MAX_HEARD);
  }

  hasHeard(documentId: string): boolean {
    return this.#heard.has(documentId);
  }

  learn(tabId: number, values: readonly string[], origin: string): void {
    if (values.length === 0) return;
    const held = this.#held.get(tabId) ?? { site: null, values: new Map<string, string>() };
    if (!values.every((value) => held.values.has(value))) {
      this.#hide = null;
      this.#learned += 1;
    }
    for (const value of values) held.values.set(value, origin);
    for (const oldest of held.values.keys()) if (held.values.size > MAX_VALUES) held.values.delete(oldest);
    this.#held.set(tabId, held);
  }

  /** A document goes, and the one that follows may tell what it held, on another site too: that site counts from the next call on. */
  learnLast(tabId: number, values: readonly string[], origin: string): void {
    this.learn(tabId, values, origin);
    const held = this.#held.get(tabId);
    if (held !== undefined) this.#held.set(tabId, { ...held, site: null });
  }

  forget(tabId: number): void {
    if (this.#held.delete(tabId)) this.#hide = null;
  }

  of(tabId: number): readonly string[] {
    return [...(this.#held.get(tabId)?.values.keys() ?? [])];
  }

  /** Those that documents of this origin held, in whatever tab: no other one is told of them. */
  ofOrigin(origin: string): readonly string[] {
    // What has no origin of its own is not of one with others that have none.
    if (origin === 'null') return [];
    return [...this.#held.values()].flatMap(({ values }) => [...values]).flatMap(([value, of]) => (of === origin ? [value] : []));
  }

  /** Those that documents of other origins than this one held in the tab. */
  ofOthers(tabId: number, origin: string): readonly string[] {
    return [...(this.#held.get(tabId)?.values ?? [])].flatMap(([value, of]) => (of === origin ? [] : [value]));
  }

  /** The value with no text in it that tells what a field of any tab holds: a title is told in other tabs, too. Pictures are left as they are. */
  without<T>(value: T): T;
  without(value: unknown): unknown {
    if (this.#held.size === 0) return value;
    this.#hide ??= hiderOf([...this.#held.values()].flatMap((held) => [...held.values.keys()]));
    return hideIn(value, this.#hide);
  }

  /** The same for an address, of which the site stays as it is: it is decided about. */
  withoutInAddress(url: string): string {
    const [site = ''] = SITE.exec(url) ?? [];
    return site + this.without(url.slice(site.length));
  }
}

/** The site of an address, with what stands before it. */
const SITE = /^(?:blob:)?[\w+.-]+:(?:\/\/[^/?#]*)?/;

/** Whether a text in the value tells one of these. */
export const tellsOf = (value: unknown, secrets: readonly string[]): boolean => hideIn(value, hiderOf(secrets)) !== value;

/** What holds none is given back as it is, for that is the rule, and a copy of a large page is dear. */
const hideIn = (value: unknown, hide: (text: string) => string): unknown => {
  if (typeof value === 'string') return hide(value);
  if (typeof value !== 'object' || value === null || ('type' in value && value.type === 'image')) return value;
  if (Array.isArray(value)) {
    const told = value.map((each: unknown) => hideIn(each, hide));
    return told.some((each, index) => each !== value[index]) ? told : value;
  }
  const changed = Object.entries(value).flatMap(([key, each]) => {
    const told = hideIn(each, hide);
    return told === each ? [] : [[key, told] as const];
  });
  return changed.length === 0 ? value : { ...value, ...Object.fromEntries(changed) };
};
