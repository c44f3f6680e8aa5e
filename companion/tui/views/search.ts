/** The page on which one searches: what is typed, and a line for each thing found. */
import { foundIn, type Found } from '#companion/tui/commands/search.ts';
import { sessionTitle } from '#display/attention.ts';
import type { SearchHit, Snippet } from '#protocol/search.ts';
import { paint, unpaint } from '../paint.ts';
import { t } from '../say.ts';
import type { Overlay } from '../state.ts';
import { clean, cleanLine, fit, pad } from '../text.ts';
import { firstRow } from './list.ts';

type Search = Extract<Overlay, { type: 'search' }>;

/** Lines that stand above what was found. */
export const SEARCH_HEAD = 3;

const KIND_COLUMNS = 8;
const SESSION_COLUMNS = 22;

export const searchLines = ({ draft, answer, index }: Search, columns: number, height: number): string[] => {
  const before = clean(draft.text.slice(0, draft.cursor)).replaceAll('\n', ' ');
  const after = clean(draft.text.slice(draft.cursor)).replaceAll('\n', ' ');
  const typed = fit(` ${paint('accent', before)}${paint('selected', after.slice(0, 1) || ' ')}${paint('accent', after.slice(1))}`, columns);
  const found = foundIn(answer);
  const room = Math.max(1, height - SEARCH_HEAD);
  const first = firstRow(index, found.length, room);
  const rows = found.slice(first, first + room).map((one, offset) => foundLine(one, columns, first + offset === index));
  return [typed, paint('dim', fit(` ${noteOf(draft.text, answer)}`, columns)), '', ...rows];
};

const noteOf = (text: string, answer: Search['answer']): string => {
  if (text.trim() === '') return t('What was ever said or run, in every session. "Words in quotes" stand together.');
  if (answer === null) return t('Searching…');
  const { titles, hits, next, indexing } = answer;
  const count = titles.length + hits.length;
  const reading =
    indexing === null
      ? ''
      : ` ${t('Older sessions are still being read in: {done} of {total}.', { done: indexing.done, total: indexing.total })}`;
  return `${count === 0 ? t('Nothing was found.') : t('{count} found, the newest first.', { count: `${count}${next === null ? '' : '+'}` })}${reading}`;
};

const foundLine = (found: Found, columns: number, isSelected: boolean): string => {
  const line = fit(` ${isSelected ? '›' : ' '} ${'title' in found ? titleText(found.title) : hitText(found.hit)}`, columns);
  return isSelected ? paint('selected', pad(unpaint(line), columns)) : line;
};

const titleText = ({ session }: Extract<Found, { title: unknown }>['title']): string =>
  `${paint('dim', pad(t('session'), KIND_COLUMNS))} ${paint('strong', cleanLine(sessionTitle(session)))}`;

const hitText = ({ kind, sessionName, title, snippet }: SearchHit): string => {
  const tool = title === undefined || title === snippet.text ? '' : `${paint('accent', cleanLine(title))} `;
  return `${paint('dim', pad(t(kind), KIND_COLUMNS))} ${pad(cleanLine(sessionName), SESSION_COLUMNS)} ${tool}${marked(snippet)}`;
};

/** The places are of the text as it came, so that it is cut before it is cleaned. */
const marked = ({ text, marks }: Snippet): string => {
  let shown = '';
  let at = 0;
  for (const [from, to] of marks) {
    shown += cleanLine(text.slice(at, from)) + paint('warning', cleanLine(text.slice(from, to)));
    at = to;
  }
  return shown + cleanLine(text.slice(at));
};
