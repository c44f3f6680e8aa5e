/** One queue for each key, never a global one, so that a stuck tab holds up nobody else; and work that ends in time or is given up. */
import { CompanionError } from '#protocol/errors.ts';

export class KeyedQueue {
  readonly #tails = new Map<string, Promise<void>>();

  /** Whether a task under `key` would run at once. */
  isFree(key: string): boolean {
    return !this.#tails.has(key);
  }

  /** Runs `task` after all that were queued under `key`; a task whose signal is aborted before its turn never runs. */
  async run<T>(key: string, signal: AbortSignal, task: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key);
    const own = Promise.withResolvers<void>();
    // A task that gives up its place must not let the next one overtake the one that is still running.
    const tail = before === undefined ? own.promise : before.then(() => own.promise);
    this.#tails.set(key, tail);
    try {
      if (before !== undefined) await orAborted(before, signal);
      signal.throwIfAborted();
      return await task();
    } finally {
      own.resolve();
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    }
  }
}

/** The result of `promise`; rejects with the signal's reason as soon as it is aborted. */
export const orAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener('abort', abort);
    return void promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });

/** The result of `work`, whose signal is aborted with TOOL_TIMEOUT after `limitMs`. */
export const withinLimit = async <T>(
  what: string,
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new CompanionError('TOOL_TIMEOUT', `${what} ran for ${limitMs / 1000} s.`)), limitMs);
  try {
    return await work(AbortSignal.any([signal, limit.signal]));
  } finally {
    clearTimeout(timer);
  }
};

/** For what is done to its end: who waits for it must take their listener away again. */
export const never = new AbortController().signal;

/** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const finish = (): void => {
      signal.removeEventListener('abort', abort);
      resolve();
    };
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(finish, ms);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });

/** What the promise resolves with; false when it has not by then. */
export const within = (promise: Promise<boolean>, ms: number): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms);
    void promise.then((value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
