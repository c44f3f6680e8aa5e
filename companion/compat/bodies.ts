/** Converts between bodies with the field names of existing clients and our own. Pure. */
import * as z from 'zod';
import { chosenName, Project, ProjectInput, SessionChange, SessionInput, SessionSummary, TurnInput } from '#protocol/api.ts';
import { EngineInfo, hasNoModes } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionSettings } from '#protocol/events.ts';
import { CHOSEN_ID, isChosenId, ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import { AgentMessage } from './realtime.ts';
import { fromSettings, ignoredOptions, OptionsConfig, SystemPromptConfig, toSettings, type SdkOptions } from './sdk-options.ts';
import type { ItemBody } from '#protocol/items.ts';

/** A prompt. `requestId` is the turn's id, chosen by the client: the same id twice starts one turn. */
export const ActRequest = z.strictObject({
  instruction: TurnInput.shape.text,
  cliPreference: chosenName,
  model: chosenName,
  attachments: z
    .array(
      z.strictObject({
        type: z.enum(['file', 'image', 'screenshot', 'element', 'selection', 'console', 'network', 'page']),
        name: z.string().max(500),
        mimeType: z.string().max(200),
        // Some clients send the whole data URL of a picture.
        dataBase64: z
          .string()
          .transform((text) => text.replace(/^data:[^,]{0,200};base64,/, ''))
          .pipe(z.base64()),
      }),
    )
    .max(50)
    .optional(),
  /** The project in which the prompt is carried out: the session goes there, or is made there. A new one without it works in the default workspace. */
  projectId: ProjectId.optional(),
  /** The session that is used instead of the one in the address. */
  dbSessionId: SessionId.optional(),
  projectRoot: z
    .string()
    .max(4096)
    .transform((folder) => (folder === '' ? undefined : folder))
    .optional(),
  requestId: TurnId.optional(),
  displayText: TurnInput.shape.displayText,
  /** The kind of program that wrote the prompt. It is accepted and not kept: `displayText` says what is to be shown. */
  clientMeta: z.record(z.string(), z.unknown()).optional(),
  delivery: TurnInput.shape.delivery,
});
export type ActRequest = z.output<typeof ActRequest>;

/** `forkedFrom` is set when another agent was named than the session has: the prompt went into a new session, `sessionId`, that goes on from it. */
export const ActResponse = z.object({
  requestId: z.string(),
  sessionId: SessionId,
  status: z.literal('accepted'),
  forkedFrom: SessionId.optional(),
});

/** The body of a prompt by the shorter of its two routes. */
export const MessageBody = z.strictObject({
  content: TurnInput.shape.text,
  attachments: ActRequest.shape.attachments,
  requestId: ActRequest.shape.requestId,
});

/** Converts a prompt into our form. */
export const toTurnInput = ({ instruction, displayText, attachments, requestId, delivery }: ActRequest): TurnInput => ({
  text: instruction,
  ...(requestId === undefined ? {} : { turnId: requestId }),
  ...(displayText === undefined ? {} : { displayText }),
  ...(attachments === undefined ? {} : { attachments: attachments.map(({ type, ...rest }) => ({ kind: type, ...rest })) }),
  ...(delivery === undefined ? {} : { delivery }),
});

/** Fields that existing clients send and that have no effect here: they are accepted, so that the clients are not refused, and dropped. */
const withoutEffect = z.unknown().optional();

const oldProjectKeys = {
  /** One that is not there yet is that of the new project. */
  id: ProjectId.refine(isChosenId, CHOSEN_ID).optional(),
  /** Whether Claude goes through a router. */
  useCcr: withoutEffect,
  /** Whether agents get the browser tools; here they always do. */
  enableChromeMcp: withoutEffect,
};

/** A project with the keys of existing clients beside those of the API. */
export const CompatProjectInput = ProjectInput.extend(oldProjectKeys);

/** The same with our field names only. */
export const toProjectInput = (body: z.output<typeof CompatProjectInput>): ProjectInput => {
  const { useCcr: _, enableChromeMcp: __, ...input } = body;
  return input;
};

const oldSessionKeys = {
  permissionMode: SessionChange.shape.mode,
  /** Whether the agent is put into the mode in which it no longer asks. */
  allowDangerouslySkipPermissions: z.boolean().nullable().optional(),
  systemPromptConfig: SystemPromptConfig.nullable().optional(),
  optionsConfig: OptionsConfig.nullable().optional(),
};

/** The body of a new session, with the old field names beside those of the API. */
export const CompatSessionInput = SessionInput.extend(oldSessionKeys);
export const CompatSessionChange = SessionChange.extend({ engineName: chosenName, ...oldSessionKeys });

/** The same with our field names only. */
export const withOwnKeys = <
  Body extends {
    mode?: string | null | undefined;
    permissionMode?: string | null | undefined;
    allowDangerouslySkipPermissions?: boolean | null | undefined;
  } & SdkOptions,
>(
  body: Body,
  engineName: string,
  engine: EngineInfo | undefined,
): Omit<Body, keyof typeof oldSessionKeys> => {
  const { permissionMode, allowDangerouslySkipPermissions, systemPromptConfig, optionsConfig, ...own } = body;
  const mode = allowDangerouslySkipPermissions === true ? dangerousMode(engineName, engine) : permissionMode;
  const { allowedTools, ...settings } = toSettings({ systemPromptConfig, optionsConfig });
  return {
    ...settings,
    ...(allowedTools === undefined || (allowedTools.length > 0 && !takesAllowedTools(engine)) ? {} : { allowedTools }),
    // A key of the API goes before the same thing said in the other form.
    ...own,
    ...(mode === undefined || (engine !== undefined && hasNoModes(engine)) ? {} : { mode }),
  };
};

/** An agent that takes none asks for what it needs, as it would without them. */
const takesAllowedTools = (engine: EngineInfo | undefined): boolean => engine?.capabilities.hasAllowedTools === true;

/** What a body asked for that has no effect, as a part of the answer. */
export const toIgnored = (body: SdkOptions, engine: EngineInfo | undefined): { ignored?: string[] } => {
  const ignored = ignoredOptions(body, takesAllowedTools(engine));
  return ignored.length === 0 ? {} : { ignored };
};

const dangerousMode = (engineName: string, engine: EngineInfo | undefined): string => {
  const mode = engine?.modes.find(({ isDangerous }) => isDangerous);
  if (mode === undefined) throw new CompanionError('ENGINE_UNSUPPORTED', `${engineName} has no mode that skips permissions.`);
  return mode.modeId;
};

export const CompatSession = SessionSummary.extend({
  permissionMode: z.string().nullable(),
  allowDangerouslySkipPermissions: z.boolean(),
  /** In answers with one session only. */
  systemPromptConfig: SystemPromptConfig.nullable().optional(),
  optionsConfig: OptionsConfig.nullable().optional(),
});

/** The row of a session, with the old names of its mode; with `settings` also what it was set to. */
export const toCompatSession = (
  summary: SessionSummary,
  engine: EngineInfo | undefined,
  settings?: SessionSettings,
): z.input<typeof CompatSession> => ({
  ...summary,
  ...(settings === undefined ? {} : fromSettings(settings)),
  permissionMode: summary.mode,
  allowDangerouslySkipPermissions: engine?.modes.some(({ modeId, isDangerous }) => isDangerous && modeId === summary.mode) ?? false,
});

/** What existing clients show of Claude Code. What nobody knows before its first turn is left out. */
export const ManagementInfo = z.object({
  models: z.array(z.object({ value: z.string(), displayName: z.string() })),
  model: z.string().optional(),
  permissionMode: z.string().optional(),
  account: z.string().optional(),
  cwd: z.string().optional(),
  claudeCodeVersion: z.string().optional(),
  lastUpdated: z.string().optional(),
});

/** An agent and what a session has it set to. */
export const EngineReport = z.object({
  sessionId: SessionId,
  engineName: z.string(),
  /** Null when the agent was removed or is switched off. */
  engine: EngineInfo.nullable(),
  model: z.string().nullable(),
  mode: z.string().nullable(),
  /** Where it works; null when the project was forgotten. */
  folder: z.string().nullable(),
});

/** The same for Claude Code in the form of existing clients; null for another agent. */
export const toManagementInfo = ({
  engineName,
  engine,
  model,
  mode,
  folder,
}: z.output<typeof EngineReport>): z.input<typeof ManagementInfo> | null =>
  engineName !== 'claude' || engine === null
    ? null
    : {
        models: engine.models.map(({ modelId, label }) => ({ value: modelId, displayName: label })),
        ...(model === null ? {} : { model }),
        ...(mode === null ? {} : { permissionMode: mode }),
        ...(engine.account === undefined ? {} : { account: engine.account }),
        ...(folder === null ? {} : { cwd: folder }),
        ...(engine.version === undefined ? {} : { claudeCodeVersion: engine.version }),
        ...(engine.checkedAt === undefined ? {} : { lastUpdated: new Date(engine.checkedAt).toISOString() }),
      };

export const CompatEngine = EngineInfo.extend({ supportsMcp: z.boolean() });

/** The entry of an agent, with the claim that existing clients look for. */
export const toCompatEngine = (engine: EngineInfo): z.input<typeof CompatEngine> => ({
  ...engine,
  supportsMcp: engine.capabilities.mcp.length > 0,
});

/** The projects with how much is in each. */
export const CompatProjects = z.object({ projects: z.array(Project.extend({ sessionCount: z.number(), messageCount: z.number() })) });

/** Which part of a list is wanted; a limit of 0 means all of it. */
export const pageQuery = (limit: number, most: number) =>
  z.object({ limit: z.coerce.number().int().min(0).max(most).default(limit), offset: z.coerce.number().int().min(0).default(0) });

/** A message that another program adds to a conversation. `createdAt` is taken and has no effect: the log says when. */
export const MessageInput = z.strictObject({
  content: z.string().min(1).max(4_000_000),
  role: AgentMessage.shape.role.optional(),
  messageType: AgentMessage.shape.messageType.optional(),
  /** A session is a conversation, so either name will do; without both it is the newest session of the project, or a new one where it has none. */
  conversationId: SessionId.optional(),
  sessionId: SessionId.optional(),
  /** The same id twice adds one message. */
  id: TurnId.optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  /** The agent of a session that is made for the message. */
  cliSource: withoutEffect,
  requestId: withoutEffect,
  createdAt: withoutEffect,
});
export type MessageInput = z.output<typeof MessageInput>;

/** The entry of the conversation that such a message becomes. */
export const toItem = ({ content, role = 'user', messageType = 'chat', metadata = {} }: z.output<typeof MessageInput>): ItemBody => {
  if (role === 'tool' || messageType === 'tool_use' || messageType === 'tool_result') {
    const tool = typeof metadata['toolName'] === 'string' ? metadata['toolName'] : 'tool';
    const input = metadata['toolInput'];
    return { kind: 'tool', tool, toolKind: 'other', title: tool, text: content, ...(input === undefined ? {} : { input }) };
  }
  return messageType === 'status' ? { kind: 'notice', level: 'info', text: content } : { kind: 'message', role, text: content };
};

const Pagination = z.object({ limit: z.number(), offset: z.number(), count: z.number(), hasMore: z.boolean() });

export const History = z.object({
  success: z.literal(true),
  sessionId: SessionId,
  messages: z.array(AgentMessage),
  totalCount: z.number(),
  pagination: Pagination,
});

export const Messages = z.object({
  success: z.literal(true),
  data: z.array(AgentMessage),
  totalCount: z.number(),
  pagination: Pagination,
});

/** The part of a list that is wanted. */
export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The number of the first row that comes after a page. */
export const endOf = ({ limit, offset }: Page): number => (limit === 0 ? Infinity : offset + limit);

/** What is said beside the `count` rows of a page. */
export const toPagination = ({ limit, offset }: Page, count: number, totalCount: number) => ({
  totalCount,
  pagination: { limit, offset, count, hasMore: offset + count < totalCount },
});
