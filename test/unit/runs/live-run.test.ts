import { describe, expect, test } from 'vitest';
import { LiveRun } from '#companion/runs/live-run.ts';
import type { Run, RunListener } from '#companion/runs/run.ts';
import { WarmPool } from '#companion/runs/warm-pool.ts';
import { CompanionError, type ErrorCode } from '#protocol/errors.ts';
import { nullLog } from '#companion/lib/log.ts';

/** A run in place of a process: it is over when the test says so. */
class StandIn implements Run {
  readonly ready = Promise.resolve();
  readonly listener: RunListener;
  readonly #over = Promise.withResolvers<void>();
  isStopped = false;

  constructor(listener: RunListener) {
    this.listener = listener;
  }

  prompt(): void {}
  steer(): void {}
  answer(): void {}
  interrupt(): void {}
  stopTask(): void {}
  configure(): void {}

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.#over.promise;
  }

  end(): void {
    this.listener.onEnd(new CompanionError('ENGINE_CRASHED').toBody());
    this.#over.resolve();
  }
}

const begin = () => {
  const runs: StandIn[] = [];
  const live = new LiveRun({
    owner: {
      openRun: async (listener) => {
        const run = new StandIn(listener);
        runs.push(run);
        return run;
      },
      canSleep: () => true,
      runStarts: () => {},
      takeEvent: () => {},
      takeLine: () => {},
      runEnded: () => {},
    },
    pool: new WarmPool(() => ({ maxProcesses: 4, idleStopMs: 60_000 })),
    log: nullLog,
  });
  const fail = (run: Run, code: ErrorCode): void =>
    (run as StandIn).listener.onEvent({ type: 'turn.completed', outcome: 'failed', error: new CompanionError(code).toBody() });
  return { runs, live, fail };
};

describe('the live run of a session', () => {
  test('after a refused key or login the next prompt has a new process, however long the old one takes to end', async () => {
    const { runs, live, fail } = begin();
    const old = await live.ready(() => true);

    fail(old, 'ENGINE_NOT_LOGGED_IN');
    const next = live.ready(() => true);
    await expect.poll(() => runs[0]?.isStopped).toBe(true);
    expect(runs).toHaveLength(1);
    runs[0]?.end();

    expect(await next).toBe(runs[1]);
    expect(await live.ready(() => true)).toBe(runs[1]);
    const over = live.end();
    runs[1]?.end();
    await over;
  });

  test('any other failure of a turn leaves its process as it is', async () => {
    const { runs, live, fail } = begin();
    const run = await live.ready(() => true);

    fail(run, 'ENGINE_OVERLOADED');

    expect(await live.ready(() => true)).toBe(run);
    expect(runs).toHaveLength(1);
    const over = live.end();
    runs[0]?.end();
    await over;
  });
});
