import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '#companion/lib/alive.ts';
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

/** What a daemon does last, after its connections are closed, takes moments: it closes its files. Only one that hangs takes longer. */
const END_WITHIN_MS = 30_000;
const PAUSE_MS = 20;

/** A daemon that is just ending still takes connections, and may leave them without an answer. */
const LIVE_WITHIN_MS = 10_000;
const MAX_TRIES = 6;

/** Shuts the daemon down, and resolves when its process has ended and its files are whole; with false when none was running. */
export const stopDaemon = async (io: Pick<Io, 'client' | 'signal'>): Promise<boolean> => {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const daemon = await findDaemon(io);
    if (daemon === null) return tries > 0;
    const isTold = await shutDown(io);
    if (isTold && daemon.pid !== null) await untilGone(daemon.pid, io.signal);
    if (isTold) return true;
  }
  throw new CompanionError('INTERNAL', 'The daemon does not end.', { remedy: 'End its process by hand; `pilotfish status` names it.' });
};

/** Whether a daemon runs now, of whatever version. */
export const isDaemonThere = async (io: Pick<Io, 'client' | 'signal'>): Promise<boolean> => (await findDaemon(io)) !== null;

/** The daemon that runs; one of another protocol version does not tell its process here. */
const findDaemon = async ({ client, signal }: Pick<Io, 'client' | 'signal'>): Promise<{ pid: number | null } | null> => {
  try {
    return await client.connect({ start: false, signal });
  } catch (error) {
    if (error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING') return null;
    if (!isOfOtherVersion(error)) throw error;
    return { pid: null };
  }
};

/** Whether a daemon is there that this program does not understand; it is stopped all the same. */
export const isOfOtherVersion = (error: unknown): boolean =>
  error instanceof CompanionError && (error.code === 'DAEMON_TOO_OLD' || error.code === 'PROGRAM_TOO_OLD');

/** Its connections end before its database is closed; until then the files of its home are not whole. */
const untilGone = async (pid: number, signal: AbortSignal): Promise<void> => {
  for (const until = performance.now() + END_WITHIN_MS; pid !== process.pid && isAlive(pid) && performance.now() < until;) {
    await delay(PAUSE_MS, undefined, { signal });
  }
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
