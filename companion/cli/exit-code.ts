/** What a script learns from the exit code. */
import type { ErrorCode } from '#protocol/errors.ts';
import type { SessionEvent } from '#protocol/events.ts';

type TurnOutcome = Extract<SessionEvent, { type: 'turn.completed' }>['outcome'];

const exitCodes = {
  done: 0,
  failed: 1,
  /** A fault in the line, or it names what there is not. */
  notUnderstood: 2,
  notReady: 3,
  limitReached: 4,
  interrupted: 5,
  /** The code that a shell reports for a program that ctrl+c ended. */
  stopped: 130,
} as const;

/** The texts for the help. */
export const exitCodeLine =
  'Exit codes: 0 done, 1 failed, 2 not understood or not found, 3 agent not ready, 4 limit reached, 5 interrupted, 130 stopped.';

const codes: ReadonlyMap<ErrorCode, number> = new Map<ErrorCode, number>([
  ['CLI_USAGE', exitCodes.notUnderstood],
  ['INPUT_INVALID', exitCodes.notUnderstood],
  ['ADMISSION_UNKNOWN', exitCodes.notUnderstood],
  ['BROWSER_UNKNOWN', exitCodes.notUnderstood],
  ['CHECKPOINT_NOT_FOUND', exitCodes.notUnderstood],
  ['ENGINE_UNKNOWN', exitCodes.notUnderstood],
  ['FILE_NOT_FOUND', exitCodes.notUnderstood],
  ['PROJECT_NOT_FOUND', exitCodes.notUnderstood],
  ['REQUEST_NOT_FOUND', exitCodes.notUnderstood],
  ['RULE_NOT_FOUND', exitCodes.notUnderstood],
  ['SESSION_NOT_FOUND', exitCodes.notUnderstood],
  ['TURN_NOT_FOUND', exitCodes.notUnderstood],
  ['WORKSPACE_NOT_FOUND', exitCodes.notUnderstood],
  ['WORKSPACE_NOT_A_DIRECTORY', exitCodes.notUnderstood],
  ['ENGINE_NOT_FOUND', exitCodes.notReady],
  ['ENGINE_SERVER_NOT_FOUND', exitCodes.notReady],
  ['ENGINE_TOO_OLD', exitCodes.notReady],
  ['ENGINE_NOT_LOGGED_IN', exitCodes.notReady],
  ['ENGINE_START_FAILED', exitCodes.notReady],
  ['ENGINE_TURN_TOO_LONG', exitCodes.limitReached],
  ['ENGINE_BUDGET_REACHED', exitCodes.limitReached],
  ['PROMPT_BUDGET_REACHED', exitCodes.limitReached],
  ['DAILY_BUDGET_REACHED', exitCodes.limitReached],
]);

/** The exit code of a command that failed. */
export const exitCodeOf = (code: ErrorCode): number => codes.get(code) ?? exitCodes.failed;

/** The exit code of a turn. */
export const exitCodeOfTurn = (outcome: TurnOutcome, code: ErrorCode | undefined): number => {
  if (outcome === 'completed') return exitCodes.done;
  if (outcome === 'cancelled') return exitCodes.stopped;
  if (outcome === 'interrupted') return exitCodes.interrupted;
  const reason = code === undefined ? exitCodes.failed : exitCodeOf(code);
  // A turn has begun, so its line was understood.
  return reason === exitCodes.notUnderstood ? exitCodes.failed : reason;
};
