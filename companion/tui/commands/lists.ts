/** Moving in the left lists and opening what is selected. */
import { withSeen } from '#display/attention.ts';
import { SessionId } from '#protocol/ids.ts';
import { emptyView } from '#protocol/view.ts';
import { layOut } from '../layout.ts';
import { ABSENT_ENGINES, absentEngines, rowsOf, selectedIndex, selectedKey, waitingBrowserOf } from '../rows.ts';
import { t } from '../say.ts';
import { beginning, listNames, outcome, type ListName, type Outcome, type TuiState } from '../state.ts';

/** The list in focus, if one is. */
export const focusedList = ({ focus }: TuiState): ListName | null => listNames.find((list) => list === focus) ?? null;

/** Selects the row `step` further. */
export const moveSelection = (state: TuiState, step: number): Outcome => {
  const list = focusedList(state);
  if (list === null) return outcome(state);
  const rows = rowsOf(state, list);
  return selectRow(state, list, selectedIndex(state, list, rows) + step);
};

/** Selects a row by its index; beyond the ends it is the first or last one. */
export const selectRow = (state: TuiState, list: ListName, index: number): Outcome => {
  const rows = rowsOf(state, list);
  const key = rows[Math.min(Math.max(0, index), rows.length - 1)]?.key ?? null;
  return outcome({ ...state, selected: { ...state.selected, [list]: key } });
};

/** How many rows of the list in focus fit on the screen. */
export const pageRows = (state: TuiState): number => {
  const rect = layOut(state, null).lists.find(({ list }) => list === state.focus);
  return Math.max(1, (rect?.height ?? 3) - 3);
};

/** Why nothing can be done with a row of the list in focus. */
export const noRow = (state: TuiState): string | null => {
  const list = focusedList(state);
  return list === null || selectedKey(state, list) === null ? t('There is nothing in this list.') : null;
};

/** Opens what is selected: a session, an agent's page, a project's sessions, the welcome page for a browser, or what is known of one that waits. */
export const openSelected = (state: TuiState): Outcome => {
  const list = focusedList(state);
  const key = list === null ? null : selectedKey(state, list);
  // Where no browser is there yet, the page says how one comes.
  if (list === 'browsers' && key === null) return outcome({ ...state, overlay: { type: 'guide', top: 0 } });
  if (list === null || key === null) return outcome(state);
  switch (list) {
    case 'projects':
      return outcome({ ...state, selected: { ...state.selected, projects: key, sessions: null }, focus: 'sessions' });
    case 'engines':
      return key === ABSENT_ENGINES ? pickAbsentEngine(state) : openEngine(state, key);
    case 'sessions':
      return openSession(state, SessionId.parse(key));
    case 'browsers': {
      const waiting = waitingBrowserOf(state, key);
      return outcome({ ...state, overlay: waiting === undefined ? { type: 'guide', top: 0 } : { type: 'admission', id: waiting.id } });
    }
  }
};

/** Shows all about one agent. */
export const openEngine = (state: TuiState, name: string): Outcome => outcome({ ...state, overlay: { type: 'engine', name } });

/** Chooses one of the agents that are not installed, to see how it is installed. */
const pickAbsentEngine = (state: TuiState): Outcome => {
  const choices = absentEngines(state.engines).map(({ name, label, fix }) => ({ value: name, label, detail: fix ?? '' }));
  const title = t('Agents that are not installed');
  return outcome({ ...state, overlay: { type: 'picker', purpose: 'absent', title, choices, index: 0, filter: '', engine: null } });
};

/** Shows a session from its beginning; its events appear as they are read. */
export const openSession = (state: TuiState, sessionId: SessionId): Outcome => {
  if (state.session?.sessionId === sessionId) return outcome({ ...state, focus: 'main', tab: 'conversation' });
  const opened = {
    ...state,
    session: emptyView(sessionId),
    seen: withSeen(
      state.seen,
      state.sessions.filter(({ id }) => id === sessionId),
    ),
    selected: { ...state.selected, sessions: sessionId },
    scroll: { ...state.scroll, conversation: null, diff: beginning },
    tab: 'conversation',
    focus: 'main',
  } as const;
  return outcome(opened, { type: 'session.open', sessionId });
};

/** Checks the selected agent, or all. */
export const refreshEngines = (state: TuiState, which: 'selected' | 'all'): Outcome => {
  const selected = state.overlay?.type === 'engine' ? state.overlay.name : selectedKey(state, 'engines');
  const name = which === 'all' || selected === ABSENT_ENGINES ? null : selected;
  return outcome({ ...state, notice: { level: 'info', text: t('Checking…'), remedy: null } }, { type: 'engines.refresh', name });
};
