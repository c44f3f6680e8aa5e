/** The whole screen as lines, put together from its panes. */
import { t } from './say.ts';
import type { Frame } from './screen.ts';
import { currentDraft, layOut, MIN_SIZE, type Layout } from './layout.ts';
import type { TuiState } from './state.ts';
import { fit, pad } from './text.ts';
import { composerView } from './views/composer.ts';
import { hintView } from './views/hint.ts';
import { listView } from './views/list.ts';
import { mainView } from './views/main.ts';
import { pageOf, pageView } from './views/overlay.ts';
import { requestLines, requestView } from './views/request.ts';

/** Draws the state: exactly as many lines as the screen has rows, each exactly as wide. */
export const drawFrame = (state: TuiState): Frame => {
  const { columns, rows } = state.size;
  if (columns < MIN_SIZE.columns || rows < MIN_SIZE.rows) return tooSmall(columns, rows);
  const layout = layoutOf(state);
  const lists = layout.lists.map((rect) => listView(state, rect.list, rect));
  const { lines: right, cursor } = drawRight(state, layout);
  const left = lists.flat();
  const hint = hintView(state, columns);
  const isBeside = layout.main.left > 0;
  const body = isBeside ? right.map((line, index) => `${left[index] ?? ''}${line}`) : [...left, ...right];
  return {
    lines: [...withMessage(body, hint.message, state.overlay === null ? 'above' : 'below'), hint.line],
    cursor: hint.cursorColumn === null ? cursor : { row: layout.hint.top, column: hint.cursorColumn },
  };
};

/** A message covers lines until the next key: news the first ones, since below is what one answers or writes, and a question the last. */
const withMessage = (body: readonly string[], message: readonly string[], place: 'above' | 'below'): readonly string[] => {
  const shown = message.slice(0, body.length);
  return place === 'above' ? [...shown, ...body.slice(shown.length)] : [...body.slice(0, body.length - shown.length), ...shown];
};

/** The layout with the room the open request needs. A page that covers the main pane covers the request too. */
export const layoutOf = (state: TuiState): Layout => {
  const first = layOut(state, null);
  if (pageOf(state) !== null) return first;
  const lines = requestLines(state, first.main.width - 2);
  return lines === null ? first : layOut(state, lines);
};

const drawRight = (state: TuiState, layout: Layout): { lines: string[]; cursor: Frame['cursor'] } => {
  const page = pageOf(state);
  if (page !== null) return { lines: pageView(state, page, layout.main), cursor: null };
  const draft = currentDraft(state);
  const composer = layout.composer === null || draft === null ? null : composerView(state, draft, layout.composer);
  const isWriting = state.focus === 'composer' && state.overlay === null;
  return {
    lines: [
      ...mainView(state, layout.main),
      ...(layout.request === null ? [] : requestView(state, layout.request)),
      ...(composer?.lines ?? []),
    ],
    cursor:
      composer === null || layout.composer === null || !isWriting
        ? null
        : { row: layout.composer.top + composer.cursor.row, column: layout.composer.left + composer.cursor.column },
  };
};

const tooSmall = (columns: number, rows: number): Frame => ({
  lines: Array.from({ length: rows }, (_, index) =>
    pad(
      index === 0
        ? fit(
            t('Pilotfish needs {least}; this is {size}.', { least: `${MIN_SIZE.columns}×${MIN_SIZE.rows}`, size: `${columns}×${rows}` }),
            columns,
          )
        : '',
      columns,
    ),
  ),
  cursor: null,
});
