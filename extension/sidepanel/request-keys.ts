/** What a key on a focused approval card chooses; pure. */
import type { RequestOption } from '#protocol/requests.ts';

export interface CardKey {
  readonly key: string;
  readonly isComposing: boolean;
  readonly repeat: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

const order: readonly RequestOption['kind'][] = ['allow_once', 'allow_session', 'allow_always', 'choice', 'reject'];

/** What allows least stands first, whatever order the agent has. */
export const narrowestFirst = (options: readonly RequestOption[]): RequestOption[] =>
  options.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));

/** `y` allows once and never more than once, `n` rejects; a held key and any shortcut choose nothing. */
export const keyedOption = (key: CardKey, options: readonly RequestOption[]): RequestOption | undefined => {
  if (key.isComposing || key.repeat || key.ctrlKey || key.metaKey || key.altKey) return undefined;
  if (key.key === 'y') return options.find((option) => option.kind === 'allow_once');
  if (key.key === 'n') return options.find((option) => option.kind === 'reject');
  return undefined;
};
