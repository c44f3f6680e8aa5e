/** The tokens that claude has used since its process began: by its account at the end of a turn, until then by what each request says of itself. */
import type { Usage } from '#protocol/events.ts';
import type { TokenUsage } from './frames.ts';

type Tokens = Readonly<Record<'inputTokens' | 'outputTokens' | 'cacheReadTokens' | 'cacheWriteTokens', number>>;

const combine = (one: Tokens, other: Tokens, by: (one: number, other: number) => number): Tokens => ({
  inputTokens: by(one.inputTokens, other.inputTokens),
  outputTokens: by(one.outputTokens, other.outputTokens),
  cacheReadTokens: by(one.cacheReadTokens, other.cacheReadTokens),
  cacheWriteTokens: by(one.cacheWriteTokens, other.cacheWriteTokens),
});

const toTokens = (usage: TokenUsage): Tokens => ({
  inputTokens: usage.input_tokens ?? 0,
  outputTokens: usage.output_tokens ?? 0,
  cacheReadTokens: usage.cache_read_input_tokens ?? 0,
  cacheWriteTokens: usage.cache_creation_input_tokens ?? 0,
});

const NONE = toTokens({});

export class RunningUsage {
  #settled = NONE;
  /** The requests since the last account, by the ids of their messages. */
  readonly #requests = new Map<string, Tokens>();

  /** A request says its input at its beginning and its output at its end. */
  note(messageId: string, usage: TokenUsage): void {
    this.#requests.set(messageId, combine(this.#requests.get(messageId) ?? NONE, toTokens(usage), Math.max));
  }

  /** What was used so far. */
  tokens(): Tokens {
    return [...this.#requests.values()].reduce((sum, request) => combine(sum, request, (one, other) => one + other), this.#settled);
  }

  /** Takes the account of a turn. It never falls behind what was told before, which would count as used once more. */
  settle(account: Usage): Usage {
    const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = account;
    this.#settled = combine(this.tokens(), { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }, Math.max);
    this.#requests.clear();
    return { ...account, ...this.#settled };
  }
}
