/** The limits of what may be used: of a turn, of a session and of a day. Pure. */
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { Spent } from '#protocol/events.ts';
import { spentOf, tokensOf } from '#protocol/usage.ts';
import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';
import type { Facts, SessionState } from './decision.ts';

/** The limit that is reached, as the error with which the turn ends; `spent` is what the store does not know yet. */
export const reachedLimit = (state: SessionState, spent: Spent, facts: Facts): ErrorBody | null => {
  return sessionLimit(state) ?? promptLimit(state) ?? reachedDayLimit(spent, facts);
};

/** The same for the budget of the day, which all sessions share. */
export const reachedDayLimit = (spent: Spent, facts: Facts): ErrorBody | null => {
  const { dailyCostUsd, dailyTokens, spent: readSpent } = facts.day();
  if (dailyCostUsd === null && dailyTokens === null) return null;
  const [today, now] = [readSpent(), spentOf(spent)];
  if (dailyCostUsd !== null && today.costUsd + now.costUsd >= dailyCostUsd)
    return toDayError(explain('day_cost', { amount: dailyCostUsd }));
  return dailyTokens !== null && today.totalTokens + now.tokens >= dailyTokens
    ? toDayError(explain('day_tokens', { amount: dailyTokens }))
    : null;
};

/** The same for how often the model may answer one prompt. */
export const reachedRounds = ({ view }: SessionState, rounds: number): ErrorBody | null => {
  const { maxTurns } = view.settings;
  return maxTurns === null || rounds <= maxTurns ? null : toError(explain('answers_limit', { count: maxTurns }));
};

/** What was used in all. */
export const addSpent = (one: Spent, other: Spent): Spent => {
  const sum: Spent = { ...one };
  for (const name of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd'] as const) {
    const added = other[name];
    if (added !== undefined) sum[name] = (one[name] ?? 0) + added;
  }
  return sum;
};

const toError = (detail: Said): ErrorBody => new CompanionError('ENGINE_BUDGET_REACHED', detail).toBody();

const toDayError = (detail: Said): ErrorBody => new CompanionError('DAILY_BUDGET_REACHED', detail).toBody();

const toPromptError = (detail: Said): ErrorBody => new CompanionError('PROMPT_BUDGET_REACHED', detail).toBody();

const sessionLimit = ({ view: { settings, usage } }: SessionState): ErrorBody | null => {
  const { maxCostUsd, maxTokens } = settings;
  if (maxCostUsd !== null && (usage.costUsd ?? 0) >= maxCostUsd) return toError(explain('cost_limit', { amount: maxCostUsd }));
  return maxTokens !== null && tokensOf(usage) >= maxTokens ? toError(explain('token_limit', { amount: maxTokens })) : null;
};

const promptLimit = ({ work: { turn } }: SessionState): ErrorBody | null => {
  const { costUsd, tokens } = turn?.prompt.budget ?? {};
  const spent = spentOf(turn?.spent ?? {});
  if (costUsd !== undefined && spent.costUsd >= costUsd) return toPromptError(explain('cost_limit', { amount: costUsd }));
  return tokens !== undefined && spent.tokens >= tokens ? toPromptError(explain('token_limit', { amount: tokens })) : null;
};
