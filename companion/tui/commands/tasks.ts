/** What commands in the background have written so far, for as long as their outputs are open before the user. */
import type { ItemId } from '#protocol/ids.ts';
import { backgroundTasks } from '#protocol/view.ts';
import { outcome, type Effect, type Outcome, type TuiState } from '../state.ts';

/** Reads the output of the tasks on screen; does nothing when none is visible. */
export const readTasks = (state: TuiState): Effect[] => {
  const { session } = state;
  if (session === null || !state.isExpanded || state.tab !== 'conversation' || state.overlay !== null) return [];
  const engine = state.engines.find(({ name }) => name === session.engine);
  if (engine?.capabilities.canReadTasks !== true) return [];
  return backgroundTasks(session).map(({ itemId }) => ({ type: 'task.read', sessionId: session.sessionId, itemId }));
};

/** Opens or folds thoughts and outputs. */
export const toggleExpanded = (state: TuiState): Outcome => {
  const next = { ...state, isExpanded: !state.isExpanded };
  return outcome(next, ...readTasks(next));
};

/** Keeps an output for as long as its task runs. */
export const takeOutput = (state: TuiState, itemId: ItemId, text: string): Outcome => {
  if (state.outputs.get(itemId) === text) return outcome(state);
  const running: readonly string[] = state.session === null ? [] : backgroundTasks(state.session).map((task) => task.itemId);
  const outputs = [...state.outputs, [itemId, text] as const].filter(([id]) => running.includes(id));
  return outcome({ ...state, outputs: new Map(outputs) });
};
