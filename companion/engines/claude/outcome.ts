/** How a turn of claude has ended, and what it has cost. */
import { CompanionError, type ErrorBody, type ErrorCode } from '#protocol/errors.ts';
import type { Usage } from '#protocol/events.ts';
import { isMoment } from '#protocol/moment.ts';
import { apiError, detailOf } from '../errors.ts';
import type { ResultFrame, TokenUsage } from './frames.ts';

/** Claude's own names of what went wrong with a request. */
const NAMED: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['authentication_failed', 'ENGINE_NOT_LOGGED_IN'],
  ['oauth_org_not_allowed', 'ENGINE_NOT_LOGGED_IN'],
  ['account_on_hold', 'ENGINE_NOT_LOGGED_IN'],
  ['verification_required', 'ENGINE_NOT_LOGGED_IN'],
  ['cloud_credential_error', 'ENGINE_NOT_LOGGED_IN'],
  ['billing_error', 'ENGINE_RATE_LIMITED'],
  ['rate_limit', 'ENGINE_RATE_LIMITED'],
  ['overloaded', 'ENGINE_OVERLOADED'],
  ['model_not_found', 'ENGINE_MODEL_UNKNOWN'],
  ['max_output_tokens', 'ENGINE_OUTPUT_TRUNCATED'],
]);

/** What is known of a failed request before the turn's result comes. */
export interface Failure {
  readonly name: string | null;
  readonly resetsAt: number | null;
}

export type Outcome = { outcome: 'completed' | 'cancelled' } | { outcome: 'failed'; error: ErrorBody };

/** `subtype: success` does not mean success: API errors come with it too. What counts is `is_error` and why the loop ended. */
export const toOutcome = (result: ResultFrame, failure: Failure, isInterrupting: boolean): Outcome => {
  if (isInterrupting || result.terminal_reason?.startsWith('aborted') === true) return { outcome: 'cancelled' };
  if (result.is_error !== true) return { outcome: 'completed' };
  return { outcome: 'failed', error: toError(result, failure) };
};

/** Whether the conversation that was to be resumed does not exist, or no longer exists. */
export const isConversationLost = (text: string): boolean => text.includes('No conversation found with session ID');

const toError = (result: ResultFrame, failure: Failure): ErrorBody => {
  const text = result.result ?? result.errors?.filter((line) => !line.startsWith('[ede_diagnostic]')).join(' ') ?? '';
  if (result.terminal_reason === 'max_turns' || /^error_max_(?:turns|budget)/.test(result.subtype))
    return coded('ENGINE_BUDGET_REACHED', text);
  if (result.terminal_reason === 'prompt_too_long') return coded('ENGINE_CONTEXT_FULL', text);
  if (result.stop_reason === 'refusal') return coded('ENGINE_REFUSED', text);
  const named = failure.name === null ? undefined : NAMED.get(failure.name);
  const error = named === undefined ? apiError(result.api_error_status ?? null, text) : coded(named, text);
  return error.code === 'ENGINE_RATE_LIMITED' && isMoment(failure.resetsAt) ? { ...error, retryAt: failure.resetsAt } : error;
};

const coded = (code: ErrorCode, text: string): ErrorBody => new CompanionError(code, detailOf(text)).toBody();

/** Usage since the process began; `context` is the usage of the main agent's newest request. */
export const toUsage = (result: ResultFrame, context: TokenUsage | null): Usage => {
  const models = Object.values(result.modelUsage ?? {});
  const sum = (pick: (model: (typeof models)[number]) => number | null | undefined): number =>
    models.reduce((total, model) => total + (pick(model) ?? 0), 0);
  const windows = models.map((model) => model.contextWindow ?? 0);
  return {
    inputTokens: sum((model) => model.inputTokens),
    outputTokens: sum((model) => model.outputTokens),
    cacheReadTokens: sum((model) => model.cacheReadInputTokens),
    cacheWriteTokens: sum((model) => model.cacheCreationInputTokens),
    ...(typeof result.total_cost_usd === 'number' ? { costUsd: result.total_cost_usd } : {}),
    ...(context === null ? {} : { contextUsed: contextTokens(context) }),
    ...(windows.some((window) => window > 0) ? { contextWindow: Math.max(...windows) } : {}),
  };
};

/** What stands in the context after a request. */
export const contextTokens = (usage: TokenUsage): number =>
  (usage.input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0) + (usage.output_tokens ?? 0);
