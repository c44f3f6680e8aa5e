/** Asks for this user's daemon until it answers, and starts it when nobody is there. */

/** What one question brought. */
export type Attempt<T> =
  | { readonly answer: T }
  | {
      /** Whether nobody is there, so that a daemon is to be started. */
      readonly isAbsent: boolean;
      /** How long it is asked again although it does not answer; by default for as long as a start may take. */
      readonly limitMs?: number;
      /** What is told when it is not asked again. */
      readonly toError: (start: FailedStart) => Error;
    };

/** What is known of a daemon that did not come up. */
export interface FailedStart {
  /** When the first question was asked, in Unix milliseconds. */
  readonly since: number;
  /** By which the started process was ended; null while it is there, or when it ended by itself. */
  readonly signal: NodeJS.Signals | null;
}

/** Is called when the process that was started has ended. */
export type OnDaemonEnd = (hasFailed: boolean, signal: NodeJS.Signals | null) => void;

export interface ReachOptions<T> {
  /** Rejects when asking again cannot help. */
  readonly ask: () => Promise<Attempt<T>>;
  readonly startDaemon: (onEnd: OnDaemonEnd) => void;
  /** The pause between two questions doubles from the first to the longest. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A daemon needs about 0.2 s to answer; a machine under load gets this long. */
const START_LIMIT_MS = 15_000;

/** Resolves with the answer. Rejects with the reason of the signal when that is aborted. */
export const reachDaemon = async <T>({ ask, startDaemon, firstPauseMs, longestPauseMs, signal }: ReachOptions<T>): Promise<T> => {
  const since = Date.now();
  let hasStarted = false;
  let hasFailed = false;
  let endedBy: NodeJS.Signals | null = null;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    // When the daemon that was started has failed, it is asked once more, because another daemon may have come up.
    const isLast = hasFailed || Date.now() - since > START_LIMIT_MS;
    const attempt = await ask();
    if ('answer' in attempt) return attempt.answer;
    const { isAbsent, limitMs, toError } = attempt;
    if (limitMs === undefined ? isLast : Date.now() - since > limitMs) throw toError({ since, signal: endedBy });
    if (isAbsent && !hasStarted) {
      hasStarted = true;
      startDaemon((failed, by) => {
        endedBy = by;
        if (failed) hasFailed = true;
        else hasStarted = false;
      });
    }
    await pause(pauseMs, signal);
  }
};

/** The host loads the timers only now, after Chrome has had its first frame. */
const pause = async (ms: number, signal: AbortSignal | undefined): Promise<void> => {
  const { setTimeout } = process.getBuiltinModule('node:timers/promises');
  await setTimeout(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
  signal?.throwIfAborted();
};
