/**
 * Requests of an ACP agent: the user answers permissions and questions, and Pilotfish itself reads files and runs commands for
 * the agent.
 */
import { INVALID_PARAMS, METHOD_NOT_FOUND, type RpcId, type RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import { OpenRequests } from '#companion/engines/codecs/open-requests.ts';
import { isBrowserTool } from '#companion/engines/codecs/tool-title.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { Effect } from '../engine.ts';
import type { ServiceCalls } from './service-calls.ts';
import { isServiceMethod } from './services.ts';
import { cancelled, isRejection, optionOfKind, selected, toPermissionRequest } from './permission.ts';
import { Permission } from './schema.ts';
import type { AcpQuestion, AcpSpec } from './spec.ts';
import { toolName, type OwnServer } from './tool-call.ts';
import type { Updates } from './updates.ts';

export interface AsksContext {
  readonly peer: RpcPeer;
  readonly items: OpenItems;
  readonly updates: Updates;
  readonly services: ServiceCalls;
  readonly spec: AcpSpec;
  readonly own: OwnServer;
  readonly cwd: string;
  /** Whether somebody wants the agent's work; false once its turn is cancelled or over. */
  readonly isWanted: () => boolean;
  /** Whether the user chose a mode in which nothing is asked. */
  readonly allowsAll: () => boolean;
}

/** What an open request needs for its answer. */
interface Held {
  readonly id: RpcId;
  readonly toResult: (answer: RequestAnswer) => unknown;
  /** The result that tells the agent that nobody will answer. */
  readonly cancelled: unknown;
  /** The call that does not happen when the user says no, or null. */
  readonly deniedBy: (answer: RequestAnswer) => string | null;
}

export class Asks {
  readonly #context: AsksContext;
  readonly #requests = new OpenRequests<Held>();

  constructor(context: AsksContext) {
    this.#context = context;
  }

  ask(id: RpcId, method: string, params: unknown): Effect[] {
    const { peer, services, spec } = this.#context;
    if (method === 'session/request_permission') {
      const parsed = Permission.safeParse(params);
      return parsed.success ? this.#askPermission(id, parsed.data) : [peer.refuse(id, INVALID_PARAMS, `cannot read ${method}`)];
    }
    const question = spec.questions?.get(method)?.(params);
    if (question !== undefined && question !== null) return this.#askQuestion(id, question);
    const isTaken = spec.usesServices !== false && isServiceMethod(method);
    return isTaken ? services.start(id, method, params) : [peer.refuse(id, METHOD_NOT_FOUND, `Pilotfish has no ${method}`)];
  }

  answer(requestId: string, answer: RequestAnswer): Effect[] {
    const { peer, items } = this.#context;
    const held = this.#requests.take(requestId);
    if (held === undefined) return [];
    const denied = held.deniedBy(answer);
    // Some agents say nothing more about a call the user refused.
    return [peer.respond(held.id, held.toResult(answer)), ...(denied === null ? [] : items.complete(denied, 'denied'))];
  }

  /** The turn is cancelled or over: the agent gets its answer, and the card disappears. */
  cancelAll(): Effect[] {
    const { held, effects } = this.#requests.withdrawAll();
    return [...held.map((request) => this.#context.peer.respond(request.id, request.cancelled)), ...effects];
  }

  #askPermission(id: RpcId, permission: Permission): Effect[] {
    const { peer, items, updates, spec, cwd } = this.#context;
    if (!this.#context.isWanted()) return [peer.respond(id, cancelled)];
    const { toolCall } = permission;
    const question = spec.asQuestion?.(permission) ?? null;
    // A call that asks a question does nothing else, whatever kind the agent gives it.
    const shown = updates.upsert({ ...toolCall, status: 'pending', ...(question === null ? {} : { kind: 'other' }) });
    if (question !== null) return [...shown, ...this.#askQuestion(id, question, toolCall.toolCallId)];
    const yes = optionOfKind(permission, 'allow_once') ?? optionOfKind(permission, 'allow_always');
    if (yes !== undefined && this.#isFree(permission)) return [...shown, peer.respond(id, selected(yes))];
    const held: Held = {
      id,
      toResult: ({ optionId }) => selected(optionId),
      cancelled,
      deniedBy: (answer) => (isRejection(permission, answer) ? toolCall.toolCallId : null),
    };
    const item = items.find(toolCall.toolCallId);
    const itemId = item === undefined ? undefined : toolCall.toolCallId;
    return [...shown, ...this.#requests.open(String(id), held, toPermissionRequest(permission, item, cwd), itemId)];
  }

  /** Whether the call is allowed without asking the user. */
  #isFree({ toolCall }: Permission): boolean {
    const { updates, spec, own } = this.#context;
    const name = updates.nameOf(toolCall.toolCallId) ?? toolName(toolCall, own);
    // Consent for the browser is asked by our own policy, where it knows the page; asking twice would only train people to click.
    const isOurs = name.server !== undefined && name.server === own && isBrowserTool(name.tool) && toolCall.kind !== 'execute';
    return isOurs || this.#context.allowsAll() || spec.harmlessTools?.includes(name.tool) === true;
  }

  #askQuestion(id: RpcId, { request, reply }: AcpQuestion, itemId?: string): Effect[] {
    const rejection = request.options.find(({ kind }) => kind === 'reject')?.optionId;
    const held: Held = {
      id,
      toResult: reply,
      cancelled: reply({ optionId: 'cancel' }),
      deniedBy: ({ optionId }) => (optionId === rejection ? (itemId ?? null) : null),
    };
    return this.#requests.open(String(id), held, request, itemId);
  }
}
