/** What the person can do with a session's work in a git repository. */
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import type { Changes, FinishAction, Finished } from '#protocol/work.ts';
import type { Call } from '#extension/shared/wire.ts';

export class WorkActions {
  readonly #call: Call;

  constructor(call: Call) {
    this.#call = call;
  }

  /** All files that are not as they were where the session began. Rejects where that cannot be told. */
  changes(sessionId: SessionId): Promise<Changes> {
    return this.#call(routes.readChanges, { params: { sessionId } });
  }

  /** Rejects with an error that the sheet shows; nothing is lost then. */
  finish(sessionId: SessionId, action: FinishAction): Promise<Finished> {
    return this.#call(routes.finishWorktree, { params: { sessionId }, body: { action } });
  }
}
