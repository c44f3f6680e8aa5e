/**
 * What a terminal window was opened for. The window gets an id and nothing else; what it is to do stays in the daemon, until a terminal
 * of the person takes it by the private socket.
 */
import { randomId } from '#companion/lib/random-id.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Errand } from '#protocol/errands.ts';

/** A window is there within seconds, on a busy machine too. */
const HOLDS_MS = 3 * 60_000;
/** So many windows may be on their way: a panel that opens one after the other is refused. */
const MAX_WAITING = 3;

interface Waiting {
  readonly errand: Errand;
  readonly until: number;
}

export class Errands {
  readonly #waiting = new Map<string, Waiting>();
  readonly #now: () => number;

  /** `now` is a clock that nobody sets, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Keeps an errand and opens the window that is to take it. */
  async send(errand: Errand, open: (args: readonly string[]) => Promise<void>): Promise<void> {
    this.#forgetOld();
    if (this.#waiting.size >= MAX_WAITING) {
      throw new CompanionError('DESKTOP_FAILED', 'Other terminal windows are still being opened.', {
        remedy: 'Close or answer them, or try again in a few minutes.',
      });
    }
    const id = randomId('errand');
    this.#waiting.set(id, { errand, until: this.#now() + HOLDS_MS });
    try {
      await open(['errand', id]);
    } catch (error) {
      this.#waiting.delete(id);
      throw error;
    }
  }

  /** Gives an errand to the one who does it, once. */
  take(id: string): Errand {
    this.#forgetOld();
    const found = this.#waiting.get(id);
    if (found === undefined) throw new CompanionError('ERRAND_GONE');
    this.#waiting.delete(id);
    return found.errand;
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [id, { until }] of this.#waiting) if (until <= now) this.#waiting.delete(id);
  }
}
