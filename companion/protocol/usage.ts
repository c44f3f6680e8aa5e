/** What sessions have used, added up. */
import * as z from 'zod';
import type { Spent, Usage } from './events.ts';
import { ProjectId, SessionId, TurnId } from './ids.ts';

/** All tokens that a model has read or written, from a cache or not. */
export const tokensOf = ({ inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage): number =>
  inputTokens + outputTokens + cacheReadTokens + cacheWriteTokens;

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'contextUsed', 'contextWindow'] as const;
/** No agent uses so much. What is added up stays a whole number however often one says it. */
const MOST_TOKENS = 1e10;
const MOST_USD = 1e6;

/** What an agent says that it has used: a figure that cannot be true is left out, and one beyond all measure is cut, so that every limit is reached. */
export const toSoundUsage = (told: Usage): Usage => {
  const sound: Usage = {};
  const { costUsd } = told;
  for (const name of COUNTS) {
    const count = told[name];
    if (isAmount(count)) sound[name] = Math.min(Math.round(count), MOST_TOKENS);
  }
  return isAmount(costUsd) ? { ...sound, costUsd: Math.min(costUsd, MOST_USD) } : sound;
};

const isAmount = (figure: number | undefined): figure is number => typeof figure === 'number' && figure >= 0;

/** A day of this machine's calendar. */
export const Day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-01-31');

/** By what is added up. */
export const UsageBy = z.enum(['turn', 'session', 'project', 'engine', 'day']);
export type UsageBy = z.infer<typeof UsageBy>;

export const UsageQuery = z.object({
  by: UsageBy.default('day'),
  /** The first and the last day that count. */
  since: Day.optional(),
  until: Day.optional(),
  projectId: ProjectId.optional(),
  engineName: z.string().max(200).optional(),
  sessionId: SessionId.optional(),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});
export type UsageQuery = z.output<typeof UsageQuery>;

const sums = {
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheWriteTokens: z.number(),
  /** The four together. */
  totalTokens: z.number(),
  /** Null when no agent among them says what it costs. */
  costUsd: z.number().nullable(),
  /** How long its turns took. */
  durationMs: z.number(),
  turns: z.number(),
};

export const UsageSum = z.object(sums);
export type UsageSum = z.infer<typeof UsageSum>;

/** One turn, session, project, agent or day; it names what belongs to it alone. */
export const UsageRow = z.object({
  ...sums,
  turnId: TurnId.optional(),
  sessionId: SessionId.optional(),
  /** Absent when the session was deleted. */
  sessionName: z.string().optional(),
  /** Null for the sessions without a project. */
  projectId: ProjectId.nullable().optional(),
  /** Absent when the project was forgotten. */
  projectName: z.string().optional(),
  engineName: z.string().optional(),
  day: Day.optional(),
  /** Of a turn or session: how full its context is, where the agent says it. */
  contextUsed: z.number().optional(),
  contextWindow: z.number().optional(),
  lastAt: z.string(),
});
export type UsageRow = z.infer<typeof UsageRow>;

/** The newest first. `today` and its limits hold for all sessions together, whatever was asked for. */
export const UsageReport = z.object({
  by: UsageBy,
  rows: z.array(UsageRow),
  total: UsageSum,
  today: z.object({
    day: Day,
    totalTokens: z.number(),
    costUsd: z.number(),
    dailyCostUsd: z.number().nullable(),
    dailyTokens: z.number().nullable(),
  }),
});
export type UsageReport = z.infer<typeof UsageReport>;

/** What is used of a budget. */
export const spentOf = (spent: Spent): { readonly costUsd: number; readonly tokens: number } => ({
  costUsd: spent.costUsd ?? 0,
  tokens: tokensOf(spent),
});
