/** Begins the next prompt that waits, once it is on disk that it begins. */
import type { Log } from '#companion/lib/log.ts';
import type { EventBody } from '#protocol/events.ts';
import type { ItemId } from '#protocol/ids.ts';
import { runningTurn } from '#protocol/view.ts';
import { startQueued } from './decide.ts';
import type { SessionLog } from './session-log.ts';

/** How long a full disk is left alone before the queue is looked at again. */
const RETRY_MS = 1000;

/** After a turn has ended. `begin` gets what is on disk by then; nothing of it when the queue is empty. */
export const advanceQueue = (options: {
  readonly journal: SessionLog;
  readonly log: Log;
  readonly itemId: () => ItemId;
  /** False when the session or the daemon is going. */
  readonly isWanted: () => boolean;
  readonly begin: (bodies: readonly EventBody[]) => void;
}): void => {
  const { journal, log } = options;
  const advance = (): void => {
    if (!options.isWanted()) return;
    const bodies = startQueued(journal.view(), { itemId: options.itemId });
    try {
      journal.commit(bodies);
    } catch (error) {
      // What is not on disk is not begun, or it would be begun again.
      log.warn('sessions.queue_waits', { sessionId: journal.sessionId, error });
      later();
      return;
    }
    options.begin(bodies);
  };
  const later = (): void => {
    setTimeout(() => {
      // Until everything is on disk the view does not say what runs.
      if (journal.heldCount > 0 && options.isWanted()) later();
      else if (options.isWanted() && runningTurn(journal.view()) === undefined) advance();
    }, RETRY_MS).unref();
  };
  advance();
};
