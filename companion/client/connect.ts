/** Reaches the daemon, and starts it when it is not there. */
import type { Health, Preparing } from '#protocol/health.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import { PROTOCOL } from '#protocol/version.ts';
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
    if (health.protocol >= PROTOCOL.oldest) {
      if (!('port' in health)) return { ready: null };
      return { ready: health.port === null ? null : health, preparing: health.preparing };
    }
    throw new CompanionError('COMPANION_TOO_OLD', `The running daemon is version ${health.version}.`, {
      remedy: explain('stop_then_start'),
    });
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

const startFailed = (paths: Pick<Paths, 'daemonLog'>, failed: FailedStart, cause: unknown): CompanionError => {
  const { detail, remedy } = readStartFailure(paths, failed);
  return new CompanionError('DAEMON_START_FAILED', detail, { remedy, cause });
};

const isAbsent = (error: unknown): boolean => error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING';
