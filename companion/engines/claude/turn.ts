/** One turn of claude: from the prompt to the one result that closes it. */
import { notice } from '#protocol/notices.ts';
import { randomUUID } from 'node:crypto';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import { promptParts, quotedName } from '#companion/engines/codecs/prompt.ts';
import type { Effect, EnginePrompt } from '../engine.ts';
import { apiError } from '../errors.ts';
import type { Control } from './control.ts';
import { InterruptReceipt, type ResultFrame, type SystemFrame, type TokenUsage } from './frames.ts';
import { contextTokens, toOutcome, toUsage, type Outcome } from './outcome.ts';
import { RunningUsage } from './running-usage.ts';

/** What a person calls the program, also where it speaks to another provider's models. */
const PROGRAM = 'Claude Code';

/** The image types that the Messages API accepts. Any other image is named as a file, which claude can read. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

export class Turn {
  readonly #items: OpenItems;
  readonly #control: Control;
  readonly #atEnd: () => Effect[];
  readonly #now: () => number;
  /** Whether this version of claude reports what becomes of a message that was sent into a running turn. */
  canTrackSteers = false;
  #isOpen = false;
  #isInterrupting = false;
  #failureName: string | null = null;
  #resetsAt: number | null = null;
  #context: TokenUsage | null = null;
  #requestId = '';
  readonly #used = new RunningUsage();
  /** The id of the message that the turn answers; null in a turn that claude began by itself. */
  #promptId: string | null = null;
  /** Whether the process is to be stopped, so that what it still says begins no turn. */
  #isOver = false;
  /** Messages added to the turn that claude has not begun with: each of them brings another result after this one. */
  readonly #waitingSteers = new Set<string>();

  /** `atEnd` returns what closes everything else that waits for the turn's end. */
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

  /** Claude speaks although nobody asked. Unless a turn is open, it is the beginning of one of its own. */
  wake(reason: () => string): Effect[] {
    if (this.#isOpen || this.#isOver) return [];
    this.#isOpen = true;
    return [say({ type: 'turn.started', reason: reason() })];
  }

  /** Adds the user's words to the running turn. */
  steer(prompt: EnginePrompt): Effect[] {
    // When claude does not report what becomes of messages, nobody can tell which result is the last one.
    if (!this.canTrackSteers) return [say({ type: 'notice', level: 'warning', ...notice('cannot_steer', { program: PROGRAM }) })];
    const uuid = randomUUID();
    this.#waitingSteers.add(uuid);
    return [{ type: 'write', line: toUserLine(prompt, uuid) }];
  }

  /** Claude reports what it has done with an added message. */
  lifecycle(uuid: string, state: string): void {
    if (state !== 'queued') this.#waitingSteers.delete(uuid);
  }

  /** Stops the turn and takes back the messages that wait; otherwise claude would work on them in another turn. */
  interrupt(): Effect[] {
    if (!this.#isOpen) return [];
    this.#isInterrupting = true;
    const steers = [...this.#waitingSteers];
    this.#waitingSteers.clear();
    if (steers.length === 0) return this.#control.send({ subtype: 'interrupt' });
    return this.#control.send({ subtype: 'interrupt', cancel_queued: true }, (answer) => {
      const receipt = InterruptReceipt.safeParse(answer.isOk ? answer.response : null);
      // Versions that do not know `cancel_queued` say which messages are left, and each is taken back by itself.
      const left = receipt.success ? receipt.data.still_queued.filter((uuid) => steers.includes(uuid)) : [];
      return left.flatMap((uuid) => this.#control.send({ subtype: 'cancel_async_message', message_uuid: uuid }));
    });
  }

  /** A request to the provider failed and is repeated. */
  retry(frame: SystemFrame): Effect[] {
    const status = frame.error_status ?? null;
    if (status === 401) {
      // Claude repeats even this request ten times, for more than a minute, but no repetition mends a wrong key.
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

  /** Claude reports why the request failed for good before the result comes. */
  fail(name: string): void {
    this.#failureName = name;
  }

  limited(resetsAtMs: number | null): void {
    this.#resetsAt = resetsAtMs;
  }

  /** A request of the main agent begins; the stream says its input now and its output at its end. */
  beginRequest(messageId: string, usage: TokenUsage): void {
    this.#requestId = messageId;
    this.#context = usage;
    this.#used.note(messageId, usage);
  }

  /** It ends. Limits are to stop a turn while it runs, and its own account comes only with its result. */
  endRequest(usage: TokenUsage): Effect[] {
    const told = Object.entries(usage).filter(([, value]) => typeof value === 'number' && value > 0);
    this.#context = { ...this.#context, ...Object.fromEntries(told) };
    this.#used.note(this.#requestId, usage);
    return [
      say({ type: 'usage.updated', usage: { ...this.#used.tokens(), contextUsed: contextTokens(this.#context) }, isOfProcess: true }),
    ];
  }

  /** A request of a subagent, which tells only what went in. */
  noteOther(messageId: string, usage: TokenUsage): void {
    this.#used.note(messageId, usage);
  }

  result(frame: ResultFrame): Effect[] {
    const usage = say({ type: 'usage.updated', usage: this.#used.settle(toUsage(frame, this.#context)), isOfProcess: true });
    if (frame.is_error !== true && this.#waitingSteers.size > 0) return [usage];
    // Claude had begun a turn of its own just before the prompt came; the result of the prompt is still to come.
    const isOfPrompt = this.#promptId === null || frame.user_message_uuids?.includes(this.#promptId) === true;
    if (!isOfPrompt && !this.#isInterrupting && isNews(frame)) return [usage];
    const failure = { name: this.#failureName, resetsAt: this.#resetsAt };
    return [usage, ...this.close(toOutcome(frame, failure, this.#isInterrupting))];
  }

  /** Closes the turn once, with everything that is open in it. */
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

/**
 * A prompt as a line for claude. Images and attached text come first, the user's words last: claude reads the files that its last text names with an `@`,
 * and a page must not choose them. By the `uuid` claude tells what becomes of the message.
 */
export const toUserLine = (prompt: EnginePrompt, uuid: string): string => {
  const { words, blocks, images } = promptParts(prompt);
  const shown = images.filter(({ mimeType }) => IMAGE_TYPES.has(mimeType));
  const named = images
    .filter(({ mimeType }) => !IMAGE_TYPES.has(mimeType))
    .map((image) => `The attached image ${quotedName(image)} is at ${image.path}`);
  const content = [
    ...shown.map(({ mimeType, dataBase64 }) => ({ type: 'image', source: { type: 'base64', media_type: mimeType, data: dataBase64 } })),
    ...[...blocks.map(({ text }) => text), ...named, words].map((text) => ({ type: 'text', text })),
  ];
  return JSON.stringify({ type: 'user', message: { role: 'user', content }, uuid });
};

const isNews = ({ origin }: ResultFrame): boolean => origin?.kind === 'task-notification';
