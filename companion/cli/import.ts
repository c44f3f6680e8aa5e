import { sessionTitle } from '#display/attention.ts';
import type { Sending } from '#companion/client/uploads.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { Io } from './io.ts';
import { knownEngine } from './find-engine.ts';
import { withFile } from './piped-input.ts';
import { projectAt } from './session-flags.ts';
import { eachSession } from './session-lines.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** Shorter files are there before anybody wonders. */
const LONG_BYTES = 16 * 1024 * 1024;

/** `pilotfish import` */
export const importSession: Subcommand = {
  name: 'import',
  summary: 'make sessions of a file that `pilotfish export --json` wrote',
  usage: [
    'FILE [--project FOLDER] [--engine NAME] [--json]',
    'FILE              an exported session, several in a file that ends with .jsonl, or - for what is piped in; their agents are told what was said in them, so import what you trust',
    '--project FOLDER  where each session works from now on; otherwise here',
    '--engine NAME     the agent that goes on with each; otherwise the one it had',
    '--json            print what was made as JSON',
  ],
  run: async (args, io) => {
    const flags = { project: { type: 'string' }, engine: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = readArgs(args, flags, { needs: 'FILE', most: 1 });
    const [file = ''] = positionals;
    await io.client.connect({ start: true, signal: io.signal });
    const engineName = values.engine === undefined ? undefined : await knownEngine(io, values.engine);
    const made: SessionSummary[] = [];
    await withFile(io, file, async (readable) => {
      for await (const one of eachSession(readable)) {
        const session = await importOne(io, one, { folder: values.project ?? '.', engineName });
        made.push(session);
        if (values.json !== true) io.line(toVisible(`${session.id}  ${sessionTitle(session)}`));
      }
    });
    const [only] = made;
    if (values.json === true) io.json(made.length === 1 ? { session: only } : { sessions: made });
    return 0;
  },
};

const importOne = async (
  io: Io,
  file: string,
  { folder, engineName }: { folder: string; engineName: string | undefined },
): Promise<SessionSummary> => {
  const { signal } = io;
  // A file that cannot be read makes no project of the folder.
  const uploadId = await io.client.uploadSession(file, { signal, onProgress: tellerOf(io, (percent) => `${percent} % are sent.`) });
  const { id: projectId } = await projectAt(io, folder);
  return io.client.sessions.import(
    { projectId, uploadId, ...(engineName === undefined ? {} : { engineName }) },
    { signal, onProgress: tellerOf(io, (percent) => `${percent} % are taken in; ctrl+c gives it up, and nothing of it stays.`) },
  );
};

/** Quarters of what takes long are told, once each. */
const tellerOf = (io: Io, says: (percent: number) => string): NonNullable<Sending['onProgress']> => {
  let told = 0;
  return (done, total) => {
    const quarter = Math.floor((done / Math.max(1, total)) * 4);
    if (total < LONG_BYTES || quarter <= told || quarter >= 4) return;
    told = quarter;
    io.note(says(quarter * 25));
  };
};
