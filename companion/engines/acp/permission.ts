/** Permissions ACP agents ask for, as cards, and the user's answers in ACP's words. */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { argumentLines } from '#protocol/argument-lines.ts';
import type { RequestAnswer, RequestBody, RequestOption } from '#protocol/requests.ts';
import type { ItemBody } from '#protocol/items.ts';
import { readBlocks } from '#companion/engines/codecs/mcp-content.ts';
import { readToolContent, type Permission } from './schema.ts';

const optionKinds: ReadonlyMap<string, RequestOption['kind']> = new Map<string, RequestOption['kind']>([
  ['allow_once', 'allow_once'],
  ['allow_always', 'allow_always'],
  ['reject_once', 'reject'],
  ['reject_always', 'reject'],
]);

/** The input of a call that leaves plan mode, for agents that have such a tool. */
const PlanInput = z.looseObject({ plan: z.string() });

/** The card. `item` is the item of the call, when it is known; `where` is the project's folder. */
export const toPermissionRequest = (permission: Permission, item: ItemBody | undefined, where: string): RequestBody => {
  const { toolCall, options } = permission;
  const choices = options.map(({ optionId, name, kind }) => ({
    optionId,
    label: name,
    kind: optionKinds.get(kind) ?? ('choice' as const),
  }));
  const plan = toolCall.kind === 'switch_mode' ? PlanInput.safeParse(toolCall.rawInput) : undefined;
  if (plan?.success === true) return { kind: 'plan', title: 'Carry out this plan?', detail: plan.data.plan, options: choices };
  const call = item?.kind === 'tool' ? item : undefined;
  const told = readBlocks(readToolContent(toolCall.content ?? []).flatMap((part) => (part.type === 'content' ? [part.content] : []))).text;
  const diff = call?.changes?.map((change) => change.unified).join('\n');
  const input = call?.input === undefined || call.toolKind === 'execute' ? undefined : argumentLines(call.input);
  // A question that is not a tool call has a sentence where tool calls have a name.
  const name = call === undefined || /\s/.test(call.tool) ? undefined : call.tool;
  const known = titles[call?.toolKind ?? 'other'];
  const title = known ?? (name === undefined ? (toolCall.title ?? 'Use a tool') : `Use ${name}`);
  return {
    kind: 'permission',
    title,
    ...(known === undefined && name !== undefined ? { saying: { code: 'agent_tool', values: { name } } } : {}),
    detail: [call?.title === title ? undefined : call?.title, diff ?? input, told === input ? undefined : told]
      .filter((part) => typeof part === 'string' && part !== '')
      .join('\n\n'),
    where,
    options: choices,
  };
};

/** Finds an option by its kind, never by its position or id: agents offer several of a kind, and name them as they like. */
export const optionOfKind = (permission: Permission, kind: string): string | undefined =>
  permission.options.find((option) => option.kind === kind)?.optionId;

export const isRejection = (permission: Permission, answer: RequestAnswer): boolean =>
  permission.options.find((option) => option.optionId === answer.optionId)?.kind.startsWith('reject') === true;

export const selected = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } });

/** What every open permission must be answered with when the turn is cancelled. */
export const cancelled: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } };

const titles: Partial<Record<string, string>> = { execute: 'Run a command', edit: 'Change files', fetch: 'Fetch from the network' };
