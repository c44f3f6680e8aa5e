/** The rows of the left lists: which there are, in which order, and which is selected. */
import { toMoment } from '#display/amounts.ts';
import { byAttention, byPlace, sessionTitle } from '#display/attention.ts';
import { byStatus, engineStatusText, labelText } from '#display/engines.ts';
import type { Admission } from '#protocol/admission.ts';
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { paint } from './paint.ts';
import { languageTag, say, t } from './say.ts';
import type { ListName, TuiState } from './state.ts';
import { cleanLine } from './text.ts';

export interface Row {
  readonly key: string;
  /** One column that shows the state at a glance. */
  readonly mark: string;
  readonly label: string;
  /** A text at the right edge, shown when there is room. */
  readonly detail: string;
}

/** Key of the row that stands for every project. */
const ALL_PROJECTS = 'all';

/** Key of the row that stands for the agents that are not installed; no agent has such a name. */
export const ABSENT_ENGINES = '-absent';

/** The rows of a list, filtered. */
export const rowsOf = (state: TuiState, list: ListName): Row[] => {
  const filter = (state.filters[list] ?? '').toLowerCase();
  return builders[list](state).filter(({ key, label }) => key === ALL_PROJECTS || label.toLowerCase().includes(filter));
};

/** Index of the selected row; the first when the selected one is gone. */
export const selectedIndex = (state: TuiState, list: ListName, rows: readonly Row[]): number =>
  Math.max(
    0,
    rows.findIndex(({ key }) => key === state.selected[list]),
  );

/** Key of the selected row. */
export const selectedKey = (state: TuiState, list: ListName): string | null => {
  const rows = rowsOf(state, list);
  return rows[selectedIndex(state, list, rows)]?.key ?? null;
};

/** The project whose sessions are listed; null for all. */
export const selectedProject = (state: TuiState): Project | null => state.projects.find(({ id }) => id === state.selected.projects) ?? null;

const projectRows = ({ projects, sessions }: TuiState): Row[] => [
  { key: ALL_PROJECTS, mark: ' ', label: t('All projects'), detail: String(sessions.length) },
  ...projects.map((project) => ({
    key: project.id,
    mark: ' ',
    label: cleanLine(project.name),
    detail: projectDetail(project, sessions),
  })),
];

/** How many sessions it has, and when somebody last worked there. */
const projectDetail = ({ id, lastActiveAt }: Project, sessions: readonly SessionSummary[]): string => {
  const count = sessions.filter(({ projectId }) => projectId === id).length;
  return [String(count), ...(lastActiveAt === undefined ? [] : [toMoment(Date.parse(lastActiveAt), Date.now(), languageTag())])].join(
    ' · ',
  );
};

/** Agents that are there, the usable ones first; all the others are one row, unless words are looked for. */
const engineRows = ({ engines, filters }: TuiState): Row[] => {
  const absent = absentEngines(engines);
  const isFolded = absent.length > 1 && (filters.engines ?? '') === '';
  const listed = isFolded ? engines.filter((engine) => !absent.includes(engine)) : engines;
  return [
    ...listed.toSorted(byStatus).map(engineRow),
    ...(isFolded
      ? [
          {
            key: ABSENT_ENGINES,
            mark: paint('dim', '–'),
            label: t(listed.length === 0 ? '{count} agents' : '{count} more agents', { count: absent.length }),
            detail: t('not installed'),
          },
        ]
      : []),
  ];
};

/** The agents that are not on this machine. */
export const absentEngines = (engines: readonly EngineInfo[]): EngineInfo[] => engines.filter(({ status }) => status === 'not_installed');

const engineRow = (engine: EngineInfo): Row => ({
  key: engine.name,
  mark: engineMark(engine),
  label: cleanLine(labelText(engine, say)),
  detail: engineDetail(engine),
});

const engineMark = ({ status }: EngineInfo): string => {
  switch (status) {
    case 'ready':
      return paint('ok', '●');
    case 'unchecked':
      return paint('dim', '○');
    case 'not_installed':
      return paint('dim', '–');
    case 'not_logged_in':
    case 'too_old':
      return paint('warning', '!');
    case 'failed':
      return paint('error', '✗');
  }
};

/** What an engine still needs, in two or three words, or the version of one that works. */
const engineDetail = (engine: EngineInfo): string =>
  cleanLine(engine.status === 'ready' && engine.version !== undefined ? engine.version : engineStatusText(say, engine).toLowerCase());

const sessionRows = (state: TuiState): Row[] => {
  const project = selectedProject(state);
  const listed = state.sessions.filter(({ projectId }) => project === null || projectId === project.id);
  return byPlace(byAttention(listed, state.seen)).map((session) => ({
    key: session.id,
    mark: sessionMark(session),
    label: `${session.isPinned === true ? '★ ' : ''}${cleanLine(sessionTitle(session) || say('new_session'))}`,
    detail: session.isArchived === true ? t('put away') : session.kind === 'client' ? t('MCP client') : cleanLine(session.engineName),
  }));
};

/** The state of a session in one sign. */
const sessionMark = ({ status, openRequests, lastOutcome }: SessionSummary): string => {
  if (openRequests > 0 || status === 'waiting') return paint('warning', '?');
  if (status !== 'idle') return paint('accent', '●');
  if (lastOutcome === 'failed') return paint('error', '✗');
  if (lastOutcome === 'interrupted' || lastOutcome === 'cancelled') return paint('dim', '■');
  return lastOutcome === 'completed' ? paint('ok', '✓') : ' ';
};

/** Key of the row of a browser that waits to be let in. */
const waitingKey = (id: string): string => `waiting:${id}`;

/** The browsers that wait to be let in. */
export const waitingBrowsers = ({ admissions }: TuiState): Admission[] =>
  admissions.filter(({ kind, state }) => kind === 'browser' && state === 'waiting');

/** The browser of a row, when it waits to be let in. */
export const waitingBrowserOf = (state: TuiState, key: string): Admission | undefined =>
  waitingBrowsers(state).find(({ id }) => waitingKey(id) === key);

const browserRows = (state: TuiState): Row[] => [
  ...waitingBrowsers(state).map(({ id, name }) => ({
    key: waitingKey(id),
    mark: paint('warning', '?'),
    label: cleanLine(name),
    detail: t('waits for you'),
  })),
  ...connectedRows(state),
];

const connectedRows = ({ browsers, browserSetups }: TuiState): Row[] => [
  ...browsers.map(({ browserId, name, label, toolCount }) => ({
    key: browserId,
    mark: paint('ok', '●'),
    label: cleanLine(label === '' || label === name ? name : `${name} · ${label}`),
    detail: t('{count tool|tools}', { count: toolCount }),
  })),
  // A browser that is connected under this name needs no second row.
  ...browserSetups
    .filter(({ name }) => !browsers.some((browser) => browser.name === name))
    .map(({ id, name, registration }) => ({
      key: `setup:${id}`,
      mark: registration === 'registered' ? paint('dim', '○') : paint('warning', '!'),
      label: name,
      detail: t(registration === 'registered' ? 'not connected' : registration === 'missing' ? 'not registered' : 'wrongly registered'),
    })),
];

const builders: Readonly<Record<ListName, (state: TuiState) => Row[]>> = {
  projects: projectRows,
  engines: engineRows,
  sessions: sessionRows,
  browsers: browserRows,
};
