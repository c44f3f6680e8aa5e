/** What a report of the agent means for a session as it stands. Pure. */
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody } from '#protocol/events.ts';
import type { TurnId } from '#protocol/ids.ts';
import { isMoment } from '#protocol/moment.ts';
import type { NoticeSaying } from '#protocol/items.ts';
import type { SessionView } from '#protocol/view.ts';
import { openAgentRequest, withdrawRequest } from './decide-request.ts';
import { addSpent, reachedRounds } from './budget.ts';
import { beginUnaskedTurn, checkBudget, endTurn, failIf, failTurn } from './decide-turn.ts';
import { andThen, type Decision, type Effect, type Facts, nothing, type Report, type SessionState, told, type Work } from './decision.ts';

/** The turn that a report belongs to. What an agent says between two turns belongs to the earlier one. */
export const homeTurn = (work: Work, view: SessionView): TurnId | null =>
  work.turn?.turnId ?? view.turns.findLast((turn) => turn.status !== 'queued')?.turnId ?? null;

export const decideReport = (state: SessionState, report: Report, facts: Facts): Decision => {
  if (state.work.mustRest && beginsWork(state, report)) return endUnwantedWork(state, report);
  switch (report.type) {
    case 'ready':
      return state.view.run.state === 'ready' ? nothing(state) : told(state, { type: 'run.changed', state: 'ready' });
    case 'bound':
      return state.view.engineSessionId === report.engineSessionId
        ? nothing(state)
        : told(state, { type: 'session.bound', engineSessionId: report.engineSessionId });
    case 'items':
      return takeItems(state, report, facts);
    case 'items.flood': {
      const detail = `It began more than ${report.limit} steps in one turn.`;
      return failTurn(state, new CompanionError('ENGINE_OUTPUT_MALFORMED', detail).toBody(), facts);
    }
    case 'request.opened':
      return told(state, openAgentRequest(state, report));
    case 'request.withdrawn':
      return withdrawRequest(state, report.requestId, 'the agent');
    case 'usage.updated':
      return noteUsage(state, report, facts);
    case 'retrying':
      return told(state, {
        type: 'run.changed',
        state: 'retrying',
        text: report.text,
        ...(isMoment(report.retryAt) ? { retryAt: report.retryAt } : {}),
      });
    case 'settings.changed':
      return told(state, { type: 'session.updated', settings: report.settings });
    case 'notice':
      return told(state, ...notice(state, report, facts));
    case 'turn.started':
      // Where the user's words would stand, a notice says why the agent goes on.
      return andThen(state, beginUnaskedTurn(state, report.reason, facts), (next) =>
        told(next, ...notice(next, { level: 'info', text: report.reason }, facts)),
      );
    case 'turn.completed':
      // As long as the agent does not have the prompt, it can only be the end of a turn that the agent began by itself.
      return state.work.turn?.isSent === true ? endTurn(state, report.outcome, report.error ?? null, facts) : nothing(state);
  }
};

/** This report comes often, so nothing that takes time is looked at here. */
const takeItems = (state: SessionState, { events, rounds }: Extract<Report, { type: 'items' }>, facts: Facts): Decision => {
  const isBack = state.view.run.state === 'retrying';
  const taken = told(state, ...(isBack ? [{ type: 'run.changed', state: 'ready' } satisfies EventBody] : []), ...events);
  const reached = reachedRounds(state, rounds);
  return reached === null ? taken : andThen(state, taken, (next) => failIf(next, reached, facts));
};

const noteUsage = (state: SessionState, { usage, spent }: Extract<Report, { type: 'usage.updated' }>, facts: Facts): Decision => {
  const { turn } = state.work;
  const work = turn === null ? state.work : { ...state.work, turn: { ...turn, spent: addSpent(turn.spent, spent) } };
  const used: Decision = { ...told(state, { type: 'usage.updated', turnId: turn?.turnId ?? null, usage, spent }), work };
  return andThen(state, used, (next) => checkBudget(next, spent, facts));
};

/** Whether the agent begins something although its turn was stopped. Work in the background does not count. */
const beginsWork = ({ openItems }: SessionState, report: Report): boolean => {
  if (report.type === 'turn.started') return true;
  if (report.type === 'request.opened') return !report.isInBackground;
  if (report.type !== 'items') return false;
  const begun = report.events.find((event) => event.type === 'item.started');
  return begun !== undefined && openItems().some(({ itemId, outlivesTurn }) => itemId === begun.itemId && !outlivesTurn);
};

/** What the agent has begun was not logged, and never will be. */
const endUnwantedWork = (state: SessionState, report: Report): Decision => ({
  ...nothing(state),
  effects: [
    { type: 'run.kill' },
    { type: 'items.endTurn' },
    ...(report.type === 'request.opened' ? [{ type: 'request.tell', requestId: report.requestId, answer: null } satisfies Effect] : []),
  ],
});

const notice = (
  { work, view }: SessionState,
  { level, text, saying, code }: { level: 'info' | 'warning' | 'error'; text: string; saying?: NoticeSaying; code?: string },
  facts: Facts,
): EventBody[] => {
  const turnId = homeTurn(work, view);
  if (turnId === null) return [];
  const place = { turnId, itemId: facts.newItemId() };
  return [
    {
      type: 'item.started',
      ...place,
      item: { kind: 'notice', level, text, ...(saying === undefined ? {} : { saying }), ...(code === undefined ? {} : { code }) },
    },
    { type: 'item.completed', ...place, status: 'completed' },
  ];
};
