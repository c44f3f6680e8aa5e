/** Reaches the daemon, and starts it when it is not there. */
import type { Health } from '#protocol/health.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import { PROTOCOL } from '#protocol/version.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { type FailedStart, type OnDaemonEnd, reachDaemon } from '#companion/reach/reach-daemon.ts';
import { readStartFailure } from '#companion/reach/start-failure.ts';
import type { Transport } from './transport.ts';

/** A daemon that is silent for this long hangs; the next one that is started asks it too, and takes its place. */
const ANSWER_WITHIN_MS = 5_000;
/** A long history is checked before the daemon is ready. */
const READY_WITHIN_MS = 60_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 200;

export const connect = async ({
  transport,
  start,
  startDaemon,
  paths,
  signal,
}: {
  transport: Transport;
  start: boolean;
  startDaemon: (onEnd: OnDaemonEnd) => void;
  paths: Pick<Paths, 'daemonLog'>;
  signal?: AbortSignal | undefined;
}): Promise<Health> => {
  /** Null while the daemon has its place and is not ready. It may still fail, so nothing else is asked before. */
  const ask = async (): Promise<Health | null> => {
    const health = await transport.call(routes.health, {}, { signal, silenceMs: ANSWER_WITHIN_MS });
    if (health.protocol >= PROTOCOL.oldest) return !('port' in health) || health.port === null ? null : health;
    throw new CompanionError('COMPANION_TOO_OLD', `The running daemon is version ${health.version}.`, {
      remedy: 'Run `pilotfish stop`, then start again.',
    });
  };
  return reachDaemon({
    ask: async () => {
      try {
        const health = await ask();
        if (health !== null) return { answer: health };
        return { isAbsent: false, limitMs: READY_WITHIN_MS, toError: (failed) => startFailed(paths, failed, null) };
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
