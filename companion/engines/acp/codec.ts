/** One conversation with an ACP agent: one session and its turns. */
import { cutError, startError } from '#companion/engines/codecs/exit.ts';
import { RpcPeer, malformedLine, readFrame } from '#companion/engines/codecs/json-rpc.ts';
import { OpenItems, say } from '#companion/engines/codecs/open-items.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { Codec, Effect, EnginePrompt, LaunchOptions } from '../engine.ts';
import { createAsks } from './asks.ts';
import { withLogin } from './errors.ts';
import { handshake, type Session } from './handshake.ts';
import { updates as updateSchemas } from './schema.ts';
import { createSettings, readOptions } from './settings.ts';
import type { AcpSpec } from './spec.ts';
import { createTurns } from './turns.ts';
import { createUpdates, readUpdate } from './updates.ts';

export const createAcpCodec = (spec: AcpSpec, launch: LaunchOptions): Codec => {
  const peer = new RpcPeer({ jsonrpc: '2.0' });
  const items = new OpenItems();
  const own = launch.mcp?.serverName ?? null;
  const updates = createUpdates({ items, own, cwd: launch.cwd });
  const settings = createSettings(peer, spec);
  let session: Session | null = null;
  /** A prompt that came before there was a session. */
  let early: EnginePrompt | null = null;
  /** Before the first turn an agent may have a question about the session itself. */
  let hasBegun = false;
  /** What the next prompt begins with: the system prompt of a new session, why the user said no. */
  let prefaces: string[] = launch.settings.systemPrompt === null ? [] : [launch.settings.systemPrompt];

  const asks = createAsks({
    peer,
    items,
    updates,
    spec,
    own,
    cwd: launch.cwd,
    isWanted: () => (turns.isOpen ? !turns.isCancelled : !hasBegun && !launch.isProbe),
    allowsAll: () => settings.allowsAll(),
  });

  const turns = createTurns({
    peer,
    items,
    updates,
    spec,
    settle: (outcome) => [...asks.cancelAll(), ...(outcome === 'completed' ? [] : asks.endCommands())],
  });

  const failStart = (reason: ErrorBody): Effect[] => {
    const error = withLogin(reason, spec.finding.loginCommand);
    const wasAsked = early !== null;
    early = null;
    return [...(wasAsked ? [say({ type: 'turn.completed', outcome: 'failed', error } as const)] : []), { type: 'stop', error }];
  };

  const prompt = (given: EnginePrompt): Effect[] => {
    if (session === null) {
      early = given;
      return [];
    }
    hasBegun = true;
    const before = prefaces;
    prefaces = [];
    return turns.begin(session, given, before);
  };

  const beginOwn = (): Effect[] => (session === null ? [] : turns.beginOwn(session));

  const showTodos = (params: unknown): Effect[] => {
    const todos = spec.todos?.read(params) ?? null;
    return todos === null ? [] : updates.showTodos(todos);
  };

  const notesOf = (method: string, params: unknown): Effect[] | null => {
    const read = spec.notes?.get(method);
    const text = read?.(params) ?? null;
    return read === undefined ? null : text === null ? [] : [say({ type: 'notice', level: 'info', text })];
  };

  const takeUpdate = (params: unknown): Effect[] | string => {
    const read = readUpdate(params);
    if (read === null) return 'no update';
    if (session !== null && read.sessionId !== session.sessionId) return [];
    if (read.kind === 'current_mode_update') {
      const mode = updateSchemas.current_mode_update.safeParse(read.update);
      return mode.success ? settings.noteMode(mode.data.currentModeId) : 'no mode';
    }
    if (read.kind === 'config_option_update') {
      const options = readOptions(read.update);
      return options === null ? 'no options' : settings.noteOptions(options);
    }
    const news = spec.ownTurns?.newsIn(read.update) ?? null;
    if (news !== null) {
      turns.hear(news);
      return [];
    }
    const handler = updates.handlers.get(read.kind);
    if (handler !== undefined) return handler(read.update);
    return [];
  };

  return {
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
          return peer.answered(frame.id, frame.answer);
        case 'request': {
          const told = notesOf(frame.method, frame.params);
          if (told !== null) return [peer.respond(frame.id, {}), ...told];
          if (frame.method === spec.midTurn?.method) return [peer.respond(frame.id, spec.midTurn.reply(turns.takeAdded()))];
          if (frame.method === spec.ownTurns?.begin) return [peer.respond(frame.id, { accepted: !turns.isOpen }), ...beginOwn()];
          return frame.method === spec.todos?.method
            ? [peer.respond(frame.id, {}), ...showTodos(frame.params)]
            : asks.ask(frame.id, frame.method, frame.params);
        }
        case 'notification': {
          const told = notesOf(frame.method, frame.params);
          if (told !== null) return told;
          if (frame.method === spec.todos?.method) return showTodos(frame.params);
          if (frame.method === spec.ownTurns?.begin) return beginOwn();
          if (frame.method === spec.ownTurns?.end) return turns.endOwn();
          if (frame.method === 'session/update') {
            const handled = takeUpdate(frame.params);
            return typeof handled === 'string' ? [malformedLine(line, `params of session/update: ${handled}`)] : handled;
          }
          return [];
        }
      }
    },
    prompt,
    // ACP has no way into a running turn; agents that have one of their own fetch what was added.
    steer: (given) => {
      turns.add(given);
      return [];
    },
    answer: (requestId, answer) => {
      if (answer.text !== undefined && answer.text !== '') prefaces.push(`About what I did not allow: ${answer.text}`);
      return asks.answer(requestId, answer);
    },
    // Its commands end with the turn that started them.
    stopTask: () => [],
    interrupt: () => {
      if (session === null || !turns.isOpen || turns.isCancelled) return [];
      turns.cancel();
      return [peer.notify('session/cancel', { sessionId: session.sessionId }), ...asks.cancelAll(), ...asks.endCommands()];
    },
    configure: (wanted) => (session === null ? [] : settings.apply(session.sessionId, wanted, () => [])),
    reply: (callId, reply) => asks.reply(callId, reply),
    exit: (exit) => {
      if (session === null) return failStart(startError(exit));
      return turns.isCancelled ? turns.end('cancelled') : turns.end('failed', cutError(exit));
    },
  };
};
