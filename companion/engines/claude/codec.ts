/** Turns claude's stream-json lines into our events, and our orders into its lines. */
import * as z from 'zod';
import type { ModelInfo } from '#protocol/engines.ts';
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import { notice } from '#protocol/notices.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import { cutError, type Exit } from '#companion/engines/codecs/exit.ts';
import { on, type Handlers } from '#companion/engines/codecs/handlers.ts';
import { malformedLine } from '#companion/engines/codecs/json-rpc.ts';
import { OpenItems, say } from '#companion/engines/codecs/open-items.ts';
import type { Codec, Effect, EnginePrompt, LaunchOptions } from '../engine.ts';
import { detailOf } from '../errors.ts';
import { Blocks } from './blocks.ts';
import { Control } from './control.ts';
import {
  AssistantFrame,
  ControlCancelFrame,
  ControlRequestFrame,
  ControlResponseFrame,
  LifecycleFrame,
  RateLimitFrame,
  ResultFrame,
  StreamEventFrame,
  SystemFrame,
  UserFrame,
} from './frames.ts';
import { readIntroduction } from './handshake.ts';
import { readLine } from './lines.ts';
import { isConversationLost } from './outcome.ts';
import { Settings } from './settings.ts';
import { SystemLines } from './system.ts';
import { Tasks } from './tasks.ts';
import { ToolCalls } from './tool-calls.ts';
import { Turn } from './turn.ts';

const Frame = z.looseObject({ type: z.string() });

/** How another provider differs that is reached through claude. */
export interface Dialect {
  /** The models of the provider, which replace those that claude lists. */
  readonly models?: readonly ModelInfo[];
  /** Whether the provider's own key is missing; another login of claude does not count then. */
  readonly isKeyMissing?: boolean;
  /** The error when nobody is logged in. */
  readonly loginHint?: string;
  readonly now?: () => number;
}

export class ClaudeCodec implements Codec {
  readonly #dialect: Dialect;
  readonly #items = new OpenItems();
  readonly #control: Control;
  readonly #tasks: Tasks;
  readonly #calls: ToolCalls;
  readonly #blocks: Blocks;
  readonly #turn: Turn;
  readonly #settings: Settings;
  readonly #handlers: Handlers;

