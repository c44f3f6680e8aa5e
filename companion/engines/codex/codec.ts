/** One conversation with `codex app-server`: one thread, its turns, and what it asks in between. */
import type { ErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { ItemBody } from '#protocol/items.ts';
import { cutError, startError } from '#companion/engines/codecs/exit.ts';
import { on, type Handlers } from '#companion/engines/codecs/handlers.ts';
import { RpcPeer, INVALID_PARAMS, malformedLine, METHOD_NOT_FOUND, readFrame, type RpcId } from '#companion/engines/codecs/json-rpc.ts';
import { OpenItems, say } from '#companion/engines/codecs/open-items.ts';
import { OpenRequests } from '#companion/engines/codecs/open-requests.ts';
import type { Codec, Effect, EnginePrompt, LaunchOptions } from '../engine.ts';
import { approvals, type Approval } from './approvals.ts';
import { failureToError } from './errors.ts';
import { endCommands, stopCommand } from './commands.ts';
import { handshake, type Thread } from './handshake.ts';
import { toInput } from './input.ts';
import { createItemEvents } from './item-events.ts';
import { notifications, TurnAnswer } from './schema.ts';
import { turnOverrides } from './settings.ts';
import { threadHandlers } from './thread-events.ts';

export const createCodexCodec = (options: LaunchOptions): Codec => {
  const peer = new RpcPeer({});
  const items = new OpenItems();
  const requests = new OpenRequests<{ id: RpcId; approval: Approval }>();
  let thread: Thread | null = null;
  /** `turnId` is null until codex has named the turn; what is to go into it waits until then. */
  let turn: { turnId: string | null; isInterrupted: boolean; waiting: (readonly unknown[])[] } | null = null;
  /** A prompt that came before there was a thread. */
  let early: EnginePrompt | null = null;
  let settings: SessionSettings = options.settings;
  let wantedSettings: SessionSettings = options.settings;
  let resetsAt: number | undefined;

  const isOwn = (threadId: string): boolean => thread?.threadId === threadId;

  const endTurn = (outcome: 'completed' | 'cancelled' | 'failed', error?: ErrorBody): Effect[] => {
    if (turn === null) return [];
    turn = null;
    return [
      ...requests.withdrawAll().effects,
      // Codex gives no end to what an interrupt or a failure has cut.
      ...items.completeTurn(outcome),
      say({ type: 'turn.completed', outcome, ...(error === undefined ? {} : { error }) }),
    ];
  };

  const interruptNow = (threadId: string, turnId: string): Effect[] => [
    peer.call('turn/interrupt', { threadId, turnId }, () => endCommands(peer, threadId)),
  ];

  const steer = (input: readonly unknown[]): Effect[] => {
    if (thread === null || turn === null) return [notSteered('no turn is running')];
    if (turn.turnId === null) {
      turn.waiting.push(input);
      return [];
    }
    const params = { threadId: thread.threadId, expectedTurnId: turn.turnId, input };
    return [peer.call('turn/steer', params, (answer) => ('error' in answer ? [notSteered(answer.error.message)] : []))];
  };

  const nameTurn = (turnId: string): Effect[] => {
    if (thread === null || turn === null || turn.turnId !== null) return [];
    turn.turnId = turnId;
    const waiting = turn.waiting.flatMap(steer);
    return turn.isInterrupted ? interruptNow(thread.threadId, turnId) : waiting;
  };

  const itemEvents = createItemEvents({ items, isOwn });
  const handlers: Handlers = new Map([
    ...itemEvents.handlers,
    ...threadHandlers({
      isOwn,
      serverName: () => thread?.serverName ?? null,
      noteReset: (at) => {
        resetsAt = at;
      },
    }),
    ['turn/started', on(notifications['turn/started'], (event) => (isOwn(event.threadId) ? nameTurn(event.turn.id) : []))],
    [
      'turn/completed',
      on(notifications['turn/completed'], (event) => {
        if (!isOwn(event.threadId)) return [];
        if (event.turn.status === 'interrupted') return endTurn('cancelled');
        if (event.turn.status === 'failed') return endTurn('failed', failureToError(event.turn.error, resetsAt));
        return [...itemEvents.toBackground(), ...endTurn('completed')];
      }),
    ],
    ['serverRequest/resolved', on(notifications['serverRequest/resolved'], ({ requestId }) => requests.withdraw(String(requestId)))],
  ]);

  const ask = (id: RpcId, method: string, params: unknown): Effect[] => {
    const read = approvals.get(method);
    if (read === undefined) return [peer.refuse(id, METHOD_NOT_FOUND, `Pilotfish has no ${method}`)];
    const approval = read(params, (itemId) => diffOf(items.find(itemId)));
    if (approval === null) return [peer.refuse(id, INVALID_PARAMS, `Pilotfish cannot read the params of ${method}`)];
    const itemId = approval.itemId !== undefined && items.has(approval.itemId) ? approval.itemId : undefined;
    return requests.open(String(id), { id, approval }, approval.request, itemId);
  };

  const failStart = (error: ErrorBody): Effect[] => {
    const wasAsked = early !== null;
    early = null;
    return [...(wasAsked ? [say({ type: 'turn.completed', outcome: 'failed', error } as const)] : []), { type: 'stop', error }];
  };

  const prompt = (given: EnginePrompt): Effect[] => {
    if (thread === null) {
      early = given;
      return [];
    }
    const params = {
      threadId: thread.threadId,
      input: toInput(given),
      ...turnOverrides(settings, wantedSettings, thread.defaultModel),
    };
    settings = wantedSettings;
    turn = { turnId: null, isInterrupted: false, waiting: [] };
    return [
      peer.call('turn/start', params, (answer) => {
        if ('error' in answer) return endTurn('failed', failureToError(answer.error));
        const started = TurnAnswer.safeParse(answer.result);
        return started.success ? nameTurn(started.data.turn.id) : [];
      }),
    ];
  };

  return {
    start: () =>
      handshake(peer, options, {
        begin: (begun) => {
          thread = begun;
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
        case 'request':
          return ask(frame.id, frame.method, frame.params);
        case 'notification': {
          const handler = handlers.get(frame.method);
          if (handler !== undefined) {
            const handled = handler(frame.params);
            return typeof handled === 'string' ? [malformedLine(line, `params of ${frame.method}: ${handled}`)] : handled;
          }
          return [];
        }
      }
    },
    prompt,
    steer: (given) => steer(toInput(given)),
    answer: (requestId, answer) => {
      const open = requests.take(requestId);
      if (open === undefined) return [];
      const reply = peer.respond(open.id, open.approval.reply(answer));
      // Codex takes no reason with a refusal; as a message inside the turn the model does see it.
      const hasReason = answer.optionId === 'decline' && answer.text !== undefined && answer.text !== '';
      return hasReason ? [reply, ...steer([{ type: 'text', text: answer.text, text_elements: [] }])] : [reply];
    },
    interrupt: () => {
      if (thread === null || turn === null || turn.isInterrupted) return [];
      turn.isInterrupted = true;
      return turn.turnId === null ? [] : interruptNow(thread.threadId, turn.turnId);
    },
    stopTask: (itemId) => (thread === null ? [] : stopCommand(peer, items, thread.threadId, itemId)),
    configure: (changed) => {
      wantedSettings = changed;
      return [];
    },
    reply: () => [],
    exit: (exit) => {
      if (thread === null) return failStart(startError(exit));
      return [
        ...(turn?.isInterrupted === true ? endTurn('cancelled') : endTurn('failed', cutError(exit))),
        ...requests.withdrawAll().effects,
      ];
    },
  };
};

const diffOf = (item: ItemBody | undefined): string | undefined =>
  item?.kind === 'tool' ? item.changes?.map((change) => change.unified).join('\n') : undefined;

const notSteered = (reason: string): Effect =>
  say({ type: 'notice', level: 'error', text: `The message did not reach the running turn (${reason}); send it again.` });
