import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish stop` */
export const stop: Subcommand = {
  name: 'stop',
  summary: 'shut the daemon down; running turns are interrupted and kept',
  usage: ['[--json]', '--json  print whether one was running as JSON'],
  run: async (args, io) => {
    const { values } = readArgs(args, { json: { type: 'boolean' } });
    const wasRunning = await stopDaemon(io);
    if (values.json === true) io.json({ wasRunning });
    else io.print(wasRunning ? 'The daemon was shut down.' : 'No daemon was running.');
    return 0;
  },
};

/** Shuts the daemon down, and resolves when it no longer answers; with false when none was running. */
export const stopDaemon = async ({ client, signal }: Pick<Io, 'client' | 'signal'>): Promise<boolean> => {
  const gone = new AbortController();
  try {
    await client.connect({ start: false, signal });
  } catch (error) {
    if (error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING') return false;
    // A daemon of another protocol version is stopped too.
    if (!(error instanceof CompanionError) || error.code !== 'COMPANION_TOO_OLD') throw error;
  }
  const live = Promise.withResolvers<void>();
  const watching = client.streamState(
    () => undefined,
    AbortSignal.any([signal, gone.signal]),
    ({ state }) => {
      if (state === 'live') live.resolve();
      else gone.abort();
    },
  );
  // The end of the open stream shows that the daemon has gone.
  await Promise.race([live.promise, watching]);
  await client.shutdown();
  await watching;
  return true;
};
