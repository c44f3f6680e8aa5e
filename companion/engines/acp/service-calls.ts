/** Services for an agent: their answers, and the terminals they open, which end with a turn that is cut. */
import { INVALID_PARAMS, type RpcId, type RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import { say, type OpenItems } from '#companion/engines/codecs/open-items.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import { notice } from '#protocol/notices.ts';
import type { Effect } from '../engine.ts';
import { isInProject, placeIn, stateIn, terminalIn, toRefusal } from './services.ts';
import type { Updates } from './updates.ts';

interface ServiceCall {
  /** Null for a call of our own, whose answer the agent does not see. */
  readonly id: RpcId | null;
  readonly method: string;
  readonly params: unknown;
}

export class ServiceCalls {
  readonly #peer: RpcPeer;
  readonly #items: OpenItems;
  readonly #updates: Updates;
  readonly #cwd: string;
  readonly #isWanted: () => boolean;
  readonly #calls = new Map<string, ServiceCall>();
  /** Terminals the agent has opened and not released. */
  readonly #terminals = new Set<string>();
  readonly #toldPlaces = new Set<string>();
  #count = 0;

  /** `isWanted`: whether somebody waits for what the agent does now. */
  constructor(context: {
    readonly peer: RpcPeer;
    readonly items: OpenItems;
    readonly updates: Updates;
    readonly cwd: string;
    readonly isWanted: () => boolean;
  }) {
    this.#peer = context.peer;
    this.#items = context.items;
    this.#updates = context.updates;
    this.#cwd = context.cwd;
    this.#isWanted = context.isWanted;
  }

  /** The agent asks for something to be done. */
  start(id: RpcId, method: string, params: unknown): Effect[] {
    return isInProject(params, this.#cwd)
      ? this.#start(id, method, params)
      : [this.#peer.refuse(id, INVALID_PARAMS, 'outside the project folder'), ...this.#tellOutside(params)];
  }

  /** It was done or refused. */
  reply(callId: string, reply: { result: unknown } | { error: ErrorBody }): Effect[] {
    const call = this.#calls.get(callId);
    if (call === undefined) return [];
    this.#calls.delete(callId);
    if ('result' in reply) {
      const answer = call.id === null ? [] : [this.#peer.respond(call.id, reply.result ?? {})];
      return [...answer, ...this.#noteDone(call, reply.result)];
    }
    if (call.id === null) return [];
    const { code, message } = toRefusal(reply.error, placeIn(call.params));
    const isOutside = reply.error.code === 'WORKSPACE_OUTSIDE_ROOTS';
    return [this.#peer.refuse(call.id, code, message), ...(isOutside ? this.#tellOutside(call.params) : [])];
  }

  /** Ends every command that runs for the agent. */
  endCommands(): Effect[] {
    const open = [...this.#terminals];
    this.#terminals.clear();
    return open.flatMap((terminalId) => this.#start(null, 'terminal/kill', { terminalId }));
  }

  #start(id: RpcId | null, method: string, params: unknown): Effect[] {
    this.#count += 1;
    const callId = `service-${this.#count}`;
    this.#calls.set(callId, { id, method, params });
    return [{ type: 'service', callId, method, params }];
  }

  /** A refusal is shown once for each place: agents pass it on to their model only, and may show the call as done. */
  #tellOutside(params: unknown): Effect[] {
    const place = placeIn(params);
    if (this.#toldPlaces.has(place)) return [];
    this.#toldPlaces.add(place);
    return [say({ type: 'notice', level: 'warning', ...notice('outside', { place }) })];
  }

  #noteDone({ method, params }: ServiceCall, result: unknown): Effect[] {
    const terminalId = terminalIn(params) ?? terminalIn(result);
    if (terminalId === undefined) return [];
    const itemId = this.#updates.itemOfTerminal(terminalId);
    switch (method) {
      case 'terminal/create':
        this.#terminals.add(terminalId);
        // The turn was cancelled while the terminal was being started.
        return this.#isWanted() ? [] : this.endCommands();
      case 'terminal/release':
        this.#terminals.delete(terminalId);
        return [];
      case 'terminal/wait_for_exit':
        // The output is shown also when the agent does not ask for it.
        return itemId === undefined ? [] : this.#start(null, 'terminal/output', { terminalId });
      case 'terminal/output': {
        const state = stateIn(result);
        return itemId === undefined || state === null ? [] : this.#items.update(itemId, state);
      }
      default:
        return [];
    }
  }
}
