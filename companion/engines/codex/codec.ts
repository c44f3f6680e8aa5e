/** One conversation with `codex app-server`: one thread, its turns, and what it asks in between. */
import type { ErrorBody } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import type { ItemBody } from '#protocol/items.ts';
import { notice } from '#protocol/notices.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import { cutError, startError, type Exit } from '#companion/engines/codecs/exit.ts';
import { on, type Handlers } from '#companion/engines/codecs/handlers.ts';
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcPeer, type RpcId } from '#companion/engines/codecs/json-rpc.ts';
import { OpenItems, say } from '#companion/engines/codecs/open-items.ts';
import { OpenRequests } from '#companion/engines/codecs/open-requests.ts';
import type { Codec, Effect, EnginePrompt, LaunchOptions } from '../engine.ts';
import { approvals, type Approval } from './approvals.ts';
import { failureToError } from './errors.ts';
import { endCommands, stopCommand } from './commands.ts';
import { Handshake, type Thread } from './handshake.ts';
import { toInput, type TurnItem } from './input.ts';
import { ItemEvents } from './item-events.ts';
import { notifications, TurnAnswer } from './schema.ts';
import { turnOverrides } from './settings.ts';
import { ownRequest, skillNamesIn, skillsIn, withSkills } from './slash.ts';
import { ThreadEvents } from './thread-events.ts';

interface Turn {
  /** Null until codex has named the turn; what is added to the turn waits until then. */
  turnId: string | null;
  isInterrupted: boolean;
  readonly waiting: (readonly unknown[])[];
}

export class CodexCodec implements Codec {
  readonly #options: LaunchOptions;
  readonly #peer = new RpcPeer({});
  readonly #items = new OpenItems();
  readonly #requests = new OpenRequests<{ readonly id: RpcId; readonly approval: Approval }>();
  readonly #itemEvents: ItemEvents;
  readonly #handlers: Handlers;
  #thread: Thread | null = null;
  #turn: Turn | null = null;
  /** A prompt that came before the thread was open. */
  #early: EnginePrompt | null = null;
  #settings: SessionSettings;
  #wantedSettings: SessionSettings;

  constructor(options: LaunchOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#wantedSettings = options.settings;
    const isOwn = (threadId: string): boolean => this.#thread?.threadId === threadId;
    const threadEvents = new ThreadEvents(isOwn, () => this.#thread?.serverName ?? null);
    this.#itemEvents = new ItemEvents(this.#items, isOwn);
    this.#handlers = new Map([
      ...this.#itemEvents.handlers,
      ...threadEvents.handlers,
      ['turn/started', on(notifications['turn/started'], ({ threadId, turn }) => (isOwn(threadId) ? this.#nameTurn(turn.id) : []))],
      [
        'turn/completed',
        on(notifications['turn/completed'], ({ threadId, turn }) => {
          if (!isOwn(threadId)) return [];
          if (turn.status === 'interrupted') return this.#endTurn('cancelled');
          if (turn.status === 'failed') return this.#endTurn('failed', failureToError(turn.error, threadEvents.resetsAt));
          return [...this.#itemEvents.toBackground(), ...this.#endTurn('completed')];
        }),
      ],
      [
        'serverRequest/resolved',
        on(notifications['serverRequest/resolved'], ({ requestId }) => this.#requests.withdraw(String(requestId))),
      ],
    ]);
  }

  start(): Effect[] {
    return new Handshake(this.#peer, this.#options, {
      begin: (thread) => {
        this.#thread = thread;
        return this.#early === null ? [] : this.prompt(this.#early);
      },
      fail: (error) => this.#failStart(error),
    }).start();
  }

  line(line: string): Effect[] {
    return this.#peer.line(line, {
      request: (id, method, params) => this.#ask(id, method, params),
      notification: (method, params) => this.#handlers.get(method)?.(params) ?? [],
    });
  }

  prompt(prompt: EnginePrompt): Effect[] {
    if (this.#thread === null) {
      this.#early = prompt;
      return [];
    }
    const { threadId } = this.#thread;
    this.#turn = { turnId: null, isInterrupted: false, waiting: [] };
    const own = ownRequest(threadId, prompt);
    if (own !== null) return [this.#startTurn(own.method, own.params)];
    const input = toInput(prompt);
    if (skillNamesIn(prompt.text).length === 0) return [this.#startTurn('turn/start', this.#turnParams(threadId, input))];
    const skills = { cwds: [this.#options.cwd] };
    return [
      this.#peer.call('skills/list', skills, (answer) => [
        this.#startTurn('turn/start', this.#turnParams(threadId, withSkills(input, skillsIn(answer)))),
      ]),
    ];
  }

  #turnParams(threadId: string, input: readonly TurnItem[]): object {
    const overrides = turnOverrides(this.#settings, this.#wantedSettings, this.#thread?.defaultModel ?? null);
    this.#settings = this.#wantedSettings;
    return { threadId, input, ...overrides };
  }

  #startTurn(method: string, params: object): Effect {
    return this.#peer.call(method, params, (answer) => {
      if ('error' in answer) return this.#endTurn('failed', failureToError(answer.error));
      const started = TurnAnswer.safeParse(answer.result);
      return started.success ? this.#nameTurn(started.data.turn.id) : [];
    });
  }

