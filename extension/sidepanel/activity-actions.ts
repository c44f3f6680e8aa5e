/** What agents do in the browser: what they did, what they may do without asking, and an end to all of it. */
import { sessionTitle } from '#display/attention.ts';
import type { CallPage } from '#protocol/audit.ts';
import type { Grant } from '#protocol/browser.ts';
import type { Sent } from '#protocol/contract.ts';
import type { SessionId } from '#protocol/ids.ts';
import { routes } from '#protocol/routes.ts';
import type { Call } from '#extension/shared/wire.ts';
import type { Store } from './state.ts';

export class ActivityActions {
  readonly #store: Store;
  readonly #call: Call;

  constructor({ store, call }: { store: Store; call: Call }) {
    this.#store = store;
    this.#call = call;
  }

  /** The session on screen; null while that is a new one. */
  sessionId(): SessionId | null {
    return this.#store.state.sessionId;
  }

  /** What a session is called; empty where it is gone or has no name. */
  titleOf(sessionId: SessionId): string {
    const session = this.#store.state.sessions?.find(({ id }) => id === sessionId);
    return session === undefined ? '' : sessionTitle(session);
  }

  /** Calls of browser tools. Rejects when they cannot be read. */
  listCalls(query: Sent<typeof routes.listCalls>['query']): Promise<CallPage> {
    return this.#call(routes.listCalls, { query });
  }

  /** What agents may do without asking. Rejects when it cannot be read. */
  async listGrants(): Promise<readonly Grant[]> {
    return (await this.#call(routes.listGrants, {})).grants;
  }

  async revokeGrant(id: string): Promise<void> {
    await this.#call(routes.removeGrant, { params: { id } });
  }

  /**
   * Ends what every session does, and what waits in it: also what a program from outside has under way. Resolves with how many sessions that
   * were; rejects when one could not be ended.
   */
  async stopAll(): Promise<number> {
    const working = (this.#store.state.sessions ?? []).filter(({ status }) => status !== 'idle');
    await Promise.all(working.map(({ id }) => this.#call(routes.cancelTurns, { params: { sessionId: id } })));
    return working.length;
  }
}
