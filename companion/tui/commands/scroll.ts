/** Scrolls the main pane. At its end the pane follows new lines; anywhere else it stays where the reader is. */
import { layOut } from '../layout.ts';
import { outcome, type Outcome, type TuiState } from '../state.ts';
import { mainLines } from '#companion/tui/views/main.ts';
import { requestLines } from '#companion/tui/views/request.ts';

/** Scrolls by lines. */
export const scrollBy = (state: TuiState, step: number): Outcome => {
  const { total, height } = measure(state);
  const last = Math.max(0, total - height);
  const top = Math.min(state.scroll[state.tab] ?? last, last) + step;
  // Diffs are read from their beginning and do not grow; the other tabs follow new lines once their end is reached.
  return scrollTo(state, top >= last ? (state.tab === 'diff' ? last : null) : Math.max(0, top));
};

/** Scrolls by a little less than a whole pane, so that the reader keeps the place. */
export const scrollPage = (state: TuiState, direction: 1 | -1): Outcome =>
  scrollBy(state, direction * Math.max(1, measure(state).height - 2));

/** To the first line. */
export const scrollToStart = (state: TuiState): Outcome => scrollTo(state, 0);

/** Scrolls to the last line, and follows new ones. */
export const scrollToEnd = (state: TuiState): Outcome =>
  scrollTo(state, state.tab === 'diff' ? Math.max(0, measure(state).total - measure(state).height) : null);

const scrollTo = (state: TuiState, top: number | null): Outcome => outcome({ ...state, scroll: { ...state.scroll, [state.tab]: top } });

const measure = (state: TuiState): { total: number; height: number } => {
  const first = layOut(state, null).main;
  const { main } = layOut(state, requestLines(state, first.width - 2));
  return { total: mainLines(state, main.width - 4).length, height: main.height - 2 };
};
