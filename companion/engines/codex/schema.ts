/** The parts of the app-server protocol that are read. They are loose, because fields that are not used may change with a version. */
import * as z from 'zod';

const id = z.string();

const CommandAction = z.object({ type: z.string(), command: z.string() });

export const FileUpdate = z.object({
  path: z.string(),
  kind: z.object({ type: z.enum(['add', 'delete', 'update']), move_path: z.string().nullish() }),
  diff: z.string(),
});
export type FileUpdate = z.infer<typeof FileUpdate>;

/** The kinds of item that are shown; others are ignored. */
export const ThreadItem = z.discriminatedUnion('type', [
  z.object({ type: z.literal('userMessage'), id }),
  z.object({ type: z.literal('agentMessage'), id, text: z.string() }),
  z.object({ type: z.literal('plan'), id, text: z.string() }),
  z.object({ type: z.literal('reasoning'), id, summary: z.array(z.string()), content: z.array(z.string()) }),
  z.object({
    type: z.literal('commandExecution'),
    id,
    command: z.string(),
    cwd: z.string(),
    status: z.string(),
    commandActions: z.array(CommandAction),
    aggregatedOutput: z.string().nullish(),
    exitCode: z.number().nullish(),
  }),
  z.object({ type: z.literal('fileChange'), id, changes: z.array(FileUpdate), status: z.string() }),
  z.object({
    type: z.literal('mcpToolCall'),
    id,
    server: z.string(),
    tool: z.string(),
    status: z.string(),
    arguments: z.unknown().optional(),
    result: z.object({ content: z.array(z.unknown()) }).nullish(),
    error: z.object({ message: z.string() }).nullish(),
  }),
  z.object({ type: z.literal('webSearch'), id, query: z.string() }),
  z.object({ type: z.literal('imageView'), id, path: z.string() }),
  z.object({
    type: z.literal('collabAgentToolCall'),
    id,
    tool: z.string(),
    status: z.string(),
    prompt: z.string().nullish(),
    receiverThreadIds: z.array(z.string()),
  }),
  z.object({ type: z.literal('contextCompaction'), id }),
]);
export type ThreadItem = z.infer<typeof ThreadItem>;

/** Whether an item that was not parsed yet claims to be of one of these kinds. */
export const isShownItem = (type: string): boolean => ThreadItem.options.some((option) => option.shape.type.value === type);

export const TurnFailure = z.object({
  message: z.string(),
  codexErrorInfo: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  additionalDetails: z.string().nullish(),
});
export type TurnFailure = z.infer<typeof TurnFailure>;

const threadId = z.string();
const delta = z.object({ threadId, itemId: z.string(), delta: z.string() });
const unread = z.looseObject({ type: z.string() });

/** Params of the notifications that are read, by method. */
export const notifications = {
  'turn/started': z.object({ threadId, turn: z.object({ id }) }),
  'turn/completed': z.object({ threadId, turn: z.object({ id, status: z.string(), error: TurnFailure.nullish() }) }),
  'turn/plan/updated': z.object({
    threadId,
    turnId: z.string(),
    plan: z.array(z.object({ step: z.string(), status: z.enum(['pending', 'inProgress', 'completed']) })),
  }),
  'item/started': z.object({ threadId, item: unread }),
  'item/completed': z.object({ threadId, item: unread }),
  'item/agentMessage/delta': delta,
  'item/plan/delta': delta,
  'item/reasoning/summaryTextDelta': delta,
  'item/reasoning/textDelta': delta,
  'item/reasoning/summaryPartAdded': z.object({ threadId, itemId: z.string() }),
  'item/commandExecution/outputDelta': delta,
  'item/fileChange/patchUpdated': z.object({ threadId, itemId: z.string(), changes: z.array(FileUpdate) }),
  'thread/tokenUsage/updated': z.object({
    threadId,
    tokenUsage: z.object({
      total: z.object({ inputTokens: z.number(), cachedInputTokens: z.number(), outputTokens: z.number() }),
      last: z.object({ totalTokens: z.number() }),
      modelContextWindow: z.number().nullish(),
    }),
  }),
  'account/rateLimits/updated': z.object({ rateLimits: z.object({ primary: z.unknown(), secondary: z.unknown() }) }),
  'mcpServer/startupStatus/updated': z.object({ name: z.string(), status: z.string(), error: z.string().nullish() }),
  'serverRequest/resolved': z.object({ requestId: z.union([z.string(), z.number()]) }),
  'model/rerouted': z.object({ threadId, fromModel: z.string(), toModel: z.string() }),
  error: z.object({ threadId, error: TurnFailure, willRetry: z.boolean() }),
  warning: z.object({ message: z.string() }),
};

export const TurnAnswer = z.object({ turn: z.object({ id }) });

export const ThreadAnswer = z.object({
  thread: z.object({ id }),
  model: z.string(),
});

export const AccountAnswer = z.object({
  account: z.looseObject({ type: z.string(), email: z.string().nullish(), planType: z.string().nullish() }).nullable(),
  requiresOpenaiAuth: z.boolean(),
});

export const ModelsAnswer = z.object({
  data: z.array(
    z.object({
      id,
      displayName: z.string(),
      hidden: z.boolean().optional(),
      isDefault: z.boolean().optional(),
      supportedReasoningEfforts: z.array(z.object({ reasoningEffort: z.string() })),
    }),
  ),
});

export const TerminalsAnswer = z.object({ data: z.array(z.object({ itemId: z.string(), processId: z.string() })) });

export const ConfigAnswer = z.object({ config: z.object({ mcp_servers: z.record(z.string(), z.unknown()).nullish() }) });

const RateWindow = z.object({ usedPercent: z.number(), resetsAt: z.number().nullish() });

/** When an exhausted limit window resets, in Unix milliseconds. */
export const readReset = (window: unknown): number | undefined => {
  const parsed = RateWindow.safeParse(window);
  if (!parsed.success || parsed.data.usedPercent < 100) return undefined;
  return parsed.data.resetsAt === null || parsed.data.resetsAt === undefined ? undefined : parsed.data.resetsAt * 1000;
};
