/** Ends an agent's code that keeps its page busy for ever. */
import { CompanionError } from '#protocol/errors.ts';
import type { Debuggers } from './debugger.ts';
import type { DebuggedPlace } from './frame-sessions.ts';

/** Code may keep its page busy for this long. */
export const BUSY_MS = 5_000;

/** A page that answers nothing for this long is busy. */
const ANSWER_MS = 1_500;

export const endless = (): CompanionError =>
  new CompanionError('TOOL_TIMEOUT', `The code kept the page busy for ${BUSY_MS / 1_000} s and was ended.`, {
    remedy: 'What it did before stays done: look at the page with browser_snapshot, and mend its loop.',
  });

/**
 * For code that goes on after a wait; until its first wait, Chrome's own limit holds. A page that is busy takes no command but a pause, and that
 * only when Chrome was told before that it may come; `Runtime.terminateExecution` is not for extensions.
 */
export class Watchdog {
  readonly #debuggers: Debuggers;
  readonly #place: DebuggedPlace;
  readonly #signal: AbortSignal;
  readonly #ended = Promise.withResolvers<never>();
  #isPausing = false;

  constructor(debuggers: Debuggers, place: DebuggedPlace, signal: AbortSignal) {
    this.#debuggers = debuggers;
    this.#place = place;
    this.#signal = signal;
  }

  /** The result of `work`, or that it was ended: code that was ended never says so itself. */
  async over<T>(work: Promise<T>): Promise<T> {
    const look = (): Promise<void> => this.#endIfBusy();
    const timer = setInterval(() => void look(), BUSY_MS - ANSWER_MS);
    chrome.debugger.onEvent.addListener(this.#onEvent);
    void this.#send('Debugger.enable');
    try {
      return await Promise.race([work, this.#ended.promise]);
    } finally {
      clearInterval(timer);
      void (this.#signal.aborted ? look() : Promise.resolve()).finally(() => this.#letGo());
    }
  }

  async #letGo(): Promise<void> {
    await this.#send('Debugger.disable');
    chrome.debugger.onEvent.removeListener(this.#onEvent);
  }

  async #endIfBusy(): Promise<void> {
    const answered = this.#send('Runtime.evaluate', { expression: '0' }).then(() => true);
    const isIdle = await Promise.race([answered, new Promise<false>((resolve) => setTimeout(() => resolve(false), ANSWER_MS))]);
    if (isIdle || this.#debuggers.openDialog(this.#place.tabId) !== null) return;
    this.#isPausing = true;
    void this.#send('Debugger.pause');
    // The pause may find the code at its end, and then waits for what runs next.
    await answered;
    this.#isPausing = false;
  }

  /** A page may have breakpoints of its own in its code. */
  readonly #onEvent = ({ tabId, sessionId }: chrome.debugger.DebuggerSession, method: string): void => {
    if (tabId !== this.#place.tabId || sessionId !== this.#place.sessionId || method !== 'Debugger.paused') return;
    if (this.#isPausing) this.#ended.reject(endless());
    void this.#send('Debugger.resume', { terminateOnResume: this.#isPausing });
  };

  /** What has gone needs nothing any more. */
  #send(method: string, params: Record<string, unknown> = {}): Promise<unknown> {
    return chrome.debugger.sendCommand(this.#place, method, params).catch(() => null);
  }
}
