/** One turn of claude's: from the prompt to the one result that closes it. */
import { randomUUID } from 'node:crypto';
import { CompanionError } from '#protocol/errors.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect, EnginePrompt } from '../engine.ts';
import { apiError } from '../errors.ts';
import type { ResultFrame, SystemFrame, TokenUsage } from './frames.ts';
import { toOutcome, toUsage, type Outcome } from './outcome.ts';
import { toUserLine } from './prompt.ts';

const UNTRACKED =
  'This version of Claude Code takes no further words into a running turn, so they were not sent. Update it, or send them again.';

export interface Turn {
  readonly isOpen: boolean;
  readonly isInterrupting: boolean;
  begin(prompt: EnginePrompt): Effect[];
  /** Claude speaks although nobody asked: the beginning of a turn of its own, unless one is open. */
  wake(reason: () => string): Effect[];
  /** Whether this claude tells what becomes of words sent into a running turn. */
  canTrackSteers: boolean;
  /** More words into the running turn. */
  steer(prompt: EnginePrompt): Effect[];
  /** What claude has done with the words of a steer. */
  lifecycle(uuid: string, state: string): void;
  interrupt(): void;
  /** A request to the provider failed and is repeated. */
  retry(frame: SystemFrame): Effect[];
  /** Why the request failed for good, told before the result. */
  fail(name: string): void;
  limited(resetsAtMs: number | null): void;
  context(usage: TokenUsage): void;
  result(frame: ResultFrame): Effect[];
  /** Closes it once, with everything that is open. */
  close(outcome: Outcome): Effect[];
}

/** `settle` closes what else waits for the turn's end. */
export const createTurn = (items: OpenItems, settle: () => Effect[], now: () => number): Turn => {
  let isOpen = false;
  let isInterrupting = false;
  let failureName: string | null = null;
  let resetsAt: number | null = null;
  let context: TokenUsage | null = null;
  let canTrackSteers = false;
  /** Of the user's words that the turn is to answer; null in a turn of claude's own. */
  let promptId: string | null = null;
  /** The process is to be stopped: nothing it still says begins a turn. */
  let isOver = false;
  // Steers that claude has not begun with: each of them brings a result of its own after this one.
  const waitingSteers = new Set<string>();

  const close = (outcome: Outcome): Effect[] => {
    const wasOpen = isOpen;
    isOpen = false;
    isInterrupting = false;
    failureName = null;
    promptId = null;
    waitingSteers.clear();
    return [...items.completeTurn(outcome.outcome), ...settle(), ...(wasOpen ? [say({ type: 'turn.completed', ...outcome })] : [])];
  };

  return {
    get isOpen() {
      return isOpen;
    },
    get isInterrupting() {
      return isInterrupting;
    },
    get canTrackSteers() {
      return canTrackSteers;
    },
    set canTrackSteers(value) {
      canTrackSteers = value;
    },
    begin: (prompt) => {
      isOpen = true;
      promptId = randomUUID();
      return [{ type: 'write', line: toUserLine(prompt, promptId) }];
    },
    wake: (reason) => {
      if (isOpen || isOver) return [];
      isOpen = true;
      return [say({ type: 'turn.started', reason: reason() })];
    },
    steer: (prompt) => {
      // Without it nobody knows which result is the last one.
      if (!canTrackSteers) return [say({ type: 'notice', level: 'warning', text: UNTRACKED })];
      const uuid = randomUUID();
      waitingSteers.add(uuid);
      return [{ type: 'write', line: toUserLine(prompt, uuid) }];
    },
    lifecycle: (uuid, state) => {
      if (state !== 'queued') waitingSteers.delete(uuid);
    },
    interrupt: () => {
      isInterrupting = isOpen;
      // An interrupt also takes back what was waiting.
      waitingSteers.clear();
    },
    retry: (frame) => {
      const status = frame.error_status ?? null;
      if (status === 401) {
        // Claude repeats even this ten times, for more than a minute; no repetition mends a key.
        const error = apiError(401, 'The provider refused the key or the login.');
        isOver = true;
        return [...close({ outcome: 'failed', error }), { type: 'stop', error }];
      }
      const attempt = `attempt ${frame.attempt ?? '?'} of ${frame.max_retries ?? '?'}`;
      const cause = status === null ? 'The provider could not be reached' : `The provider answered ${status} (${frame.error ?? 'error'})`;
      return [
        say({
          type: 'retrying',
          text: `${cause}; ${attempt}.`,
          ...(typeof frame.retry_delay_ms === 'number' ? { retryAt: Math.round(now() + frame.retry_delay_ms) } : {}),
        }),
      ];
    },
    fail: (name) => {
      failureName = name;
    },
    limited: (resetsAtMs) => {
      resetsAt = resetsAtMs;
    },
    context: (usage) => {
      // The stream tells the input at a request's beginning and the output at its end.
      context = { ...context, ...Object.fromEntries(Object.entries(usage).filter(([, value]) => typeof value === 'number' && value > 0)) };
    },
    result: (frame) => {
      const usage = say({ type: 'usage.updated', usage: toUsage(frame, context) });
      if (frame.is_error !== true && waitingSteers.size > 0) return [usage];
      // It had begun a turn of its own just before the prompt came; the prompt's own is still to come.
      if (promptId !== null && !isInterrupting && isNews(frame) && frame.user_message_uuids?.includes(promptId) !== true) return [usage];
      return [usage, ...close(toOutcome(frame, { name: failureName, resetsAt }, isInterrupting))];
    },
    close,
  };
};

const isNews = ({ origin }: ResultFrame): boolean => origin?.kind === 'task-notification';

/** The end of a process in the midst of a turn that said nothing about it. */
export const truncatedError = () => new CompanionError('ENGINE_OUTPUT_TRUNCATED').toBody();