  steer(prompt: EnginePrompt): Effect[] {
    return this.#steer(toInput(prompt));
  }

  answer(requestId: string, answer: RequestAnswer): Effect[] {
    const open = this.#requests.take(requestId);
    if (open === undefined) return [];
    const reply = this.#peer.respond(open.id, open.approval.reply(answer));
    // Codex accepts no reason with a refusal, but the model sees a message inside the turn.
    const hasReason = answer.optionId === 'decline' && answer.text !== undefined && answer.text !== '';
    return hasReason ? [reply, ...this.#steer([{ type: 'text', text: answer.text, text_elements: [] }])] : [reply];
  }

  interrupt(): Effect[] {
    if (this.#thread === null || this.#turn === null || this.#turn.isInterrupted) return [];
    this.#turn.isInterrupted = true;
    return this.#turn.turnId === null ? [] : this.#interruptNow(this.#thread.threadId, this.#turn.turnId);
  }

  stopTask(itemId: string): Effect[] {
    return this.#thread === null ? [] : stopCommand(this.#peer, this.#items, this.#thread.threadId, itemId);
  }

  configure(settings: SessionSettings): Effect[] {
    this.#wantedSettings = settings;
    return [];
  }

  /** Codex reads, writes and runs by itself, and never asks Pilotfish to do it. */
  reply(): Effect[] {
    return [];
  }

  exit(exit: Exit): Effect[] {
    if (this.#thread === null) return this.#failStart(startError(exit));
    const ended = this.#turn?.isInterrupted === true ? this.#endTurn('cancelled') : this.#endTurn('failed', cutError(exit));
    return [...ended, ...this.#requests.withdrawAll().effects];
  }

  #endTurn(outcome: 'completed' | 'cancelled' | 'failed', error?: ErrorBody): Effect[] {
    if (this.#turn === null) return [];
    this.#turn = null;
    return [
      ...this.#requests.withdrawAll().effects,
      // Codex does not end the items that an interrupt or a failure has cut.
      ...this.#items.completeTurn(outcome),
      say({ type: 'turn.completed', outcome, ...(error === undefined ? {} : { error }) }),
    ];
  }

  #interruptNow(threadId: string, turnId: string): Effect[] {
    return [this.#peer.call('turn/interrupt', { threadId, turnId }, () => endCommands(this.#peer, threadId))];
  }

  #steer(input: readonly unknown[]): Effect[] {
    if (this.#thread === null || this.#turn === null) return [notSteered('no turn is running')];
    if (this.#turn.turnId === null) {
      this.#turn.waiting.push(input);
      return [];
    }
    const params = { threadId: this.#thread.threadId, expectedTurnId: this.#turn.turnId, input };
    return [this.#peer.call('turn/steer', params, (answer) => ('error' in answer ? [notSteered(answer.error.message)] : []))];
  }

  #nameTurn(turnId: string): Effect[] {
    if (this.#thread === null || this.#turn === null || this.#turn.turnId !== null) return [];
    this.#turn.turnId = turnId;
    if (this.#turn.isInterrupted) return this.#interruptNow(this.#thread.threadId, turnId);
    return this.#turn.waiting.flatMap((input) => this.#steer(input));
  }

  #ask(id: RpcId, method: string, params: unknown): Effect[] {
    const read = approvals.get(method);
    if (read === undefined) return [this.#peer.refuse(id, METHOD_NOT_FOUND, `Pilotfish has no ${method}`)];
    const approval = read(params, (itemId) => diffOf(this.#items.find(itemId)));
    if (approval === null) return [this.#peer.refuse(id, INVALID_PARAMS, `Pilotfish cannot read the params of ${method}`)];
    const itemId = approval.itemId !== undefined && this.#items.has(approval.itemId) ? approval.itemId : undefined;
    return this.#requests.open(String(id), { id, approval }, approval.request, itemId);
  }

  #failStart(error: ErrorBody): Effect[] {
    const wasAsked = this.#early !== null;
    this.#early = null;
    return [...(wasAsked ? [say({ type: 'turn.completed', outcome: 'failed', error })] : []), { type: 'stop', error }];
  }
}

const diffOf = (item: ItemBody | undefined): string | undefined =>
  item?.kind === 'tool' ? item.changes?.map((change) => change.unified).join('\n') : undefined;

const notSteered = (reason: string): Effect => say({ type: 'notice', level: 'error', ...notice('not_steered', { reason }) });
