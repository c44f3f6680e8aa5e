/** The lines that claude writes, as far as they are read here. The schemas are loose, because newer versions add fields. */
import * as z from 'zod';

const nullish = <T extends z.ZodType>(type: T) => type.nullish();
const parent = { parent_tool_use_id: nullish(z.string()) };

export const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
export const ThinkingBlock = z.looseObject({ type: z.literal('thinking'), thinking: z.string() });
export const ToolUseBlock = z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() });
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;
/** A block of a kind that is not shown, such as a signature or a server tool of the provider. */
const OtherBlock = z.looseObject({ type: z.string() });
const ContentBlock = z.union([TextBlock, ThinkingBlock, ToolUseBlock, OtherBlock]);

const TokenUsage = z.looseObject({
  input_tokens: nullish(z.number()),
  output_tokens: nullish(z.number()),
  cache_read_input_tokens: nullish(z.number()),
  cache_creation_input_tokens: nullish(z.number()),
});
export type TokenUsage = z.infer<typeof TokenUsage>;

export const StreamEventFrame = z.looseObject({
  ...parent,
  api_message_id: nullish(z.string()),
  abandoned_blocks: nullish(z.looseObject({ api_message_id: z.string(), from_block_index: z.number() })),
  event: z.looseObject({
    type: z.string(),
    index: nullish(z.number()),
    message: nullish(z.looseObject({ id: z.string(), usage: nullish(TokenUsage) })),
    content_block: nullish(ContentBlock),
    delta: nullish(z.looseObject({ type: nullish(z.string()), text: nullish(z.string()), thinking: nullish(z.string()) })),
    usage: nullish(TokenUsage),
  }),
});
export type StreamEventFrame = z.infer<typeof StreamEventFrame>;

export const AssistantFrame = z.looseObject({
  ...parent,
  message: z.looseObject({
    id: z.string(),
    model: nullish(z.string()),
    stop_reason: nullish(z.string()),
    content: z.array(ContentBlock),
    usage: nullish(TokenUsage),
  }),
  /** Set on the message that stands for a failed request. */
  error: nullish(z.string()),
  aborted: nullish(z.boolean()),
});
export type AssistantFrame = z.infer<typeof AssistantFrame>;

export const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: nullish(z.union([z.string(), z.array(z.looseObject({ type: z.string() }))])),
  is_error: nullish(z.boolean()),
});
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;

export const ToolResultMeta = z.looseObject({
  id: z.string(),
  non_execution_kind: nullish(z.string()),
  permission_decision: nullish(z.looseObject({ decision: nullish(z.string()), source: nullish(z.string()) })),
});
export type ToolResultMeta = z.infer<typeof ToolResultMeta>;

export const UserFrame = z.looseObject({
  ...parent,
  message: z.looseObject({ content: z.union([z.string(), z.array(z.union([ToolResultBlock, OtherBlock]))]) }),
  tool_use_result: z.unknown().optional(),
  tool_result_meta: nullish(z.array(ToolResultMeta)),
  isReplay: nullish(z.boolean()),
});
export type UserFrame = z.infer<typeof UserFrame>;

export const SystemFrame = z.looseObject({
  subtype: z.string(),
  session_id: nullish(z.string()),
  status: nullish(z.string()),
  permissionMode: nullish(z.string()),
  capabilities: nullish(z.array(z.string())),
  mcp_servers: nullish(z.array(z.looseObject({ name: z.string(), status: z.string() }))),
  attempt: nullish(z.number()),
  max_retries: nullish(z.number()),
  retry_delay_ms: nullish(z.number()),
  error_status: nullish(z.number()),
  error: nullish(z.string()),
  content: z.unknown().optional(),
});
export type SystemFrame = z.infer<typeof SystemFrame>;

/** A command or subagent that runs as a task, in the foreground or in the background. */
export const TaskFrame = z.looseObject({
  subtype: z.string(),
  task_id: z.string(),
  /** An id that is new each time a subagent is resumed. */
  run_id: nullish(z.string()),
  tool_use_id: nullish(z.string()),
  task_type: nullish(z.string()),
  description: nullish(z.string()),
  is_backgrounded: nullish(z.boolean()),
  /** Whether the task is housekeeping of claude's own, which is not shown. */
  ambient: nullish(z.boolean()),
  skip_transcript: nullish(z.boolean()),
  patch: nullish(z.looseObject({ status: nullish(z.string()), is_backgrounded: nullish(z.boolean()) })),
  status: nullish(z.string()),
  summary: nullish(z.string()),
  summary_is_report: nullish(z.boolean()),
});
export type TaskFrame = z.infer<typeof TaskFrame>;

