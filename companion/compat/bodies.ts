/** Converts between bodies with the field names of existing clients and our own. Pure. */
import * as z from 'zod';
import { Project, ProjectInput, SessionChange, SessionInput, SessionSummary, TurnInput } from '#protocol/api.ts';
import { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import { AgentMessage, toAgentMessage } from './realtime.ts';
import type { SessionView, ViewItem } from '#protocol/view.ts';

/** A prompt. `requestId` is the turn's id, chosen by the client: the same id twice starts one turn. */
export const ActRequest = z.strictObject({
  instruction: TurnInput.shape.text,
  cliPreference: z.string().optional(),
  model: z.string().optional(),
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
  /** The project in which a session is made when the one in the address does not exist. */
  projectId: ProjectId.optional(),
  /** The session that is used instead of the one in the address. */
  dbSessionId: SessionId.optional(),
  projectRoot: z.string().optional(),
  requestId: TurnId.optional(),
  displayText: TurnInput.shape.displayText,
  /** The kind of program that wrote the prompt. It is accepted and not kept: `displayText` says what is to be shown. */
  clientMeta: z.record(z.string(), z.unknown()).optional(),
  delivery: TurnInput.shape.delivery,
});
export type ActRequest = z.output<typeof ActRequest>;

export const ActResponse = z.object({ requestId: z.string(), sessionId: SessionId, status: z.literal('accepted') });

/** The body of a prompt by the shorter of its two routes. */
export const MessageBody = z.strictObject({
  content: z.string().min(1),
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
  /** Whether Claude goes through a router. */
  useCcr: withoutEffect,
  /** Whether agents get the browser tools; here they always do. */
  enableChromeMcp: withoutEffect,
};

/** A project with the keys of existing clients beside ours. */
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
  /** A system prompt in the form of one agent's SDK; `systemPrompt` is the one that counts. */
  systemPromptConfig: withoutEffect,
  /** Options of an agent's SDK. */
  optionsConfig: withoutEffect,
};

/** The body of a new session, with the old field names beside ours. */
export const CompatSessionInput = SessionInput.extend(oldSessionKeys);
export const CompatSessionChange = SessionChange.extend({ engineName: z.string().optional(), ...oldSessionKeys });

/** The same with our field names only. */
export const withOwnKeys = <
  Body extends {
    mode?: string | null | undefined;
    permissionMode?: string | null | undefined;
    allowDangerouslySkipPermissions?: boolean | null | undefined;
    systemPromptConfig?: unknown;
    optionsConfig?: unknown;
  },
>(
  body: Body,
  engineName: string,
  engine: EngineInfo | undefined,
): Omit<Body, keyof typeof oldSessionKeys> => {
  const { permissionMode, allowDangerouslySkipPermissions, systemPromptConfig: _, optionsConfig: __, ...own } = body;
  const mode = allowDangerouslySkipPermissions === true ? dangerousMode(engineName, engine) : permissionMode;
  return { ...own, ...(mode === undefined ? {} : { mode }) };
};

const dangerousMode = (engineName: string, engine: EngineInfo | undefined): string => {
  const mode = engine?.modes.find(({ isDangerous }) => isDangerous);
  if (mode === undefined) throw new CompanionError('ENGINE_UNSUPPORTED', `${engineName} has no mode that skips permissions.`);
  return mode.modeId;
};

export const CompatSession = SessionSummary.extend({ permissionMode: z.string().nullable(), allowDangerouslySkipPermissions: z.boolean() });

/** The row of a session, with the old names of its mode. */
export const toCompatSession = (summary: SessionSummary, engine: EngineInfo | undefined): z.input<typeof CompatSession> => ({
  ...summary,
  permissionMode: summary.mode,
  allowDangerouslySkipPermissions: engine?.modes.some(({ modeId, isDangerous }) => isDangerous && modeId === summary.mode) ?? false,
});

export const CompatEngine = EngineInfo.extend({ supportsMcp: z.boolean() });

/** The entry of an agent, with the claim that existing clients look for. */
export const toCompatEngine = (engine: EngineInfo): z.input<typeof CompatEngine> => ({
  ...engine,
  supportsMcp: engine.capabilities.mcp.length > 0,
});

export const CompatProjects = z.object({ projects: z.array(Project) });

/** Which part of a list is wanted; a limit of 0 means all of it. */
export const pageQuery = (limit: number, most: number) =>
  z.object({ limit: z.coerce.number().int().min(0).max(most).default(limit), offset: z.coerce.number().int().min(0).default(0) });

export const Pagination = z.object({ limit: z.number(), offset: z.number(), count: z.number(), hasMore: z.boolean() });

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

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** A page of a session's messages. */
export const toHistory = (view: SessionView, page: Page): z.input<typeof History> => {
  const { rows, pagination } = cut(view.items, page);
  return {
    success: true,
    sessionId: view.sessionId,
    messages: rows.map((item) => toAgentMessage(view, item)),
    totalCount: view.items.length,
    pagination,
  };
};

/** A page of the messages of several sessions, oldest first. */
export const toMessages = (views: readonly SessionView[], page: Page): z.input<typeof Messages> => {
  const all = views
    .flatMap((view) => view.items.map((item): [SessionView, ViewItem] => [view, item]))
    .sort(([, one], [, other]) => one.at - other.at);
  const { rows, pagination } = cut(all, page);
  return { success: true, data: rows.map(([view, item]) => toAgentMessage(view, item)), totalCount: all.length, pagination };
};

const cut = <Row>(all: readonly Row[], { limit, offset }: Page): { rows: readonly Row[]; pagination: z.input<typeof Pagination> } => {
  const rows = all.slice(offset, limit === 0 ? undefined : offset + limit);
  return { rows, pagination: { limit, offset, count: rows.length, hasMore: offset + rows.length < all.length } };
};
