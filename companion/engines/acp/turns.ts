/** The turns of an ACP session, each from its beginning, by a prompt or by the agent itself, to its one end. */
import type { RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { Effect, EnginePrompt } from '../engine.ts';
import { rpcFailure, stopError, withLogin } from './errors.ts';
import type { Session } from './handshake.ts';
import { toBlocks } from './input.ts';
import { PromptAnswer } from './schema.ts';
import type { AcpSpec } from './spec.ts';
import type { Updates } from './updates.ts';

const NO_ANSWER = 'The agent ended its turn without an answer. Check its model and its login.';

type TurnOutcome = 'completed' | 'cancelled' | 'failed';

export interface Turns {
  readonly isOpen: boolean;
  readonly isCancelled: boolean;
  /** `prefaces` stand before the user's words. */
  begin(session: Session, prompt: EnginePrompt, prefaces: readonly string[]): Effect[];
  /** What the agent will tell of when it goes on by itself. */
  hear(news: string): void;
  /** It goes on by itself; nothing comes of that when a turn is open. */
  beginOwn(session: Session): Effect[];
  /** The end of such a turn. */
  endOwn(): Effect[];
  /** More words into the turn, for agents that fetch them. */
  add(prompt: EnginePrompt): void;
  /** What was added and not fetched yet, as blocks. */
  takeAdded(): unknown[][];
  /** It is to stop; the end is still to come. */
  cancel(): void;
  end(outcome: TurnOutcome, error?: ErrorBody): Effect[];
}

/** `settle` withdraws what waits for the turn's end. */
export const createTurns = (options: {
  peer: RpcPeer;
  items: OpenItems;
  updates: Updates;
  spec: AcpSpec;
  settle: (outcome: TurnOutcome) => Effect[];
}): Turns => {
  const { peer, items, updates, spec, settle } = options;
  let turn: { readonly session: Session; readonly isOwn: boolean; isCancelled: boolean } | null = null;
  let added: EnginePrompt[] = [];
  let news: string | null = null;

  const end = (outcome: TurnOutcome, reason?: ErrorBody): Effect[] => {
    if (turn === null) return [];
    const error = reason && withLogin(reason, spec.finding.loginCommand);
    turn = null;
    added = [];
    updates.setTurn('over');
    return [
      ...settle(outcome),
      ...items.completeTurn(outcome),
      say({ type: 'turn.completed', outcome, ...(error === undefined ? {} : { error }) }),
    ];
  };

  const send = (session: Session, blocks: readonly unknown[]): Effect[] => {
    const mine = { session, isOwn: false, isCancelled: false };
    turn = mine;
    return [
      peer.call('session/prompt', { sessionId: session.sessionId, prompt: blocks }, (answer) => {
        if (turn !== mine) return [];
        // Agents end a turn they were told to cancel in every way there is.
        if ('error' in answer) return mine.isCancelled ? end('cancelled') : end('failed', rpcFailure(answer.error));
        const parsed = PromptAnswer.safeParse(answer.result);
        if (!parsed.success) return end('failed', new CompanionError('ENGINE_OUTPUT_MALFORMED', 'the answer to session/prompt').toBody());
        const { stopReason, usage, _meta: meta } = parsed.data;
        const quota = meta?.quota?.token_count;
        const tokens = usage ?? { inputTokens: quota?.input_tokens, outputTokens: quota?.output_tokens };
        return [...updates.addTokens(tokens), ...(mine.isCancelled ? end('cancelled') : endFor(stopReason, session))];
      }),
    ];
  };

  const endFor = (stopReason: string, session: Session): Effect[] => {
    if (stopReason === 'cancelled') return end('cancelled');
    const error = stopError(stopReason);
    if (error !== null) return end('failed', error);
    // Said too late for the agent to fetch it: the turn goes on with it.
    if (added.length > 0) return send(session, takeAdded().flat());
    // Some agents lose the provider's error and end as if all were well.
    return [...(updates.hasShown() ? [] : [say({ type: 'notice', level: 'warning', text: NO_ANSWER } as const)]), ...end('completed')];
  };

  const takeAdded = (): unknown[][] => {
    const takes = turn?.session.takes ?? { images: false, embedded: false };
    const blocks = added.map((given) => toBlocks(given, takes, []));
    added = [];
    return blocks;
  };

  return {
    get isOpen() {
      return turn !== null;
    },
    get isCancelled() {
      return turn?.isCancelled === true;
    },
    begin: (session, prompt, prefaces) => {
      // One of the agent's own may just have begun: it goes over into this one.
      if (turn === null) updates.setTurn('open');
      return send(session, toBlocks(prompt, session.takes, prefaces));
    },
    hear: (text) => {
      news = text;
    },
    beginOwn: (session) => {
      if (turn !== null) return [];
      turn = { session, isOwn: true, isCancelled: false };
      updates.setTurn('open');
      const reason = news ?? 'The agent went on by itself';
      news = null;
      return [say({ type: 'turn.started', reason })];
    },
    endOwn: () => {
      if (turn?.isOwn !== true) return [];
      if (turn.isCancelled) return end('cancelled');
      return added.length > 0 ? send(turn.session, takeAdded().flat()) : end('completed');
    },
    add: (prompt) => void added.push(prompt),
    takeAdded,
    cancel: () => {
      if (turn !== null) turn.isCancelled = true;
      added = [];
      updates.setTurn('cancelling');
    },
    end,
  };
};
