/** How the daemon comes to its end: by a signal, an order, or a fault that nobody has caught. */
import type { Log } from '#companion/lib/log.ts';

export type EndReason = 'asked' | 'failed' | 'idle' | 'lost' | 'signal';

/** Ending takes as long as the slowest agent, which is killed after five seconds; longer than this means that something hangs. */
const END_LIMIT_MS = 15_000;

/** The end of this process, from the moment that something asks for it. */
export class Ending {
  readonly #log: Log;
  readonly #asked = Promise.withResolvers<EndReason>();
  readonly #abort = new AbortController();

  /** Watches for signals and faults of this process. */
  constructor(log: Log) {
    this.#log = log;
    // A signal may come twice: a library of the settings file sends each signal once more. SIGABRT, by which service managers end what hangs, it
    // hears by two names and swallows.
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGABRT'] as const) process.on(name, () => this.end('signal'));
    // After a fault nothing can be trusted any more. The next daemon closes the open turns and ends the processes that were left.
    process.on('uncaughtException', (error, origin) => {
      log.error('daemon.fault', { origin, error });
      process.exit(1);
    });
  }

  /** Aborted together with `ended`; it stops what waits. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get ended(): Promise<EndReason> {
    return this.#asked.promise;
  }

  end(reason: EndReason): void {
    if (this.signal.aborted) return;
    this.#abort.abort();
    setTimeout(() => {
      this.#log.error('daemon.end_hangs', { reason });
      process.exit(1);
    }, END_LIMIT_MS).unref();
    this.#asked.resolve(reason);
  }
}