  constructor(options: LaunchOptions, dialect: Dialect = {}) {
    this.#dialect = dialect;
    this.#control = new Control(options.cwd);
    this.#tasks = new Tasks(this.#items, this.#control);
    this.#calls = new ToolCalls(this.#items, this.#tasks, options.cwd);
    this.#blocks = new Blocks(this.#items, (...use) => this.#calls.use(...use));
    this.#turn = new Turn(this.#items, this.#control, () => this.#closeTurn(), dialect.now ?? Date.now);
    this.#settings = new Settings(this.#control, options.settings);
    const system = new SystemLines(options, { settings: this.#settings, turn: this.#turn, tasks: this.#tasks });
    this.#handlers = new Map([
      ['stream_event', on(StreamEventFrame, (frame) => this.#stream(frame))],
      ['assistant', on(AssistantFrame, (frame) => this.#assistant(frame))],
      ['user', on(UserFrame, (frame) => this.#calls.results(frame, this.#turn.isInterrupting))],
      ['system', on(SystemFrame, (frame) => system.take(frame))],
      ['result', on(ResultFrame, (frame) => this.#result(frame))],
      ['control_response', on(ControlResponseFrame, (frame) => this.#control.response(frame))],
      ['control_request', on(ControlRequestFrame, (frame) => this.#control.request(frame))],
      ['control_cancel_request', on(ControlCancelFrame, (frame) => this.#control.cancel(frame))],
      [
        'command_lifecycle',
        on(LifecycleFrame, ({ command_uuid: uuid, state }) => {
          this.#turn.lifecycle(uuid, state);
          return [];
        }),
      ],
      [
        'rate_limit_event',
        on(RateLimitFrame, ({ rate_limit_info: { resetsAt } }) => {
          this.#turn.limited(typeof resetsAt === 'number' ? resetsAt * 1_000 : null);
          return [];
        }),
      ],
    ]);
  }

  start(): Effect[] {
    return this.#control.send({ subtype: 'initialize', hooks: {}, forwardSubagentText: true }, (answer) =>
      answer.isOk ? this.#introduce(answer.response) : [stop('ENGINE_START_FAILED', detailOf(answer.error))],
    );
  }

  line(line: string): Effect[] {
    if (line.trim() === '') return [];
    const found = readLine(line);
    switch (found.type) {
      case 'nothing':
        return [];
      case 'malformed':
        return [malformedLine(line, 'not JSON')];
      case 'piece':
        return this.#stream(found.frame);
      case 'value': {
        const handled = this.#handle(found.value);
        return typeof handled === 'string' ? [malformedLine(line, handled)] : handled;
      }
    }
  }

  prompt(prompt: EnginePrompt): Effect[] {
    return this.#turn.begin(prompt);
  }

  steer(prompt: EnginePrompt): Effect[] {
    return this.#turn.steer(prompt);
  }

  answer(requestId: string, answer: RequestAnswer): Effect[] {
    return this.#control.answer(requestId, answer);
  }

  interrupt(): Effect[] {
    return this.#turn.interrupt();
  }

  stopTask(itemId: string): Effect[] {
    return this.#tasks.stop(itemId);
  }

  readTask(itemId: string): Effect[] {
    return this.#tasks.read(itemId);
  }

  configure(settings: SessionSettings): Effect[] {
    return this.#settings.configure(settings);
  }

  /** Claude reads, writes and runs by itself, and never asks Pilotfish to do it. */
  reply(): Effect[] {
    return [];
  }

  exit(exit: Exit): Effect[] {
    const closed = this.#turn.close(this.#turn.isInterrupting ? { outcome: 'cancelled' } : { outcome: 'failed', error: cutError(exit) });
    // What ran in the background ends with its process.
    return [...closed, ...this.#items.completeAll('cancelled'), ...this.#control.withdrawAll(() => false)];
  }

  #handle(value: unknown): Effect[] | string {
    const frame = Frame.safeParse(value);
    return frame.success ? (this.#handlers.get(frame.data.type)?.(value) ?? []) : z.prettifyError(frame.error);
  }

  #introduce(response: unknown): Effect[] {
    const { version, account, models, commands } = readIntroduction(response);
    if (account === null || this.#dialect.isKeyMissing === true) return [stop('ENGINE_NOT_LOGGED_IN', this.#dialect.loginHint)];
    return [
      say({
        type: 'ready',
        account,
        models: this.#dialect.models ?? models,
        ...(commands.length === 0 ? {} : { commands }),
        ...(version === null ? {} : { version }),
      }),
    ];
  }

  #stream(frame: StreamEventFrame): Effect[] {
    const placed = this.#place(frame);
    return [...placed.effects, ...this.#blocks.stream(placed.frame), ...this.#usage(frame)];
  }

  #usage({ event, parent_tool_use_id: toolUseId }: StreamEventFrame): Effect[] {
    if (toolUseId) return [];
    const { message, usage } = event;
    if (message?.usage) this.#turn.beginRequest(message.id, message.usage);
    return usage ? this.#turn.endRequest(usage) : [];
  }

  #assistant(frame: AssistantFrame): Effect[] {
    // This is the text of a failed request; it comes again with the result, as the result's error.
    if (typeof frame.error === 'string') {
      this.#turn.fail(frame.error);
      return [];
    }
    const { id, usage } = frame.message;
    if (usage && frame.parent_tool_use_id) this.#turn.noteOther(id, usage);
    const placed = this.#place(frame);
    return [...placed.effects, ...this.#blocks.final(placed.frame)];
  }

  /** What a subagent says belongs to the item of the call that runs it now; what claude itself says may begin a turn. */
  #place<F extends StreamEventFrame | AssistantFrame>(frame: F): { effects: Effect[]; frame: F } {
    const toolUseId = frame.parent_tool_use_id;
    if (typeof toolUseId !== 'string') return { effects: this.#turn.wake(() => this.#tasks.takeReason()), frame };
    const itemId = this.#tasks.itemOf(toolUseId);
    return { effects: [], frame: itemId === toolUseId ? frame : { ...frame, parent_tool_use_id: itemId } };
  }

  #result(frame: ResultFrame): Effect[] {
    if (!isConversationLost(frame.errors?.join(' ') ?? '')) return this.#turn.result(frame);
    return [
      say({ type: 'notice', level: 'warning', ...notice('forgotten') }),
      say({ type: 'bound', engineSessionId: null }),
      stop('ENGINE_START_FAILED', 'It no longer has this conversation.'),
    ];
  }

  #closeTurn(): Effect[] {
    this.#blocks.clear();
    this.#calls.clear();
    return [
      ...this.#tasks.closeEnded(),
      ...this.#control.withdrawAll(({ tool_use_id: itemId }) => typeof itemId === 'string' && this.#items.isInBackground(itemId)),
    ];
  }
}

const stop = (code: ErrorCode, detail?: string): Effect => ({ type: 'stop', error: new CompanionError(code, detail).toBody() });
