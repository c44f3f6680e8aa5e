/** Finds the binding of a key. The first context that has an enabled binding for the key wins. */
import { bindings, type Binding } from './bindings.ts';
import { holding } from './own-keys.ts';
import type { Context } from './contexts.ts';
import { focusedList } from './commands/lists.ts';
import { currentDraft, hasOpenRequest } from './layout.ts';
import type { TuiState } from './state.ts';

/** The contexts whose bindings apply now, the nearest first. */
export const contextsOf = (state: TuiState): Context[] => {
  if (state.overlay !== null) return [state.overlay.type, 'always'];
  const waiting = hasOpenRequest(state) ? (['waiting'] as const) : [];
  const list = focusedList(state);
  if (list !== null) return [...waiting, list, 'list', 'global', 'always'];
  // The composer is empty, so the keys of the card belong to the card.
  if (state.focus === 'composer') return [...(isCardMeant(state) ? (['request'] as const) : []), ...waiting, 'composer', 'always'];
  return [...(hasOpenRequest(state) ? (['request', 'waiting'] as const) : []), 'main', 'global', 'always'];
};

/** The bindings that hear the keys now, the nearest first. */
export const activeBindings = (state: TuiState): Binding[] =>
  contextsOf(state).flatMap((context) => holding(bindings).filter((binding) => binding.context === context));

/** The binding of a key: the first one that is enabled, or else the first one, which says why it is not. */
export const bindingFor = (state: TuiState, key: string): { binding: Binding; disabledReason: string | null } | null => {
  const found = activeBindings(state)
    .filter(({ keys }) => keys.includes(key))
    .map((binding) => ({ binding, disabledReason: binding.disabledReason?.(state) ?? null }));
  return found.find(({ disabledReason }) => disabledReason === null) ?? found[0] ?? null;
};

/** Whether a key of a person who writes nothing is meant for a card: for this one, or still for the one whose place it took. */
const isCardMeant = (state: TuiState): boolean =>
  (state.card?.isArmed === true || state.card?.isNext === true) && currentDraft(state)?.text === '';
