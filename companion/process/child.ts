/** A child process that is a group of its own, talks in lines, and leaves nothing behind. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { LineReader } from '#companion/lib/line-reader.ts';
import { RUN_MARK } from '#protocol/environment.ts';
import { isGroupAlive, signalGroup } from './group.ts';
import { PacedReader } from './paced-reader.ts';
import { startSweeper } from './sweeper.ts';
import { Tail } from './tail.ts';

/** How long the group may take between SIGTERM and SIGKILL. */
const TERM_GRACE_MS = 1_500;
/** The same for a process that did not listen and is ended by force. */
const FORCED_GRACE_MS = 250;
/** How long stdin's end is given to work before SIGTERM. */
const EOF_GRACE_MS = 1_500;
/** How long a pipe may stay open after its process, held by a process outside the group. */
const DRAIN_MS = 500;
/** How often the end of that is awaited as long as something still comes. */
const MAX_DRAINS = 8;
/** How long a process may live on after it has closed its stdout: its exit and the end of the pipe come in any order. */
const MUTE_MS = 1_000;
const POLL_MS = 25;
const STDERR_TAIL_BYTES = 16 * 1024;

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
  /** The process could not be started at all. */
  readonly startError?: Error;
}

export interface EndOptions {
  /** How long stdin's end is given to work. */
  readonly graceMs?: number | undefined;
  /** It did not listen: SIGTERM at once, and SIGKILL soon. */
  readonly isForced?: boolean | undefined;
  /** It is stopped in the middle of its work: what it started goes with it, also what has left the group, however it ends. */
  readonly isCut?: boolean;
}

export interface Child {
  /** Null when the process could not be started; `exited` says why. */
  readonly pid: number | null;
  /** Sends one line; false when the process no longer reads. */
  write(line: string): boolean;
  closeStdin(): void;
  /** Ends the whole group: stdin's end, SIGTERM, SIGKILL, in five seconds at most. Resolves when nothing is left. */
  stop(options?: EndOptions): Promise<void>;
  /** Resolves after the last line was delivered. */
  readonly exited: Promise<Exit>;
  /** The last of what the process said on stderr. */
  stderrTail(): string;
}

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxLineBytes?: number;
  readonly onLine: (line: string) => void;
  readonly onOverflow: (bytes: number) => void;
  /** It has closed its stdout and goes on running, so nothing more can come from it. */
  readonly onMute?: () => void;
  readonly onExit?: (exit: Exit) => void;
}

