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

/** `y` allows once and never more than once, `n` rejects; a held key and any shortcut choose nothing. */
export const keyedOption = (key: CardKey, options: readonly RequestOption[]): RequestOption | undefined => {
  if (key.isComposing || key.repeat || key.ctrlKey || key.metaKey || key.altKey) return undefined;
  if (key.key === 'y') return options.find((option) => option.kind === 'allow_once');
  if (key.key === 'n') return options.find((option) => option.kind === 'reject');
  return undefined;
};
