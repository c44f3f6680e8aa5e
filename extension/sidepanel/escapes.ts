/** What Escape does in the panel: it leads to what waits for the person, and otherwise stops the agent. */
import { LEAD_ON_MS } from '#display/request-options.ts';

export interface EscapeSituation {
  readonly isWaiting: boolean;
  readonly isRunning: boolean;
}

/** Remembers whether a card has just gone: an Escape may then be meant for it, or for the next, and stops only when it is pressed again. */
export class Escapes {
  #goneAt = Number.NEGATIVE_INFINITY;

  /** The last card that waited is gone, wherever it was answered. */
  cardGone(now: number): void {
    this.#goneAt = now;
  }

  /** The person has done something else, or is somewhere else. */
  goOn(): void {
    this.#goneAt = Number.NEGATIVE_INFINITY;
  }

  /** What it does when it is pressed now. */
  press({ isWaiting, isRunning }: EscapeSituation, now: number): 'card' | 'again' | 'stop' | 'nothing' {
    if (isWaiting) return 'card';
    if (!isRunning) return 'nothing';
    const isLate = now - this.#goneAt < LEAD_ON_MS;
    this.goOn();
    return isLate ? 'again' : 'stop';
  }
}
