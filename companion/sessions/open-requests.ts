/** The requests that wait for an answer, and who waits: the agent or a part of Pilotfish. */
import type { RequestId } from '#protocol/ids.ts';
import type { RequestAnswer } from '#protocol/requests.ts';

/** Who is told how a request ended. */
export type Asker =
  | { readonly origin: 'agent'; /** The agent's own id of the request. */ readonly agentRequestId: string }
  /** The answer is null when nobody gave one. */
  | { readonly origin: 'companion'; readonly resolve: (answer: RequestAnswer | null) => void };

export class OpenRequests {
  readonly #askers = new Map<RequestId, Asker>();

  add(requestId: RequestId, asker: Asker): void {
    this.#askers.set(requestId, asker);
  }

  /** Removes the request and returns who asked, so that each is told once. */
  take(requestId: RequestId): Asker | undefined {
    const asker = this.#askers.get(requestId);
    this.#askers.delete(requestId);
    return asker;
  }

  has(requestId: RequestId): boolean {
    return this.#askers.has(requestId);
  }

  /** Our ids of the agent's requests. */
  ofAgent(): RequestId[] {
    return [...this.#askers].flatMap(([requestId, { origin }]) => (origin === 'agent' ? [requestId] : []));
  }

  /** Our id of a request of the agent. */
  idOf(agentRequestId: string): RequestId | undefined {
    for (const [requestId, asker] of this.#askers) {
      if (asker.origin === 'agent' && asker.agentRequestId === agentRequestId) return requestId;
    }
    return undefined;
  }

  /** Nobody will answer any more. */
  close(): void {
    const askers = [...this.#askers.values()];
    this.#askers.clear();
    for (const asker of askers) if (asker.origin === 'companion') asker.resolve(null);
  }
}
