import { CompanionError } from '#protocol/errors.ts';
import { MAX_SEARCH_CHARS, SearchKind, type SearchAnswer, type SearchHit, type Snippet } from '#protocol/search.ts';
import { sessionTitle } from '#display/attention.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { findProject } from './projects.ts';
import { readArgs, type Subcommand, unknownValue } from './subcommand.ts';

const flags = {
  project: { type: 'string' },
  session: { type: 'string' },
  agent: { type: 'string' },
  kind: { type: 'string' },
  since: { type: 'string' },
  until: { type: 'string' },
  limit: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** `pilotfish search` */
export const search: Subcommand = {
  name: 'search',
  summary: 'find what was ever said or run, and sessions by their names',
  usage: [
    `[--project PROJECT] [--agent NAME] [--since TIME] [--kind ${SearchKind.options.join('|')}] [--json] … -- WORDS`,
    'WORDS              what an entry must have; the last may be the beginning of a word, "words in quotes" stand together',
    '--project PROJECT  only there: its folder, id or name',
    '--session SESSION  only there: its id, the beginning of it, or its name',
    '--agent NAME       only what was done with that agent',
    '--kind KIND        only entries of one kind',
    '--since TIME       not before that day or time, such as 2026-01-31',
    '--until TIME       before that day or time',
    '--limit N          at most so many entries, 30 unless told',
    '--json             print what is found as JSON',
    'The exit code is 1 when nothing is found.',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, flags, { needs: 'WORDS', most: Infinity });
    const { kind: named, since, until, agent } = values;
    const kind = SearchKind.options.find((known) => known === named);
    if (named !== undefined && kind === undefined) {
      throw unknownValue(`--kind ${named}`, named, SearchKind.options);
    }
    const limit = readLimit(values.limit);
    const q = readWords(positionals);
    assertTime('since', since);
    assertTime('until', until);
    await io.client.connect({ start: true, signal: io.signal });
    const scope = {
      ...(values.project === undefined ? {} : { projectId: (await findProject(io, values.project)).id }),
      ...(values.session === undefined ? {} : { sessionId: findSession(await io.client.sessions.list(), values.session).id }),
      ...(agent === undefined ? {} : { engineName: agent }),
      ...(kind === undefined ? {} : { kind }),
      ...(since === undefined ? {} : { since }),
      ...(until === undefined ? {} : { until }),
    };
    const found = await findAll(io, { q, ...scope }, limit);
    if (values.json === true) io.json(found);
    else for (const line of describe(found)) io.line(line);
    return found.titles.length + found.hits.length > 0 ? 0 : 1;
  },
};

const DEFAULT_LIMIT = 30;
const MAX_PAGE = 100;

const readLimit = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1) throw new CompanionError('CLI_USAGE', `--limit ${text} is no number of entries.`);
  return limit;
};

const readWords = (words: readonly string[]): string => {
  const q = words.join(' ');
  if (q.length <= MAX_SEARCH_CHARS) return q;
  throw new CompanionError('CLI_USAGE', `The words have ${q.length} characters; at most ${MAX_SEARCH_CHARS} can be looked for.`);
};

const assertTime = (flag: 'since' | 'until', text: string | undefined): void => {
  if (text === undefined || !Number.isNaN(Date.parse(text))) return;
  throw new CompanionError('CLI_USAGE', `--${flag} ${text} is no day or time such as 2026-01-31.`);
};

/** Pages may be short, so they are asked for until there are enough. */
const findAll = async ({ client, signal }: Io, query: Parameters<Io['client']['search']>[0], limit: number): Promise<SearchAnswer> => {
  let answer = await client.search({ ...query, limit: Math.min(limit, MAX_PAGE) }, signal);
  while (answer.next !== null && answer.hits.length < limit) {
    const wanted = Math.min(limit - answer.hits.length, MAX_PAGE);
    const more = await client.search({ ...query, limit: wanted, cursor: answer.next }, signal);
    answer = { ...more, titles: answer.titles, hits: [...answer.hits, ...more.hits] };
  }
  return answer;
};

const describe = ({ titles, hits, next, indexing }: SearchAnswer): string[] => [
  ...(titles.length + hits.length === 0 ? ['Nothing was found.'] : []),
  ...titles.map(({ session }) => toVisible(`${session.id}  ${sessionTitle(session)}${session.isArchived === true ? '  (archived)' : ''}`)),
  ...hits.flatMap(describeHit),
  ...(next === null ? [] : ['There is more: see --limit.']),
  ...(indexing === null ? [] : [`Older sessions are still being read in: ${indexing.done} of ${indexing.total}.`]),
];

const describeHit = ({ sessionId, sessionName, isArchived, kind, title, at, snippet }: SearchHit): string[] => {
  const where = [sessionId, at.slice(0, 16).replace('T', ' '), kind, sessionName, isArchived === true ? '(archived)' : ''];
  const line = title === undefined || title === snippet.text ? [] : [`    ${title}`];
  return [where.filter((part) => part !== '').join('  '), ...line, `    ${marked(snippet).replaceAll(/\s+/g, ' ')}`].map(toVisible);
};

const marked = ({ text, marks }: Snippet): string => {
  let shown = '';
  let at = 0;
  for (const [from, to] of marks) {
    shown += `${text.slice(at, from)}*${text.slice(from, to)}*`;
    at = to;
  }
  return shown + text.slice(at);
};
