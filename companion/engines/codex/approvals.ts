/** What codex asks its client, as a request to the user, and the user's answer in codex's words. */
import * as z from 'zod';
import { toOption } from '#protocol/answers.ts';
import { argumentLines } from '#protocol/argument-lines.ts';
import type { RequestAnswer, RequestBody, RequestOption } from '#protocol/requests.ts';
import { chosenFor } from '#companion/engines/codecs/ask-user.ts';
import { fieldsToQuestions, answersToFields, FormSchema } from './forms.ts';

/** A request of codex as the card for it; `reply` makes the result to send. */
export interface Approval {
  readonly request: RequestBody;
  readonly itemId?: string;
  readonly reply: (answer: RequestAnswer) => unknown;
}

const CommandApproval = z.object({
  itemId: z.string(),
  reason: z.string().nullish(),
  command: z.string().nullish(),
  cwd: z.string().nullish(),
  commandActions: z.array(z.object({ command: z.string() })).nullish(),
  networkApprovalContext: z.object({ host: z.string() }).nullish(),
});

const EditApproval = z.object({ itemId: z.string(), reason: z.string().nullish(), grantRoot: z.string().nullish() });

const Elicitation = z.object({
  serverName: z.string(),
  mode: z.string(),
  message: z.string().optional(),
  url: z.string().optional(),
  requestedSchema: z.unknown().optional(),
  _meta: z.looseObject({ codex_approval_kind: z.string().optional(), tool_params: z.unknown().optional() }).nullish(),
});

const PermissionApproval = z.object({
  itemId: z.string(),
  cwd: z.string(),
  reason: z.string().nullable(),
  permissions: z.record(z.string(), z.unknown()),
});

const UserInput = z.object({
  itemId: z.string(),
  questions: z.array(
    z.object({
      id: z.string(),
      header: z.string(),
      question: z.string(),
      isOther: z.boolean(),
      isSecret: z.boolean(),
      options: z.array(z.object({ label: z.string(), description: z.string().optional() })).nullable(),
    }),
  ),
});

const decisions: RequestOption[] = [
  toOption('accept', 'allow_once', 'answer_allow'),
  toOption('acceptForSession', 'allow_session', 'answer_session'),
  toOption('decline', 'reject', 'answer_deny'),
  toOption('cancel', 'reject', 'answer_deny_stop'),
];

const send: RequestOption[] = [toOption('accept', 'choice', 'answer_send'), toOption('decline', 'reject', 'answer_decline')];

type ReadApproval = (params: unknown, diffOf: (itemId: string) => string | undefined) => Approval | null;

/** The methods codex asks the user with, by name; a method that is not here is answered "not found". */
export const approvals: ReadonlyMap<string, ReadApproval> = new Map<string, ReadApproval>([
  [
    'item/commandExecution/requestApproval',
    (params) => {
      const parsed = CommandApproval.safeParse(params);
      if (!parsed.success) return null;
      const { itemId, command, commandActions, cwd, reason, networkApprovalContext: network } = parsed.data;
      const shown = commandActions?.length === 1 ? commandActions[0]?.command : command;
      return {
        itemId,
        request: {
          kind: 'permission',
          ...(network === null || network === undefined
            ? { title: 'Run a command', saying: { code: 'run', values: {} } }
            : { title: `Reach ${network.host} from a command`, saying: { code: 'reach', values: { host: network.host } } }),
          detail: [shown, reason].filter((line) => typeof line === 'string').join('\n\n'),
          ...(typeof cwd === 'string' ? { where: cwd } : {}),
          options: decisions,
        },
        reply: (answer) => ({ decision: answer.optionId }),
      };
    },
  ],
  [
    'item/fileChange/requestApproval',
    (params, diffOf) => {
      const parsed = EditApproval.safeParse(params);
      if (!parsed.success) return null;
      const { itemId, reason, grantRoot } = parsed.data;
      return {
        itemId,
        request: {
          kind: 'permission',
          title: 'Change files',
          saying: { code: 'change', values: {} },
          detail: [diffOf(itemId), reason].filter((line) => typeof line === 'string').join('\n\n'),
          ...(typeof grantRoot === 'string' ? { where: grantRoot } : {}),
          options: decisions,
        },
        reply: (answer) => ({ decision: answer.optionId }),
      };
    },
  ],
  [
    'mcpServer/elicitation/request',
    (params) => {
      const parsed = Elicitation.safeParse(params);
      return parsed.success ? toElicitation(parsed.data) : null;
    },
  ],
  [
    'item/permissions/requestApproval',
    (params) => {
      const parsed = PermissionApproval.safeParse(params);
      if (!parsed.success) return null;
      const { itemId, cwd, reason, permissions } = parsed.data;
      return {
        itemId,
        request: {
          kind: 'permission',
          title: 'Give the agent more rights',
          saying: { code: 'rights', values: {} },
          detail: [reason, argumentLines(permissions)].filter((line) => line !== null).join('\n\n'),
          where: cwd,
          options: decisions.filter((option) => option.optionId !== 'cancel'),
        },
        reply: ({ optionId }) =>
          optionId.startsWith('accept')
            ? { permissions, scope: optionId === 'accept' ? 'turn' : 'session' }
            : { permissions: {}, scope: 'turn' },
      };
    },
  ],
  [
    'item/tool/requestUserInput',
    (params) => {
      const parsed = UserInput.safeParse(params);
      if (!parsed.success) return null;
      const { itemId, questions } = parsed.data;
      // What the user types is kept in the session's log, so a secret is never asked for here.
      const open = questions.filter((question) => !question.isSecret);
      return {
        itemId,
        request: {
          kind: 'question',
          ...(open[0] === undefined
            ? { title: 'The agent asks for a secret, which Pilotfish does not pass on', saying: { code: 'secret', values: {} } }
            : { title: open[0].header }),
          options: send,
          questions: open.map(({ question, header, options, isOther }) => ({
            question,
            header,
            options: (options ?? []).map(({ label, description }) => ({ label, ...(description === undefined ? {} : { description }) })),
            isMultiple: false,
            isOpen: isOther || options === null,
          })),
        },
        reply: ({ optionId, answers }) => ({
          answers:
            optionId === 'accept'
              ? Object.fromEntries(open.map(({ id, question }) => [id, { answers: chosenFor(answers, question) }]))
              : {},
        }),
      };
    },
  ],
]);

const toElicitation = ({ serverName, mode, message, url, requestedSchema, _meta: meta }: z.infer<typeof Elicitation>): Approval => {
  const form = mode === 'form' ? FormSchema.safeParse(requestedSchema) : undefined;
  const fields = form?.success === true ? form.data : { properties: {} };
  const isToolCall = meta?.codex_approval_kind === 'mcp_tool_call';
  const questions = fieldsToQuestions(fields);
  return {
    request: {
      kind: questions.length > 0 ? 'question' : 'permission',
      title: message ?? `${serverName} asks`,
      ...(message === undefined ? { saying: { code: 'server', values: { server: serverName } } } : {}),
      ...(isToolCall ? { detail: argumentLines(meta?.tool_params ?? {}) } : {}),
      where: url ?? serverName,
      options: questions.length > 0 ? send : decisions.filter((option) => option.kind !== 'allow_session'),
      ...(questions.length > 0 ? { questions } : {}),
    },
    reply: ({ optionId, answers }) =>
      optionId === 'accept'
        ? { action: 'accept', content: answersToFields(fields, answers ?? {}), _meta: null }
        : { action: optionId === 'cancel' ? 'cancel' : 'decline', content: null, _meta: null },
  };
};
