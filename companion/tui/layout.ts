/** Which pane has which part of the screen; also used to find the pane a click hit. */
import { isForgotten } from '#display/projects.ts';
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
export const PORTRAIT_COLUMNS = 84;

/** The smallest screen that is drawn; on a smaller one a sentence asks for more room. */
export const MIN_SIZE = { columns: 40, rows: 12 } as const;

const MAX_COMPOSER_LINES = 8;

/** Divides the screen. `requestLines` is what the open request would like to have. */
export const layOut = (state: TuiState, requestLines: number): Layout => {
  const { columns, rows } = state.size;
  const isPortrait = columns < PORTRAIT_COLUMNS;
  const height = rows - 1;
  const leftWidth = isPortrait ? columns : Math.min(44, Math.max(30, Math.floor(columns * 0.3)));
  const lists = isPortrait ? portraitLists(state, columns) : stackedLists(state, leftWidth, height);
  const top = isPortrait ? lists.reduce((sum, { height: own }) => sum + own, 0) : 0;
  const right = { left: isPortrait ? 0 : leftWidth, width: isPortrait ? columns : columns - leftWidth };

  const composerHeight = hasComposer(state)
    ? Math.min(composerLines(state, right.width - 2), MAX_COMPOSER_LINES, Math.floor(rows / 3)) + 2
    : 0;
  const left = height - top - composerHeight;
  // A request has most of the room, and all of it when the person opened it.
  const share = state.isExpanded ? left : Math.max(6, Math.floor(left * 0.6));
  const requestHeight = requestLines === 0 ? 0 : Math.min(requestLines + 2, share, left - 3);
  const mainHeight = left - requestHeight;
  return {
    lists,
    main: { ...right, top, height: mainHeight },
    request: requestHeight === 0 ? null : { ...right, top: top + mainHeight, height: requestHeight },
    composer: composerHeight === 0 ? null : { ...right, top: height - composerHeight, height: composerHeight },
    hint: { top: height, left: 0, width: columns, height: 1 },
  };
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

/** The panes that can have the focus, in the order of the tab key. */
export const focusRing = (state: TuiState): Focus[] => [
  ...listNames,
  'main',
  ...(hasOpenRequest(state) ? (['request'] as const) : []),
  ...(hasComposer(state) ? (['composer'] as const) : []),
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

const composerLines = (state: TuiState, width: number): number => wrap(clean(currentDraft(state)?.text ?? ''), width - 1).length;

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

/** One list at a time: the focused one, or the sessions. */
const portraitLists = (state: TuiState, columns: number): Layout['lists'] => {
  const list = listNames.find((name) => name === state.focus) ?? 'sessions';
  const isFocused = list === state.focus;
  const height = isFocused ? Math.max(5, Math.floor(state.size.rows / 3)) : 4;
  return [{ list, top: 0, left: 0, width: columns, height }];
};
