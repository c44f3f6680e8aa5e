/** How the daemon comes to its end: a signal, an order, or a fault that nobody has caught. */
import type { Log } from '#companion/lib/log.ts';

export type EndReason = 'asked' | 'idle' | 'lost' | 'signal';

export interface Ending {
  /** Aborted together with `ended`: stops what waits. */
  readonly signal: AbortSignal;
  readonly ended: Promise<EndReason>;
  end(reason: EndReason): void;
}

/** Watches for the end of this process. A second signal ends it without waiting for anybody. */
export const endWith = (log: Log): Ending => {
  const { promise, resolve } = Promise.withResolvers<EndReason>();
  const abort = new AbortController();
  const end = (reason: EndReason): void => {
    if (abort.signal.aborted) return;
    abort.abort();
    resolve(reason);
  };
  const onSignal = (): void => {
    if (abort.signal.aborted) process.exit(1);
    end('signal');
  };
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, onSignal);
  // After a fault nothing may be trusted any more. The next daemon settles the log and reaps what was left.
  process.on('uncaughtException', (error, origin) => {
    log.error('daemon.fault', { origin, error, stack: error.stack });
    process.exit(1);
  });
  return { signal: abort.signal, ended: promise, end };
};
