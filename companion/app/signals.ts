/** How the daemon comes to its end: a signal, an order, or a fault that nobody has caught. */
import type { Log } from '#companion/lib/log.ts';

export type EndReason = 'asked' | 'failed' | 'idle' | 'lost' | 'signal';

export interface Ending {
  /** Aborted together with `ended`: stops what waits. */
  readonly signal: AbortSignal;
  readonly ended: Promise<EndReason>;
  end(reason: EndReason): void;
}

/** Ending takes as long as the slowest agent, which is killed after five seconds; more than this means that something hangs. */
const END_LIMIT_MS = 15_000;

/** Watches for the end of this process. */
export const endWith = (log: Log): Ending => {
  const { promise, resolve } = Promise.withResolvers<EndReason>();
  const abort = new AbortController();
  const end = (reason: EndReason): void => {
    if (abort.signal.aborted) return;
    abort.abort();
    setTimeout(() => {
      log.error('daemon.end_hangs', { reason });
      process.exit(1);
    }, END_LIMIT_MS).unref();
    resolve(reason);
  };
  // More than one may come: a library of the settings file sends each signal once more.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => end('signal'));
  // After a fault nothing may be trusted any more. The next daemon settles the open turns and ends the processes that were left.
  process.on('uncaughtException', (error, origin) => {
    log.error('daemon.fault', { origin, error, stack: error.stack });
    process.exit(1);
  });
  return { signal: abort.signal, ended: promise, end };
};
