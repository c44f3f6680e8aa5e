/** What a session has used, from engines that count per process as well as from those that count per conversation. */
import type { Spent, Usage } from '#protocol/events.ts';
import { toSoundUsage } from '#protocol/usage.ts';

const COUNTED = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'costUsd'] as const;

/** The meter of one run. */
export class UsageMeter {
  readonly #before: Usage;
  /** Whether an engine that does not say so counts from the beginning of its process; null before it has reported anything. */
  #isOwnCount: boolean | null = null;
  #total: Spent;
  #last: Spent = {};

  /** `before` is what the session had used until the run began. */
  constructor(before: Usage) {
    this.#before = before;
    this.#total = countedOf(before);
  }

  /**
   * Takes what the engine reports, and returns what the session has used in all, and since the report before. `isOfProcess`: the
   * engine says that it counts from the beginning of its process.
   */
  read(told: Usage, { isOfProcess = false } = {}): { usage: Usage; spent: Spent } {
    const reported = toSoundUsage(told);
    const named = COUNTED.filter((name) => reported[name] !== undefined);
    // A first figure below what was used before can only be that of this process alone.
    if (named.length > 0 && !isOfProcess) this.#isOwnCount ??= named.some((name) => (reported[name] ?? 0) < (this.#before[name] ?? 0));
    const spent: Spent = {};
    for (const name of named) {
      const used = this.#since(name, reported[name] ?? 0, isOfProcess);
      spent[name] = used;
      this.#total = { ...this.#total, [name]: (this.#total[name] ?? 0) + used };
      this.#last = { ...this.#last, [name]: reported[name] };
    }
    return { usage: { ...reported, ...this.#total }, spent };
  }

  #since(name: keyof Spent, reported: number, isOfProcess: boolean): number {
    const last = this.#last[name] ?? (isOfProcess || this.#isOwnCount === true ? 0 : (this.#before[name] ?? 0));
    // A count that is lower than before began anew.
    return reported >= last ? reported - last : reported;
  }
}

const countedOf = (usage: Usage): Spent =>
  Object.fromEntries(COUNTED.filter((name) => usage[name] !== undefined).map((name) => [name, usage[name]]));
