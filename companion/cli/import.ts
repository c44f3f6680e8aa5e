import { sessionTitle } from '#display/attention.ts';
import type { Sending } from '#companion/client/uploads.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { Io } from './io.ts';
import { knownEngine } from './find-engine.ts';
import { withFile } from './piped-input.ts';
import { projectAt } from './session-flags.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** Shorter files are there before anybody wonders. */
const LONG_BYTES = 16 * 1024 * 1024;

/** `pilotfish import` */
export const importSession: Subcommand = {
  name: 'import',
  summary: 'make a session of a file that `pilotfish export --json` wrote',
  usage: [
    'FILE [--project FOLDER] [--engine NAME] [--json]',
    'FILE              an exported session, or - for what is piped in; its agent is told what was said in it, so import what you trust',
    '--project FOLDER  where the session works from now on; otherwise here',
    '--engine NAME     the agent that goes on with it; otherwise the one it had',
    '--json            print the new session as JSON',
  ],
  run: async (args, io) => {
    const flags = { project: { type: 'string' }, engine: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = readArgs(args, flags, { needs: 'FILE', most: 1 });
    const [file = ''] = positionals;
    await io.client.connect({ start: true, signal: io.signal });
    const engineName = values.engine === undefined ? undefined : await knownEngine(io, values.engine);
    // A file that cannot be read makes no project of the folder.
    const { signal } = io;
    const onProgress = tellerOf(io, (percent) => `${percent} % are sent.`);
    const uploadId = await withFile(io, file, (readable) => io.client.uploadSession(readable, { signal, onProgress }));
    const { id: projectId } = await projectAt(io, values.project ?? '.');
    const session = await io.client.sessions.import(
      { projectId, uploadId, ...(engineName === undefined ? {} : { engineName }) },
      { signal, onProgress: tellerOf(io, (percent) => `${percent} % are taken in; ctrl+c gives it up, and nothing of it stays.`) },
    );
    if (values.json === true) io.json({ session });
    else io.line(toVisible(`${session.id}  ${sessionTitle(session)}`));
    return 0;
  },
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
