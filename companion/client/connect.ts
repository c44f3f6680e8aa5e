/** Reaches the daemon, and starts it when it is not there. */
import type { Health } from '#protocol/health.ts';
import { CompanionError } from '#protocol/errors.ts';
import { routes } from '#protocol/routes.ts';
import { PROTOCOL } from '#protocol/version.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { readStartFailure } from '#companion/reach/start-failure.ts';
import type { Transport } from './transport.ts';

const START_WITHIN_MS = 15_000;
/** A daemon that says nothing for so long hangs: the next one asks it too, and takes its place. */
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
  startDaemon: (onEnd: (hasFailed: boolean) => void) => void;
  paths: Pick<Paths, 'daemonLog'>;
  signal?: AbortSignal | undefined;
}): Promise<Health> => {
  /** Gives null while the daemon has its place and is not ready: it may still fail, so nothing else is asked of it before. */
  const ask = async (): Promise<Health | null> => {
    const health = await transport.call(routes.health, {}, { signal, silenceMs: ANSWER_WITHIN_MS });
    if (health.protocol >= PROTOCOL.oldest) return health.port === null ? null : health;
    throw new CompanionError('COMPANION_TOO_OLD', `The running daemon is version ${health.version}.`, {
      remedy: 'Run `pilotfish stop`, then start again.',
    });
  };
  const since = Date.now();
  let hasStarted = false;
  let hasFailed = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
    // It is asked once more when it has failed, since another one may have come up.
    const isLast = hasFailed || Date.now() - since > START_WITHIN_MS;
    try {
      const health = await ask();
      if (health !== null) return health;
      if (Date.now() - since > READY_WITHIN_MS) throw startFailed(paths, since, null);
    } catch (error) {
      if (!start || !isAbsent(error)) throw error;
      if (isLast) throw startFailed(paths, since, error);
      if (!hasStarted) {
        hasStarted = true;
        startDaemon((failed) => {
          if (failed) hasFailed = true;
          else hasStarted = false;
        });
      }
    }
    await pause(pauseMs, signal);
  }
};

const startFailed = (paths: Pick<Paths, 'daemonLog'>, since: number, cause: unknown): CompanionError => {
  const { detail, remedy } = readStartFailure(paths, since);
  return new CompanionError('DAEMON_START_FAILED', detail, { remedy, cause });
};

const isAbsent = (error: unknown): boolean => error instanceof CompanionError && error.code === 'DAEMON_NOT_RUNNING';

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason instanceof Error ? signal.reason : new CompanionError('CALL_CANCELLED'));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted === true) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
