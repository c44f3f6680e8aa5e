/** Reaches the daemon, and starts it when it is not there. */
import { CompanionError } from '#protocol/errors.ts';
import type { Greeting, Health, Preparing } from '#protocol/health.ts';
import { negotiate } from '#protocol/link.ts';
import { routes } from '#protocol/routes.ts';
import { PROTOCOL, VERSION } from '#protocol/version.ts';
import { explain } from '#protocol/faults.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { type FailedStart, type OnDaemonEnd, reachDaemon } from '#companion/reach/reach-daemon.ts';
import { readStartFailure } from '#companion/reach/start-failure.ts';
import type { Transport } from './transport.ts';

/** A daemon that is silent for this long hangs; the next one that is started asks it too, and takes its place. */
const ANSWER_WITHIN_MS = 5_000;
/** One that says nothing of what it does before it is ready, as those of earlier versions do, gets this long. */
const READY_WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;

export const connect = async ({
  transport,
  start,
  startDaemon,
  paths,
  signal,
  onPreparing,
}: {
  transport: Transport;
  start: boolean;
  startDaemon: (onEnd: OnDaemonEnd) => void;
  paths: Pick<Paths, 'daemonLog'>;
  signal?: AbortSignal | undefined;
  /** Hears what a daemon does that is not ready yet, each time that it is asked. */
  onPreparing?: ((preparing: Preparing) => void) | undefined;
}): Promise<Health> => {
  /** While the daemon has its place and is not ready, it may still fail, so nothing else is asked before. */
  const ask = async (): Promise<Pick<Health, 'preparing'> & { readonly ready: Health | null }> => {
    const health = await transport.call(routes.health, {}, { signal, silenceMs: ANSWER_WITHIN_MS });
    const tooOld = toTooOld(health);
    if (tooOld !== null) throw tooOld;
    if (!('port' in health)) return { ready: null };
    return { ready: health.port === null ? null : health, preparing: health.preparing };
  };
  return reachDaemon({
    ask: async () => {
      try {
        const { ready, preparing } = await ask();
        if (ready !== null) return { answer: ready };
        if (preparing !== undefined) onPreparing?.(preparing);
        const limitMs = preparing === undefined ? READY_WITHIN_MS : Infinity;
        return { isAbsent: false, limitMs, toError: (failed) => startFailed(paths, failed, null) };
      } catch (error) {
        if (!start || !isAbsent(error)) throw error;
        return { isAbsent: true, toError: (failed) => startFailed(paths, failed, error) };
      }
    },
    startDaemon,
    firstPauseMs: FIRST_PAUSE_MS,
    longestPauseMs: MAX_PAUSE_MS,
    signal,
  });
};

/** Null when both understand each other. A program may have been replaced while an earlier one of it runs. */
const toTooOld = ({ version, protocol, oldest = 0 }: Health | Greeting): CompanionError | null => {
  const result = negotiate(PROTOCOL, { current: protocol, oldest });
  if ('version' in result) return null;
  const versions = explain('daemon_and_program', { daemon: version, program: VERSION });
  return new CompanionError(result.tooOld === 'ours' ? 'PROGRAM_TOO_OLD' : 'DAEMON_TOO_OLD', versions);
};

const startFailed = (paths: Pick<Paths, 'daemonLog'>, failed: FailedStart, cause: unknown): CompanionError => {
  const { detail, remedy } = readStartFailure(paths, failed);
  return new CompanionError('DAEMON_START_FAILED', detail, { remedy, cause });
};

const isAbsent = (error: unknown): boolean => error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING';
