/** The conversation of the shown session: items by turn, how each turn ended, and what waits behind it. */
import { backgroundTasks, queuedTurns, type SessionView, type ViewItem, type ViewTurn } from '#protocol/view.ts';
import { paint } from '../paint.ts';
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
    if (turn !== undefined && session.items[index + 1]?.turnId !== item.turnId) lines.push(...endLines(turn, columns));
  });
  if (session.items.length === 0 && session.seq > 0) lines.push('', paint('dim', 'Nothing was said yet: i writes a message.'));
  lines.push(...runLines(session, columns));
  const tasks = backgroundTasks(session).length;
  if (tasks > 0) lines.push('', paint('accent', fit(`${tasks} in the background: B stops ${tasks === 1 ? 'it' : 'them'}`, columns)));
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
  const text = outputs[item.itemId];
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

const endLines = ({ status, durationMs, error }: ViewTurn, columns: number): string[] => {
  const time = durationMs === null ? '' : ` after ${describeDuration(durationMs)}`;
  switch (status) {
    case 'completed':
      return ['', paint('dim', fit(`── done${time}`, columns))];
    case 'cancelled':
      return ['', paint('dim', fit(`── stopped${time}`, columns))];
    case 'interrupted':
      return ['', paint('warning', fit(`── interrupted${time}: send again to go on where it stopped`, columns))];
    case 'failed': {
      if (error === null) return ['', paint('error', `── failed${time}`)];
      return [
        '',
        ...wrap(cleanLine(`── failed: ${error.message}`), columns).map((line) => paint('error', line)),
        ...wrap(cleanLine(error.remedy), columns),
        ...(error.retryAt === undefined ? [] : [fit(`Try again after ${describeMoment(error.retryAt, Date.now())}.`, columns)]),
      ];
    }
    case 'queued':
    case 'running':
    case 'cancelling':
      return [];
  }
};

/** What the engine is at while nothing is written. */
const runLines = ({ status, run }: SessionView, columns: number): string[] => {
  if (status === 'stopping') return ['', paint('warning', 'stopping…')];
  if (run.state === 'retrying')
    return [
      '',
      ...wrap(`retrying: ${cleanLine(run.text ?? 'the provider did not answer')}`, columns).map((line) => paint('warning', line)),
    ];
  if (status === 'starting') return ['', paint('dim', fit(`starting… ${cleanLine(run.text ?? '')}`, columns))];
  return status === 'running' ? ['', paint('dim', 'working…')] : [];
};

/** 14:05 of the same day, otherwise with the day before it. */
export const describeMoment = (at: number, now: number): string => {
  const moment = new Date(at);
  const time = { hour: '2-digit', minute: '2-digit' } as const;
  if (moment.toDateString() === new Date(now).toDateString()) return moment.toLocaleTimeString('en-GB', time);
  return moment.toLocaleString('en-GB', { weekday: 'short', day: 'numeric', month: 'short', ...time });
};

/** A duration in the unit a person would use. */
export const describeDuration = (durationMs: number): string => {
  const seconds = durationMs / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
};
