import { CompanionError } from '#protocol/errors.ts';
import { Day, UsageBy, type UsageReport, type UsageRow, type UsageSum } from '#protocol/usage.ts';
import { toCost, toCount, toDuration } from '#display/amounts.ts';
import { inLanguage, words } from '#display/words.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { findSession } from './find-session.ts';
import { findProject } from './projects.ts';
import { readArgs, type Subcommand, unknownValue } from './subcommand.ts';
import { counted } from '#protocol/counted.ts';

const flags = {
  by: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  project: { type: 'string' },
  session: { type: 'string' },
  agent: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** `pilotfish usage` */
export const usage: Subcommand = {
  name: 'usage',
  summary: 'what was used: tokens, money and time by day, agent, project, session or turn',
  usage: [
    `[--by ${UsageBy.options.join('|')}] [--since DAY] [--until DAY] [--json]`,
    '--by WHAT          what is added up; days unless told',
    '--since DAY        not before that day, such as 2026-01-31',
    '--until DAY        not after that day',
    '--project PROJECT  only there: its folder, id or name',
    '--session SESSION  only there: its id, the beginning of it, or its name',
    '--agent NAME       only what that agent has used',
    '--limit N          at most so many lines, 100 unless told',
    '--json             print the figures as JSON',
  ],
  run: async (args, io) => {
    const { values } = readArgs(args, flags);
    const by = UsageBy.safeParse(values.by ?? 'day').data;
    if (by === undefined) {
      throw unknownValue(`--by ${values.by ?? ''}`, values.by ?? '', UsageBy.options);
    }
    const days = { ...readDay('since', values.since), ...readDay('until', values.until) };
    const limit = readLimit(values.limit);
    await io.client.connect({ start: true, signal: io.signal });
    const found = await io.client.usage({
      by,
      ...days,
      ...(limit === undefined ? {} : { limit }),
      ...(values.agent === undefined ? {} : { engineName: values.agent }),
      ...(values.project === undefined ? {} : { projectId: (await findProject(io, values.project)).id }),
      ...(values.session === undefined ? {} : { sessionId: findSession(await io.client.sessions.list(), values.session).id }),
    });
    if (values.json === true) io.json(found);
    else for (const line of describe(found)) io.print(toVisible(line));
    return 0;
  },
};

const readDay = (flag: 'since' | 'until', text: string | undefined): { since?: string; until?: string } => {
  if (text === undefined) return {};
  const day = Day.safeParse(text);
  if (!day.success) throw new CompanionError('CLI_USAGE', `--${flag} ${text} is no day such as 2026-01-31.`);
  return { [flag]: day.data };
};

const MAX_LINES = 1000;

const readLimit = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LINES) return limit;
  throw new CompanionError('CLI_USAGE', `--limit ${text} is no number of lines from 1 to ${MAX_LINES}.`);
};

const describe = ({ rows, total, today }: UsageReport): string[] => [
  ...(rows.length === 0 ? ['Nothing was used.'] : rows.map((row) => `${nameOf(row)}  ${describeSum(row)}${describeContext(row)}`)),
  ...(rows.length > 1 ? [`in all  ${describeSum(total)}`] : []),
  describeToday(today),
];

const nameOf = ({ turnId, sessionId, sessionName, projectId, projectName, engineName, day }: UsageRow): string => {
  const session = sessionId === undefined ? [] : [sessionId, sessionName ?? '(deleted)', engineName ?? ''];
  if (sessionId !== undefined) return [...(turnId === undefined ? [] : [turnId]), ...session].filter((part) => part !== '').join('  ');
  if (projectId !== undefined) return projectName ?? (projectId === null ? 'no project' : `${projectId} (forgotten)`);
  return engineName ?? day ?? '';
};

const say = inLanguage(words, 'en-GB');

const describeSum = ({ totalTokens, inputTokens, outputTokens, costUsd, durationMs, turns }: UsageSum): string =>
  [
    `${counted(turns, 'turn')}`,
    `${toCount(totalTokens)} tokens (${toCount(inputTokens)} in, ${toCount(outputTokens)} out)`,
    ...(costUsd === null ? [] : [toCost(costUsd)]),
    toDuration(durationMs, say),
  ].join('  ');

const describeContext = ({ contextUsed, contextWindow }: UsageRow): string => {
  if (contextUsed === undefined) return '';
  return `  context ${toCount(contextUsed)}${contextWindow === undefined ? '' : ` of ${toCount(contextWindow)}`}`;
};

const describeToday = ({ totalTokens, costUsd, dailyCostUsd, dailyTokens }: UsageReport['today']): string =>
  [
    `today: ${toCount(totalTokens)}${dailyTokens === null ? '' : ` of ${toCount(dailyTokens)}`} tokens`,
    `${toCost(costUsd)}${dailyCostUsd === null ? '' : ` of ${toCost(dailyCostUsd)}`}`,
  ].join(', ');
