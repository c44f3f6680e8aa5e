/** Which pane has which part of the screen; also used to find the pane a click hit. */
import { isForgotten, isMoved } from '#display/projects.ts';
import { draftOf } from './editing.ts';
import { rowsOf } from './rows.ts';
import { listNames, type Focus, type ListName, type TuiState } from './state.ts';
import { clean, wrap } from './text.ts';

export interface Rect {
  readonly top: number;
  readonly left: number;
  readonly width: number;
  readonly height: number;
}

export interface Layout {
  readonly lists: readonly ({ readonly list: ListName } & Rect)[];
  readonly main: Rect;
  readonly request: Rect | null;
  readonly composer: Rect | null;
  readonly hint: Rect;
}

/** Below this many columns lists stand above the conversation instead of beside it. */
const PORTRAIT_COLUMNS = 84;

/** The smallest screen that is drawn; on a smaller one a sentence asks for more room. */
export const MIN_SIZE = { columns: 40, rows: 12 } as const;

const MAX_COMPOSER_LINES = 8;

/** A frame with one line in it; a main pane that cannot have as much is left out. */
const LEAST_PANE = 3;

/** The lines inside the frame of the open request: what it would like to have, and without which it cannot be answered. */
export interface RequestLines {
  readonly wish: number;
  readonly least: number;
}

/** Divides the screen. */
export const layOut = (state: TuiState, request: RequestLines | null): Layout => {
  const { columns, rows } = state.size;
  const isPortrait = columns < PORTRAIT_COLUMNS;
  const height = rows - 1;
  const leftWidth = state.isZoomed ? 0 : isPortrait ? columns : Math.min(44, Math.max(30, Math.floor(columns * 0.3)));
  const lists = state.isZoomed ? [] : isPortrait ? portraitLists(state, columns) : stackedLists(state, leftWidth, height);
  const top = isPortrait ? lists.reduce((sum, { height: own }) => sum + own, 0) : 0;
  const right = { left: isPortrait ? 0 : leftWidth, width: isPortrait ? columns : columns - leftWidth };
  const { composerHeight, requestHeight } = shareOut(state, request, height - top, right.width - 2);
  const mainHeight = height - top - composerHeight - requestHeight;
  return {
    lists,
    main: { ...right, top, height: mainHeight },
    request: requestHeight === 0 ? null : { ...right, top: top + mainHeight, height: requestHeight },
    composer: composerHeight === 0 ? null : { ...right, top: height - composerHeight, height: composerHeight },
    hint: { top: height, left: 0, width: columns, height: 1 },
  };
};

/** The answers to a request are never out of sight: where the room is short, a composer that is not used goes first, then the conversation. */
const shareOut = (
  state: TuiState,
  request: RequestLines | null,
  room: number,
  columns: number,
): { composerHeight: number; requestHeight: number } => {
  const wanted = hasComposer(state) ? Math.min(composerLines(state, columns), MAX_COMPOSER_LINES, Math.floor(state.size.rows / 3)) + 2 : 0;
  if (request === null) return { composerHeight: wanted, requestHeight: 0 };
  const least = request.least + 2;
  const isUsed = state.focus === 'composer' || currentDraft(state)?.text !== '';
  const needed = state.isExpanded ? request.wish + 2 : least + LEAST_PANE;
  const composerHeight = isUsed || room - wanted >= needed ? Math.min(wanted, Math.max(LEAST_PANE, room - least)) : 0;
  const left = room - composerHeight;
  // A request has most of the room, and all of it when the person opened it.
  const share = state.isExpanded ? left : Math.max(least, Math.floor(left * 0.6));
  const requestHeight = Math.min(request.wish + 2, share, left);
  return { composerHeight, requestHeight: left - requestHeight < LEAST_PANE ? left : requestHeight };
};

/** Whether there is a composer: not for the session of an MCP client, nor for one without its project, nor below an overlay. */
export const hasComposer = (state: TuiState): boolean => {
  const { session, overlay } = state;
  if (session === null || session.kind !== 'agent' || isHomeless(state)) return false;
  return overlay === null || overlay.type === 'input' || overlay.type === 'confirm';
};

