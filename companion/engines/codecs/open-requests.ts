/** The requests of an agent that wait for the user. They are withdrawn when the agent stops waiting. */
import type { RequestBody } from '#protocol/requests.ts';
import type { Effect } from '../engine.ts';
import { say } from './open-items.ts';

/** `T` is what is needed to answer a request. */
export class OpenRequests<T> {
  readonly #open = new Map<string, T>();

  /** Shows the request, and keeps `held` for its answer. */
  open(requestId: string, held: T, request: RequestBody, itemId?: string): Effect[] {
    this.#open.set(requestId, held);
    return [say({ type: 'request.opened', requestId, request, ...(itemId === undefined ? {} : { itemId }) })];
  }

  /** The user has answered: removes the request and returns what was held for it, or undefined when it is not open any more. */
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
