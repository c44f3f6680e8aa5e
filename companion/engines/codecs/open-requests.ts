/** What an agent waits for the user to answer; withdrawn when the agent stops waiting. */
import type { RequestBody } from '#protocol/requests.ts';
import type { Effect } from '../engine.ts';
import { say } from './open-items.ts';

/** `T` is what the answer to a request needs. */
export class OpenRequests<T> {
  readonly #open = new Map<string, T>();

  /** Shows the request, and keeps `held` for its answer. */
  open(requestId: string, held: T, request: RequestBody, itemId?: string): Effect[] {
    this.#open.set(requestId, held);
    return [say({ type: 'request.opened', requestId, request, ...(itemId === undefined ? {} : { itemId }) })];
  }

  /** Takes what was held out, as the user has answered; undefined when the request is not open any more. */
  take(requestId: string): T | undefined {
    const held = this.#open.get(requestId);
    this.#open.delete(requestId);
    return held;
  }

  withdraw(requestId: string): Effect[] {
    return this.#open.delete(requestId) ? [withdrawn(requestId)] : [];
  }

  /** Withdraws all of them, or those for which `which` is true, and gives what was held for their answers. */
  withdrawAll(which: (held: T) => boolean = () => true): { held: T[]; effects: Effect[] } {
    const chosen = [...this.#open].filter(([, held]) => which(held));
    for (const [requestId] of chosen) this.#open.delete(requestId);
    return { held: chosen.map(([, held]) => held), effects: chosen.map(([requestId]) => withdrawn(requestId)) };
  }
}

const withdrawn = (requestId: string): Effect => say({ type: 'request.withdrawn', requestId });
