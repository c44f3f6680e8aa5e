/** The open tabs as a text that stays short, however many there are. */
import type { ClosedTab, TabRow } from './tool.ts';

/** More are counted and not shown; those that a session works in, and those that the user sees, always are. */
const MAX_ROWS = 80;
/** In a long list a title and an address only tell tabs apart. */
const LONG_LIST = 30;

interface TabList {
  readonly text: string;
  readonly shown: number;
  readonly found: number;
}

/** With `find`, only tabs that have it in their title or address. */
export const renderTabs = (rows: readonly TabRow[], find = ''): TabList => {
  const words = find.toLowerCase();
  const found = rows.filter(({ title, url }) => `${title}\n${url}`.toLowerCase().includes(words));
  let room = MAX_ROWS - found.filter(isMarked).length;
  const shown = found.filter((row) => isMarked(row) || (room -= 1) >= 0);
  const isLong = shown.length > LONG_LIST;
  const isOneWindow = new Set(rows.map(({ windowId }) => windowId)).size < 2;
  const lengths = isLong ? { maxTitle: 80, maxUrl: 100 } : {};
  const text = shown.map((row) => toLine(row, { ...lengths, window: isOneWindow ? '' : `window ${row.windowId}` })).join('\n');
  return { text, shown: shown.length, found: found.length };
};

const isMarked = ({ isActive, isCurrent, isOwn }: TabRow): boolean => isActive || isCurrent || isOwn;

/** Which tabs were closed, and where the session is then, if it was in one of them. */
export const wordsForClosed = (closed: readonly ClosedTab[]): string => {
  const told = `Closed tab ${closed.map(({ tabId }) => tabId).join(', ')}.`;
  const current = closed.at(-1)?.current ?? null;
  if (!closed.some(({ wasCurrent }) => wasCurrent)) return told;
  return current === null
    ? `${told} There is no current tab now: browser_navigate opens one.`
    : `${told} Tab ${current} is the current one now.`;
};

/** One tab in a line. */
export const toLine = (row: TabRow, { maxTitle = 200, maxUrl = 300, window = '' } = {}): string => {
  const told = [
    row.isActive ? 'active' : '',
    row.isCurrent ? 'current' : '',
    row.isOwn ? 'yours' : '',
    row.isPrivate ? 'private' : '',
    window,
  ];
  const marks = told.filter((mark) => mark !== '');
  return `- ${row.tabId}${marks.length === 0 ? '' : ` (${marks.join(', ')})`}: "${row.title.slice(0, maxTitle)}" ${row.url.slice(0, maxUrl)}`;
};
