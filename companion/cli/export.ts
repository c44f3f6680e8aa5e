import path from 'node:path';
import { toPrintable } from '#display/plain-text.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { ExportFormat } from '#protocol/session-export.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { writeOutput } from './output-file.ts';
import { assertFolder } from './session-flags.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish export` */
export const exportSession: Subcommand = {
  name: 'export',
  summary: 'print sessions as markdown or JSON',
  usage: [
    '[SESSION … | --all [--project FOLDER]] [--json] [--output FILE]',
    'SESSION           its id, the beginning of it, or its name; without one the sessions are listed, and the exit code is 1 when there is none',
    '--all             every session, the newest first',
    '--project FOLDER  of those only the ones of this project',
    '--output FILE     write into a file for you alone, which is there whole or not at all',
    '--json            JSON instead of markdown, a line for each session, which `pilotfish import` reads; let the name of a file with several end with .jsonl',
  ],
  run: async (args, io) => {
    const flags = { all: { type: 'boolean' }, project: { type: 'string' }, json: { type: 'boolean' }, output: { type: 'string' } } as const;
    const { values, positionals } = readArgs(args, flags, { most: Infinity });
    const isAll = values.all === true;
    const isList = !isAll && positionals.length === 0;
    if (isAll && positionals.length > 0) throw new CompanionError('CLI_USAGE', '--all leaves no session to be named.');
    if (!isAll && values.project !== undefined) throw new CompanionError('CLI_USAGE', '--project belongs to --all.');
    if (isList && values.output !== undefined) throw new CompanionError('CLI_USAGE', '--output needs a session.');
    await io.client.connect({ start: true, signal: io.signal });
    const sessions = await io.client.sessions.list();
    if (isList) return list(io, sessions, values.json === true);
    const wanted = isAll ? await allOf(io, sessions, values.project) : positionals.map((name) => findSession(sessions, name));
    if (wanted.length === 0) return list(io, wanted, false);
    const format = values.json === true ? 'json' : 'markdown';
    if (values.output === undefined) await print(io, wanted, format);
    else await writeOutput(values.output, wanted.length === 1 ? 'The session' : 'The sessions', pieces(io, wanted, format));
    return 0;
  },
};

/** The newest first; of one project where that is wanted. */
const allOf = async (
  { client }: Io,
  sessions: readonly SessionSummary[],
  folder: string | undefined,
): Promise<readonly SessionSummary[]> => {
  const newest = sessions.toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1));
  if (folder === undefined) return newest;
  assertFolder(folder);
  const rootPath = path.resolve(folder);
  const project = (await client.projects.list()).find((known) => known.rootPath === rootPath);
  if (project === undefined)
    throw new CompanionError('PROJECT_NOT_FOUND', rootPath, { remedy: 'See the projects with `pilotfish projects`.' });
  return newest.filter(({ projectId }) => projectId === project.id);
};

const list = (io: Io, sessions: readonly SessionSummary[], isJson: boolean): number => {
  if (isJson) io.json({ sessions });
  else for (const { id, engineName, name, preview } of sessions) io.line(`${id}  ${engineName}  ${name || preview}`);
  if (sessions.length > 0) return 0;
  io.note('There is no session yet: `pilotfish run` begins one.');
  return 1;
};

const RULE = '\n---\n\n';

/** As a terminal may have it, and as it is for who reads the JSON. */
const print = async (io: Io, sessions: readonly SessionSummary[], format: ExportFormat): Promise<void> => {
  const decoder = new TextDecoder();
  for await (const piece of pieces(io, sessions, format)) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    io.write(format === 'json' ? toPrintable(text) : text);
  }
};

/** One after the other: none is asked for before the one before it is written. */
async function* pieces(io: Io, sessions: readonly SessionSummary[], format: ExportFormat): AsyncGenerator<Uint8Array | string> {
  for (const [index, { id }] of sessions.entries()) {
    if (index > 0 && format === 'markdown') yield RULE;
    yield* await io.client.sessions.export(id, format, io.signal);
    yield '\n';
  }
}
