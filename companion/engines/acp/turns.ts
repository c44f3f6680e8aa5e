/** The turns of an ACP session, each from its beginning, by a prompt or by the agent itself, to its one end. */
import type { ContentBlock, PromptRequest } from '@agentclientprotocol/sdk';
import type { RpcAnswer, RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import { notice } from '#protocol/notices.ts';
import { explain } from '#protocol/faults.ts';
import type { Effect, EnginePrompt } from '../engine.ts';
import { rpcFailure, stopError } from './errors.ts';
import type { Session } from './handshake.ts';
import { toBlocks } from './input.ts';
import { PromptAnswer } from './schema.ts';
import type { AcpSpec } from './spec.ts';
import type { Updates } from './updates.ts';

type TurnOutcome = 'completed' | 'cancelled' | 'failed';

interface Turn {
  readonly session: Session;
  /** The agent began it by itself. */
  readonly isOwn: boolean;
  isCancelled: boolean;
}

export class Turns {
  readonly #peer: RpcPeer;
  readonly #items: OpenItems;
  readonly #updates: Updates;
  readonly #spec: AcpSpec;
  readonly #atEnd: (outcome: TurnOutcome) => Effect[];
  #turn: Turn | null = null;
  /** What the user has added to the turn and the agent has not fetched yet. */
  #added: EnginePrompt[] = [];
  #news: string | null = null;

  /** `atEnd` withdraws what waits for the turn's end. */
  constructor(options: {
    readonly peer: RpcPeer;
    readonly items: OpenItems;
    readonly updates: Updates;
    readonly spec: AcpSpec;
    readonly atEnd: (outcome: TurnOutcome) => Effect[];
  }) {
    this.#peer = options.peer;
    this.#items = options.items;
    this.#updates = options.updates;
    this.#spec = options.spec;
    this.#atEnd = options.atEnd;
  }

  get isOpen(): boolean {
    return this.#turn !== null;
  }

  get isCancelled(): boolean {
    return this.#turn?.isCancelled === true;
  }

  /** `prefaces` stand before the user's words. */
  begin(session: Session, prompt: EnginePrompt, prefaces: readonly string[]): Effect[] {
    // One of the agent's own may just have begun: it goes over into this one.
    if (this.#turn === null) this.#updates.setTurn('open');
    return this.#send(session, toBlocks(prompt, session.takes, prefaces));
  }

  /** What the agent will tell of when it goes on by itself. */
  hear(news: string): void {
    this.#news = news;
  }

  /** The agent goes on by itself; nothing comes of that when a turn is open. */
  beginOwn(session: Session): Effect[] {
    if (this.#turn !== null) return [];
    this.#turn = { session, isOwn: true, isCancelled: false };
    this.#updates.setTurn('open');
    const reason = this.#news ?? 'The agent went on by itself';
    this.#news = null;
    return [say({ type: 'turn.started', reason })];
  }

  /** The end of a turn that the agent began by itself. */
  endOwn(): Effect[] {
    if (this.#turn?.isOwn !== true) return [];
    if (this.#turn.isCancelled) return this.end('cancelled');
    return this.#added.length > 0 ? this.#send(this.#turn.session, this.takeAdded().flat()) : this.end('completed');
  }

  /** More words into the turn, for agents that fetch them. */
  add(prompt: EnginePrompt): void {
    this.#added.push(prompt);
  }

  /** What was added and not fetched yet, as blocks. */
  takeAdded(): ContentBlock[][] {
    const takes = this.#turn?.session.takes ?? { images: false, embedded: false };
    const blocks = this.#added.map((prompt) => toBlocks(prompt, takes, []));
    this.#added = [];
    return blocks;
  }

  /** It is to stop; the end is still to come. */
  cancel(): void {
    if (this.#turn !== null) this.#turn.isCancelled = true;
    this.#added = [];
    this.#updates.setTurn('cancelling');
  }

  end(outcome: TurnOutcome, error?: ErrorBody): Effect[] {
    if (this.#turn === null) return [];
    this.#turn = null;
    this.#added = [];
    this.#updates.setTurn('over');
    return [
      ...this.#atEnd(outcome),
      ...this.#items.completeTurn(outcome),
      say({ type: 'turn.completed', outcome, ...(error === undefined ? {} : { error }) }),
    ];
  }

  #send(session: Session, blocks: readonly ContentBlock[]): Effect[] {
    const turn: Turn = { session, isOwn: false, isCancelled: false };
    this.#turn = turn;
    return [
      this.#peer.call('session/prompt', { sessionId: session.sessionId, prompt: [...blocks] } satisfies PromptRequest, (answer) =>
        this.#turn === turn ? this.#answered(turn, answer) : [],
      ),
    ];
  }

  #answered(turn: Turn, answer: RpcAnswer): Effect[] {
    // Agents end a turn they were told to cancel in every way there is.
    if ('error' in answer) return turn.isCancelled ? this.end('cancelled') : this.end('failed', rpcFailure(answer.error, this.#spec));
    const parsed = PromptAnswer.safeParse(answer.result);
    if (!parsed.success) return this.end('failed', new CompanionError('ENGINE_OUTPUT_MALFORMED', explain('prompt_answer')).toBody());
    const { stopReason, usage, _meta: meta } = parsed.data;
    const quota = meta?.quota?.token_count;
    const tokens = usage ?? { inputTokens: quota?.input_tokens, outputTokens: quota?.output_tokens };
    return [...this.#updates.addTokens(tokens), ...(turn.isCancelled ? this.end('cancelled') : this.#endFor(stopReason, turn.session))];
  }

  #endFor(stopReason: string, session: Session): Effect[] {
    if (stopReason === 'cancelled') return this.end('cancelled');
    const error = stopError(stopReason);
    if (error !== null) return this.end('failed', error);
    // The user said it too late for the agent to fetch it, so the turn goes on with it.
    if (this.#added.length > 0) return this.#send(session, this.takeAdded().flat());
    // Some agents lose the provider's error and end the turn as if nothing had failed.
    const told = this.#updates.hasShown() ? [] : [say({ type: 'notice', level: 'warning', ...notice('no_answer') })];
    return [...told, ...this.end('completed')];
  }
}
