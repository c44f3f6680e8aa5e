/** Bodies of the HTTP API, shared by the server, the client and the panel. Routes: docs/api.md, generated from the server. */
import * as z from 'zod';
import { BrowserInfo } from './browser.ts';
import { EngineInfo } from './engines.ts';
import { BrowserId, ProjectId, SessionId } from './ids.ts';
import { RequestBody } from './requests.ts';

export const Project = z.object({
  id: ProjectId,
  name: z.string(),
  /** Real path, inside the allowed roots. */
  rootPath: z.string(),
  description: z.string().optional(),
  preferredCli: z.string().optional(),
  selectedModel: z.string().optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  lastActiveAt: z.string().optional(),
});
export type Project = z.infer<typeof Project>;

/** POST /agent/projects: creates, or updates the one with `id`. */
export const ProjectInput = z.object({
  id: ProjectId.optional(),
  name: z.string().min(1).max(200),
  rootPath: z.string().min(1).max(4096),
  description: z.string().max(10_000).optional(),
  preferredCli: z.string().optional(),
  selectedModel: z.string().optional(),
  /** Make the folder when it does not exist. */
  allowCreate: z.boolean().optional(),
});
export type ProjectInput = z.infer<typeof ProjectInput>;

/** A project whose own files may start programs, until one of them changes. */
export const TrustedProject = z.object({
  /** Real path. */
  path: z.string(),
  trustedAt: z.string(),
  /** Paths of the files, below the folder or whole. */
  files: z.array(z.string()),
});
export type TrustedProject = z.infer<typeof TrustedProject>;

/** A session as a row of a list. */
export const SessionSummary = z.object({
  id: SessionId,
  projectId: ProjectId.nullable(),
  kind: z.enum(['agent', 'client']),
  engineName: z.string(),
  name: z.string(),
  model: z.string().nullable(),
  mode: z.string().nullable(),
  status: z.enum(['idle', 'starting', 'running', 'waiting', 'stopping']),
  /** The outcome of the newest turn that ended. */
  lastOutcome: z.enum(['completed', 'cancelled', 'failed', 'interrupted']).nullable(),
  engineSessionId: z.string().nullable(),
  openRequests: z.number(),
  /** Tasks that go on although no turn runs, or beside it. */
  backgroundTasks: z.number().optional(),
  /** Kind of the oldest open request: an approval is more urgent than a question. */
  requestKind: RequestBody.shape.kind.optional(),
  /** First line of the newest prompt or answer. */
  preview: z.string(),
  createdAt: z.string(),
  updatedAt: z.string(),
});
export type SessionSummary = z.infer<typeof SessionSummary>;

/** GET /api/status and `pilotfish status --json`. */
export const Status = z.object({
  version: z.string(),
  isRunning: z.boolean(),
  pid: z.number().nullable(),
  socket: z.string(),
  port: z.number().nullable(),
  protocol: z.number(),
  startedAt: z.string().nullable(),
  extensionPath: z.string(),
  browsers: z.array(BrowserInfo),
  engines: z.array(EngineInfo),
  sessions: z.array(SessionSummary),
  projects: z.array(Project),
  /** Things a person should know: no keychain, port taken, manifest missing. */
  warnings: z.array(z.string()),
});
export type Status = z.infer<typeof Status>;

/** `GET /api/events` (SSE): what changed outside one session's log. Each carries the whole new list, so a lost one does no harm. */
export const StateEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sessions'), sessions: z.array(SessionSummary) }),
  z.object({ type: z.literal('projects'), projects: z.array(Project) }),
  z.object({ type: z.literal('engines'), engines: z.array(EngineInfo) }),
  z.object({ type: z.literal('browsers'), browsers: z.array(BrowserInfo) }),
  z.object({ type: z.literal('log'), line: z.string() }),
  z.object({ type: z.literal('heartbeat'), at: z.number() }),
]);
export type StateEvent = z.infer<typeof StateEvent>;

const AttachmentInput = z.object({
  type: z.enum(['file', 'image', 'screenshot', 'element', 'selection', 'console', 'network', 'page']),
  name: z.string().max(500),
  mimeType: z.string().max(200),
  dataBase64: z.string(),
});

/** POST /agent/chat/:sessionId/act */
export const ActRequest = z.object({
  instruction: z.string().min(1).max(4_000_000),
  cliPreference: z.string().optional(),
  model: z.string().optional(),
  attachments: z.array(AttachmentInput).max(50).optional(),
  projectId: ProjectId.optional(),
  dbSessionId: SessionId.optional(),
  projectRoot: z.string().optional(),
  /** Chosen by the client: the same id twice starts one turn. */
  requestId: z.string().min(1).max(200).optional(),
  displayText: z.string().max(100_000).optional(),
  clientMeta: z.record(z.string(), z.unknown()).optional(),
  delivery: z.enum(['queue', 'steer']).optional(),
});
export type ActRequest = z.infer<typeof ActRequest>;

export const ActResponse = z.object({ requestId: z.string(), sessionId: SessionId, status: z.literal('accepted') });
export type ActResponse = z.infer<typeof ActResponse>;

/** POST /agent/projects/:projectId/sessions and PATCH /agent/sessions/:sessionId (there every field is optional, null clears). */
export const SessionInput = z.object({
  engineName: z.string(),
  name: z.string().max(500).optional(),
  model: z.string().nullable().optional(),
  permissionMode: z.string().nullable().optional(),
  allowDangerouslySkipPermissions: z.boolean().optional(),
  effort: z.string().nullable().optional(),
  systemPrompt: z.string().nullable().optional(),
  allowedTools: z.array(z.string()).optional(),
  maxTurns: z.number().int().positive().nullable().optional(),
  maxCostUsd: z.number().positive().nullable().optional(),
});
export type SessionInput = z.infer<typeof SessionInput>;

/** GET /api/agent-sessions/:sessionId/items/:itemId/output: the end of what a command in the background has written so far. */
export const TaskOutput = z.object({ text: z.string(), totalBytes: z.number(), isTruncated: z.boolean() });
export type TaskOutput = z.infer<typeof TaskOutput>;

/** POST /api/mcp-sessions (private socket only): an MCP client over stdio announces itself. */
export const McpSessionInput = z.object({
  clientName: z.string().max(200),
  clientVersion: z.string().max(100),
  browserId: BrowserId.optional(),
});
export type McpSessionInput = z.infer<typeof McpSessionInput>;

/** POST /api/mcp-sessions/:sessionId/call: answered as JSON lines, progress first, the result last. */
export const McpCallInput = z.object({ callId: z.string(), name: z.string(), arguments: z.record(z.string(), z.unknown()) });
export type McpCallInput = z.infer<typeof McpCallInput>;

export const McpCallLine = z.union([
  z.object({ progress: z.number(), total: z.number().optional(), message: z.string().optional() }),
  z.object({ result: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })), isError: z.boolean().optional() }) }),
]);
export type McpCallLine = z.infer<typeof McpCallLine>;