/** What a call returns that goes on in the background. It may be a command, a subagent or a watch. */
export const BackgroundResult = z.union([
  z.looseObject({ backgroundTaskId: z.string() }).transform(({ backgroundTaskId }) => backgroundTaskId),
  z.looseObject({ isAsync: z.literal(true), agentId: z.string() }).transform(({ agentId }) => agentId),
  z.looseObject({ taskId: z.string(), persistent: z.boolean() }).transform(({ taskId }) => taskId),
]);

export const TaskOutput = z.looseObject({ output: z.string(), total_bytes: nullish(z.number()), truncated: nullish(z.boolean()) });
export type TaskOutput = z.infer<typeof TaskOutput>;

export const ResultFrame = z.looseObject({
  subtype: z.string(),
  /** The id of the user's message that it answers; absent in older versions. */
  user_message_uuids: nullish(z.array(z.string())),
  /** Present when claude began the turn by itself. */
  origin: nullish(z.looseObject({ kind: z.string() })),
  is_error: nullish(z.boolean()),
  terminal_reason: nullish(z.string()),
  api_error_status: nullish(z.number()),
  stop_reason: nullish(z.string()),
  result: nullish(z.string()),
  errors: nullish(z.array(z.string())),
  queued_turn_count: nullish(z.number()),
  total_cost_usd: nullish(z.number()),
  modelUsage: nullish(
    z.record(
      z.string(),
      z.looseObject({
        inputTokens: nullish(z.number()),
        outputTokens: nullish(z.number()),
        cacheReadInputTokens: nullish(z.number()),
        cacheCreationInputTokens: nullish(z.number()),
        contextWindow: nullish(z.number()),
      }),
    ),
  ),
});
export type ResultFrame = z.infer<typeof ResultFrame>;

export const RateLimitFrame = z.looseObject({
  rate_limit_info: z.looseObject({ status: z.string(), resetsAt: nullish(z.number()) }),
});

export const ControlResponseFrame = z.looseObject({
  response: z.looseObject({
    subtype: z.string(),
    request_id: z.string(),
    response: z.unknown().optional(),
    error: nullish(z.string()),
  }),
});
export type ControlResponseFrame = z.infer<typeof ControlResponseFrame>;

export const InitializeResponse = z.looseObject({
  account: nullish(
    z.looseObject({
      tokenSource: nullish(z.string()),
      apiKeySource: nullish(z.string()),
      apiProvider: nullish(z.string()),
      email: nullish(z.string()),
      subscriptionType: nullish(z.string()),
    }),
  ),
  models: nullish(
    z.array(z.looseObject({ value: z.string(), displayName: nullish(z.string()), supportedEffortLevels: nullish(z.array(z.string())) })),
  ),
  commands: nullish(z.array(z.looseObject({ name: z.string(), description: nullish(z.string()), builtin: nullish(z.boolean()) }))),
  claude_code_version: nullish(z.string()),
});
export type InitializeResponse = z.infer<typeof InitializeResponse>;

export const ControlRequestFrame = z.looseObject({
  request_id: z.string(),
  request: z.looseObject({ subtype: z.string() }),
});
export type ControlRequestFrame = z.infer<typeof ControlRequestFrame>;

export const PermissionUpdate = z.looseObject({
  type: z.string(),
  behavior: nullish(z.string()),
  mode: nullish(z.string()),
  directories: nullish(z.array(z.string())),
  rules: nullish(z.array(z.looseObject({ toolName: z.string(), ruleContent: nullish(z.string()) }))),
});
export type PermissionUpdate = z.infer<typeof PermissionUpdate>;

export const CanUseTool = z.looseObject({
  subtype: z.literal('can_use_tool'),
  tool_name: z.string(),
  tool_use_id: nullish(z.string()),
  input: z.record(z.string(), z.unknown()),
  description: nullish(z.string()),
  permission_suggestions: nullish(z.array(PermissionUpdate)),
});
export type CanUseTool = z.infer<typeof CanUseTool>;

export const ControlCancelFrame = z.looseObject({ request_id: z.string() });
export type ControlCancelFrame = z.infer<typeof ControlCancelFrame>;

/** What becomes of a message of the user. */
export const LifecycleFrame = z.looseObject({ command_uuid: z.string(), state: z.string() });

/** The answer to an interrupt: the messages that still wait and that claude will work on. */
export const InterruptReceipt = z.looseObject({ still_queued: z.array(z.string()) });
