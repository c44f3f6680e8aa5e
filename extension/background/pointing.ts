/** The tabs in which the person points at something: real input of an agent would choose for them, and the page would not hear of it. */
import { CompanionError } from '#protocol/errors.ts';
import { orAborted, pause, within } from './queue.ts';

/** A call has time left then to say so. */
const LONGEST_MS = 15_000;

/** The click of the person ends a little later than what it has chosen is told. */
const CLICK_MS = 150;

export class Pointing {
  readonly #underWay = new Map<number, Promise<unknown>>();

  /** Lets the person point; meanwhile nobody else presses anything there. */
  async during<T>(tabId: number, point: () => Promise<T>): Promise<T> {
    const pointed = point();
    this.#underWay.set(tabId, pointed);
    try {
      return await pointed;
    } finally {
      if (this.#underWay.get(tabId) === pointed) this.#underWay.delete(tabId);
    }
  }

  /** Resolves once nobody points there; throws where the person takes longer than a call can wait. */
  async over(tabId: number, signal: AbortSignal): Promise<void> {
    const pointed = this.#underWay.get(tabId);
    if (pointed === undefined) return;
    const done = pointed.then(
      () => true,
      () => true,
    );
    if (!(await orAborted(within(done, LONGEST_MS), signal)))
      throw new CompanionError('TOOL_FAILED', 'The user is pointing at something in this tab, and nothing was pressed.', {
        remedy: 'Go on in another tab, or retry a little later.',
      });
    await pause(CLICK_MS, signal);
  }
}
