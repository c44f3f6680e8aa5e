/**
 * Keys of the person's own, from a file beside the settings: `{ "global": { "q": "ctrl+q", "t": [] } }` names a place and a key there as the help shows
 * it, and the keys that do the same instead. Footer, help and palette show what holds.
 */
import * as z from 'zod';
import type { Binding } from './bindings.ts';
import { contextNames, type Context } from './contexts.ts';
import { showKey } from './key-names.ts';
import { setKeyNow } from './named-keys.ts';
import { t } from './say.ts';

const OwnKeys = z.record(z.string(), z.record(z.string(), z.union([z.string(), z.array(z.string())])));

/** They stand on the card of a request, where everybody must find them. */
const FIXED: readonly Context[] = ['request'];
/** Always leads out. */
const LAST_WAY_OUT = 'C-c';

export interface Keys {
  readonly bindings: readonly Binding[];
  /** What in the file has no effect, and why. */
  readonly problems: readonly string[];
}

/** The bindings with what the text of the file says. */
export const withOwnKeys = (usual: readonly Binding[], text: string): Keys => {
  const parsed = OwnKeys.safeParse(parse(text));
  if (!parsed.success) return { bindings: usual, problems: [t('it is not an object of places, each with keys')] };
  const problems: string[] = [];
  let current = usual;
  for (const [place, keys] of Object.entries(parsed.data)) {
    const context = contextNames.find((name) => name === place);
    if (context === undefined || FIXED.includes(context)) {
      problems.push(context === undefined ? t('there is no place "{place}"', { place }) : t('the keys of "{place}" are fixed', { place }));
      continue;
    }
    for (const [shown, given] of Object.entries(keys)) {
      const change = { context, from: toKey(shown), to: [given].flat().map(toKey) };
      const problem = whyNot(current, change);
      if (problem === null) current = current.map((binding) => changed(binding, change));
      else problems.push(`${place} ${shown}: ${problem}`);
    }
  }
  return { bindings: current, problems };
};

let own: readonly Binding[] | null = null;

/** From now on these hold; null for the usual ones. */
export const setOwnBindings = (bindings: readonly Binding[] | null): void => {
  own = bindings;
  setKeyNow(bindings === null ? null : (place, key) => keyNowOf(bindings, place, key));
};

const keyNowOf = (chosen: readonly Binding[], place: string, key: string): string | null => {
  const binding = chosen.find(({ context, keys, usualKeys }) => context === place && (usualKeys ?? keys).includes(key));
  if (binding === undefined || binding.keys.includes(key)) return key;
  return binding.keys[0] ?? null;
};

/** Those that hold. */
export const holding = (usual: readonly Binding[]): readonly Binding[] => own ?? usual;

interface Change {
  readonly context: Context;
  readonly from: string;
  readonly to: readonly string[];
}

const whyNot = (bindings: readonly Binding[], { context, from, to }: Change): string | null => {
  const there = bindings.filter((binding) => binding.context === context);
  if (from === LAST_WAY_OUT) return t('it always leads out');
  if (!there.some(({ keys }) => keys.includes(from))) return t('no such key is used there');
  const taken = to.find((key) => key !== from && there.some(({ keys }) => keys.includes(key)));
  return taken === undefined ? null : t('{key} is used there already', { key: showKey(taken) });
};

/** Several may have one key, of which the first that can do something hears it. */
const changed = (binding: Binding, { context, from, to }: Change): Binding =>
  binding.context !== context || !binding.keys.includes(from)
    ? binding
    : { ...binding, usualKeys: binding.usualKeys ?? binding.keys, keys: binding.keys.flatMap((key) => (key === from ? to : [key])) };

const NAMES: ReadonlyMap<string, string> = new Map([
  ['pgup', 'pageup'],
  ['pgdn', 'pagedown'],
  ['esc', 'escape'],
  ['↑', 'up'],
  ['↓', 'down'],
]);

/** As the help writes it, or as the table of keys does: ctrl+x and C-x are one key; a letter alone is as it is written. */
export const toKey = (shown: string): string => {
  const [, modifiers = '', name = ''] = /^((?:(?:ctrl|alt|shift)\+|[CMS]-(?=.))*)(.+)$/su.exec(shown) ?? [];
  const plain = /^.$/su.test(name) ? name : name.toLowerCase();
  return modifiers.replaceAll('ctrl+', 'C-').replaceAll('alt+', 'M-').replaceAll('shift+', 'S-') + (NAMES.get(plain) ?? plain);
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
