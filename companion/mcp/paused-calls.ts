/**
 * Calls that wait for their client's person. In today's revision of the protocol a server cannot ask within a call: it answers that it
 * needs an input, and the client sends the request again with it. The call itself goes on meanwhile, so it is made once however often it is sent.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
import type { InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { ElicitedQuestion } from '#protocol/api.ts';
import type { ToolResult } from '#protocol/browser.ts';
import type { Progress } from '#companion/browser/routing.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { readElicited, toElicitation, type Elicit } from './elicit.ts';

/** More wait only where a client has forgotten them: the oldest makes room. */
const MAX_PAUSED = 16;

/** How often it is looked whether the client that was sent a question still runs. */
const LOOK_MS = 5_000;

/** The key of the one question in a round. */
const QUESTION = 'answer';

interface Making {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
  readonly elicit: Elicit;
}

interface Round {
  /** The tool's name: a call goes on as the one that it is. */
  readonly name: string;
  readonly mcpReq: ServerContext['mcpReq'];
  readonly onProgress: (progress: Progress) => void;
  readonly make: (making: Making) => Promise<ToolResult>;
  /** Whether the client still runs: nothing else ends a call between two requests. Absent where this process ends with it. */
  readonly isThere?: (() => boolean) | undefined;
}

/** A question that a call waits for. */
interface OpenQuestion {
  readonly question: ElicitedQuestion;
  settle(optionId: string | null): void;
}

/** A call, and the question that its client was sent. */
interface Paused {
  readonly call: PausedCall;
  readonly open: OpenQuestion;
  readonly watch: NodeJS.Timeout | undefined;
}

export class PausedCalls {
  readonly #calls = new Map<string, Paused>();

  /** One request of a call: the first one makes it, each later one brings an answer. */
  async serve({ name, mcpReq, onProgress, make, isThere }: Round): Promise<ToolResult | InputRequiredResult> {
    const state = mcpReq.requestState<string>();
    const paused = state === undefined ? null : this.#take(state, name);
    if (paused === undefined) return forgotten;
    // It is about what the client was sent: that may have been answered elsewhere, and the call have come to another question.
    paused?.call.answer(paused.open, readElicited(mcpReq.inputResponses?.[QUESTION]));
    const call = paused?.call ?? new PausedCall(name, make);
    const next = await call.next(mcpReq.signal, onProgress);
    if ('result' in next) return next.result;
    const requestState = randomId('paused');
    const look = (): void => {
      if (isThere?.() === false) this.#drop(requestState);
    };
    const watch = isThere === undefined ? undefined : setInterval(look, LOOK_MS);
    this.#calls.set(requestState, { call, open: next.open, watch });
    if (this.#calls.size > MAX_PAUSED) this.#dropOldest();
    const inputRequests = { [QUESTION]: { method: 'elicitation/create' as const, params: toElicitation(next.open.question) } };
    return { resultType: 'input_required', inputRequests, requestState };
  }

  close(): void {
    while (this.#calls.size > 0) this.#dropOldest();
  }

  #take(state: string, name: string): Paused | undefined {
    const paused = this.#calls.get(state);
    if (paused?.call.name !== name) return undefined;
    clearInterval(paused.watch);
    this.#calls.delete(state);
    return paused;
  }

  #dropOldest(): void {
    const [oldest] = this.#calls.keys();
    if (oldest !== undefined) this.#drop(oldest);
  }

  #drop(state: string): void {
    const dropped = this.#calls.get(state);
    clearInterval(dropped?.watch);
    this.#calls.delete(state);
    dropped?.call.cancel();
  }
}

class PausedCall {
  readonly name: string;
  readonly #abort = new AbortController();
  readonly #result: Promise<ToolResult>;
  #report: (progress: Progress) => void = () => {};
  #open: OpenQuestion | null = null;
  #asked = Promise.withResolvers<void>();

  constructor(name: string, make: Round['make']) {
    this.name = name;
    this.#result = make({ signal: this.#abort.signal, onProgress: (step) => this.#report(step), elicit: this.#elicit });
    // While it is paused nobody waits for it.
    this.#result.catch(() => {});
  }

  /** Null leaves the question to the others who are asked. */
  answer(open: OpenQuestion, optionId: string | null): void {
    if (this.#open === open) open.settle(optionId);
  }

  /** What the call has come to: its result, or a question. The request that waits for it ends it where its client goes. */
  async next(signal: AbortSignal, report: (progress: Progress) => void): Promise<{ result: ToolResult } | { open: OpenQuestion }> {
    const cancel = (): void => this.cancel();
    signal.addEventListener('abort', cancel);
    if (signal.aborted) cancel();
    this.#report = report;
    try {
      for (;;) {
        const result = await Promise.race([this.#result, this.#asked.promise]);
        if (result !== undefined) return { result };
        this.#asked = Promise.withResolvers();
        // Somebody may have answered it elsewhere by now.
        if (this.#open !== null) return { open: this.#open };
      }
    } finally {
      signal.removeEventListener('abort', cancel);
      this.#report = () => {};
    }
  }

  cancel(): void {
    this.#abort.abort();
    this.#open?.settle(null);
  }

  readonly #elicit: Elicit = (question, signal) =>
    new Promise((resolve) => {
      const settle = (optionId: string | null): void => {
        this.#open = null;
        resolve(optionId);
      };
      if (signal.aborted) return settle(null);
      signal.addEventListener('abort', () => settle(null), { once: true });
      this.#open = { question, settle };
      return this.#asked.resolve();
    });
}

const forgotten: ToolResult = {
  content: [
    {
      type: 'text',
      text: 'CALL_CANCELLED: This call no longer waits for an answer, and was not made again. Look at the page, then decide.',
    },
  ],
  isError: true,
};
