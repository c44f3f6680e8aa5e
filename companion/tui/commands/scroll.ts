/** Scrolls the main pane. At its end the pane follows new lines; anywhere else it stays where the reader is. */
import { layOut } from '../layout.ts';
import { t } from '../say.ts';
import { outcome, type Outcome, type TuiState } from '../state.ts';
import { mainParts } from '#companion/tui/views/main.ts';
import { endOf, moved, startOf, type Parts, type Place } from '#companion/tui/views/parts.ts';
import { detailPlace, requestLines } from '#companion/tui/views/request.ts';

/** Scrolls by lines. */
export const scrollBy = (state: TuiState, step: number): Outcome => {
  const { parts, height } = measure(state);
  return scrollTo(state, moved(parts, state.scroll[state.tab], step, height) ?? end(state, parts, height));
};

/** Scrolls by a little less than a whole pane, so that the reader keeps the place. */
export const scrollPage = (state: TuiState, direction: 1 | -1): Outcome =>
  scrollBy(state, direction * Math.max(1, measure(state).height - 2));

/** To the first line. */
export const scrollToStart = (state: TuiState): Outcome => scrollTo(state, startOf(measure(state).parts));

/** Scrolls to the last line, and follows new ones. */
export const scrollToEnd = (state: TuiState): Outcome => {
  const { parts, height } = measure(state);
  return scrollTo(state, end(state, parts, height));
};

/** Scrolls what exactly is asked, by lines, in an opened request that has no room for all of it. */
export const scrollCard = (state: TuiState, step: number): Outcome => {
  const place = cardPlace(state);
  if (state.card === null || place === null) return outcome(state);
  const top = Math.min(Math.max(0, place.top + step), place.count - place.room);
  return outcome({ ...state, card: { ...state.card, top } });
};

/** Scrolls it by a little less than its place. */
export const scrollCardPage = (state: TuiState, direction: 1 | -1): Outcome =>
  scrollCard(state, direction * Math.max(1, (cardPlace(state)?.room ?? 0) - 1));

/** Why there is nothing of a request to scroll to. */
export const scrollCardDisabled = (state: TuiState): string | null => {
  const place = cardPlace(state);
  return place === null || place.count <= place.room ? t('All of the request is in sight.') : null;
};

/** Diffs are read from their beginning and do not grow; the other tabs follow new lines once their end is reached. */
const end = ({ tab }: TuiState, parts: Parts, height: number): Place | null => (tab === 'diff' ? endOf(parts, height) : null);

const scrollTo = (state: TuiState, top: Place | null): Outcome => outcome({ ...state, scroll: { ...state.scroll, [state.tab]: top } });

const cardPlace = (state: TuiState): ReturnType<typeof detailPlace> => {
  if (!state.isExpanded) return null;
  const { request } = layOut(state, requestLines(state, layOut(state, null).main.width - 2));
  return request === null ? null : detailPlace(state, request);
};

const measure = (state: TuiState): { parts: Parts; height: number } => {
  const first = layOut(state, null).main;
  const { main } = layOut(state, requestLines(state, first.width - 2));
  return { parts: mainParts(state, main.width - 4), height: main.height - 2 };
};
