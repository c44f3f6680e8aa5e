/** What an agent waits for the user to answer; withdrawn when the agent stops waiting. */
import type { RequestBody } from '#protocol/requests.ts';
import type { Effect } from '../engine.ts';
import { say } from './open-items.ts';

export interface OpenRequests<T> {
  /** Shows the request; `held` is what its answer needs. */
  open(requestId: string, held: T, request: RequestBody, itemId?: string): Effect[];
  /** Takes what was held out, as the user has answered; undefined when it is not open any more. */
  take(requestId: string): T | undefined;
  withdraw(requestId: string): Effect[];
  /** Takes all out. */
  withdrawAll(): { held: T[]; effects: Effect[] };
}

export const createOpenRequests = <T>(): OpenRequests<T> => {
  const open = new Map<string, T>();
  const withdrawn = (requestId: string): Effect => say({ type: 'request.withdrawn', requestId });
  return {
    open: (requestId, held, request, itemId) => {
      open.set(requestId, held);
      return [say({ type: 'request.opened', requestId, request, ...(itemId === undefined ? {} : { itemId }) })];
    },
    take: (requestId) => {
      const held = open.get(requestId);
      open.delete(requestId);
      return held;
    },
    withdraw: (requestId) => (open.delete(requestId) ? [withdrawn(requestId)] : []),
    withdrawAll: () => {
      const all = { held: [...open.values()], effects: [...open.keys()].map(withdrawn) };
      open.clear();
      return all;
    },
  };
};
