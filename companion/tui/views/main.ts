/** The main pane: one of three tabs about the shown session. */
import { usageTexts } from '#display/activity.ts';
import { runningTurn } from '#protocol/view.ts';
import { paint } from '../paint.ts';
import { say } from '../say.ts';
import { tabNames, type Tab, type TuiState } from '../state.ts';
import { cleanLine, width } from '../text.ts';
import { conversationLines } from './conversation.ts';
import { diffLines } from './diff.ts';
import { logLines } from './logs.ts';
import { pane, windowOf } from './pane.ts';

/** All lines of the tab that is open. */
export const mainLines = (state: TuiState, columns: number): string[] => {
  switch (state.tab) {
    case 'conversation':
      return conversationLines(state, columns);
    case 'diff':
      return diffLines(state.session, columns);
    case 'logs':
      return logLines(state, columns);
  }
};

/** The pane with the part of the tab that is scrolled to. */
export const mainView = (state: TuiState, size: { width: number; height: number }): string[] => {
  if (size.height === 0) return [];
  const columns = size.width - 4;
  const height = size.height - 2;
  const all = mainLines(state, columns);
  const { lines, top } = windowOf(all, state.scroll[state.tab], height);
  const below = all.length - top - lines.length;
  const isFocused = state.focus === 'main' && state.overlay === null;
  const shown = below > 0 && height > 1 ? [...lines.slice(0, -1), paint('accent', `↓ ${below + 1} more lines: G goes to the end`)] : lines;
  const title = tabNames.map((tab) => tabTitle(tab, state, isFocused)).join(paint('dim', ' │ '));
  return pane({
    title,
    note: statusNote(state, columns - width(title) - 6),
    lines: shown.map((line) => ` ${line}`),
    width: size.width,
    height: size.height,
    isFocused,
  });
};

const tabTitle = (tab: Tab, state: TuiState, isFocused: boolean): string => {
  const name = tab[0]?.toUpperCase() + tab.slice(1);
  const filter = state.filters[tab] ?? '';
  const text = filter === '' ? name : `${name} /${cleanLine(filter)}`;
  return tab === state.tab ? paint(isFocused ? 'title' : 'strong', text) : paint('dim', text);
};

/** Agent, model, mode, context and cost, as far as they fit; the nearer to the front, the more it matters. */
const statusNote = ({ session, engines }: TuiState, columns: number): string => {
  if (session === null) return '';
  const engine = engines.find(({ name }) => name === session.engine);
  const { model, mode } = session.settings;
  const parts = [
    cleanLine(engine?.label ?? session.engine),
    runningTurn(session) === undefined ? '' : session.status,
    mode === null ? '' : cleanLine(engine?.modes.find(({ modeId }) => modeId === mode)?.label ?? mode),
    model === null ? '' : cleanLine(model),
    ...usageTexts(say, session.usage),
  ].filter((part) => part !== '');
  let note = '';
  for (const part of parts) {
    const longer = note === '' ? part : `${note} · ${part}`;
    if (width(longer) > columns) break;
    note = longer;
  }
  return paint('dim', note);
};
