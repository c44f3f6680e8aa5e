/** The conversation of the shown session: items by turn, how each turn ended, and what waits behind it. */
import { withCommand } from '#display/command-name.ts';
import { activityText, remedyText, turnEndText } from '#display/activity.ts';
import { withoutWaiting } from '#display/waiting.ts';
import { errorText } from '#display/error-text.ts';
import { labelText } from '#display/engines.ts';
import { isTurnError } from '#protocol/items.ts';
import { backgroundTasks, queuedTurns, type SessionView, type ViewItem, type ViewTurn } from '#protocol/view.ts';
import { isHomeless, isHomeMoved } from '../layout.ts';
import { paint } from '../paint.ts';
import { languageTag, say, t } from '../say.ts';
import type { TuiState } from '../state.ts';
import { cleanLine, fit, unpaintedIncludes, wrap } from '../text.ts';
import { itemLines } from './items.ts';
import { partsOf, type Parts } from './parts.ts';

const MAX_DEPTH = 3;

/** The name of what stands behind the last item. No item is called like that: it would have to have no name. */
const TAIL = '';

/** The conversation: a part for each item, with the end of its turn, and one for what goes on and what waits. */
export const conversationParts = (state: TuiState, columns: number): Parts => {
  const { session } = state;
  if (session === null) return partsOf(1, () => emptyLines(state, columns));
  const { items } = session;
  const filter = (state.filters.conversation ?? '').toLowerCase();
  const engineLabel = cleanLine(labelText(state.engines.find(({ name }) => name === session.engine) ?? { label: session.engine }, say));
  const itemPart = (item: ViewItem, index: number): readonly string[] => {
    const look = { columns, isExpanded: state.isExpanded, engineLabel, depth: depthOf(items, index) };
    const own = isTurnError(item.body) ? [] : itemLines(withOutput(item, state), look);
    const shown = filter === '' || includesWords(own, filter) ? own : [];
    if (items[index + 1]?.turnId === item.turnId) return shown;
    const turn = turnsById(session.turns).get(item.turnId);
    return turn === undefined ? shown : [...shown, ...endLines(withoutWaiting(turn, session), columns, state.command)];
  };
  return {
    count: items.length + 1,
    key: (index) => items[index]?.itemId ?? TAIL,
    find: (key) => (key === TAIL ? items.length : items.findLastIndex(({ itemId }) => itemId === key)),
    lines: (index) => {
      const item = items[index];
      return item === undefined ? tailLines(state, session, engineLabel, columns) : itemPart(item, index);
    },
  };
};

const tailLines = (state: TuiState, session: SessionView, engineLabel: string, columns: number): string[] => {
  const lines: string[] = [];
  if (session.items.length === 0 && session.seq > 0) {
    const isWriting = state.focus === 'composer';
    lines.push('', paint('dim', isWriting ? t('Nothing was said yet.') : t('Nothing was said yet: <global i> writes a message.')));
  }
  // What the daemon was at when it was last heard of is no news.
  if (state.link === 'live') lines.push(...runLines(session, engineLabel, columns));
  if (isHomeless(state))
    lines.push('', ...wrap(`${say('project_gone')} ${t('<global P> chooses it.')}`, columns).map((line) => paint('warning', line)));
  else if (isHomeMoved(state)) lines.push('', paint('warning', fit(t('<global P> says where the folder of the project is now.'), columns)));
  const tasks = backgroundTasks(session).length;
  if (tasks > 0)
    lines.push(
      '',
      paint(
        'accent',
        fit(
          t(tasks === 1 ? '{tasks}: <global B> stops it' : '{tasks}: <global B> stops them', {
            tasks: say('background_count', { count: tasks }),
          }),
          columns,
        ),
      ),
    );
  for (const { prompt } of queuedTurns(session)) {
    lines.push(paint('dim', fit(t('queued: {text}', { text: cleanLine(prompt.displayText ?? prompt.text) }), columns)));
  }
  return lines;
};

const turnMaps = new WeakMap<readonly ViewTurn[], ReadonlyMap<string, ViewTurn>>();

const turnsById = (turns: readonly ViewTurn[]): ReadonlyMap<string, ViewTurn> => {
  const known = turnMaps.get(turns);
  if (known !== undefined) return known;
  const made = new Map(turns.map((turn) => [turn.turnId, turn]));
  turnMaps.set(turns, made);
  return made;
};

/** The last words that the lines were searched for, and whether they are in them. */
const searched = new WeakMap<readonly string[], { words: string; isFound: boolean }>();

const includesWords = (lines: readonly string[], words: string): boolean => {
  const known = searched.get(lines);
  if (known?.words === words) return known.isFound;
  const isFound = lines.some((line) => unpaintedIncludes(line, words));
  searched.set(lines, { words, isFound });
  return isFound;
};

const emptyLines = (state: TuiState, columns: number): string[] =>
  (state.link === 'connecting'
    ? ['', t('Connecting to the pilotfish daemon…')]
    : !state.isListed
      ? ['', t('Reading…')]
      : state.sessions.length === 0
        ? ['', t('No conversation yet.'), '', t('Press <global n> to begin one, <global w> for the welcome page, <global ?> for all keys.')]
        : ['', t('Choose a session on the left and press <sessions enter>, or press <global n> to begin a new one.')]
  ).flatMap((line) => wrap(line, columns));

/** A background task with what it has written so far. */
const withOutput = (item: ViewItem, { isExpanded, outputs }: TuiState): ViewItem => {
  const text = outputs.get(item.itemId);
  if (text === undefined || !isExpanded || item.status !== 'running' || item.body.kind !== 'tool') return item;
  return { ...item, body: { ...item.body, text } };
};

/** How deep an item is nested. A child of a child of a child is as deep as we draw. */
const depthOf = (items: readonly ViewItem[], index: number): number => {
  let depth = 0;
  for (let at = index; depth < MAX_DEPTH; depth += 1) {
    const parentId = items[at]?.parentItemId ?? null;
    if (parentId === null) break;
    at = items.findLastIndex(({ itemId }, place) => place < at && itemId === parentId);
  }
  return depth;
};

const endLines = (turn: ViewTurn, columns: number, command: string): string[] => {
  const text = turnEndText(say, turn);
  if (text === null) return [];
  const { status, error } = turn;
  const style = status === 'failed' ? 'error' : status === 'interrupted' ? 'warning' : 'dim';
  const problem = error === null ? null : errorText(error, say);
  const hint = status === 'interrupted' ? say('turn_interrupted_hint') : '';
  return [
    '',
    paint(style, fit(`── ${text}`, columns)),
    ...(error === null || problem === null
      ? wrap(hint, columns)
      : [
          ...wrap(cleanLine(`${problem.message} ${problem.detail}`.trim()), columns).map((line) => paint(style, line)),
          ...wrap(
            cleanLine(withCommand(remedyText(say, { ...error, remedy: problem.remedy }, Date.now(), languageTag()), command)),
            columns,
          ),
        ]),
  ].filter((line, index) => index === 0 || line !== '');
};

/** What the engine is at while nothing is written. */
const runLines = (view: SessionView, engineLabel: string, columns: number): string[] => {
  const text = cleanLine(activityText(say, view, engineLabel, Date.now()));
  if (text === '' || view.status === 'waiting') return [];
  const style = view.status === 'stopping' || view.run.state === 'retrying' ? 'warning' : 'dim';
  return ['', ...wrap(text, columns).map((line) => paint(style, line))];
};
