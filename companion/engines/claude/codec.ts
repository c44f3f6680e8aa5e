/** Claude's stream-json lines as our events, and our orders as its lines. */
import * as z from 'zod';
import type { ModelInfo } from '#protocol/engines.ts';
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';
import { createOpenItems, say } from '#companion/engines/codecs/open-items.ts';
import type { Codec, Effect, LaunchOptions } from '../engine.ts';
import { crashError, detailOf } from '../errors.ts';
import { createBlocks } from './blocks.ts';
import { createControl } from './control.ts';
import { AssistantFrame, RateLimitFrame, ResultFrame, StreamEventFrame, SystemFrame, UserFrame } from './frames.ts';
import { readIntroduction } from './handshake.ts';
import { readLine } from './lines.ts';
import { isConversationLost } from './outcome.ts';
import { createSettings } from './settings.ts';
import { createSystem } from './system.ts';
import { createToolCalls } from './tool-calls.ts';
import { createTasks } from './tasks.ts';
import { createTurn, truncatedError } from './turn.ts';

const MAX_SHOWN_LINE = 500;
const Frame = z.looseObject({ type: z.string() });
const Lifecycle = z.looseObject({ command_uuid: z.string(), state: z.string() });

/** In what a provider behind claude's door differs from claude's own. */
export interface Dialect {
  /** Its models, where claude would list its own. */
  readonly models?: readonly ModelInfo[];
  /** Its own key is missing: whoever else claude may be logged in with does not count. */
  readonly isKeyMissing?: boolean;
  /** What is missing when nobody is logged in. */
  readonly loginHint?: string;
  readonly now?: () => number;
}

export const createClaudeCodec = (options: LaunchOptions, dialect: Dialect = {}): Codec => {
  const items = createOpenItems();
  const control = createControl(options.cwd);
  const tasks = createTasks(items, control);
  const calls = createToolCalls(items, tasks, options.cwd);
  const blocks = createBlocks(items, (...use) => calls.use(...use));
  const settle = (): Effect[] => {
    blocks.clear();
    calls.clear();
    return [
      ...tasks.settle(),
      ...control.withdrawAll(({ tool_use_id: itemId }) => typeof itemId === 'string' && items.isInBackground(itemId)),
    ];
  };
  const turn = createTurn(items, settle, dialect.now ?? Date.now);
  const settings = createSettings(control, options.settings);
  const system = createSystem(options, { settings, turn, tasks });

  const introduce = (response: unknown): Effect[] => {
    const { version, account, models } = readIntroduction(response);
    if (account === null || dialect.isKeyMissing === true) return [stop('ENGINE_NOT_LOGGED_IN', dialect.loginHint)];
    return [say({ type: 'ready', account, models: dialect.models ?? models, ...(version === null ? {} : { version }) })];
  };

  const result = (frame: ResultFrame): Effect[] => {
    if (isConversationLost(frame.errors?.join(' ') ?? '')) {
      return [
        say({ type: 'notice', level: 'warning', text: 'The agent no longer has this conversation. It goes on without its memory of it.' }),
        say({ type: 'bound', engineSessionId: null }),
        stop('ENGINE_START_FAILED', 'It no longer has this conversation.'),
      ];
    }
    return turn.result(frame);
  };

  /** What a subagent says stands in the item of the call that runs it now; what claude says itself may begin a turn. */
  const place = <F extends StreamEventFrame | AssistantFrame>(frame: F): { effects: Effect[]; frame: F } => {
    const toolUseId = frame.parent_tool_use_id;
    if (typeof toolUseId !== 'string') return { effects: turn.wake(tasks.takeReason), frame };
    const itemId = tasks.itemOf(toolUseId);
    return { effects: [], frame: itemId === toolUseId ? frame : { ...frame, parent_tool_use_id: itemId } };
  };

  const stream = (frame: StreamEventFrame): Effect[] => {
    const usage = frame.event.usage ?? frame.event.message?.usage;
    if (usage && !frame.parent_tool_use_id) turn.context(usage);
    const placed = place(frame);
    return [...placed.effects, ...blocks.stream(placed.frame)];
  };

  const assistant = (frame: AssistantFrame): Effect[] => {
    // The words of a failed request; they come again with the result, as its error.
    if (typeof frame.error === 'string') {
      turn.fail(frame.error);
      return [];
    }
    const placed = place(frame);
    return [...placed.effects, ...blocks.final(placed.frame)];
  };

  const read = (value: unknown): Effect[] => {
    switch (Frame.parse(value).type) {
      case 'stream_event':
        return stream(StreamEventFrame.parse(value));
      case 'assistant':
        return assistant(AssistantFrame.parse(value));
      case 'user':
        return calls.results(UserFrame.parse(value), turn.isInterrupting);
      case 'system':
        return system(SystemFrame.parse(value));
      case 'result':
        return result(ResultFrame.parse(value));
      case 'control_response':
        return control.response(value);
      case 'control_request':
        return control.request(value);
      case 'control_cancel_request':
        return control.cancel(value);
      case 'command_lifecycle': {
        const { command_uuid: uuid, state } = Lifecycle.parse(value);
        turn.lifecycle(uuid, state);
        return [];
      }
      case 'rate_limit_event': {
        const { resetsAt } = RateLimitFrame.parse(value).rate_limit_info;
        turn.limited(typeof resetsAt === 'number' ? resetsAt * 1_000 : null);
        return [];
      }
      default:
        return [];
    }
  };

  return {
    start: () =>
      control.send({ subtype: 'initialize', hooks: {}, forwardSubagentText: true }, (answer) =>
        answer.isOk ? introduce(answer.response) : [stop('ENGINE_START_FAILED', detailOf(answer.error))],
      ),
    line: (line) => {
      if (line.trim() === '') return [];
      try {
        const found = readLine(line);
        if (found.type === 'piece') return stream(found.frame);
        return found.type === 'value' ? read(found.value) : [];
      } catch (error) {
        return [say({ type: 'malformed', line: line.slice(0, MAX_SHOWN_LINE), reason: reasonOf(error) })];
      }
    },
    prompt: (prompt) => turn.begin(prompt),
    steer: (prompt) => turn.steer(prompt),
    answer: (requestId, answer) => control.answer(requestId, answer),
    interrupt: () => {
      if (!turn.isOpen) return [];
      turn.interrupt();
      return control.send({ subtype: 'interrupt' });
    },
    stopTask: (itemId) => tasks.stop(itemId),
    readTask: (itemId) => tasks.read(itemId),
    configure: (wanted) => settings.configure(wanted),
    // Claude does its own I/O and asks for none of ours.
    reply: () => [],
    exit: (exit) => {
      const error = exit.code === 0 ? truncatedError() : crashError(exit);
      const closed = turn.close(turn.isInterrupting ? { outcome: 'cancelled' } : { outcome: 'failed', error });
      // What ran in the background ends with its process.
      return [...closed, ...items.completeAll('cancelled'), ...control.withdrawAll(() => false)];
    },
  };
};

const stop = (code: ErrorCode, detail?: string): Effect => ({ type: 'stop', error: new CompanionError(code, detail).toBody() });

const reasonOf = (error: unknown): string => {
  if (error instanceof z.ZodError) return z.prettifyError(error).slice(0, MAX_SHOWN_LINE);
  return error instanceof SyntaxError ? 'not JSON' : String(error);
};
