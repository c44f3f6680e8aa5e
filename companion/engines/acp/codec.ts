/** One conversation with an ACP agent: one session and its turns. */
import { cutError, startError } from '#companion/engines/codecs/exit.ts';
import { createPeer, malformedLine, readFrame } from '#companion/engines/codecs/json-rpc.ts';
import { createOpenItems, say } from '#companion/engines/codecs/open-items.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { Codec, Effect, EnginePrompt, LaunchOptions } from '../engine.ts';
import { createAsks } from './asks.ts';
import { rpcFailure } from './errors.ts';
import { handshake, type Session } from './handshake.ts';
import { toBlocks } from './input.ts';
import { PromptAnswer, updates as updateSchemas } from './schema.ts';
import { createSettings, readOptions } from './settings.ts';
import type { AcpSpec } from './spec.ts';
import { createUpdates, readUpdate } from './updates.ts';

/** A codec that also tells how many messages it passed over because nothing here has a use for them. */
export interface AcpCodec extends Codec {
  readonly ignored: () => number;
}

const NO_ANSWER = 'The agent ended its turn without an answer. Check its model and its login.';

export const createAcpCodec = (spec: AcpSpec, launch: LaunchOptions): AcpCodec => {
  const peer = createPeer({ jsonrpc: '2.0' });
  const items = createOpenItems();
  const own = launch.mcp?.serverName ?? null;
  const updates = createUpdates({ items, own, cwd: launch.cwd });
  const settings = createSettings(peer, spec);
  let session: Session | null = null;
  /** A prompt that came before there was a session. */
  let early: EnginePrompt | null = null;
  let turn: { isCancelled: boolean } | null = null;
  /** What the next prompt begins with: the system prompt of a new session, why the user said no. */
  let prefaces: string[] = launch.settings.systemPrompt === null ? [] : [launch.settings.systemPrompt];
  let ignored = 0;

  const asks = createAsks({
    peer,
    items,
    updates,
    spec,
    own,
    cwd: launch.cwd,
    isInTurn: () => turn !== null,
    allowsAll: () => settings.allowsAll(),
  });

  const endTurn = (outcome: 'completed' | 'cancelled' | 'failed', error?: ErrorBody): Effect[] => {
    if (turn === null) return [];
    turn = null;
    updates.setTurn('over');
    return [
      ...asks.cancelAll(),
      ...items.completeTurn(outcome),
      say({ type: 'turn.completed', outcome, ...(error === undefined ? {} : { error }) }),
    ];
  };

  const failStart = (error: ErrorBody): Effect[] => {
    const wasAsked = early !== null;
    early = null;
    return [...(wasAsked ? [say({ type: 'turn.completed', outcome: 'failed', error } as const)] : []), { type: 'stop', error }];
  };

  const prompt = (given: EnginePrompt): Effect[] => {
    if (session === null) {
      early = given;
      return [];
    }
    const mine = { isCancelled: false };
    turn = mine;
    updates.setTurn('open');
    const blocks = toBlocks(given, session.takesImages, prefaces);
    prefaces = [];
    return [
      peer.call('session/prompt', { sessionId: session.sessionId, prompt: blocks }, (answer) => {
        if (turn !== mine) return [];
        // Agents end a turn they were told to cancel in every way there is.
        if ('error' in answer) return mine.isCancelled ? endTurn('cancelled') : endTurn('failed', rpcFailure(answer.error));
        const parsed = PromptAnswer.safeParse(answer.result);
        if (!parsed.success)
          return endTurn('failed', new CompanionError('ENGINE_OUTPUT_MALFORMED', 'the answer to session/prompt').toBody());
        const { stopReason, usage, _meta: meta } = parsed.data;
        const quota = meta?.quota?.token_count;
        const tokens = usage ?? { inputTokens: quota?.input_tokens, outputTokens: quota?.output_tokens };
        return [...updates.addTokens(tokens), ...(mine.isCancelled ? endTurn('cancelled') : endFor(stopReason))];
      }),
    ];
  };

  const endFor = (stopReason: string): Effect[] => {
    switch (stopReason) {
      case 'cancelled':
        return endTurn('cancelled');
      case 'refusal':
        return endTurn('failed', new CompanionError('ENGINE_REFUSED').toBody());
      case 'max_tokens':
        return endTurn('failed', new CompanionError('ENGINE_OUTPUT_TRUNCATED', 'The answer reached its longest length.').toBody());
      case 'max_turn_requests':
        return endTurn(
          'failed',
          new CompanionError('ENGINE_BUDGET_REACHED', 'The agent made as many requests as it may in one turn.').toBody(),
        );
      default:
        // Some agents lose the provider's error and end as if all were well.
        return [
          ...(updates.hasShown() ? [] : [say({ type: 'notice', level: 'warning', text: NO_ANSWER } as const)]),
          ...endTurn('completed'),
        ];
    }
  };

  const showTodos = (params: unknown): Effect[] => {
    const todos = spec.todos?.read(params) ?? null;
    return todos === null ? [] : updates.showTodos(todos);
  };

  const takeUpdate = (params: unknown): Effect[] | null => {
    const read = readUpdate(params);
    if (read === null) return null;
    if (session !== null && read.sessionId !== session.sessionId) return [];
    if (read.kind === 'current_mode_update') {
      const mode = updateSchemas.current_mode_update.safeParse(read.update);
      return mode.success ? settings.noteMode(mode.data.currentModeId) : null;
    }
    if (read.kind === 'config_option_update') {
      const options = readOptions(read.update);
      return options === null ? null : settings.noteOptions(options);
    }
    const handler = updates.handlers[read.kind];
    if (handler !== undefined) return handler(read.update);
    ignored += 1;
    return [];
  };

  return {
    ignored: () => ignored,
    start: () =>
      handshake({
        peer,
        spec,
        launch,
        settings,
        begin: (begun) => {
          session = begun;
          if (!begun.isNew) prefaces = [];
          return early === null ? [] : prompt(early);
        },
        fail: failStart,
      }),
    line: (line) => {
      const frame = readFrame(line);
      switch (frame.type) {
        case 'malformed':
          return [malformedLine(line, frame.reason)];
        case 'answer':
          return peer.settle(frame.id, frame.answer);
        case 'request':
          return frame.method === spec.todos?.method
            ? [peer.respond(frame.id, {}), ...showTodos(frame.params)]
            : asks.ask(frame.id, frame.method, frame.params);
        case 'notification': {
          if (frame.method === spec.todos?.method) return showTodos(frame.params);
          if (frame.method === 'session/update') return takeUpdate(frame.params) ?? [malformedLine(line, 'params of session/update')];
          ignored += 1;
          return [];
        }
      }
    },
    prompt,
    // ACP has no way into a running turn; the capabilities say so.
    steer: () => [],
    answer: (requestId, answer) => {
      if (answer.text !== undefined && answer.text !== '') prefaces.push(`About what I did not allow: ${answer.text}`);
      return asks.answer(requestId, answer);
    },
    // Its commands end with the turn that started them.
    stopTask: () => [],
    interrupt: () => {
      if (session === null || turn === null || turn.isCancelled) return [];
      turn.isCancelled = true;
      updates.setTurn('cancelling');
      return [peer.notify('session/cancel', { sessionId: session.sessionId }), ...asks.cancelAll()];
    },
    configure: (wanted) => (session === null ? [] : settings.apply(session.sessionId, wanted, () => [])),
    reply: (callId, reply) => asks.reply(callId, reply),
    exit: (exit) => {
      if (session === null) return failStart(startError(exit));
      return turn?.isCancelled === true ? endTurn('cancelled') : endTurn('failed', cutError(exit));
    },
  };
};
