/** Asks for this user's daemon until it answers, and starts it when nobody is there. */

/** What one question brought. */
export type Attempt<T> =
  | { readonly answer: T }
  | {
      /** Whether nobody is there, so that a daemon is to be started. */
      readonly isAbsent: boolean;
      /** How long it is asked again although it does not answer; by default for as long as a start may take. */
      readonly limitMs?: number;
      /** What is told when it is not asked again; `since` is when the first question was asked, in Unix milliseconds. */
      readonly toError: (since: number) => Error;
    };

export interface ReachOptions<T> {
  /** Rejects when asking again cannot help. */
  readonly ask: () => Promise<Attempt<T>>;
  /** `onEnd` is called when the started process has ended. */
  readonly startDaemon: (onEnd: (hasFailed: boolean) => void) => void;
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
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    // When the daemon that was started has failed, it is asked once more, because another daemon may have come up.
    const isLast = hasFailed || Date.now() - since > START_LIMIT_MS;
    const attempt = await ask();
    if ('answer' in attempt) return attempt.answer;
    const { isAbsent, limitMs, toError } = attempt;
    if (limitMs === undefined ? isLast : Date.now() - since > limitMs) throw toError(since);
    if (isAbsent && !hasStarted) {
      hasStarted = true;
      startDaemon((failed) => {
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
