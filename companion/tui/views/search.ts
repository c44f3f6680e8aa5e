/** The page on which one searches: what is typed, and a line for each thing found. */
import { foundIn, type Found } from '#companion/tui/commands/search.ts';
import { sessionTitle } from '#display/attention.ts';
import { BlockReader, type Block } from '#display/blocks.ts';
import type { SearchHit, Snippet } from '#protocol/search.ts';
import { paint, unpaint } from '../paint.ts';
import { t } from '../say.ts';
import type { Overlay } from '../state.ts';
import { clean, cleanLine, fit, pad } from '../text.ts';
import { inlineRuns, type Run } from './inline.ts';
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
  return `${paint('dim', pad(t(kind), KIND_COLUMNS))} ${pad(cleanLine(sessionName), SESSION_COLUMNS)} ${tool}${WRITTEN_BY_AGENTS.has(kind) ? markedWords(snippet) : marked(snippet)}`;
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

/** What is in markdown. */
const WRITTEN_BY_AGENTS: ReadonlySet<SearchHit['kind']> = new Set(['answer', 'thought', 'plan']);

/** Signs that no text has around what was found, while the text is read as markdown. */
const OPEN = '\u{e000}';
const CLOSE = '\u{e001}';

/** Markdown in one line, without its signs. A text that is not read whole in that way, because it is cut, stays as it is. */
const markedWords = ({ text, marks }: Snippet): string => {
  const plain = (part: string): string => part.replaceAll(/[\u{e000}\u{e001}]/gu, ' ');
  let signed = '';
  let at = 0;
  for (const [from, to] of marks) {
    signed += `${cleanPart(plain(text.slice(at, from)))}${OPEN}${cleanPart(plain(text.slice(from, to)))}${CLOSE}`;
    at = to;
  }
  signed += cleanPart(plain(text.slice(at)));
  const runs = new BlockReader().read(signed, true).blocks.flatMap((block) => wordsOf(block));
  const words = runs.map((run) => run.text).join('');
  const isWhole = words.split(OPEN).length === marks.length + 1 && words.split(CLOSE).length === marks.length + 1;
  if (!isWhole) return marked({ text: plain(text), marks });
  let isFound = false;
  return runs
    .flatMap(({ text: part, styles }) =>
      part.split(/([\u{e000}\u{e001}])/u).map((piece) => {
        if (piece === OPEN || piece === CLOSE) isFound = piece === OPEN;
        if (piece === '' || piece === OPEN || piece === CLOSE) return '';
        return [...styles, ...(isFound ? (['warning'] as const) : [])].reduceRight((inner, style) => paint(style, inner), cleanLine(piece));
      }),
    )
    .join('');
};

/** One line; spaces at its ends belong to it. */
const cleanPart = (text: string): string => clean(text).replaceAll('\n', ' ');

/** The words of a block, and of the blocks in it. */
const wordsOf = (block: Block): Run[] => {
  if (block.type === 'code' || !('tokens' in block) || block.tokens === undefined) return [{ text: block.raw, styles: [] }];
  return inlineRuns(block.tokens, []);
};
