/** The conversation of the shown session: items by turn, how each turn ended, and what waits behind it. */
import { withCommand } from '#display/command-name.ts';
import { activityText, remedyText, turnEndText } from '#display/activity.ts';
import { backgroundTasks, queuedTurns, type SessionView, type ViewItem, type ViewTurn } from '#protocol/view.ts';
import { isHomeless } from '../layout.ts';
import { paint } from '../paint.ts';
import { LANGUAGE, say } from '../say.ts';
import type { TuiState } from '../state.ts';
import { cleanLine, fit, unpaintedIncludes, wrap } from '../text.ts';
import { itemLines } from './items.ts';

/** All lines of the conversation; the pane shows a window of them. */
export const conversationLines = (state: TuiState, columns: number): string[] => {
  const { session } = state;
  if (session === null) return emptyLines(state, columns);
  const filter = (state.filters.conversation ?? '').toLowerCase();
  const engineLabel = cleanLine(state.engines.find(({ name }) => name === session.engine)?.label ?? session.engine);
  const lines: string[] = [];
  const depths = depthsOf(session.items);
  const turns = new Map(session.turns.map((turn) => [turn.turnId, turn]));
  session.items.forEach((item, index) => {
    const own = itemLines(withOutput(item, state), {
      columns,
      isExpanded: state.isExpanded,
      engineLabel,
      depth: depths.get(item.itemId) ?? 0,
    });
    // One by one: a long message has more lines than a call can have arguments.
    if (filter === '' || own.some((line) => unpaintedIncludes(line, filter))) for (const line of own) lines.push(line);
    const turn = turns.get(item.turnId);
    if (turn !== undefined && session.items[index + 1]?.turnId !== item.turnId) lines.push(...endLines(turn, columns, state.command));
  });
  if (session.items.length === 0 && session.seq > 0) lines.push('', paint('dim', 'Nothing was said yet: i writes a message.'));
  // What the daemon was at when it was last heard of is no news.
  if (state.link === 'live') lines.push(...runLines(session, engineLabel, columns));
  if (isHomeless(state)) lines.push('', ...wrap(`${say('project_gone')} P chooses it.`, columns).map((line) => paint('warning', line)));
  const tasks = backgroundTasks(session).length;
  if (tasks > 0)
    lines.push('', paint('accent', fit(`${say('background_count', { count: tasks })}: B stops ${tasks === 1 ? 'it' : 'them'}`, columns)));
  for (const { prompt } of queuedTurns(session)) {
    lines.push(paint('dim', fit(`queued: ${cleanLine(prompt.displayText ?? prompt.text)}`, columns)));
  }
  return lines;
};

const emptyLines = (state: TuiState, columns: number): string[] =>
  (state.link === 'connecting'
    ? ['', 'Connecting to the pilotfish daemon…']
    : state.sessions.length === 0
      ? ['', 'No conversation yet.', '', 'Press n to begin one, w for the welcome page, ? for all keys.']
      : ['', 'Choose a session on the left and press Enter, or press n to begin a new one.']
  ).flatMap((line) => wrap(line, columns));

/** A background task with what it has written so far. */
const withOutput = (item: ViewItem, { isExpanded, outputs }: TuiState): ViewItem => {
  const text = outputs.get(item.itemId);
  if (text === undefined || !isExpanded || item.status !== 'running' || item.body.kind !== 'tool') return item;
  return { ...item, body: { ...item.body, text } };
};

const depthsOf = (items: readonly ViewItem[]): ReadonlyMap<string, number> => {
  const depths = new Map<string, number>();
  for (const { itemId, parentItemId } of items) {
    // A child of a child of a child is as deep as we draw.
    depths.set(itemId, parentItemId === null ? 0 : Math.min(3, (depths.get(parentItemId) ?? 0) + 1));
  }
  return depths;
};

const endLines = (turn: ViewTurn, columns: number, command: string): string[] => {
  const text = turnEndText(say, turn);
  if (text === null) return [];
  const { status, error } = turn;
  const style = status === 'failed' ? 'error' : status === 'interrupted' ? 'warning' : 'dim';
  const hint = status === 'interrupted' ? say('turn_interrupted_hint') : '';
  return [
    '',
    paint(style, fit(`── ${text}`, columns)),
    ...(error === null
      ? wrap(hint, columns)
      : [
          ...wrap(cleanLine(error.message), columns).map((line) => paint(style, line)),
          ...wrap(cleanLine(withCommand(remedyText(say, error, Date.now(), LANGUAGE), command)), columns),
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
