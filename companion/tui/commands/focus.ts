/** Which pane has the keys. */
import { draftOf } from '../editing.ts';
import { focusRing, hasComposer, isHomeless } from '../layout.ts';
import { say, t } from '../say.ts';
import { outcome, tabNames, type Focus, type ListName, type Outcome, type Tab, type TuiState } from '../state.ts';

/** Moves the focus to a pane, or to the main pane when that pane does not exist. */
export const focusOn = (state: TuiState, focus: Focus): Outcome =>
  outcome({ ...state, focus: focusRing(state).includes(focus) ? focus : 'main' });

/** The lists go away and come back; what is read has the whole screen meanwhile. */
export const zoom = (state: TuiState): Outcome => {
  const next = { ...state, isZoomed: !state.isZoomed };
  return focusOn(next, state.focus === 'composer' || state.focus === 'request' ? state.focus : 'main');
};

/** Moves the focus to a list, which is seen again. */
export const focusOnList = (state: TuiState, list: ListName): Outcome => focusOn({ ...state, isZoomed: false }, list);

/** The next or the previous pane. */
export const moveFocus = (state: TuiState, step: 1 | -1): Outcome => {
  const ring = focusRing(state);
  const index = ring.indexOf(state.focus);
  return outcome({ ...state, focus: ring[(index + step + ring.length) % ring.length] ?? 'main' });
};

/** Moves the focus to the composer. */
export const focusComposer = (state: TuiState): Outcome => focusOn({ ...state, tab: 'conversation' }, 'composer');

/** Why nothing can be written now. */
export const composerDisabled = (state: TuiState): string | null => {
  if (state.session === null) return t('No session is open; <global n> begins one.');
  if (isHomeless(state)) return say('project_gone');
  return hasComposer(state) ? null : t('This session belongs to an MCP client; it can only be watched.');
};

/** The next or the previous tab of the main pane. */
export const moveTab = (state: TuiState, step: 1 | -1): Outcome => {
  const index = tabNames.indexOf(state.tab);
  return showTab(state, tabNames[(index + step + tabNames.length) % tabNames.length] ?? 'conversation');
};

/** Shows a tab of the main pane. */
export const showTab = (state: TuiState, tab: Tab): Outcome => outcome({ ...state, tab });

/** Asks for words by which the list or tab in focus is filtered. */
export const openFilter = (state: TuiState): Outcome => {
  const place = filterPlace(state);
  return outcome({
    ...state,
    overlay: { type: 'input', purpose: 'filter', title: t('Show only lines with'), draft: draftOf(state.filters[place] ?? '') },
  });
};

/** The list or tab that a filter would apply to now. */
export const filterPlace = ({ focus, tab }: TuiState): Exclude<Focus, 'main' | 'request' | 'composer'> | Tab =>
  focus === 'main' || focus === 'request' || focus === 'composer' ? tab : focus;

/** Whether a filter applies to the list or tab in focus. */
export const isFiltered = (state: TuiState): boolean => state.focus !== 'composer' && (state.filters[filterPlace(state)] ?? '') !== '';

/** Removes the filter. */
export const clearFilter = (state: TuiState): Outcome => {
  const { [filterPlace(state)]: _, ...filters } = state.filters;
  return outcome({ ...state, filters });
};
