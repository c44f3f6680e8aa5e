/** The main pane: one of three tabs about the shown session. */
import { usageTexts } from '#display/activity.ts';
import { effortText, labelText } from '#display/engines.ts';
import { runningTurn } from '#protocol/view.ts';
import { paint } from '../paint.ts';
import { say, t, type OwnText } from '../say.ts';
import { tabNames, type Tab, type TuiState } from '../state.ts';
import { cleanLine, width } from '../text.ts';
import { conversationParts } from './conversation.ts';
import { diffParts } from './diff.ts';
import { logParts } from './logs.ts';
import { pane } from './pane.ts';
import { windowFrom, type Parts } from './parts.ts';

/** All that the open tab has to show. */
export const mainParts = (state: TuiState, columns: number): Parts => {
  switch (state.tab) {
    case 'conversation':
      return conversationParts(state, columns);
    case 'diff':
      return diffParts(state.session, columns);
    case 'logs':
      return logParts(state, columns);
  }
};

/** The pane with the part of the tab that is scrolled to. */
export const mainView = (state: TuiState, size: { width: number; height: number }): string[] => {
  if (size.height === 0) return [];
  const columns = size.width - 4;
  const height = size.height - 2;
  const { lines, isEnd } = windowFrom(mainParts(state, columns), state.scroll[state.tab], height);
  const isFocused = state.focus === 'main' && state.overlay === null;
  const shown = isEnd || height <= 1 ? lines : [...lines.slice(0, -1), paint('accent', t('↓ more lines: <main G> goes to the end'))];
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

/** The tab whose name stands in this column of the upper border. */
export const tabAt = (state: TuiState, column: number): Tab | null => {
  // The names begin behind the corner, a line and a space.
  let end = 3;
  for (const tab of tabNames) {
    end += width(tabTitle(tab, state, false)) + 3;
    if (column < end) return tab;
  }
  return null;
};

const tabTitles: Readonly<Record<Tab, OwnText>> = { conversation: 'Conversation', diff: 'Diff', logs: 'Logs' };

const tabTitle = (tab: Tab, state: TuiState, isFocused: boolean): string => {
  const name = t(tabTitles[tab]);
  const filter = state.filters[tab] ?? '';
  const text = filter === '' ? name : `${name} /${cleanLine(filter)}`;
  return tab === state.tab ? paint(isFocused ? 'title' : 'strong', text) : paint('dim', text);
};

/** Agent, model, mode, context and cost, as far as they fit; the nearer to the front, the more it matters. */
const statusNote = ({ session, engines }: TuiState, columns: number): string => {
  if (session === null) return '';
  const engine = engines.find(({ name }) => name === session.engine);
  const { model, mode, effort } = session.settings;
  const parts = [
    cleanLine(labelText(engine ?? { label: session.engine }, say)),
    runningTurn(session) === undefined || session.status === 'idle' ? '' : t(session.status),
    mode === null ? '' : cleanLine(labelText(engine?.modes.find(({ modeId }) => modeId === mode) ?? { label: mode }, say)),
    model === null ? '' : cleanLine(model),
    effort === null ? '' : t('effort {effort}', { effort: cleanLine(effortText(effort, say)) }),
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
