/** What the browsers show of the sessions: how many questions wait for the person, and a tab group with a session's name while it works. */
import type { SessionSummary } from '#protocol/api.ts';
import type { SessionId } from '#protocol/ids.ts';
import type { Bridge } from '#companion/browser/bridge.ts';

type Shown = Pick<Bridge, 'setAttention' | 'sessionStarted' | 'sessionRests' | 'sessionEnded'>;

export class ShownSessions {
  readonly #bridge: Shown;
  /** Every session, with the name that the browsers know of it, if any. */
  readonly #known = new Map<SessionId, string | null>();
  readonly #working = new Set<SessionId>();

  /** `ids` are all sessions, of which none is at work. */
  constructor(bridge: Shown, ids: readonly SessionId[]) {
    this.#bridge = bridge;
    for (const id of ids) this.#known.set(id, null);
  }

  readonly show = (list: readonly SessionSummary[]): void => {
    this.#bridge.setAttention(list.reduce((sum, session) => sum + session.openRequests, 0));
    for (const { id, name, kind, status } of list) {
      if (!this.#known.has(id)) this.#known.set(id, null);
      if (status !== 'idle') this.#working.add(id);
      else if (this.#working.delete(id)) this.#bridge.sessionRests(id);
      if (kind !== 'agent' || status === 'idle' || this.#known.get(id) === name) continue;
      this.#known.set(id, name);
      this.#bridge.sessionStarted(id, name);
    }
    const alive = new Set(list.map(({ id }) => id));
    for (const id of this.#known.keys()) {
      if (alive.has(id)) continue;
      this.#known.delete(id);
      this.#working.delete(id);
      this.#bridge.sessionEnded(id);
    }
  };
}
