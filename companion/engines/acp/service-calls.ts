/** Services for an agent: their answers, and the terminals they open, which end with a turn that is cut. */
import { INVALID_PARAMS, type RpcId, type RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { Effect } from '../engine.ts';
import { isInProject, placeIn, stateIn, terminalIn, toRefusal } from './services.ts';
import type { Updates } from './updates.ts';

export interface ServiceCalls {
  /** A call of the agent's. */
  start(id: RpcId, method: string, params: unknown): Effect[];
  /** It is done, or was refused. */
  reply(callId: string, reply: { result: unknown } | { error: ErrorBody }): Effect[];
  /** Ends every command that runs for the agent. */
  endCommands(): Effect[];
}

interface ServiceCall {
  /** Null for one of our own, whose answer the agent does not see. */
  readonly id: RpcId | null;
  readonly method: string;
  readonly params: unknown;
}

/** `isWanted`: whether somebody waits for what the agent does now. */
export const createServiceCalls = (context: {
  readonly peer: RpcPeer;
  readonly items: OpenItems;
  readonly updates: Updates;
  readonly cwd: string;
  readonly isWanted: () => boolean;
}): ServiceCalls => {
  const { peer, items, updates, cwd, isWanted } = context;
  const calls = new Map<string, ServiceCall>();
  /** Terminals the agent has opened and not released. */
  const terminals = new Set<string>();
  const toldPlaces = new Set<string>();
  let count = 0;

  /** Agents pass a refusal on to their model, and may show the call as done. */
  const tellOutside = (params: unknown): Effect[] => {
    const place = placeIn(params);
    if (toldPlaces.has(place)) return [];
    toldPlaces.add(place);
    return [say({ type: 'notice', level: 'warning', text: `The agent wanted ${place}, which is outside the project: refused.` })];
  };

  const start = (id: RpcId | null, method: string, params: unknown): Effect[] => {
    count += 1;
    const callId = `service-${count}`;
    calls.set(callId, { id, method, params });
    return [{ type: 'service', callId, method, params }];
  };

  const endCommands = (): Effect[] => {
    const open = [...terminals];
    terminals.clear();
    return open.flatMap((terminalId) => start(null, 'terminal/kill', { terminalId }));
  };

  const noteDone = ({ method, params }: ServiceCall, result: unknown): Effect[] => {
    const terminalId = terminalIn(params) ?? terminalIn(result);
    if (terminalId === undefined) return [];
    const itemId = updates.itemOfTerminal(terminalId);
    switch (method) {
      case 'terminal/create':
        terminals.add(terminalId);
        // The turn was cut while it started.
        return isWanted() ? [] : endCommands();
      case 'terminal/release':
        terminals.delete(terminalId);
        return [];
      case 'terminal/wait_for_exit':
        // Shown also for an agent that does not ask what its command said.
        return itemId === undefined ? [] : start(null, 'terminal/output', { terminalId });
      case 'terminal/output': {
        const state = stateIn(result);
        return itemId === undefined || state === null ? [] : items.update(itemId, state);
      }
      default:
        return [];
    }
  };

  return {
    start: (id, method, params) =>
      isInProject(params, cwd)
        ? start(id, method, params)
        : [peer.refuse(id, INVALID_PARAMS, 'outside the project folder'), ...tellOutside(params)],
    endCommands,
    reply: (callId, reply) => {
      const call = calls.get(callId);
      if (call === undefined) return [];
      calls.delete(callId);
      if ('result' in reply) {
        return [...(call.id === null ? [] : [peer.respond(call.id, reply.result ?? {})]), ...noteDone(call, reply.result)];
      }
      if (call.id === null) return [];
      const { code, message } = toRefusal(reply.error, placeIn(call.params));
      const isOutside = reply.error.code === 'WORKSPACE_OUTSIDE_ROOTS';
      return [peer.refuse(call.id, code, message), ...(isOutside ? tellOutside(call.params) : [])];
    },
  };
};
