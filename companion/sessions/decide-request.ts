/** Requests to the user, of the agent and of Pilotfish itself, in one way. Pure. */
import type { Command } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { EventBody } from '#protocol/events.ts';
import type { ItemId, RequestId } from '#protocol/ids.ts';
import type { RequestAnswer, RequestBody, RequestOption } from '#protocol/requests.ts';
import { runningTurn } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';
import type { Decision, Effect, Facts, SessionState } from './decision.ts';

/** A question of Pilotfish itself belongs to the turn that runs. With the turn of an agent it is withdrawn; calls of an outside client go on over turns. */
export const openRequest = (
  { view }: SessionState,
  { requestId, itemId, request }: { requestId: RequestId; itemId: ItemId | null; request: RequestBody },
): EventBody => ({
  type: 'request.opened',
  turnId: runningTurn(view)?.turnId ?? null,
  requestId,
  ...(itemId === null ? {} : { itemId }),
  request,
  origin: 'companion',
});

/** A request of the agent. What a background task asks stays open when the turn ends. */
export const openAgentRequest = (
  { work }: SessionState,
  asked: { requestId: RequestId; itemId: ItemId | null; isInBackground: boolean; request: RequestBody },
): EventBody => ({
  type: 'request.opened',
  turnId: asked.isInBackground ? null : (work.turn?.turnId ?? null),
  requestId: asked.requestId,
  ...(asked.itemId === null ? {} : { itemId: asked.itemId }),
  request: asked.request,
  origin: 'agent',
});

/** Nobody waits for the answer any more; `by` says why. */
export const withdrawRequest = (state: SessionState, requestId: RequestId, by: string): Decision => {
  const { events, effects } = withdrawAll([requestId], by);
  return { work: state.work, events, effects };
};

export const withdrawAll = (requestIds: readonly RequestId[], by: string): { events: EventBody[]; effects: Effect[] } => ({
  events: requestIds.map((requestId) => ({ type: 'request.resolved', requestId, outcome: 'withdrawn', by })),
  effects: requestIds.map((requestId) => ({ type: 'request.tell', requestId, answer: null })),
});

/** Throws REQUEST_RESOLVED for a request that is over, REQUEST_NOT_FOUND for one that never existed. */
export const answerRequest = (state: SessionState, command: Extract<Command, { type: 'request.answer' }>, facts: Facts): Decision => {
  const { requestId } = command;
  const open = state.view.requests.find((request) => request.requestId === requestId);
  if (open === undefined) {
    const end = facts.endOfRequest(requestId);
    throw end === null ? new CompanionError('REQUEST_NOT_FOUND', requestId) : new CompanionError('REQUEST_RESOLVED', ENDS[end]);
  }
  const option = open.request.options.find((candidate) => candidate.optionId === command.answer.optionId);
  if (option === undefined) {
    const known = open.request.options.map((candidate) => candidate.optionId).join(', ');
    throw new CompanionError('INPUT_INVALID', explain('no_such_option', { answer: command.answer.optionId, options: known }));
  }
  const { text, answers } = command.answer;
  const answer: RequestAnswer = {
    optionId: option.optionId,
    ...(text === undefined ? {} : { text }),
    ...(answers === undefined ? {} : { answers }),
  };
  return {
    work: state.work,
    events: [{ type: 'request.resolved', requestId, outcome: outcomeOf(option), ...answer, by: command.by }],
    effects: [{ type: 'watch.feed' }, { type: 'request.tell', requestId, answer }],
  };
};

const ENDS = {
  answered: explain('answered_already'),
  withdrawn: explain('was_withdrawn'),
};

const outcomeOf = (option: RequestOption): 'allowed' | 'denied' | 'answered' => {
  switch (option.kind) {
    case 'allow_once':
    case 'allow_session':
    case 'allow_always':
      return 'allowed';
    case 'reject':
      return 'denied';
    case 'choice':
      return 'answered';
  }
};
