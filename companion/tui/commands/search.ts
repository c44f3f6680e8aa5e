/** Searching everything that was ever said or run, as one types, and going to what is found. */
import type { SearchAnswer, SearchHit, TitleHit } from '#protocol/search.ts';
import { draftOf, type Draft } from '../editing.ts';
import { outcome, type Outcome, type Overlay, type TuiState } from '../state.ts';
import { openSession } from './lists.ts';

type Search = Extract<Overlay, { type: 'search' }>;

/** What was found in one list: sessions by their names, then entries. */
export type Found = { readonly title: TitleHit } | { readonly hit: SearchHit };

export const foundIn = (answer: SearchAnswer | null): Found[] =>
  answer === null ? [] : [...answer.titles.map((title) => ({ title })), ...answer.hits.map((hit) => ({ hit }))];

export const openSearch = (state: TuiState): Outcome =>
  outcome({ ...state, overlay: { type: 'search', draft: draftOf(''), index: 0, answer: null } });

/** Asks for what is typed now; what was found before stays until the answer comes. */
export const changeSearch = (state: TuiState, search: Search, draft: Draft): Outcome => {
  const flat = draft.text.includes('\n') ? draftOf(draft.text.replaceAll(/\n+/gu, ' ')) : draft;
  if (flat.text === search.draft.text) return outcome({ ...state, overlay: { ...search, draft: flat } });
  const isEmpty = flat.text.trim() === '';
  const overlay = { ...search, draft: flat, index: 0, answer: isEmpty ? null : search.answer };
  return outcome({ ...state, overlay }, { type: 'search', query: isEmpty ? '' : flat.text });
};

/** Takes an answer, unless something else was typed since. */
export const takeFound = (state: TuiState, query: string, answer: SearchAnswer): TuiState =>
  state.overlay?.type === 'search' && state.overlay.draft.text === query
    ? { ...state, overlay: { ...state.overlay, index: 0, answer } }
    : state;

export const moveInSearch = (state: TuiState, step: number): Outcome => {
  const { overlay } = state;
  if (overlay?.type !== 'search') return outcome(state);
  const index = Math.min(Math.max(0, overlay.index + step), Math.max(0, foundIn(overlay.answer).length - 1));
  return outcome({ ...state, overlay: { ...overlay, index } });
};

/** Opens the session of what is selected, and shows the entry that was found. */
export const openFound = (state: TuiState): Outcome => {
  const found = state.overlay?.type === 'search' ? foundIn(state.overlay.answer)[state.overlay.index] : undefined;
  if (found === undefined) return outcome(state);
  const closed = { ...state, overlay: null };
  if ('title' in found) return openSession(closed, found.title.session.id);
  const opened = openSession(closed, found.hit.sessionId);
  const scroll = { ...opened.state.scroll, conversation: { key: found.hit.itemId, line: 0 } };
  // A filter of another search would hide it.
  const { conversation: _, ...filters } = opened.state.filters;
  return { ...opened, state: { ...opened.state, scroll, filters } };
};
