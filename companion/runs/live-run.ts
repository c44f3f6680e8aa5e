/** The one live run of a session: opened when it is needed, kept warm, resumed after it has ended. */
import type { EngineEvent } from '#companion/engines/engine.ts';
import type { Log } from '#companion/lib/log.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { Run, RunListener, StopOptions } from './run.ts';
import type { Sleeper, WarmPool } from './warm-pool.ts';

/** How often an agent that dies before it is ready is started within the window; after that the user is told. */
const MAX_EARLY_ENDS = 3;
const EARLY_WINDOW_MS = 60_000;
/** Only what died quickly is worth another try; a start that hung would hang again. */
const QUICK_END_MS = 5000;

/** The session that a run belongs to. It opens the run, and is told what comes from its current run only. */
export interface RunOwner {
  openRun(listener: RunListener): Promise<Run>;
  /** Whether the run may be ended for now: no turn runs, nothing waits, and the conversation can be resumed. */
  canSleep(): boolean;
  runStarts(): void;
  takeEvent(event: EngineEvent): void;
  takeLine(line: string): void;
  /** `error` is the error for a turn that the run was working on. */
  runEnded(error: ErrorBody, isUnexpected: boolean): void;
}

/** A run from the moment it is opened. */
interface Opened {
  isReady: boolean;
  hasEnded: boolean;
}

export class LiveRun implements Sleeper {
  readonly #owner: RunOwner;
  readonly #pool: WarmPool;
  readonly #log: Log;
  #run: Run | null = null;
  /** The current run; events of others are dropped. */
  #counting: Opened | null = null;
  #opening: Promise<Run> | null = null;
  #ending: Promise<void> | null = null;
  #rechecking: Promise<boolean> | null = null;
  #isExpired = false;
  #earlyEnds: number[] = [];

  constructor(options: { readonly owner: RunOwner; readonly pool: WarmPool; readonly log: Log }) {
    this.#owner = options.owner;
    this.#pool = options.pool;
    this.#log = options.log;
  }

  get current(): Run | null {
    return this.#run;
  }

  /** Resolves with a run that takes prompts. A run that dies on the way is tried again as long as `isWanted`. */
  async ready(isWanted: () => boolean): Promise<Run> {
    for (;;) {
      if (this.#run !== null && this.#opening === null && !this.#isExpired) await this.#recheck(this.#run);
      if (this.#isExpired && this.#opening === null) await this.#end();
      const startedAt = performance.now();
      const run = this.#run ?? (await this.#openOnce());
      try {
        await run.ready;
        // It may have ended between two turns, after it had been ready for long.
        if (run === this.#run) return run;
        if (!isWanted()) throw new CompanionError('ENGINE_CRASHED');
      } catch (error) {
        if (!isWanted() || !this.#isWorthAnotherStart(error, startedAt)) throw error;
        this.#log.warn('run.restarting', { attempt: this.#earlyEnds.length + 1, error });
      }
    }
  }

  /** The next prompt needs another process: something changed that this one was started with. */
  expire(): void {
    this.#isExpired = true;
  }

  /** The run was used. */
  touch(): void {
    if (this.#run !== null) this.#pool.touch(this);
  }

  /** Ends it; resolves when nothing is left of it. */
  async end(how?: StopOptions): Promise<void> {
    if (this.#opening !== null) await this.#opening.catch(() => {});
    await this.#end(how);
  }

  canSleep(): boolean {
    return this.#run !== null && this.#owner.canSleep();
  }

  async sleep(): Promise<void> {
    await this.#end();
  }

  async #openOnce(): Promise<Run> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #open(): Promise<Run> {
    await this.#ending;
    this.#pool.makeRoom();
    this.#isExpired = false;
    const opened: Opened = { isReady: false, hasEnded: false };
    this.#counting = opened;
    this.#owner.runStarts();
    const run = await this.#owner.openRun(this.#listenerOf(opened));
    if (!opened.hasEnded) {
      this.#run = run;
      this.#pool.touch(this);
    }
    return run;
  }

  #listenerOf(opened: Opened): RunListener {
    return {
      onLine: (line) => {
        if (this.#counting === opened) this.#owner.takeLine(line);
      },
      onEvent: (event) => {
        opened.isReady ||= event.type === 'ready';
        // An agent reads its key when it starts, and one that was refused may be ending already.
        if (this.#counting === opened && isRefused(event)) this.#isExpired = true;
        if (this.#counting === opened) this.#owner.takeEvent(event);
      },
      onEnd: (error) => {
        opened.hasEnded = true;
        if (!opened.isReady) this.#earlyEnds.push(performance.now());
        const isUnexpected = this.#counting === opened;
        if (isUnexpected) {
          this.#counting = null;
          this.#run = null;
          this.#pool.remove(this);
        }
        this.#owner.runEnded(error, isUnexpected);
      },
    };
  }

  async #end(how: StopOptions = {}): Promise<void> {
    this.#pool.remove(this);
    const run = this.#run;
    if (run === null) return this.#ending ?? undefined;
    this.#run = null;
    this.#counting = null;
    const stopped = run.stop(how);
    this.#ending = stopped;
    await stopped;
    if (this.#ending === stopped) this.#ending = null;
  }

  /** Some agents take up changed settings of a project while they run. */
  async #recheck(run: Run): Promise<void> {
    this.#rechecking ??= (run.recheck?.() ?? Promise.resolve(true)).finally(() => {
      this.#rechecking = null;
    });
    try {
      if (!(await this.#rechecking) && run === this.#run) this.#isExpired = true;
    } catch (error) {
      // It is ended at once, because a hook at its regular end would still run.
      if (run === this.#run && error instanceof CompanionError && error.code === 'WORKSPACE_NOT_TRUSTED') await this.#end({ graceMs: 0 });
      throw error;
    }
  }

  #isWorthAnotherStart(error: unknown, startedAt: number): boolean {
    const now = performance.now();
    this.#earlyEnds = this.#earlyEnds.filter((at) => now - at < EARLY_WINDOW_MS);
    const isQuick = error instanceof CompanionError && error.code === 'ENGINE_START_FAILED' && now - startedAt < QUICK_END_MS;
    return isQuick && this.#earlyEnds.length < MAX_EARLY_ENDS;
  }
}

const isRefused = (event: EngineEvent): boolean =>
  event.type === 'turn.completed' && event.outcome === 'failed' && event.error?.code === 'ENGINE_NOT_LOGGED_IN';
