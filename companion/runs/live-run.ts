/** The one live run of a session: opened when it is needed, kept warm, resumed after it has ended. */
import type { EngineEvent } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { Run, RunListener } from './run.ts';
import type { WarmPool } from './warm-pool.ts';

/** R27: an engine that dies before it is ready is started this often within the window, then the person is told. */
const MAX_EARLY_ENDS = 3;
const EARLY_WINDOW_MS = 60_000;
/** Only what died quickly is worth another try; a start that hung would hang again. */
const QUICK_END_MS = 5000;

export interface LiveRun {
  current(): Run | null;
  /** A run that takes prompts. One that dies on the way is tried again as long as `isWanted`. */
  ready(isWanted: () => boolean): Promise<Run>;
  /** The next prompt needs another process: a setting changed that this one was started with. */
  expire(): void;
  /** The run was used. */
  touch(): void;
  /** Ends it; resolves when nothing is left of it. */
  end(how?: { graceMs?: number; error?: ErrorBody }): Promise<void>;
}

/** Opens runs with `open`; events and lines of a run that was ended are not passed on any more. */
export const createLiveRun = (options: {
  open: (listener: RunListener) => Promise<Run>;
  pool: WarmPool;
  log: Log;
  /** No turn runs on it, and its conversation can be resumed. */
  canSleep: () => boolean;
  onStarting: () => void;
  onEvent: (event: EngineEvent) => void;
  onLine: (line: string) => void;
  /** The run is gone; `error` is what to tell of a turn that it was working on. */
  onEnd: (error: ErrorBody, isUnexpected: boolean) => void;
}): LiveRun => {
  const { pool, log } = options;
  let live: Run | null = null;
  /** Of the run whose events count. */
  let token: object | null = null;
  let opening: Promise<Run> | null = null;
  let ending: Promise<void> | null = null;
  let rechecking: Promise<void> | null = null;
  let isExpired = false;
  let earlyEnds: number[] = [];

  const current = (): Run | null => live;
  const end = async (how: { graceMs?: number; error?: ErrorBody } = {}): Promise<void> => {
    pool.remove(sleeper);
    if (live === null) return ending ?? undefined;
    const run = live;
    live = null;
    token = null;
    const stopped = run.stop(how);
    ending = stopped;
    await stopped;
    if (ending === stopped) ending = null;
  };
  const sleeper = { canSleep: () => live !== null && options.canSleep(), sleep: () => end() };

  const open = async (): Promise<Run> => {
    await ending;
    pool.makeRoom();
    isExpired = false;
    const mine = {};
    token = mine;
    let isReady = false;
    let hasEnded = false;
    options.onStarting();
    const run = await options.open({
      onLine: (line) => {
        if (token === mine) options.onLine(line);
      },
      onEvent: (event) => {
        isReady ||= event.type === 'ready';
        if (token === mine) options.onEvent(event);
      },
      onEnd: (error) => {
        hasEnded = true;
        if (!isReady) earlyEnds.push(performance.now());
        const isUnexpected = token === mine;
        if (isUnexpected) {
          token = null;
          live = null;
          pool.remove(sleeper);
        }
        options.onEnd(error, isUnexpected);
      },
    });
    if (!hasEnded) {
      live = run;
      pool.touch(sleeper);
    }
    return run;
  };
  /** Some agents take up changed settings of a project while they run. */
  const recheck = async (run: Run): Promise<void> => {
    rechecking ??= (run.recheck?.() ?? Promise.resolve()).finally(() => {
      rechecking = null;
    });
    try {
      await rechecking;
    } catch (error) {
      // At once: it would still run what belongs to its end.
      if (run === live && error instanceof CompanionError && error.code === 'WORKSPACE_NOT_TRUSTED') await end({ graceMs: 0 });
      throw error;
    }
  };
  const openOnce = async (): Promise<Run> => {
    opening ??= open().finally(() => {
      opening = null;
    });
    return opening;
  };

  return {
    current,
    ready: async (isWanted) => {
      for (;;) {
        if (isExpired && opening === null) await end();
        if (live !== null && opening === null) await recheck(live);
        const startedAt = performance.now();
        const run = live ?? (await openOnce());
        try {
          await run.ready;
          // It may have ended between two turns, after it had been ready for long.
          if (run === live) return run;
          if (!isWanted()) throw new CompanionError('ENGINE_CRASHED');
        } catch (error) {
          const now = performance.now();
          earlyEnds = earlyEnds.filter((at) => now - at < EARLY_WINDOW_MS);
          const isWorthIt = error instanceof CompanionError && error.code === 'ENGINE_START_FAILED' && now - startedAt < QUICK_END_MS;
          if (!isWorthIt || !isWanted() || earlyEnds.length >= MAX_EARLY_ENDS) throw error;
          log.warn('run.restarting', { attempt: earlyEnds.length + 1, error });
        }
      }
    },
    expire: () => {
      isExpired = true;
    },
    touch: () => {
      if (live !== null) pool.touch(sleeper);
    },
    end: async (how) => {
      if (opening !== null) await opening.catch(() => {});
      await end(how);
    },
  };
};
