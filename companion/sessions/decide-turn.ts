/** The life of a turn: from the prompt to exactly one end, whatever the agent, the user and the time do. Pure. */
import type { OpenItemFacts } from '#companion/runs/item-recorder.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { EventBody, LoggedPrompt, Spent } from '#protocol/events.ts';
import type { ItemId, TurnId } from '#protocol/ids.ts';
import type { ItemStatus } from '#protocol/items.ts';
import { queuedTurns, runningTurn, type ViewTurn } from '#protocol/view.ts';
import { explain } from '#protocol/faults.ts';
import { reachedDayLimit, reachedLimit } from './budget.ts';
import { withdrawAll } from './decide-request.ts';
import { andThen, type Decision, type Effect, type Facts, nothing, type RunningTurn, type SessionState, told } from './decision.ts';

/** How long an agent that was interrupted may take to end its turn before its process is ended: what was stopped is over within a second. */
const GRACE_MS = 600;
/** The same where a task in the background would end with the process, and the agent holds no message that it could go on with. */
const TASK_GRACE_MS = 2000;
/** How long an agent that was stopped must not begin anything by itself, when it may still take up a message that the user added. */
const REST_MS = 10_000;

const READY: EventBody = { type: 'run.changed', state: 'ready' };

/** The oldest prompt that waits becomes the turn that runs. */
export const beginQueuedTurn = (state: SessionState, facts: Facts): Decision => {
  const [next] = queuedTurns(state.view);
  return next === undefined ? nothing(state) : beginTurn(state, next.turnId, next.prompt, facts);
};

/** A prompt becomes the turn that runs: its run is opened, then it is sent. */
export const beginTurn = (state: SessionState, turnId: TurnId, prompt: LoggedPrompt, facts: Facts): Decision => ({
  work: { ...state.work, turn: newTurn(turnId, prompt, facts), mustRest: false },
  events: [{ type: 'turn.started', turnId, prompt }, ...userMessage(turnId, facts.newItemId(), prompt)],
  effects: [
    { type: 'turn.begun' },
    // The agent may still hold a message of the turn that was stopped; a task in the background is worth that risk.
    ...(state.work.mustRest && !hasBackgroundTask(state) ? [{ type: 'run.kill' } satisfies Effect] : []),
    { type: 'timer.stop', timer: 'rest' },
    { type: 'run.open', turnId },
  ],
});

/** The agent goes on without having been asked. When a prompt is on its way already, what it says belongs to that turn. */
export const beginUnaskedTurn = (state: SessionState, reason: string, facts: Facts): Decision => {
  if (state.work.turn !== null) return nothing(state);
  const turnId = facts.newTurnId();
  const prompt: LoggedPrompt = { text: '', displayText: reason, attachments: [] };
  return {
    work: { ...state.work, turn: { ...newTurn(turnId, prompt, facts), isSent: true, hasOutput: true }, mustRest: false },
    events: [{ type: 'turn.started', turnId, prompt }],
    effects: [{ type: 'watch.start' }],
  };
};

const newTurn = (turnId: TurnId, prompt: LoggedPrompt, facts: Facts): RunningTurn => ({
  turnId,
  prompt,
  startedAt: facts.clock(),
  isSent: false,
  hasOutput: false,
  wasRepeated: false,
  steers: [],
  isCancelling: false,
  spent: {},
  error: null,
});

