/** The limits of what may be used: of a turn, of a session and of a day. Pure. */
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { Spent } from '#protocol/events.ts';
import { spentOf, tokensOf } from '#protocol/usage.ts';
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
  if (dailyCostUsd !== null && today.costUsd + now.costUsd >= dailyCostUsd) return toDayError(`${dailyCostUsd} US dollars`);
  return dailyTokens !== null && today.totalTokens + now.tokens >= dailyTokens ? toDayError(`${dailyTokens} tokens`) : null;
};

/** The same for how often the model may answer one prompt. */
export const reachedRounds = ({ view }: SessionState, rounds: number): ErrorBody | null => {
  const { maxTurns } = view.settings;
  return maxTurns === null || rounds <= maxTurns ? null : toError(`It was ${maxTurns} answers of the model for one prompt.`);
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

const toError = (detail: string): ErrorBody => new CompanionError('ENGINE_BUDGET_REACHED', detail).toBody();

const toDayError = (limit: string): ErrorBody => new CompanionError('DAILY_BUDGET_REACHED', `It was ${limit} for all sessions.`).toBody();

const toPromptError = (limit: string): ErrorBody => new CompanionError('PROMPT_BUDGET_REACHED', `It was ${limit}.`).toBody();

const sessionLimit = ({ view: { settings, usage } }: SessionState): ErrorBody | null => {
  const { maxCostUsd, maxTokens } = settings;
  if (maxCostUsd !== null && (usage.costUsd ?? 0) >= maxCostUsd) return toError(`It was ${maxCostUsd} US dollars.`);
  return maxTokens !== null && tokensOf(usage) >= maxTokens ? toError(`It was ${maxTokens} tokens.`) : null;
};

const promptLimit = ({ work: { turn } }: SessionState): ErrorBody | null => {
  const { costUsd, tokens } = turn?.prompt.budget ?? {};
  const spent = spentOf(turn?.spent ?? {});
  if (costUsd !== undefined && spent.costUsd >= costUsd) return toPromptError(`${costUsd} US dollars`);
  return tokens !== undefined && spent.tokens >= tokens ? toPromptError(`${tokens} tokens`) : null;
};
