/** Permissions ACP agents ask for, as cards, and the user's answers in ACP's words. */
import type { RequestPermissionResponse } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { argumentLines } from '#protocol/argument-lines.ts';
import { ANSWERS, type AnswerCode } from '#protocol/answers.ts';
import type { RequestAnswer, RequestBody, RequestOption, Saying } from '#protocol/requests.ts';
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
    ...answerSaying(name),
  }));
  const plan = toolCall.kind === 'switch_mode' ? PlanInput.safeParse(toolCall.rawInput) : undefined;
  if (plan?.success === true)
    return { kind: 'plan', title: 'Carry out this plan?', saying: { code: 'plan', values: {} }, detail: plan.data.plan, options: choices };
  const call = item?.kind === 'tool' ? item : undefined;
  const told = readBlocks(readToolContent(toolCall.content ?? []).flatMap((part) => (part.type === 'content' ? [part.content] : []))).text;
  const diff = call?.changes?.map((change) => change.unified).join('\n');
  const input = call?.input === undefined || call.toolKind === 'execute' ? undefined : argumentLines(call.input);
  // A question that is not a tool call has a sentence where tool calls have a name.
  const name = call === undefined || /\s/.test(call.tool) ? undefined : call.tool;
  const known = titles[call?.toolKind ?? 'other'];
  const own = name === undefined ? toolCall.title : `Use ${name}`;
  const saying = titleSaying(known?.code, name, own);
  const title = known?.title ?? own ?? 'Use a tool';
  return {
    kind: 'permission',
    title,
    ...(saying === null ? {} : { saying }),
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

const titles: Partial<Record<string, { readonly title: string; readonly code: string }>> = {
  execute: { title: 'Run a command', code: 'run' },
  edit: { title: 'Change files', code: 'change' },
  fetch: { title: 'Fetch from the network', code: 'fetch_anything' },
};

/** What the title says; null where it is the agent's own. */
const titleSaying = (code: string | undefined, name: string | undefined, own: string | null | undefined): Saying | null => {
  if (code !== undefined) return { code, values: {} };
  if (name !== undefined) return { code: 'agent_tool', values: { name } };
  return typeof own === 'string' ? null : { code: 'tool', values: {} };
};

/** Agents name their answers themselves. These words say no more than Pilotfish's own do. */
const plainAnswers: ReadonlyMap<string, AnswerCode> = new Map(
  (['answer_once', 'answer_allow', 'answer_always', 'answer_session', 'answer_deny', 'answer_reject'] as const).map((code) => [
    ANSWERS[code],
    code,
  ]),
);

const answerSaying = (name: string): Pick<RequestOption, 'saying'> => {
  const code = plainAnswers.get(name);
  return code === undefined ? {} : { saying: { code, values: {} } };
};
