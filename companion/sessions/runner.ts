/** Drives one session's engine and brings each turn to exactly one end. */
import type { EnginePrompt } from '#companion/engines/engine.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Store } from '#companion/store/store.ts';
import { CompanionError, type ErrorBody, toErrorBody } from '#protocol/errors.ts';
import type { TaskOutput } from '#protocol/api.ts';
import type { EventBody, LoggedPrompt, SessionSettings } from '#protocol/events.ts';
import { type ItemId, type RequestId, TurnId } from '#protocol/ids.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import { createEngineEvents } from './engine-events.ts';
import type { SessionLog } from './session-log.ts';
import { createLiveRun } from '#companion/runs/live-run.ts';
import { createRawBuffer } from '#companion/runs/raw-buffer.ts';
import type { Run, RunListener } from '#companion/runs/run.ts';
import type { WarmPool } from '#companion/runs/warm-pool.ts';
import { createWatchdog } from '#companion/runs/watchdog.ts';

/** How long an engine may take to stop by itself before its process is stopped. */
const INTERRUPT_GRACE_MS = 2000;

/** Far more than any task takes. */
const MAX_TURN_ITEMS = 10_000;

const READY: EventBody = { type: 'run.changed', state: 'ready' };
const QUIET = 'Nothing has come from the agent for a while; it may be repeating a failed request.';

export interface Runner {
  start(turnId: TurnId, prompt: LoggedPrompt): void;
  steer(turnId: TurnId, prompt: LoggedPrompt): void;
  /** Stops the turn: politely at first, by force after a while or when called again. */
  cancel(turnId: TurnId): void;
  answer(requestId: RequestId, answer: RequestAnswer): void;
  /** Ends a background task. */
  stopTask(itemId: ItemId): void;
  /** What a background task has written so far. */
  readTask(itemId: ItemId): Promise<TaskOutput>;
  /** `needsRestart`: the process was started with what has changed. */
  configure(settings: SessionSettings, needsRestart: boolean): void;
  /** The next turn gets a new process: what the engine is started with has changed. */
  renew(): void;
  /** Ends the run; a turn that is cut ends with `outcome`. Resolves when nothing is left. */
  stop(outcome: 'cancelled' | 'interrupted'): Promise<void>;
}

interface Turn {
  readonly turnId: TurnId;
  readonly prompt: LoggedPrompt;
  readonly startedAt: number;
  /** The engine has the prompt. */
  isSent: boolean;
  /** The engine has said something since. */
  hasOutput: boolean;
  wasRepeated: boolean;
  /** That the engine has begun. */
  items: number;
  isCancelling: boolean;
  /** Why it must not go on, when that is not the user's wish. */
  error: ErrorBody | null;
  graceTimer: NodeJS.Timeout | null;
}

