/**
 * The parts of ACP version 1 that are read. Loose on purpose: agents add fields, and unknown kinds are passed over. What is sent has
 * the types of @agentclientprotocol/sdk, and a test holds these schemas to them; its own schemas it does not export, and they are
 * strict about kinds and six times as large (24.6 kB in the bundle against 4.1 kB).
 */
import * as z from 'zod';

const ToolContent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('content'), content: z.unknown() }),
  z.object({
    type: z.literal('diff'),
    path: z.string(),
    oldText: z.string().nullish(),
    newText: z.string(),
    _meta: z.looseObject({ kind: z.string().optional() }).nullish(),
  }),
  z.object({ type: z.literal('terminal'), terminalId: z.string() }),
]);
export type ToolContent = z.infer<typeof ToolContent>;

const ToolMeta = z.looseObject({
  toolName: z.string().optional(),
  claudeCode: z.looseObject({ toolName: z.string().optional(), parentToolUseId: z.string().nullish() }).optional(),
});

/** A call, or what changed about one: agents send either first, so both have the same shape here. */
export const ToolUpdate = z.looseObject({
  toolCallId: z.string(),
  name: z.string().nullish(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.string().nullish(),
  rawInput: z.unknown().optional(),
  rawOutput: z.unknown().optional(),
  content: z.array(z.unknown()).nullish(),
  _meta: ToolMeta.nullish(),
});
export type ToolUpdate = z.infer<typeof ToolUpdate>;

/** The content blocks that can be read; the rest are left out. */
export const readToolContent = (content: readonly unknown[]): ToolContent[] =>
  content.flatMap((part) => {
    const parsed = ToolContent.safeParse(part);
    return parsed.success ? [parsed.data] : [];
  });

const TokenCount = z.looseObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cachedReadTokens: z.number().optional(),
  cachedWriteTokens: z.number().optional(),
});
export type TokenCount = z.infer<typeof TokenCount>;

const Chunk = z.object({
  content: z.unknown(),
  messageId: z.string().nullish(),
  _meta: z.looseObject({ usage: TokenCount.optional() }).nullish(),
});

export const PlanUpdate = z.object({
  entries: z.array(z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })),
});

const Choice = z.object({ value: z.string(), name: z.string(), description: z.string().nullish() });

/** A setting of the agent's; choices may come in groups. */
export const ConfigOption = z.looseObject({
  id: z.string(),
  category: z.string().nullish(),
  currentValue: z.unknown(),
  options: z.array(z.union([Choice, z.object({ options: z.array(Choice) })])).optional(),
});
export type ConfigOption = z.infer<typeof ConfigOption>;

/** The updates that are acted on, by kind. */
export const updates = {
  agent_message_chunk: Chunk,
  agent_thought_chunk: Chunk,
  tool_call: ToolUpdate,
  tool_call_update: ToolUpdate,
  plan: PlanUpdate,
  usage_update: z.object({
    used: z.number(),
    size: z.number(),
    cost: z.object({ amount: z.number(), currency: z.string() }).nullish(),
  }),
  current_mode_update: z.object({ currentModeId: z.string() }),
  available_commands_update: z.object({
    availableCommands: z.array(z.looseObject({ name: z.string(), description: z.string().nullish() })),
  }),
  config_option_update: z.object({ configOptions: z.array(ConfigOption) }),
};

export const SessionUpdate = z.object({ sessionId: z.string(), update: z.looseObject({ sessionUpdate: z.string() }) });

export const Permission = z.object({
  sessionId: z.string(),
  toolCall: ToolUpdate,
  options: z.array(z.object({ optionId: z.string(), name: z.string(), kind: z.string() })),
});
export type Permission = z.infer<typeof Permission>;

export const InitializeAnswer = z.looseObject({
  agentInfo: z.looseObject({ version: z.string().optional() }).nullish(),
  authMethods: z
    .array(z.looseObject({ id: z.string(), type: z.string().optional(), vars: z.array(z.looseObject({ name: z.string() })).optional() }))
    .nullish()
    .catch(null),
  agentCapabilities: z
    .looseObject({
      loadSession: z.boolean().optional(),
      promptCapabilities: z.looseObject({ image: z.boolean().optional(), embeddedContext: z.boolean().optional() }).optional(),
      mcpCapabilities: z.looseObject({ http: z.boolean().optional() }).optional(),
      sessionCapabilities: z.looseObject({ resume: z.unknown().optional() }).nullish(),
    })
    .nullish(),
});

export const SessionAnswer = z.looseObject({
  sessionId: z.string().optional(),
  modes: z
    .looseObject({
      currentModeId: z.string(),
      availableModes: z.array(z.looseObject({ id: z.string(), name: z.string(), description: z.string().nullish() })),
    })
    .nullish(),
  models: z
    .looseObject({
      currentModelId: z.string(),
      availableModels: z.array(z.looseObject({ modelId: z.string(), name: z.string() })),
    })
    .nullish(),
  configOptions: z.array(ConfigOption).nullish(),
});
export type SessionAnswer = z.infer<typeof SessionAnswer>;

export const PromptAnswer = z.looseObject({
  stopReason: z.string(),
  usage: TokenCount.nullish(),
  _meta: z
    .looseObject({
      quota: z
        .looseObject({
          token_count: z.looseObject({ input_tokens: z.number().optional(), output_tokens: z.number().optional() }).optional(),
        })
        .optional(),
    })
    .nullish(),
});
