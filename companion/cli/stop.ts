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

/** A daemon that is just ending still takes connections, and may leave them without an answer. */
const LIVE_WITHIN_MS = 10_000;
const MAX_TRIES = 6;

/** Shuts the daemon down, and resolves when it no longer answers; with false when none was running. */
export const stopDaemon = async (io: Pick<Io, 'client' | 'signal'>): Promise<boolean> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    if (!(await isRunning(io))) return tries > 0;
    if (await shutDown(io)) return true;
  }
  throw new CompanionError('INTERNAL', 'The daemon does not end.', { remedy: 'End its process by hand; `pilotfish status` names it.' });
};

const isRunning = async ({ client, signal }: Pick<Io, 'client' | 'signal'>): Promise<boolean> => {
  try {
    await client.connect({ start: false, signal });
  } catch (error) {
    if (error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING') return false;
    // A daemon of another protocol version is stopped too.
    if (!(error instanceof CompanionError) || error.code !== 'COMPANION_TOO_OLD') throw error;
  }
  return true;
};

/** Orders the end and waits for it; false when the daemon took no order any more. */
const shutDown = async ({ client, signal }: Pick<Io, 'client' | 'signal'>): Promise<boolean> => {
  const gone = new AbortController();
  const live = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => live.resolve(false), LIVE_WITHIN_MS);
  const watching = client.streamState(
    () => undefined,
    AbortSignal.any([signal, gone.signal]),
    ({ state }) => {
      if (state === 'live') live.resolve(true);
      else gone.abort();
    },
  );
  // The end of the open stream shows that the daemon has gone.
  const isLive = await Promise.race([live.promise, watching.then(() => false)]);
  clearTimeout(timer);
  if (isLive) await client.shutdown();
  else gone.abort();
  await watching;
  return isLive;
};
