/** A call whose daemon went away, or hangs. */
import { CompanionError } from '#protocol/errors.ts';

/** Whether the call was carried out only the browser knows, so it is not repeated, unless no daemon can have had it. */
export class CutCallError extends CompanionError {
  /** Whether a daemon may have had it. */
  readonly wasSent: boolean;

  constructor(cause?: unknown, wasSent = true) {
    super('DAEMON_NOT_RUNNING', 'It went away during the call.', {
      remedy: 'Look at the page first, then call again: the daemon is started by itself.',
      cause,
    });
    this.wasSent = wasSent;
  }
}