/** Starts a program without a shell. Lines come in order, all before `onExit`. */
export const startChild = (options: ChildOptions): Child => {
  // It is marked with the name of its run, if it has one: a daemon that finds the run unfinished finds all of its processes by that mark.
  const mark = [options.env[RUN_MARK], randomUUID()].filter((part) => part !== undefined).join('.');
  let child;
  try {
    child = spawn(options.command, [...options.args], {
      cwd: options.cwd,
      env: { ...options.env, [RUN_MARK]: mark },
      shell: false,
      stdio: 'pipe',
      // It gets a group of its own, which can be signalled as a whole. On Windows that would open a console window.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
  } catch (error) {
    // A NUL in an argument or in the environment throws here, before any event.
    return deadChild(Promise.resolve(failedExit(error)), options);
  }
  const { pid } = child;
  if (pid !== undefined) return new LiveChild(child, pid, mark, options);
  const failed = new Promise<Exit>((resolve) => {
    child.once('error', (error) => resolve(failedExit(error)));
  });
  return deadChild(failed, options);
};

class LiveChild implements Child {
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #options: ChildOptions;
  readonly #stderr = new Tail(STDERR_TAIL_BYTES);
  readonly #reader: LineReader;
  readonly #output: PacedReader;
  readonly #sweeper: ReturnType<typeof startSweeper>;
  readonly #leaderGone = Promise.withResolvers<void>();
  readonly #forced = Promise.withResolvers<void>();
  #isLeaderGone = false;
  #isCut = false;
  #swept: Promise<void> = Promise.resolve();
  #stopping: Promise<void> | null = null;

  constructor(child: ChildProcessWithoutNullStreams, pid: number, mark: string, options: ChildOptions) {
    this.pid = pid;
    this.#child = child;
    this.#options = options;
    this.#sweeper = startSweeper(pid, mark);
    this.#reader = new LineReader(options);
    this.#output = new PacedReader(child.stdout, (bytes) => this.#reader.push(bytes));
    // It is always read: a full pipe would stop the child.
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    // A child that closes its stdin early raises EPIPE; its exit says why.
    for (const stream of [child.stdin, child.stdout, child.stderr, child]) stream.on('error', () => {});
    child.once('exit', (code) => this.#leaderExited(code));
    child.stdout.once('end', () => this.#muted());
    const { promise: exited, resolve } = Promise.withResolvers<Exit>();
    this.exited = exited;
    child.once('close', (code, signal) => {
      this.#output.flush();
      this.#reader.end();
      options.onExit?.({ code, signal });
      resolve({ code, signal });
    });
  }

  write(line: string): boolean {
    if (this.#isLeaderGone || !this.#child.stdin.writable) return false;
    this.#child.stdin.write(`${line}\n`);
    return true;
  }

  closeStdin(): void {
    this.#child.stdin.end();
  }

  async stop({ graceMs = EOF_GRACE_MS, isForced = false, isCut = false }: EndOptions = {}): Promise<void> {
    this.#isCut ||= isCut;
    if (isForced) this.#forced.resolve();
    this.#stopping ??= this.#stop(Math.min(graceMs, EOF_GRACE_MS));
    await this.#stopping;
  }

  stderrTail(): string {
    return this.#stderr.text();
  }

  async #stop(graceMs: number): Promise<void> {
    const { promise: gone } = this.#leaderGone;
    const { promise: forced } = this.#forced;
    this.#child.stdin.end();
    await within(Promise.race([gone, forced]), graceMs);
    if (!this.#isLeaderGone) {
      signalGroup(this.pid, 'SIGTERM');
      await within(Promise.race([gone, forced.then(() => within(gone, FORCED_GRACE_MS))]), TERM_GRACE_MS);
      if (!this.#isLeaderGone) signalGroup(this.pid, 'SIGKILL');
    }
    await this.exited;
    await endGroup(this.pid);
    await this.#swept;
  }

  /** What the agent left running would keep our pipes open and outlive the session. */
  #leaderExited(code: number | null): void {
    this.#isLeaderGone = true;
    this.#swept = this.#sweeper.release(code === 0 && !this.#isCut);
    this.#leaderGone.resolve();
    void endGroup(this.pid).then(async () => {
      await isDrained(this.#output);
      this.#child.stdout.destroy();
      this.#child.stderr.destroy();
    });
  }

  #muted(): void {
    setTimeout(() => {
      if (!this.#isLeaderGone) this.#options.onMute?.();
    }, MUTE_MS).unref();
  }
}

/** Ends what is left of a group whose leader has gone. */
const endGroup = async (pid: number): Promise<void> => {
  if (!isGroupAlive(pid)) return;
  signalGroup(pid, 'SIGTERM');
  if (await isGroupGone(pid)) return;
  signalGroup(pid, 'SIGKILL');
  // The wait has a limit: a zombie whose parent never reaps it counts as alive for ever.
  await isGroupGone(pid);
};

/** It polls, because the end of a process that is not our child raises no event. */
const isGroupGone = async (pid: number): Promise<boolean> => {
  const end = performance.now() + DRAIN_MS;
  while (isGroupAlive(pid)) {
    if (performance.now() >= end) return false;
    await pause(POLL_MS);
  }
  return true;
};

/** Resolves when nothing has come for a while, or when the limit is reached. */
const isDrained = async (output: PacedReader): Promise<void> => {
  for (let round = 0, before = -1; round < MAX_DRAINS && before !== output.receivedBytes; round += 1) {
    before = output.receivedBytes;
    await pause(DRAIN_MS, undefined, { ref: false });
  }
};

/** Resolves when it is done, or at the limit. */
const within = async (done: Promise<unknown>, limitMs: number): Promise<void> => {
  let timer;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    await Promise.race([done, late]);
  } finally {
    clearTimeout(timer);
  }
};

const failedExit = (error: unknown): Exit => ({
  code: null,
  signal: null,
  startError: error instanceof Error ? error : new Error(String(error)),
});

/** Stands for a process that could not be started: its `onExit` is called like any other, after the caller has got the value. */
const deadChild = (failed: Promise<Exit>, { onExit }: ChildOptions): Child => {
  const exited = failed.then((exit) => {
    onExit?.(exit);
    return exit;
  });
  return {
    pid: null,
    write: () => false,
    closeStdin: () => {},
    stop: async () => {
      await exited;
    },
    exited,
    stderrTail: () => '',
  };
};
