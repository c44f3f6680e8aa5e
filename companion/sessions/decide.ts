/** Commands to events, without I/O: the one place that says what a command means for a session as it stands. */
import type { Command } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import { defaultSettings, type EventBody, type LoggedPrompt, type SessionSettings } from '#protocol/events.ts';
import { ItemId, type TurnId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { RequestAnswer, RequestOption } from '#protocol/requests.ts';
import { backgroundTasks, queuedTurns, runningTurn, type SessionView, type ViewTurn } from '#protocol/view.ts';

/** What a decision needs from outside: fresh ids, the time, what the engine can, where the prompt's attachments were kept. */
export interface Make {
  turnId(): TurnId;
  itemId(): ItemId;
  readonly now: number;
  readonly canSteer: boolean;
  readonly attachments: readonly AttachmentRef[];
}

/** The events that carry the command out; none when it was carried out before. Throws a CompanionError when it cannot be. */
export const decide = (view: SessionView, command: Command, make: Make): EventBody[] => {
  switch (command.type) {
    case 'session.create':
      return [
        {
          type: 'session.created',
          projectId: command.projectId,
          engine: command.engine,
          name: command.name ?? '',
          kind: command.kind ?? 'agent',
          settings: mergeSettings(defaultSettings, command.settings ?? {}),
        },
      ];
    case 'session.update':
      if (command.projectId !== undefined && runningTurn(view) !== undefined) throw new CompanionError('SESSION_BUSY');
      return [
        {
          type: 'session.updated',
          ...(command.name === undefined ? {} : { name: command.name }),
          ...(command.projectId === undefined ? {} : { projectId: command.projectId }),
          ...(command.settings === undefined ? {} : { settings: command.settings }),
        },
      ];
    case 'session.reset':
      if (runningTurn(view) !== undefined) throw new CompanionError('SESSION_BUSY');
      return [{ type: 'session.reset' }, { type: 'session.bound', engineSessionId: null }];
    case 'session.delete':
      return [];
    case 'turn.start':
      return startTurn(view, command, make);
    case 'turn.cancel':
      return cancelTurn(view, command.turnId);
    case 'task.stop':
      // Nothing to record: its end comes from the engine.
      if (!backgroundTasks(view).some(({ itemId }) => itemId === command.itemId))
        throw new CompanionError('TASK_NOT_RUNNING', command.itemId);
      return [];
    case 'request.answer':
      return [answerRequest(view, command)];
  }
};

/** The events that start the oldest queued turn, if one waits. */
export const startQueued = (view: SessionView, make: Pick<Make, 'itemId'>): EventBody[] => {
  const [next] = queuedTurns(view);
  return next === undefined ? [] : startEvents(next.turnId, next.prompt, make);
};

const startTurn = (view: SessionView, command: Extract<Command, { type: 'turn.start' }>, make: Make): EventBody[] => {
  if (view.kind === 'client')
    throw new CompanionError('ENGINE_UNSUPPORTED', 'This session belongs to an outside MCP client, which has its own prompt.');
  const turnId = command.turnId ?? make.turnId();
  if (isKnown(view, turnId)) return [];
  const prompt: LoggedPrompt = {
    text: command.prompt.text,
    ...(command.prompt.displayText === undefined ? {} : { displayText: command.prompt.displayText }),
    attachments: [...make.attachments],
  };
  const named = nameFrom(view, prompt);
  const running = runningTurn(view);
  if (running?.status === 'running' && command.delivery === 'steer' && make.canSteer) {
    // The id of the command becomes the message's, so that a repetition is recognised.
    return userMessage(running.turnId, ItemId.parse(turnId), prompt);
  }
  if (running !== undefined) return [{ type: 'turn.queued', turnId, prompt }];
  // Turns that waited while the daemon was down go first.
  if (queuedTurns(view).length > 0) return [{ type: 'turn.queued', turnId, prompt }, ...startQueued(view, make)];
  return [...named, ...startEvents(turnId, prompt, make)];
};

const NAME_CHARS = 60;

/** A session without a name is called by the first line of its first prompt; whoever renamed it is left alone. */
const nameFrom = (view: SessionView, prompt: LoggedPrompt): EventBody[] => {
  if (view.name !== '' || view.turns.length > 0) return [];
  const name = (prompt.displayText ?? prompt.text).trim().split('\n', 1)[0]?.slice(0, NAME_CHARS).trim() ?? '';
  return name === '' ? [] : [{ type: 'session.updated', name }];
};

const isKnown = (view: SessionView, turnId: TurnId): boolean =>
  view.turns.some((turn) => turn.turnId === turnId) || view.items.some((item) => item.itemId === ItemId.parse(turnId));

const startEvents = (turnId: TurnId, prompt: LoggedPrompt, make: Pick<Make, 'itemId'>): EventBody[] => [
  { type: 'turn.started', turnId, prompt },
  ...userMessage(turnId, make.itemId(), prompt),
];

const userMessage = (turnId: TurnId, itemId: ItemId, prompt: LoggedPrompt): EventBody[] => [
  {
    type: 'item.started',
    turnId,
    itemId,
    item: {
      kind: 'message',
      role: 'user',
      text: prompt.displayText ?? prompt.text,
      ...(prompt.attachments.length === 0 ? {} : { attachments: prompt.attachments }),
    },
  },
  { type: 'item.completed', turnId, itemId, status: 'completed' },
];

const cancelTurn = (view: SessionView, turnId: TurnId | undefined): EventBody[] => {
  if (turnId === undefined) return [...queuedTurns(view), ...[runningTurn(view) ?? []].flat()].flatMap(cancelEvents);
  const turn = view.turns.find((candidate) => candidate.turnId === turnId);
  if (turn === undefined) throw new CompanionError('TURN_NOT_FOUND', turnId);
  return cancelEvents(turn);
};

/** Nothing for a turn that ended or is ending: stopping twice is not an error. */
const cancelEvents = (turn: ViewTurn): EventBody[] => {
  if (turn.status === 'queued') return [{ type: 'turn.unqueued', turnId: turn.turnId }];
  return turn.status === 'running' ? [{ type: 'turn.cancelling', turnId: turn.turnId }] : [];
};

const answerRequest = (view: SessionView, command: Extract<Command, { type: 'request.answer' }>): EventBody => {
  const open = view.requests.find((request) => request.requestId === command.requestId);
  if (open === undefined) throw new CompanionError('REQUEST_NOT_FOUND', command.requestId);
  const option = open.request.options.find((candidate) => candidate.optionId === command.answer.optionId);
  if (option === undefined) {
    const known = open.request.options.map((candidate) => candidate.optionId).join(', ');
    throw new CompanionError('INPUT_INVALID', `"${command.answer.optionId}" is none of the options: ${known}.`);
  }
  const { text, answers }: RequestAnswer = command.answer;
  return {
    type: 'request.resolved',
    requestId: command.requestId,
    outcome: outcomeOf(option),
    optionId: option.optionId,
    ...(text === undefined ? {} : { text }),
    ...(answers === undefined ? {} : { answers }),
    by: command.by,
  };
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

const mergeSettings = (
  base: SessionSettings,
  change: { [K in keyof SessionSettings]?: SessionSettings[K] | undefined },
): SessionSettings => ({
  ...base,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
});
