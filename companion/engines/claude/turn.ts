/** One turn of claude's: from the prompt to the one result that closes it. */
import { randomUUID } from 'node:crypto';
import { CompanionError } from '#protocol/errors.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { Effect, EnginePrompt } from '../engine.ts';
import { apiError } from '../errors.ts';
import type { Control } from './control.ts';
import { InterruptReceipt, type ResultFrame, type SystemFrame, type TokenUsage } from './frames.ts';
import { toOutcome, toUsage, type Outcome } from './outcome.ts';
import { toUserLine } from './prompt.ts';

const UNTRACKED =
  'This version of Claude Code takes no further words into a running turn, so they were not sent. Update it, or send them again.';

export class Turn {
  readonly #items: OpenItems;
  readonly #control: Control;
  readonly #atEnd: () => Effect[];
  readonly #now: () => number;
  /** Whether this claude tells what becomes of words sent into a running turn. */
  canTrackSteers = false;
  #isOpen = false;
  #isInterrupting = false;
  #failureName: string | null = null;
  #resetsAt: number | null = null;
  #context: TokenUsage | null = null;
  /** Of the user's words that the turn is to answer; null in a turn that claude began by itself. */
  #promptId: string | null = null;
  /** The process is to be stopped: nothing it still says begins a turn. */
  #isOver = false;
  /** Steers that claude has not begun with: each of them brings a result of its own after this one. */
  readonly #waitingSteers = new Set<string>();

  /** `atEnd` closes what else waits for the turn's end. */
  constructor(items: OpenItems, control: Control, atEnd: () => Effect[], now: () => number) {
    this.#items = items;
    this.#control = control;
    this.#atEnd = atEnd;
    this.#now = now;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isInterrupting(): boolean {
    return this.#isInterrupting;
  }

  begin(prompt: EnginePrompt): Effect[] {
    this.#isOpen = true;
    this.#promptId = randomUUID();
    return [{ type: 'write', line: toUserLine(prompt, this.#promptId) }];
  }

  /** Claude speaks although nobody asked: the beginning of a turn of its own, unless one is open. */
  wake(reason: () => string): Effect[] {
    if (this.#isOpen || this.#isOver) return [];
    this.#isOpen = true;
    return [say({ type: 'turn.started', reason: reason() })];
  }

  /** More words into the running turn. */
  steer(prompt: EnginePrompt): Effect[] {
    // Without the messages' lifecycle nobody knows which result is the last one.
    if (!this.canTrackSteers) return [say({ type: 'notice', level: 'warning', text: UNTRACKED })];
    const uuid = randomUUID();
    this.#waitingSteers.add(uuid);
    return [{ type: 'write', line: toUserLine(prompt, uuid) }];
  }

  /** What claude has done with the words of a steer. */
  lifecycle(uuid: string, state: string): void {
    if (state !== 'queued') this.#waitingSteers.delete(uuid);
  }

  /** Stops it, and takes back the steers that wait: by itself claude would work on them in a turn of their own afterwards. */
  interrupt(): Effect[] {
    if (!this.#isOpen) return [];
    this.#isInterrupting = true;
    const steers = [...this.#waitingSteers];
    this.#waitingSteers.clear();
    if (steers.length === 0) return this.#control.send({ subtype: 'interrupt' });
    return this.#control.send({ subtype: 'interrupt', cancel_queued: true }, (answer) => {
      const receipt = InterruptReceipt.safeParse(answer.isOk ? answer.response : null);
      // Versions that do not know `cancel_queued` say which messages are left, and take back each by itself.
      const left = receipt.success ? receipt.data.still_queued.filter((uuid) => steers.includes(uuid)) : [];
      return left.flatMap((uuid) => this.#control.send({ subtype: 'cancel_async_message', message_uuid: uuid }));
    });
  }

  /** A request to the provider failed and is repeated. */
  retry(frame: SystemFrame): Effect[] {
    const status = frame.error_status ?? null;
    if (status === 401) {
      // Claude repeats even this ten times, for more than a minute; no repetition mends a key.
      const error = apiError(401, 'The provider refused the key or the login.');
      this.#isOver = true;
      return [...this.close({ outcome: 'failed', error }), { type: 'stop', error }];
    }
    const attempt = `attempt ${frame.attempt ?? '?'} of ${frame.max_retries ?? '?'}`;
    const cause = status === null ? 'The provider could not be reached' : `The provider answered ${status} (${frame.error ?? 'error'})`;
    const delayMs = frame.retry_delay_ms;
    const retryAt = typeof delayMs === 'number' ? { retryAt: Math.round(this.#now() + delayMs) } : {};
    return [say({ type: 'retrying', text: `${cause}; ${attempt}.`, ...retryAt })];
  }

  /** Why the request failed for good, told before the result. */
  fail(name: string): void {
    this.#failureName = name;
  }

  limited(resetsAtMs: number | null): void {
    this.#resetsAt = resetsAtMs;
  }

  /** The stream tells the input at a request's beginning and the output at its end. */
  noteUsage(usage: TokenUsage): void {
    const told = Object.entries(usage).filter(([, value]) => typeof value === 'number' && value > 0);
    this.#context = { ...this.#context, ...Object.fromEntries(told) };
  }

  result(frame: ResultFrame): Effect[] {
    const usage = say({ type: 'usage.updated', usage: toUsage(frame, this.#context) });
    if (frame.is_error !== true && this.#waitingSteers.size > 0) return [usage];
    // Claude had begun a turn of its own just before the prompt came; the result of the prompt is still to come.
    const isOfPrompt = this.#promptId === null || frame.user_message_uuids?.includes(this.#promptId) === true;
    if (!isOfPrompt && !this.#isInterrupting && isNews(frame)) return [usage];
    const failure = { name: this.#failureName, resetsAt: this.#resetsAt };
    return [usage, ...this.close(toOutcome(frame, failure, this.#isInterrupting))];
  }

  /** Closes it once, with everything that is open. */
  close(outcome: Outcome): Effect[] {
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    this.#isInterrupting = false;
    this.#failureName = null;
    this.#promptId = null;
    this.#waitingSteers.clear();
    return [
      ...this.#items.completeTurn(outcome.outcome),
      ...this.#atEnd(),
      ...(wasOpen ? [say({ type: 'turn.completed', ...outcome })] : []),
    ];
  }
}

const isNews = ({ origin }: ResultFrame): boolean => origin?.kind === 'task-notification';

/** The end of a process in the midst of a turn that said nothing about it. */
export const truncatedError = () => new CompanionError('ENGINE_OUTPUT_TRUNCATED').toBody();
