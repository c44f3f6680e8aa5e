import type { Status } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import { countResting } from '#companion/lib/resting.ts';
import type { Io } from './io.ts';
import { printReport } from './report.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish status` */
export const status: Subcommand = {
  name: 'status',
  summary: 'show what runs and what is connected; starts nothing',
  usage: ['[--json]', '--json  print the status as JSON'],
  run: async (args, io) => {
    const { values } = readArgs(args, { json: { type: 'boolean' } });
    const found = await readStatus(io);
    // The daemon ends when nothing needs it, and comes back for the browser that was connected.
    const isResting = !found.isRunning && countResting(io.paths.restingDir) > 0;
    if (values.json === true) io.json({ ...found, isResting });
    else printReport(io, found, { isResting });
    return 0;
  },
};

/** The daemon's status, or that of a machine where none runs. */
const readStatus = async ({ client, paths, installer, signal }: Io): Promise<Status> => {
  try {
    await client.connect({ start: false, signal });
    return await client.status(signal);
  } catch (error) {
    if (!(error instanceof CompanionError) || error.code !== 'DAEMON_NOT_RUNNING') throw error;
    return {
      version: VERSION,
      isRunning: false,
      pid: null,
      socket: paths.socket,
      port: null,
      protocol: PROTOCOL.current,
      startedAt: null,
      extensionPath: installer.extension().path,
      browsers: [],
      engines: [],
      sessions: [],
      projects: [],
      warnings: [],
    };
  }
};
