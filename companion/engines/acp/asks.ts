/** Requests of an ACP agent: permissions and questions go to the user, files and commands to the host. */
import { INVALID_PARAMS, METHOD_NOT_FOUND, type RpcId, type RpcPeer } from '#companion/engines/codecs/json-rpc.ts';
import type { OpenItems } from '#companion/engines/codecs/open-items.ts';
import { createOpenRequests } from '#companion/engines/codecs/open-requests.ts';
import { isBrowserTool } from '#companion/engines/codecs/tool-title.ts';
import type { ErrorBody } from '#protocol/errors.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { Effect } from '../engine.ts';
import { checkHostCall, outputIn, terminalIn } from './host.ts';
import { cancelled, isRejection, optionOfKind, selected, toPermissionRequest } from './permission.ts';
import { Permission } from './schema.ts';
import type { AcpSpec } from './spec.ts';
import { toolName, type OwnServer } from './tool-call.ts';
import type { Updates } from './updates.ts';

/** ACP's code for a file that is not there; agents that make a new one look for it first and need this answer. */
const RESOURCE_NOT_FOUND = -32_002;

export interface AsksContext {
  readonly peer: RpcPeer;
  readonly items: OpenItems;
  readonly updates: Updates;
  readonly spec: AcpSpec;
  readonly own: OwnServer;
  readonly cwd: string;
  readonly isInTurn: () => boolean;
  /** Whether the user chose a mode in which nothing is asked. */
  readonly allowsAll: () => boolean;
}

export interface Asks {
  ask(id: RpcId, method: string, params: unknown): Effect[];
  answer(requestId: string, answer: RequestAnswer): Effect[];
  /** The turn is cut or over: the agent gets its answer and the user no longer sees the card. */
  cancelAll(): Effect[];
  /** The host has done, or refused, what the agent asked of it. */
  reply(callId: string, reply: { result: unknown } | { error: ErrorBody }): Effect[];
}

/** What an open request needs for its answer. */
interface Held {
  readonly id: RpcId;
  readonly toResult: (answer: RequestAnswer) => unknown;
  /** The result that says that nobody will answer. */
  readonly cancelled: unknown;
  /** The call that does not happen when the user says no. */
  readonly deniedBy: (answer: RequestAnswer) => string | null;
}

export const createAsks = ({ peer, items, updates, spec, own, cwd, isInTurn, allowsAll }: AsksContext): Asks => {
  const requests = createOpenRequests<Held>();
  const hostCalls = new Map<string, { id: RpcId; terminalId: string | undefined }>();

  const askPermission = (id: RpcId, permission: Permission): Effect[] => {
    if (!isInTurn()) return [peer.respond(id, cancelled)];
    const { toolCall } = permission;
    const shown = updates.upsert({ ...toolCall, status: 'pending' });
    const name = updates.nameOf(toolCall.toolCallId) ?? toolName(toolCall, own);
    // Consent for the browser is asked by our own policy, where it knows the page; asking twice would only train people to click.
    const isOurs = name.server !== undefined && name.server === own && isBrowserTool(name.tool) && toolCall.kind !== 'execute';
    const isFree = isOurs || allowsAll() || spec.harmlessTools?.includes(name.tool) === true;
    const yes = optionOfKind(permission, 'allow_once') ?? optionOfKind(permission, 'allow_always');
    if (isFree && yes !== undefined) return [...shown, peer.respond(id, selected(yes))];
    const held: Held = {
      id,
      toResult: ({ optionId }) => selected(optionId),
      cancelled,
      deniedBy: (answer) => (isRejection(permission, answer) ? toolCall.toolCallId : null),
    };
    const item = items.find(toolCall.toolCallId);
    const itemId = item === undefined ? undefined : toolCall.toolCallId;
    return [...shown, ...requests.open(String(id), held, toPermissionRequest(permission, item, cwd), itemId)];
  };

  const askHost = (id: RpcId, method: string, params: unknown): Effect[] => {
    const callId = String(id);
    hostCalls.set(callId, { id, terminalId: terminalIn(params) });
    return [{ type: 'host', callId, method, params }];
  };

  return {
    ask: (id, method, params) => {
      if (method === 'session/request_permission') {
        const parsed = Permission.safeParse(params);
        return parsed.success ? askPermission(id, parsed.data) : [peer.refuse(id, INVALID_PARAMS, `cannot read ${method}`)];
      }
      const question = spec.questions?.[method]?.(params);
      if (question !== undefined && question !== null) {
        const held = { id, toResult: question.reply, cancelled: question.reply({ optionId: 'cancel' }), deniedBy: () => null };
        return requests.open(String(id), held, question.request);
      }
      const access = spec.usesHost === false ? 'unknown' : checkHostCall(method, params, cwd);
      if (access === 'allowed') return askHost(id, method, params);
      return access === 'outside'
        ? [peer.refuse(id, INVALID_PARAMS, 'outside the project folder')]
        : [peer.refuse(id, METHOD_NOT_FOUND, `Pilotfish has no ${method}`)];
    },
    answer: (requestId, answer) => {
      const held = requests.take(requestId);
      if (held === undefined) return [];
      const denied = held.deniedBy(answer);
      // Some agents say nothing more about a call the user refused.
      return [peer.respond(held.id, held.toResult(answer)), ...(denied === null ? [] : items.complete(denied, 'denied'))];
    },
    cancelAll: () => {
      const { held, effects } = requests.withdrawAll();
      return [...held.map((request) => peer.respond(request.id, request.cancelled)), ...effects];
    },
    reply: (callId, reply) => {
      const call = hostCalls.get(callId);
      if (call === undefined) return [];
      hostCalls.delete(callId);
      if ('error' in reply) return [peer.refuse(call.id, RESOURCE_NOT_FOUND, reply.error.message)];
      const output = outputIn(reply.result);
      const itemId = call.terminalId === undefined ? undefined : updates.itemOfTerminal(call.terminalId);
      const shown = itemId === undefined || output === undefined ? [] : items.update(itemId, { text: output });
      return [peer.respond(call.id, reply.result ?? {}), ...shown];
    },
  };
};
