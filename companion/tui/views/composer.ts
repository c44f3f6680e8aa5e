/** Where the user writes, with the cursor where the terminal's own one has to be (input methods draw at it). */
import { runningTurn } from '#protocol/view.ts';
import type { Draft } from '../editing.ts';
import { draftLines, hasOpenRequest } from '../layout.ts';
import { paint } from '../paint.ts';
import { t, type OwnText } from '../say.ts';
import { attachedTo, canSteer, type TuiState } from '../state.ts';
import { clean, cleanLine, fit, width, wrap } from '../text.ts';
import { pane } from './pane.ts';

export interface ComposerView {
  readonly lines: string[];
  /** Inside the pane. */
  readonly cursor: { readonly row: number; readonly column: number };
}

/** The pane of the shown session's draft. */
export const composerView = (state: TuiState, draft: Draft, size: { width: number; height: number }): ComposerView => {
  const columns = size.width - 2;
  const height = size.height - 2;
  const isFocused = state.focus === 'composer' && state.overlay === null;
  const isRunning = state.session !== null && runningTurn(state.session) !== undefined;
  const isAtEnd = draft.cursor === draft.text.length;
  const before = isAtEnd ? draftLines(draft.text, columns - 1) : wrap(clean(draft.text.slice(0, draft.cursor)), columns - 1);
  const cursorRow = before.length - 1;
  const all = draft.text === '' ? [paint('dim', t(placeholder(state, isFocused, isRunning)))] : draftLines(draft.text, columns - 1);
  // What is behind the cursor may pull a word to the next line; the row of the cursor stays in sight either way.
  const top = Math.max(0, cursorRow - height + 1);
  return {
    lines: pane({
      title: paint(isFocused ? 'title' : 'dim', t(isRunning ? 'Message: goes to the queue' : 'Message')),
      note: attachedNote(state, columns),
      lines: all.slice(top, top + height),
      width: size.width,
      height: size.height,
      isFocused,
    }),
    cursor: { row: 1 + cursorRow - top, column: 1 + width(before.at(-1) ?? '') },
  };
};

/** The names of what goes along, as far as they fit. */
const attachedNote = (state: TuiState, columns: number): string => {
  const files = state.session === null ? [] : attachedTo(state, state.session.sessionId);
  if (files.length === 0) return '';
  const names = files.map(({ name }) => cleanLine(name)).join(', ');
  return paint('accent', fit(t('{count} attached: {names}', { count: files.length, names }), Math.max(12, columns - 34)));
};

const placeholder = (state: TuiState, isFocused: boolean, isRunning: boolean): OwnText => {
  if (!isFocused) return '<global i> writes a message';
  if (hasOpenRequest(state)) return 'While this is empty, the keys above answer; <always C-x> stops';
  if (!isRunning) return '<composer enter> sends, <composer M-enter> begins a new line';
  return canSteer(state)
    ? '<composer enter> queues, <composer M-s> steers, <always C-x> stops'
    : '<composer enter> queues, <always C-x> stops';
};
