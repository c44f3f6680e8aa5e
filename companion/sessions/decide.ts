/** The one place where it is decided what a command, a report of the agent or the time means for a session as it stands. Pure. */
import { beginning } from '#protocol/beginning.ts';
import type { Command, Prompt } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import { defaultSettings, type EventBody, type LoggedPrompt, type SessionSettings } from '#protocol/events.ts';
import { ItemId, type TurnId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import { notice } from '#protocol/notices.ts';
import { backgroundTasks, mergeDefined, queuedTurns, runningTurn, type SessionView } from '#protocol/view.ts';
import { beginCall, endCall, makeCall } from './decide-call.ts';
import type { Worktree } from '#protocol/work.ts';
import { explain } from '#protocol/faults.ts';
import { decideReport } from './decide-report.ts';
import { answerRequest, openRequest, withdrawRequest } from './decide-request.ts';
import {
  beginQueuedTurn,
  beginTurn,
  cancelTurn,
  checkDay,
  closeOpen,
  forceEnd,
  hasSpoken,
  promptIsReady,
  runFailed,
  runHasEnded,
  steerTurn,
  stopTurn,
  tellOfSilence,
  tellOfTimeout,
  turnIsTooLong,
  userMessage,
} from './decide-turn.ts';
import { andThen, type Decision, type Effect, type Facts, type Input, nothing, type SessionState, told } from './decision.ts';
import { needsRestart } from './needs-restart.ts';

/** Throws a CompanionError when a command cannot be carried out. */
export const decide = (state: SessionState, input: Input, facts: Facts): Decision => {
  switch (input.type) {
    case 'command':
      return decideCommand(state, input, facts);
    case 'worktree':
      return told(state, { type: 'session.worktree', worktree: input.worktree });
    case 'report':
      return decideReport(state, input.report, facts);
    case 'run.starting':
      return told(state, { type: 'run.changed', state: 'starting' });
    case 'run.ready':
      return promptIsReady(state, input.turnId, facts);
    case 'run.failed':
      return runFailed(state, input, facts);
    case 'run.spoke':
      return hasSpoken(state);
    case 'run.ended':
      return runHasEnded(state, input, facts);
    case 'watch.quiet':
      return tellOfSilence(state, input);
    case 'watch.hung':
      return tellOfTimeout(state, facts);
    case 'watch.overtime':
      return turnIsTooLong(state, input.limitMs, facts);
    case 'day.spent':
      return checkDay(state, facts);
    case 'timer':
      return input.timer === 'grace' ? forceEnd(state, facts) : { ...nothing(state), work: { ...state.work, mustRest: false } };
    case 'queue.next':
      return beginQueuedTurn(state, facts);
    case 'ask':
      return told(state, openRequest(state, input));
    case 'ask.placed':
      return told(state, { type: 'request.placed', requestId: input.requestId, itemId: input.itemId });
    case 'ask.withdrawn':
      return withdrawRequest(state, input.requestId, 'the call was cancelled');
    case 'proof':
      return noteProof(state, input, facts);
    case 'call.started':
      return beginCall(state, input, facts);
    case 'call.ended':
      return endCall(state, input, facts);
    case 'call.made':
      return makeCall(state, input, facts);
    case 'stop':
      return stopTurn(state, input.outcome, facts);
    case 'close':
      return closeOpen(state);
  }
};

/** Changes nothing when the command was carried out before. Throws a CompanionError when it cannot be carried out. */
const decideCommand = (
  state: SessionState,
  { command, attachments, isHeld = false, worktree = null }: Extract<Input, { type: 'command' }>,
  facts: Facts,
): Decision => {
  switch (command.type) {
    case 'session.create':
      return createSession(state, command, worktree);
    case 'session.update':
      return updateSession(state, command, facts);
    case 'session.reset':
      if (runningTurn(state.view) !== undefined) throw new CompanionError('SESSION_BUSY');
      return {
        work: state.work,
        events: [{ type: 'session.reset' }, { type: 'session.bound', engineSessionId: null }],
        effects: [{ type: 'run.end' }],
      };
    case 'session.seen':
      return isNews(state.view) ? told(state, { type: 'session.seen' }) : nothing(state);
    case 'session.restore':
      // Otherwise one that is old would be deleted again.
      return told(state, { type: 'session.seen' });
    case 'session.delete':
    case 'session.fork':
      // These are about the session as a whole, and nothing of them is in its log.
      return nothing(state);
    case 'turn.start':
      return isHeld ? holdTurn(state, command, attachments, facts) : startTurn(state, command, attachments, facts);
    case 'message.add':
      return addMessage(state, command, facts);
    case 'turn.cancel':
      return cancelTurns(state, command.turnId, facts);
    case 'task.stop':
      // No event is logged, because the agent itself says when the task has ended.
      if (!backgroundTasks(state.view).some(({ itemId }) => itemId === command.itemId))
        throw new CompanionError('TASK_NOT_RUNNING', command.itemId);
      return { ...nothing(state), effects: [{ type: 'run.stopTask', itemId: command.itemId }] };
    case 'request.answer':
      return answerRequest(state, command, facts);
  }
};

const createSession = (state: SessionState, command: Extract<Command, { type: 'session.create' }>, worktree: Worktree | null): Decision =>
  told(
    state,
    {
      type: 'session.created',
      projectId: command.projectId,
      engine: command.engine,
      name: command.name ?? '',
      kind: command.kind ?? 'agent',
      settings: mergeDefined(defaultSettings, command.settings ?? {}),
    },
    ...(worktree === null ? [] : [{ type: 'session.worktree', worktree } satisfies EventBody]),
  );

const updateSession = (state: SessionState, command: Extract<Command, { type: 'session.update' }>, facts: Facts): Decision => {
  const { name, projectId, settings, isArchived, isPinned } = command;
  if (projectId !== undefined && runningTurn(state.view) !== undefined) throw new CompanionError('SESSION_BUSY');
  const event: EventBody = {
    type: 'session.updated',
    ...(name === undefined ? {} : { name }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(settings === undefined ? {} : { settings }),
    ...(isArchived === undefined ? {} : { isArchived }),
    ...(isPinned === undefined ? {} : { isPinned }),
  };
  if (settings === undefined && projectId === undefined) return told(state, event);
  const before = state.view.settings;
  const mustRestart = projectId !== undefined || needsRestart(before, settings ?? {}, facts.engine());
  return { ...told(state, event), effects: configure(state, mergeDefined(before, settings ?? {}), mustRestart) };
};

/** A turn that runs must not go on in a mode that the user has left, even when the process is to be replaced after it. */
const configure = ({ work }: SessionState, settings: SessionSettings, mustRestart: boolean): Effect[] => {
  if (work.turn === null) return [mustRestart ? { type: 'run.end' } : { type: 'run.configure', settings }];
  return [{ type: 'run.configure', settings }, { type: 'watch.renew' }, ...(mustRestart ? [{ type: 'run.expire' } satisfies Effect] : [])];
};

const startTurn = (
  state: SessionState,
  command: Extract<Command, { type: 'turn.start' }>,
  attachments: readonly AttachmentRef[],
  facts: Facts,
): Decision => {
  const { view } = state;
  checkIsAgents(view);
  const turnId = command.turnId ?? facts.newTurnId();
  const prompt = toLogged(command.prompt, attachments);
  const running = runningTurn(view);
  if (running?.status === 'running' && command.delivery === 'steer' && facts.engine().canSteer) {
    // The message gets the id of the command, so that a repeated command is recognised.
    const message = userMessage(running.turnId, ItemId.parse(turnId), prompt);
    return andThen(state, told(state, ...message), (next) => steerTurn(next, running.turnId, prompt));
  }
  const queued = told(state, { type: 'turn.queued', turnId, prompt }, ...takeOut(view));
  if (running !== undefined) return queued;
  // Prompts that waited while the daemon was down go first.
  if (queuedTurns(view).length > 0) return andThen(state, queued, (next) => beginQueuedTurn(next, facts));
  return andThen(state, told(state, ...nameFrom(view, prompt), ...takeOut(view)), (next) => beginTurn(next, turnId, prompt, facts));
};

const toLogged = ({ text, displayText, budget }: Prompt, attachments: readonly AttachmentRef[]): LoggedPrompt => ({
  text,
  ...(displayText === undefined ? {} : { displayText }),
  attachments: [...attachments],
  ...(budget === undefined ? {} : { budget }),
});

/** Another session works in the folder: the prompt waits, like one that waits for the turn before. */
const holdTurn = (
  state: SessionState,
  command: Extract<Command, { type: 'turn.start' }>,
  attachments: readonly AttachmentRef[],
  facts: Facts,
): Decision => {
  checkIsAgents(state.view);
  const { turnId = facts.newTurnId() } = command;
  const prompt = toLogged(command.prompt, attachments);
  return told(state, ...nameFrom(state.view, prompt), { type: 'turn.queued', turnId, prompt }, ...takeOut(state.view));
};

/** A turn of its own that nobody asked for, and that is over at once: what another program writes never counts as the person's prompt. */
const addMessage = (state: SessionState, command: Extract<Command, { type: 'message.add' }>, facts: Facts): Decision => {
  const { turnId, item } = command;
  checkIsAgents(state.view);
  if (facts.wasSaid(turnId)) return nothing(state);
  if (runningTurn(state.view) !== undefined) throw new CompanionError('SESSION_BUSY');
  const itemId = ItemId.parse(turnId);
  const said = told(
    state,
    { type: 'turn.started', turnId, prompt: { text: '', attachments: [] } },
    { type: 'item.started', turnId, itemId, item },
    { type: 'item.completed', turnId, itemId, status: 'completed' },
    { type: 'turn.completed', turnId, outcome: 'completed', durationMs: 0, isAdded: true },
  );
  return { ...said, effects: [{ type: 'turn.ended', turnId }] };
};

const checkIsAgents = (view: SessionView): void => {
  if (view.kind !== 'client') return;
  throw new CompanionError('ENGINE_UNSUPPORTED', explain('client_session_prompt'));
};

/** It stands at the end of its turn. Once another one has begun, nobody looks for it there any more. */
const noteProof = (state: SessionState, { turnId, proof }: Extract<Input, { type: 'proof' }>, facts: Facts): Decision => {
  if (state.view.turns.findLast(({ status }) => status !== 'queued')?.turnId !== turnId) return nothing(state);
  const isBroken = proof.buildError !== undefined;
  const place = { turnId, itemId: facts.newItemId() };
  const said = notice(isBroken ? 'page_broken' : `page_${proof.outcome}`, { host: hostOf(proof.url) });
  return told(
    state,
    { type: 'item.started', ...place, item: { kind: 'notice', level: isBroken ? 'warning' : 'info', ...said, proof } },
    { type: 'item.completed', ...place, status: 'completed' },
  );
};

const hostOf = (url: string): string => /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? '';

/** A session that was put away and is gone on with is wanted in the list again. */
const takeOut = ({ isArchived }: SessionView): EventBody[] => (isArchived ? [{ type: 'session.updated', isArchived: false }] : []);

/** Whether something was said or done since the person last looked. */
const isNews = ({ items, turns, seenAt }: SessionView): boolean => {
  const turn = turns.at(-1);
  return Math.max(items.at(-1)?.at ?? 0, turn === undefined ? 0 : turn.startedAt + (turn.durationMs ?? 0)) > seenAt;
};

const NAME_CHARS = 60;

/** A session without a name gets the first line of its first prompt as its name; a name that a person gave stays. */
const nameFrom = (view: SessionView, prompt: LoggedPrompt): EventBody[] => {
  if (view.name !== '' || view.turns.length > 0) return [];
  const [line = ''] = (prompt.displayText ?? prompt.text).trim().split('\n', 1);
  const name = beginning(line, NAME_CHARS).trim();
  return name === '' ? [] : [{ type: 'session.updated', name }];
};

/**
 * Without `turnId` it cancels the turn that runs and all that wait. For a turn that has ended it does nothing: stopping twice
 * is no error.
 */
const cancelTurns = (state: SessionState, turnId: TurnId | undefined, facts: Facts): Decision => {
  const turn = state.view.turns.find((candidate) => candidate.turnId === turnId);
  if (turnId !== undefined && turn === undefined) throw new CompanionError('TURN_NOT_FOUND', turnId);
  const targets = turn === undefined ? state.view.turns : [turn];
  const unqueued = targets
    .filter(({ status }) => status === 'queued')
    .map((queued): EventBody => ({ type: 'turn.unqueued', turnId: queued.turnId }));
  const running = targets.findLast(({ status }) => status === 'running' || status === 'cancelling');
  return andThen(state, told(state, ...unqueued), (next) => (running === undefined ? nothing(next) : cancelTurn(next, running, facts)));
};