/** What the user said, as it stands in the conversation. */
export const userMessage = (turnId: TurnId, itemId: ItemId, prompt: LoggedPrompt): EventBody[] => [
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

/** The run takes prompts: the prompt of the turn is sent, and after it what the user has added meanwhile. */
export const promptIsReady = (state: SessionState, turnId: TurnId, facts: Facts): Decision => {
  const { turn } = state.work;
  if (turn?.turnId !== turnId || turn.isSent) return nothing(state);
  return andThen(state, checkBudget(state, {}, facts), (checked) => {
    if (checked.work.turn === null) return nothing(checked);
    return {
      work: changed(checked, { isSent: true }),
      events: [],
      effects: [
        { type: 'watch.start' },
        { type: 'run.prompt', turnId, prompt: turn.prompt },
        ...turn.steers.map((prompt): Effect => ({ type: 'run.steer', turnId, prompt })),
      ],
    };
  });
};

/** The user adds to the turn that runs. */
export const steerTurn = (state: SessionState, turnId: TurnId, prompt: LoggedPrompt): Decision => {
  const { turn } = state.work;
  if (turn?.turnId !== turnId) return nothing(state);
  return {
    work: changed(state, { steers: [...turn.steers, prompt] }),
    events: [],
    effects: turn.isSent ? [{ type: 'run.steer', turnId, prompt }] : [],
  };
};

export const hasSpoken = (state: SessionState): Decision =>
  state.work.turn?.isSent === true ? { ...nothing(state), work: changed(state, { hasOutput: true }) } : nothing(state);

/** Stops the turn. At first the agent is asked to; after a while, or when the user asks again, its process is ended. */
export const cancelTurn = (state: SessionState, asked: ViewTurn, facts: Facts): Decision => {
  const { turn } = state.work;
  const cancelling: EventBody[] = asked.status === 'running' ? [{ type: 'turn.cancelling', turnId: asked.turnId }] : [];
  if (turn?.turnId !== asked.turnId) return told(state, ...cancelling);
  if (turn.isCancelling) return forceEnd(state, facts);
  const first = { work: changed(state, { isCancelling: true }), events: cancelling, effects: [] };
  return andThen(state, first, (next) => interrupt(next, facts));
};

/** The turn must not go on; it ends as failed with `error`. */
export const failTurn = (state: SessionState, error: ErrorBody, facts: Facts): Decision => {
  const { turn } = state.work;
  if (turn === null || turn.error !== null || turn.isCancelling) return nothing(state);
  return andThen(state, { ...nothing(state), work: changed(state, { error }) }, (next) => interrupt(next, facts));
};

const interrupt = (state: SessionState, facts: Facts): Decision => {
  const { turn } = state.work;
  if (turn?.isSent !== true) return endTurn(state, 'cancelled', null, facts);
  const usualMs = hasBackgroundTask(state) && turn.steers.length === 0 ? TASK_GRACE_MS : GRACE_MS;
  const ms = Math.max(usualMs, facts.engine().stopTimeoutMs ?? 0);
  return { ...nothing(state), effects: [{ type: 'timer.start', timer: 'grace', ms }, { type: 'run.interrupt' }] };
};

/** The agent does not react. Its processes may take seconds to end, but the user's turn is over now. */
export const forceEnd = (state: SessionState, facts: Facts): Decision => {
  if (state.work.turn === null) return nothing(state);
  const killed: Decision = { work: changed(state, { steers: [] }), events: [], effects: [{ type: 'run.kill' }] };
  return andThen(state, killed, (next) => endTurn(next, 'cancelled', null, facts));
};

/** A turn that has reached a limit is stopped; `spent` is what the store does not know yet. */
export const checkBudget = (state: SessionState, spent: Spent, facts: Facts): Decision =>
  failIf(state, reachedLimit(state, spent, facts), facts);

/** All sessions together have used what they may today. */
export const checkDay = (state: SessionState, facts: Facts): Decision => failIf(state, reachedDayLimit({}, facts), facts);

export const failIf = (state: SessionState, error: ErrorBody | null, facts: Facts): Decision =>
  error === null ? nothing(state) : failTurn(state, error, facts);

/** Some agents repeat failed requests without reporting it. A running tool and a question to the user explain a silence. */
export const tellOfSilence = (state: SessionState, { silentMs, lastWords }: { silentMs: number; lastWords: string | null }): Decision => {
  if (isExcused(state)) return { ...nothing(state), effects: [{ type: 'watch.feed' }] };
  if (state.work.turn === null || state.view.run.state !== 'ready') return nothing(state);
  const said = lastWords === null ? '' : ` Its last message was: ${lastWords}`;
  return told(state, {
    type: 'run.changed',
    state: 'retrying',
    text: `Nothing has come from the agent for ${Math.round(silentMs / 1000)} s.${said}`,
  });
};

export const tellOfTimeout = (state: SessionState, facts: Facts): Decision =>
  isExcused(state)
    ? { ...nothing(state), effects: [{ type: 'watch.feed' }] }
    : failTurn(state, new CompanionError('ENGINE_HUNG').toBody(), facts);

export const turnIsTooLong = (state: SessionState, limitMs: number, facts: Facts): Decision =>
  failTurn(
    state,
    new CompanionError('ENGINE_TURN_TOO_LONG', explain('time_limit', { seconds: Math.round(limitMs / 1000) })).toBody(),
    facts,
  );

const isExcused = ({ view, openItems }: SessionState): boolean =>
  view.requests.length > 0 || openItems().some(({ isTool, outlivesTurn }) => isTool && !outlivesTurn);

const hasBackgroundTask = ({ openItems }: SessionState): boolean => openItems().some(({ outlivesTurn }) => outlivesTurn);

export const runFailed = (
  state: SessionState,
  { turnId, error, hasRun }: { turnId: TurnId; error: ErrorBody; hasRun: boolean },
  facts: Facts,
): Decision => {
  const stopped = state.view.run.state === 'starting' && !hasRun ? [{ type: 'run.changed', state: 'stopped' } satisfies EventBody] : [];
  return andThen(state, told(state, ...stopped), (next) =>
    next.work.turn?.turnId === turnId ? endTurn(next, 'failed', error, facts) : nothing(next),
  );
};

/** The process has ended, and with it its work in the background and its requests. */
export const runHasEnded = (
  state: SessionState,
  { error, isUnexpected }: { error: ErrorBody; isUnexpected: boolean },
  facts: Facts,
): Decision => {
  const background = state.openItems().filter(({ outlivesTurn }) => outlivesTurn);
  const asked = withdrawAll(state.agentRequests(), 'end of the agent');
  const ended: Decision = {
    work: { ...changed(state, { steers: isUnexpected ? (state.work.turn?.steers ?? []) : [] }), mustRest: false },
    events: [{ type: 'run.changed', state: 'stopped' }, ...close(background, isUnexpected ? 'failed' : 'cancelled'), ...asked.events],
    effects: [{ type: 'items.endRun' }, ...asked.effects],
  };
  return andThen(state, ended, (next) => {
    const { turn } = next.work;
    if (!isUnexpected || turn?.isSent !== true) return nothing(next);
    if (turn.hasOutput || turn.wasRepeated || turn.isCancelling || turn.error !== null) return endTurn(next, 'failed', error, facts);
    return repeatPrompt(next, turn.turnId);
  });
};

/** The process was already ending when the prompt came: nothing was done yet, so sending it again does nothing twice. */
const repeatPrompt = (state: SessionState, turnId: TurnId): Decision => ({
  work: changed(state, { isSent: false, wasRepeated: true }),
  events: [],
  effects: [{ type: 'watch.stop' }, { type: 'run.open', turnId }],
});

/**
 * A decision of the user or of Pilotfish counts more than what the agent says: some agents call an aborted request an error,
 * others a success.
 */
export const endTurn = (
  state: SessionState,
  outcome: 'completed' | 'cancelled' | 'failed',
  error: ErrorBody | null,
  facts: Facts,
): Decision => {
  const { turn } = state.work;
  if (turn === null) return nothing(state);
  if (turn.error !== null) return finish(state, turn, 'failed', turn.error, facts);
  if (turn.isCancelling || outcome === 'cancelled') return finish(state, turn, 'cancelled', null, facts);
  return finish(state, turn, outcome, outcome === 'failed' ? (error ?? new CompanionError('ENGINE_API_ERROR').toBody()) : null, facts);
};

/** The daemon or the session ends. */
export const stopTurn = (state: SessionState, outcome: 'cancelled' | 'interrupted', facts: Facts): Decision =>
  state.work.turn === null ? nothing(state) : finish(state, { ...state.work.turn, steers: [] }, outcome, null, facts);

/** Closes what the log shows as open. A turn is interrupted, and its partial text stays. */
export const closeOpen = (state: SessionState): Decision => {
  const { view } = state;
  const turn = runningTurn(view);
  return told(
    state,
    ...close(
      view.items.filter((item) => item.status === 'running'),
      'cancelled',
    ),
    ...withdrawAll(
      view.requests.map(({ requestId }) => requestId),
      'restart',
    ).events,
    ...(turn === undefined
      ? []
      : [
          {
            type: 'turn.completed',
            turnId: turn.turnId,
            // The user had already stopped the turn.
            outcome: turn.status === 'cancelling' ? 'cancelled' : 'interrupted',
            durationMs: Math.max(0, view.updatedAt - turn.startedAt),
          } satisfies EventBody,
        ]),
    ...(view.run.state === 'stopped' ? [] : [{ type: 'run.changed', state: 'stopped' } satisfies EventBody]),
  );
};

const finish = (
  state: SessionState,
  turn: RunningTurn,
  outcome: 'completed' | 'cancelled' | 'failed' | 'interrupted',
  error: ErrorBody | null,
  facts: Facts,
): Decision => {
  const { turnId } = turn;
  const open = state.openItems().filter(({ outlivesTurn }) => !outlivesTurn);
  const asked = withdrawAll(
    state.view.requests.filter((request) => request.turnId === turnId).map(({ requestId }) => requestId),
    'end of turn',
  );
  const mustRest = turn.isCancelling && turn.steers.length > 0;
  return {
    work: { ...state.work, turn: null, mustRest },
    events: [
      ...(state.view.run.state === 'retrying' ? [READY] : []),
      ...close(open, outcome === 'completed' || outcome === 'failed' ? outcome : 'cancelled'),
      ...asked.events,
      ...(error === null ? [] : whyItFailed(turnId, facts.newItemId(), error)),
      {
        type: 'turn.completed',
        turnId,
        outcome,
        ...(error === null ? {} : { error }),
        // Rounded up it would end after what is said of its end, and be news to who has just seen it.
        durationMs: Math.trunc(facts.clock() - turn.startedAt),
      },
    ],
    effects: [
      { type: 'watch.stop' },
      { type: 'timer.stop', timer: 'grace' },
      { type: 'items.endTurn' },
      ...asked.effects,
      ...(mustRest ? [{ type: 'timer.start', timer: 'rest', ms: REST_MS } satisfies Effect] : []),
      { type: 'turn.ended', turnId },
    ],
  };
};

/** The error of a turn as it stands in the conversation. */
const whyItFailed = (turnId: TurnId, itemId: ItemId, { message, code }: ErrorBody): EventBody[] => [
  { type: 'item.started', turnId, itemId, item: { kind: 'notice', level: 'error', text: message, code, endsTurn: true } },
  { type: 'item.completed', turnId, itemId, status: 'completed' },
];

const close = (items: readonly Pick<OpenItemFacts, 'turnId' | 'itemId'>[], status: ItemStatus): EventBody[] =>
  items.map(({ turnId, itemId }) => ({ type: 'item.completed', turnId, itemId, status }));

const changed = ({ work }: SessionState, change: Partial<RunningTurn>): SessionState['work'] =>
  work.turn === null ? work : { ...work, turn: { ...work.turn, ...change } };
