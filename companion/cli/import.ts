import { sessionTitle } from '#display/attention.ts';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import type { Io } from './io.ts';
import { knownEngine } from './find-engine.ts';
import { projectAt } from './session-flags.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish import` */
export const importSession: Subcommand = {
  name: 'import',
  summary: 'make a session of a file that `pilotfish export --json` wrote',
  usage: [
    'FILE [--project FOLDER] [--engine NAME] [--json]',
    'FILE              an exported session; its agent is told what was said in it, so import what you trust',
    '--project FOLDER  where the session works from now on; otherwise here',
    '--engine NAME     the agent that goes on with it; otherwise the one it had',
    '--json            print the new session as JSON',
  ],
  run: async (args, io) => {
    const flags = { project: { type: 'string' }, engine: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = readArgs(args, flags, { least: 1, most: 1 });
    const [file = ''] = positionals;
    await io.client.connect({ start: true, signal: io.signal });
    const engineName = values.engine === undefined ? undefined : await knownEngine(io, values.engine);
    // A file that cannot be read makes no project of the folder.
    const [uploadId] = await sent(io, file);
    const { id: projectId } = await projectAt(io, values.project ?? '.');
    const session = await io.client.sessions.import({
      projectId,
      ...(uploadId === undefined ? {} : { uploadId }),
      ...(engineName === undefined ? {} : { engineName }),
    });
    if (values.json === true) io.json({ session });
    else io.line(toVisible(`${session.id}  ${sessionTitle(session)}`));
    return 0;
  },
};

/** The file goes the way of an attachment, whose remedy is not that of a session. */
const sent = async (io: Io, file: string): Promise<string[]> => {
  try {
    return await io.client.upload([file]);
  } catch (error) {
    if (!(error instanceof CompanionError) || error.code !== 'INPUT_TOO_LARGE') throw error;
    const remedy = 'Nothing was imported. Export the session without `--json` where it is, to read it.';
    throw fromErrorBody({ ...error.toBody(), remedy });
  }
};