/** The runner of the session behind `journal`. */
export const createRunner = (options: {
  journal: SessionLog;
  store: Store;
  log: Log;
  pool: WarmPool;
  open: (listener: RunListener) => Promise<Run>;
  canResume: () => boolean;
  onTurnEnd: () => void;
}): Runner => {
  const { journal, store, log } = options;
  const { sessionId } = journal;
  const raw = createRawBuffer(store, sessionId, log);
  let turn: Turn | null = null;

  const events = createEngineEvents({
    journal,
    log,
    turnId: () => turn?.turnId ?? null,
    onChange: () => checkBudget(),
    onTurnStarted: (reason) => startUnasked(reason),
    // Before the engine has the prompt it can only be the end of a turn of its own, which ran on in this one.
    onTurnCompleted: ({ outcome, error }) => {
      if (turn?.isSent === true) endTurn(outcome, error ?? null);
    },
  });
  const watchdog = createWatchdog({
    silenceMs: () => store.settings.current().hangMs,
    isExcused: () => journal.view().requests.length > 0 || events.hasOpenTool(),
    onQuiet: () => {
      if (journal.view().run.state === 'ready') journal.record([{ type: 'run.changed', state: 'retrying', text: QUIET }]);
    },
    onHung: () => failTurn(new CompanionError('ENGINE_HUNG').toBody()),
  });
  const live = createLiveRun({
    open: options.open,
    pool: options.pool,
    log,
    canSleep: () => turn === null && !events.hasBackgroundTask() && journal.view().requests.length === 0 && options.canResume(),
    onStarting: () => {
      events.startRun();
      journal.record([{ type: 'run.changed', state: 'starting' }]);
    },
    onEvent: (event) => {
      watchdog.feed();
      if (event.type !== 'item.started' || mayBegin()) events.take(event);
    },
    onLine: (line) => {
      watchdog.feed();
      if (turn?.isSent === true) turn.hasOutput = true;
      raw.add(line, turn?.turnId ?? null);
    },
    onEnd: (error, isUnexpected) => {
      journal.record([{ type: 'run.changed', state: 'stopped' }]);
      events.endRun(isUnexpected ? 'failed' : 'cancelled');
      // A run that dies before it has the prompt is started again, within limits.
      if (!isUnexpected || turn?.isSent !== true) return;
      if (turn.hasOutput || turn.wasRepeated || turn.isCancelling || turn.error !== null) endTurn('failed', error);
      else repeat(turn);
    },
  });

  /** The engine goes on without having been asked. When a prompt is on its way already, it speaks in that turn. */
  const startUnasked = (reason: string): void => {
    if (turn !== null) return;
    const turnId = TurnId.parse(randomId('turn'));
    const prompt: LoggedPrompt = { text: '', displayText: reason, attachments: [] };
    turn = { ...newTurn(turnId, prompt), isSent: true, hasOutput: true };
    watchdog.start();
    journal.record([{ type: 'turn.started', turnId, prompt }]);
  };
  const finishTurn = (outcome: 'completed' | 'cancelled' | 'failed' | 'interrupted', error: ErrorBody | null): void => {
    const ended = turn;
    if (ended === null) return;
    turn = null;
    watchdog.stop();
    if (ended.graceTimer !== null) clearTimeout(ended.graceTimer);
    journal.record([
      ...(journal.view().run.state === 'retrying' ? [READY] : []),
      ...events.closeTurn(ended.turnId, outcome === 'completed' || outcome === 'failed' ? outcome : 'cancelled'),
      {
        type: 'turn.completed',
        turnId: ended.turnId,
        outcome,
        ...(error === null ? {} : { error }),
        durationMs: Math.round(performance.now() - ended.startedAt),
      },
    ]);
    // Compressed only now: the user waits for the end, nobody for the copy.
    raw.flush(ended.turnId);
    options.onTurnEnd();
    // Last: a prompt that waited has begun by now, and its process is not put to sleep.
    live.touch();
  };
  /** What the user or we decided beats what the engine says: to some an aborted request is an error, to others a success. */
  const endTurn = (outcome: 'completed' | 'cancelled' | 'failed', error: ErrorBody | null): void => {
    if (turn === null) return;
    if (turn.error !== null) finishTurn('failed', turn.error);
    else if (turn.isCancelling || outcome === 'cancelled') finishTurn('cancelled', null);
    else finishTurn(outcome, outcome === 'failed' ? (error ?? new CompanionError('ENGINE_API_ERROR').toBody()) : null);
  };
  const failTurn = (error: ErrorBody): void => {
    if (turn === null || turn.error !== null || turn.isCancelling) return;
    turn.error = error;
    interrupt(turn);
  };
  const interrupt = (target: Turn): void => {
    const run = live.current();
    if (!target.isSent || run === null) {
      endTurn('cancelled', null);
      return;
    }
    target.graceTimer ??= setTimeout(() => force(target), INTERRUPT_GRACE_MS);
    run.interrupt();
  };
  const force = (target: Turn): void => {
    if (turn !== target) return;
    void live.end({ graceMs: 0 });
    // The processes may take seconds to die; the user's turn is over now.
    endTurn('cancelled', null);
  };
  /** An agent that runs wild ends up here: each item costs all who look at the session. */
  const mayBegin = (): boolean => {
    if (turn === null) return true;
    turn.items += 1;
    if (turn.items <= MAX_TURN_ITEMS) return true;
    failTurn(new CompanionError('ENGINE_OUTPUT_MALFORMED', `It began more than ${MAX_TURN_ITEMS} steps in one turn.`).toBody());
    return false;
  };
  const checkBudget = (): void => {
    if (turn === null || turn.error !== null) return;
    const { settings, usage } = journal.view();
    if (settings.maxCostUsd !== null && (usage.costUsd ?? 0) >= settings.maxCostUsd) {
      failTurn(new CompanionError('ENGINE_BUDGET_REACHED', `It was ${settings.maxCostUsd} US dollars.`).toBody());
    } else if (settings.maxTurns !== null && events.rounds > settings.maxTurns) {
      failTurn(new CompanionError('ENGINE_BUDGET_REACHED', `It was ${settings.maxTurns} answers of the model for one prompt.`).toBody());
    }
  };

  /** The process was already on its way out when the prompt came: nothing was done, so nothing is done twice. */
  const repeat = (target: Turn): void => {
    target.wasRepeated = true;
    target.isSent = false;
    watchdog.stop();
    void drive(target);
  };
  const drive = async (target: Turn): Promise<void> => {
    try {
      const run = await live.ready(() => turn === target);
      checkBudget();
      if (turn !== target) return;
      const enginePrompt = toEnginePrompt(store, target.turnId, target.prompt);
      target.isSent = true;
      watchdog.start();
      run.prompt(enginePrompt);
    } catch (error) {
      if (journal.view().run.state === 'starting' && live.current() === null) journal.record([{ type: 'run.changed', state: 'stopped' }]);
      if (turn === target) endTurn('failed', toErrorBody(error));
    }
  };
  const steer = async (target: Turn, prompt: LoggedPrompt): Promise<void> => {
    try {
      // A turn whose prompt is still on its way comes first: both wait for the same run, in order.
      if (!target.isSent) await live.ready(() => turn === target);
      if (turn === target) live.current()?.steer(toEnginePrompt(store, target.turnId, prompt));
    } catch (error) {
      log.warn('run.steer_failed', { sessionId, error });
    }
  };

  return {
    start: (turnId, prompt) => {
      turn = newTurn(turnId, prompt);
      void drive(turn);
    },
    steer: (turnId, prompt) => {
      if (turn?.turnId === turnId) void steer(turn, prompt);
    },
    cancel: (turnId) => {
      if (turn === null || turn.turnId !== turnId) return;
      if (turn.isCancelling) {
        force(turn);
        return;
      }
      turn.isCancelling = true;
      interrupt(turn);
    },
    answer: (requestId, answer) => {
      const engineId = events.takeRequest(requestId);
      if (engineId === undefined) return;
      watchdog.feed();
      live.current()?.answer(engineId, answer);
    },
    stopTask: (itemId) => {
      const engineId = events.engineIdOf(itemId);
      if (engineId !== undefined) live.current()?.stopTask(engineId);
    },
    readTask: async (itemId) => {
      const engineId = events.engineIdOf(itemId);
      const output = engineId === undefined ? null : await live.current()?.readTask?.(engineId);
      if (output === null || output === undefined) throw new CompanionError('TASK_NOT_RUNNING', itemId);
      return output;
    },
    configure: (settings, needsRestart) => {
      // Also what a new process will be started with: the turn that runs must not go on in a mode the user has left.
      if (!needsRestart || turn !== null) live.current()?.configure(settings);
      if (!needsRestart) return;
      if (turn === null) void live.end();
      else live.expire();
    },
    renew: () => live.expire(),
    stop: async (outcome) => {
      finishTurn(outcome, null);
      await live.end({ graceMs: 500 });
    },
  };
};

const newTurn = (turnId: TurnId, prompt: LoggedPrompt): Turn => ({
  turnId,
  prompt,
  startedAt: performance.now(),
  isSent: false,
  hasOutput: false,
  wasRepeated: false,
  items: 0,
  isCancelling: false,
  error: null,
  graceTimer: null,
});

const toEnginePrompt = (store: Store, turnId: TurnId, prompt: LoggedPrompt): EnginePrompt => ({
  turnId,
  text: prompt.text,
  attachments: prompt.attachments.map((ref) => ({ ...ref, ...store.attachments.load(ref) })),
});
