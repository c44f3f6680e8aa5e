/**
 * What a terminal window was opened for. The window gets an id and nothing else; what it is to do stays in the daemon, until a terminal
 * of the person takes it by the private socket.
 */
import { randomId } from '#companion/lib/random-id.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Errand } from '#protocol/errands.ts';
import type { OpenedWindow } from './desktop.ts';
import { explain } from '#protocol/faults.ts';

/** A window is there within seconds, on a busy machine too. */
const HOLDS_MS = 3 * 60_000;
/** So many windows may be on their way: a panel that opens one after the other is refused. */
const MAX_WAITING = 3;
/** And so many are opened within ten minutes, whatever becomes of them. */
const MAX_OPENED = 10;
const OPENED_WITHIN_MS = 10 * 60_000;

interface Waiting {
  readonly errand: Errand;
  readonly until: number;
  readonly onTaken: () => void;
}

export class Errands {
  readonly #waiting = new Map<string, Waiting>();
  #openedAt: readonly number[] = [];
  readonly #now: () => number;

  /** `now` is a clock that nobody sets, in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Keeps an errand and opens the window that is to take it; resolves when it was taken, or the window seems to stay. An errand whose
   * signal is aborted is not given any more.
   */
  async send(errand: Errand, open: (args: readonly string[]) => Promise<OpenedWindow>, signal?: AbortSignal): Promise<void> {
    this.#forgetOld();
    if (this.#waiting.size >= MAX_WAITING || this.#openedAt.length >= MAX_OPENED) {
      throw new CompanionError('DESKTOP_FAILED', explain('windows_opening'), {
        remedy: explain('close_or_answer'),
      });
    }
    const id = randomId('errand');
    const now = this.#now();
    const { promise: taken, resolve: onTaken } = Promise.withResolvers<void>();
    this.#openedAt = [...this.#openedAt, now];
    this.#waiting.set(id, { errand, until: now + HOLDS_MS, onTaken });
    signal?.addEventListener('abort', () => this.#waiting.delete(id), { once: true });
    try {
      const { settled } = await open(['errand', id]);
      await Promise.race([taken, settled]);
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
    found.onTaken();
    return found.errand;
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [id, { until }] of this.#waiting) if (until <= now) this.#waiting.delete(id);
    this.#openedAt = this.#openedAt.filter((at) => now - at < OPENED_WITHIN_MS);
  }
}