/** Whether the project of the shown session was forgotten. */
export const isHomeless = ({ session, projects, link }: TuiState): boolean =>
  session !== null && session.seq > 0 && link !== 'connecting' && isForgotten(session.projectId, projects);

/** Whether the folder of the shown session's project was not found by its newest turn. */
export const isHomeMoved = ({ session }: TuiState): boolean => session !== null && isMoved(session);

/** The panes that can have the focus, in the order of the tab key: what one works with, then the other lists. */
export const focusRing = (state: TuiState): Focus[] => [
  ...(state.isZoomed ? [] : (['sessions'] as const)),
  'main',
  ...(hasOpenRequest(state) ? (['request'] as const) : []),
  ...(hasComposer(state) ? (['composer'] as const) : []),
  ...(state.isZoomed ? [] : listNames.filter((list) => list !== 'sessions')),
];

/** Whether the shown session waits for an answer. */
export const hasOpenRequest = ({ session }: TuiState): boolean => (session?.requests.length ?? 0) > 0;

/** The pane at a place of the screen, and the row in it. */
export const hit = (layout: Layout, column: number, row: number): { focus: Focus; row: number } | null => {
  const contains = ({ top, left, width, height }: Rect): boolean =>
    column >= left && column < left + width && row >= top && row < top + height;
  const list = layout.lists.find(contains);
  if (list !== undefined) return { focus: list.list, row: row - list.top - 1 };
  if (contains(layout.main)) return { focus: 'main', row: row - layout.main.top - 1 };
  if (layout.request !== null && contains(layout.request)) return { focus: 'request', row: row - layout.request.top - 1 };
  return layout.composer !== null && contains(layout.composer) ? { focus: 'composer', row: row - layout.composer.top - 1 } : null;
};

/** The text of the shown session's composer. */
export const currentDraft = ({ session, drafts }: TuiState) => (session === null ? null : (drafts[session.sessionId] ?? draftOf('')));

const composerLines = (state: TuiState, width: number): number => draftLines(currentDraft(state)?.text ?? '', width - 1).length;

let laidOut: { readonly text: string; readonly columns: number; readonly lines: readonly string[] } = { text: '', columns: 0, lines: [''] };

/** The lines of a message that is being written. Each key asks for them several times, and what was pasted may have ten thousand. */
export const draftLines = (text: string, columns: number): readonly string[] => {
  if (laidOut.text !== text || laidOut.columns !== columns) laidOut = { text, columns, lines: wrap(clean(text), columns) };
  return laidOut.lines;
};

/** Projects, agents and browsers get what they need, within limits; sessions get the rest. */
const stackedLists = (state: TuiState, width: number, height: number): Layout['lists'] => {
  const wish = (list: ListName, most: number): number => Math.min(Math.max(1, rowsOf(state, list).length), most) + 2;
  const share = Math.max(1, Math.floor(height / 5) - 2);
  const projects = wish('projects', share);
  const engines = wish('engines', Math.max(share, Math.floor(height / 4) - 1));
  const browsers = wish('browsers', share);
  const sizes: Readonly<Record<ListName, number>> = { projects, engines, sessions: height - projects - engines - browsers, browsers };
  let top = 0;
  return listNames.map((list) => {
    const rect = { list, top, left: 0, width, height: sizes[list] };
    top += sizes[list];
    return rect;
  });
};

/** One list at a time: the focused one with its rows, or the sessions in one line. */
const portraitLists = (state: TuiState, columns: number): Layout['lists'] => {
  const list = listNames.find((name) => name === state.focus);
  if (list === undefined) return [{ list: 'sessions', top: 0, left: 0, width: columns, height: 1 }];
  const most = hasOpenRequest(state) ? LEAST_PANE : Math.max(5, Math.floor(state.size.rows / 3));
  return [{ list, top: 0, left: 0, width: columns, height: Math.min(Math.max(1, rowsOf(state, list).length) + 2, most) }];
};
