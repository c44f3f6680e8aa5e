/** The routes of existing clients, with the names and bodies that they know. Each does what one of our own routes does. */
import * as z from 'zod';
import { Project } from '#protocol/api.ts';
import type { Routes } from '#protocol/contract.ts';
import { ErrorBody } from '#protocol/errors.ts';
import { ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import {
  ActRequest,
  ActResponse,
  CompatEngine,
  CompatProjectInput,
  CompatProjects,
  CompatSession,
  CompatSessionChange,
  CompatSessionInput,
  EngineReport,
  History,
  ManagementInfo,
  MessageBody,
  MessageInput,
  Messages,
  pageQuery,
} from './bodies.ts';
import { AgentMessage } from './realtime.ts';

const bySession = z.object({ sessionId: SessionId });
const byProject = z.object({ projectId: ProjectId });
const after = z.object({ after: z.string().max(300).optional() });
/** A one-time ticket in place of the header that an `EventSource` cannot send. */
const ticket = z.string().max(200).optional();
const folderName = z.string().min(1).max(4096);
const madeFolder = z.object({ success: z.literal(true), path: z.string() });
const sessions = z.object({ sessions: z.array(CompatSession) });
/** `ignored` names what was asked for and has no effect. */
const oneSession = z.object({ session: CompatSession, ignored: z.array(z.string()).optional() });
const cancelled = z.object({ success: z.literal(true), cancelledCount: z.number(), sessionId: SessionId });

export const compatRoutes = {
  ping: {
    method: 'GET',
    path: '/ping',
    scope: 'api',
    summary: 'Answers when the daemon lives.',
    answer: z.object({ status: z.literal('ok'), message: z.literal('pong') }),
  },
  compatListEngines: {
    method: 'GET',
    path: '/agent/engines',
    scope: 'api',
    summary: 'Lists the agents that are switched on.',
    answer: z.object({ engines: z.array(CompatEngine) }),
  },

  compatListProjects: {
    method: 'GET',
    path: '/agent/projects',
    scope: 'api',
    summary: 'Lists the projects, with how much is in each.',
    answer: CompatProjects,
  },
  compatSaveProject: {
    method: 'POST',
    path: '/agent/projects',
    scope: 'api',
    summary:
      'Makes a project of a folder, or changes the one whose `id` is given; an `id` that is not there yet is that of the new one. ' +
      '`useCcr` and `enableChromeMcp` are taken and have no effect.',
    body: CompatProjectInput,
    answer: z.object({ project: Project }),
  },
  compatRemoveProject: {
    method: 'DELETE',
    path: '/agent/projects/:projectId',
    scope: 'api',
    summary: 'Forgets a project; its folder and its sessions stay.',
    params: byProject,
  },
  validatePath: {
    method: 'POST',
    path: '/agent/projects/validate-path',
    scope: 'api',
    summary: 'Says why a folder will not do, before a project is made of it.',
    body: z.strictObject({ rootPath: folderName }),
    answer: z.object({
      valid: z.boolean(),
      exists: z.boolean(),
      needsCreation: z.boolean(),
      path: z.string().optional(),
      error: z.string().optional(),
      code: ErrorBody.shape.code.optional(),
      remedy: z.string().optional(),
    }),
  },
  createDirectory: {
    method: 'POST',
    path: '/agent/projects/create-directory',
    scope: 'api',
    summary: 'Makes a folder where agents may work.',
    body: z.strictObject({ absolutePath: folderName }),
    answer: madeFolder,
  },
  compatDefaultWorkspace: {
    method: 'GET',
    path: '/agent/projects/default-workspace',
    scope: 'api',
    summary: 'Gives the folder for those who have no project, and makes it when it is not there.',
    answer: madeFolder,
  },
  defaultRoot: {
    method: 'POST',
    path: '/agent/projects/default-root',
    scope: 'api',
    summary: 'Proposes a folder for a project of this name; it is not made yet.',
    body: z.strictObject({ projectName: z.string().min(1).max(200) }),
    answer: madeFolder,
  },

  compatListSessions: { method: 'GET', path: '/agent/sessions', scope: 'api', summary: 'Lists all sessions.', answer: sessions },
  compatListProjectSessions: {
    method: 'GET',
    path: '/agent/projects/:projectId/sessions',
    scope: 'api',
    summary: 'Lists the sessions of a project.',
    params: byProject,
    answer: sessions,
  },
  compatCreateSession: {
    method: 'POST',
    path: '/agent/projects/:projectId/sessions',
    scope: 'api',
    summary: 'Makes a session for an agent in a project; `ignored` names what `optionsConfig` asks for and this agent is not given.',
    params: byProject,
    body: CompatSessionInput,
    status: 201,
    answer: oneSession,
  },
  compatReadSession: {
    method: 'GET',
    path: '/agent/sessions/:sessionId',
    scope: 'api',
    summary: "Gives a session's row of the list.",
    params: bySession,
    answer: oneSession,
  },
  compatUpdateSession: {
    method: 'PATCH',
    path: '/agent/sessions/:sessionId',
    scope: 'api',
    summary:
      'Changes the settings, the name or the project of a session; what is absent stays, null goes back to the default. ' +
      '`ignored` names what `optionsConfig` asks for and this agent is not given.',
    params: bySession,
    body: CompatSessionChange,
    answer: oneSession,
  },
  compatRemoveSession: {
    method: 'DELETE',
    path: '/agent/sessions/:sessionId',
    scope: 'api',
    summary: 'Stops a session and deletes it; for an hour it can be brought back.',
    params: bySession,
  },
  compatResetSession: {
    method: 'POST',
    path: '/agent/sessions/:sessionId/reset',
    scope: 'api',
    summary: 'Empties a session, and lets the agent begin a new conversation in it.',
    params: bySession,
    answer: z.object({
      success: z.literal(true),
      deletedMessages: z.number(),
      clearedEngineSessionId: z.boolean(),
      session: CompatSession,
    }),
  },
  sessionHistory: {
    method: 'GET',
    path: '/agent/sessions/:sessionId/history',
    scope: 'api',
    summary: 'Gives the messages of a session in pages; a limit of 0 gives them all.',
    params: bySession,
    query: pageQuery(0, Number.MAX_SAFE_INTEGER),
    answer: History,
  },
  chatHistory: {
    method: 'GET',
    path: '/agent/chat/:sessionId/history',
    scope: 'api',
    summary: 'Gives the messages of a session in pages; a limit of 0 gives them all.',
    params: bySession,
    query: pageQuery(0, Number.MAX_SAFE_INTEGER),
    answer: History,
  },
  projectMessages: {
    method: 'GET',
    path: '/agent/chat/:projectId/messages',
    scope: 'api',
    summary: 'Gives the messages of all sessions of a project in pages, oldest first.',
    params: byProject,
    query: pageQuery(50, 1000),
    answer: Messages,
  },

  addMessage: {
    method: 'POST',
    path: '/agent/chat/:projectId/messages',
    scope: 'api',
    summary:
      'Adds a message to a conversation that was said elsewhere; its agent is not told. ' +
      'In a project without a session one is made for it.',
    params: byProject,
    body: MessageInput,
    status: 201,
    answer: z.object({ success: z.literal(true), data: AgentMessage }),
  },
  removeMessages: {
    method: 'DELETE',
    path: '/agent/chat/:projectId/messages',
    scope: 'api',
    summary: 'Empties all sessions of a project, or the one that `conversationId` names; none of them when one is working.',
    params: byProject,
    query: z.object({ conversationId: SessionId.optional() }),
    answer: z.object({ success: z.literal(true), deleted: z.number() }),
  },
  sessionEngineInfo: {
    method: 'GET',
    path: '/agent/sessions/:sessionId/engine-info',
    scope: 'api',
    summary: 'Says what is known of the agent of a session, and what it is set to.',
    params: bySession,
    answer: EngineReport,
  },
  projectEngineInfo: {
    method: 'GET',
    path: '/agent/projects/:projectId/engine-info',
    scope: 'api',
    summary: 'Says the same for each agent that works in a project, by its newest session.',
    params: byProject,
    answer: z.object({ projectId: ProjectId, engines: z.array(EngineReport) }),
  },
  sessionClaudeInfo: {
    method: 'GET',
    path: '/agent/sessions/:sessionId/claude-info',
    scope: 'api',
    summary: 'Says what is known of Claude Code in a session; null when the session has another agent.',
    params: bySession,
    answer: z.object({ managementInfo: ManagementInfo.nullable(), sessionId: SessionId, engineName: z.string() }),
  },
  projectClaudeInfo: {
    method: 'GET',
    path: '/agent/projects/:projectId/claude-info',
    scope: 'api',
    summary: "Says what is known of Claude Code in the newest of the project's sessions with it.",
    params: byProject,
    answer: z.object({
      managementInfo: ManagementInfo.nullable(),
      sourceSessionId: SessionId.nullable(),
      projectId: ProjectId,
      sessionsWithInfo: z.number(),
    }),
  },

  act: {
    method: 'POST',
    path: '/agent/chat/:sessionId/act',
    scope: 'api',
    summary:
      'Sends a prompt; makes the session in the address when it is not there, in `projectId` or in the folder for those who have no project. ' +
      '`requestId` is the turn. ' +
      'Another agent than the session has goes on in a new one, see `forkedFrom`.',
    params: bySession,
    body: ActRequest,
    answer: ActResponse,
  },
  message: {
    method: 'POST',
    path: '/api/agent-sessions/:sessionId/message',
    scope: 'api',
    summary: 'Sends a prompt to a session. `requestId` is the turn.',
    params: bySession,
    body: MessageBody,
    answer: ActResponse,
  },
  cancelChat: {
    method: 'DELETE',
    path: '/agent/chat/:sessionId',
    scope: 'api',
    summary: 'Cancels the turn that runs and those that wait.',
    params: bySession,
    answer: cancelled,
  },
  cancelAll: {
    method: 'DELETE',
    path: '/agent/chat/:sessionId/cancel',
    scope: 'api',
    summary: 'Cancels the turn that runs and those that wait.',
    params: bySession,
    answer: cancelled,
  },
  cancelOne: {
    method: 'DELETE',
    path: '/agent/chat/:sessionId/cancel/:requestId',
    scope: 'api',
    summary: 'Cancels one turn, which `requestId` names; when it is over already, that is no error.',
    params: z.object({ sessionId: SessionId, requestId: TurnId }),
    answer: z.object({ success: z.literal(true), message: z.string(), requestId: TurnId, sessionId: SessionId }),
  },
  realtimeStream: {
    method: 'GET',
    path: '/agent/chat/:sessionId/stream',
    scope: 'api',
    summary: 'Streams a session as `RealtimeEvent`s, for clients that merge messages by id; it may be opened before the first prompt.',
    params: bySession,
    query: after.extend({ ticket }),
    stream: 'sse',
  },
  patchStream: {
    method: 'GET',
    path: '/api/agent-sessions/:sessionId/stream',
    scope: 'api',
    summary:
      'Streams a session as JSON patches over a WebSocket and takes prompts (`{ content }`); ends after `{ finished: true }` unless `keepOpen`. ' +
      'A browser shows a ticket in `Sec-WebSocket-Protocol: pilotfish.v1, ticket.…` or as `?ticket=`.',
    params: bySession,
    query: after.extend({ keepOpen: z.enum(['true', 'false']).optional(), ticket }),
    stream: 'websocket',
  },
} as const satisfies Routes;
