/** The daemon's API for our own front ends: terminal UI, command line, `pilotfish mcp`. They are clients, nothing more. */
import * as z from 'zod';
import {
  ActResponse,
  McpCallLine,
  Project,
  SessionSummary,
  Status,
  TaskOutput,
  TrustedProject,
  type ActRequest,
  type McpCallInput,
  type McpSessionInput,
  type ProjectInput,
  type SessionInput,
  type StateEvent,
} from '#protocol/api.ts';
import { Grant, type ToolResult } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionEvent } from '#protocol/events.ts';
import { SessionId, type ItemId, type ProjectId, type RequestId, type TurnId } from '#protocol/ids.ts';
import { AgentMessage } from '#protocol/realtime.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { startDaemon } from '#companion/reach/start-daemon.ts';
import { connect, type Health } from './connect.ts';
import { createEngineClient, type EngineClient } from './engine-client.ts';
import { readLines } from './json-lines.ts';
import { holdMcpSession, streamSession, streamState, type Resync, type StreamState } from './streams.ts';
import { createTransport } from './transport.ts';

export type { Resync, StreamState } from './streams.ts';

type SessionChange = { readonly [Key in keyof SessionInput]?: SessionInput[Key] | undefined };

type CallProgress = Extract<McpCallLine, { progress: number }>;

export interface Client {
  /** Resolves when a daemon answers; with `start`, starts one when none does. */
  connect(options: { start: boolean; signal?: AbortSignal }): Promise<Health>;
  status(signal?: AbortSignal): Promise<Status>;
  readonly projects: {
    list(): Promise<Project[]>;
    save(input: ProjectInput): Promise<Project>;
    remove(projectId: ProjectId): Promise<void>;
    defaultWorkspace(): Promise<string>;
  };
  readonly sessions: {
    list(): Promise<SessionSummary[]>;
    create(projectId: ProjectId, input: SessionInput): Promise<SessionSummary>;
    update(sessionId: SessionId, change: SessionChange): Promise<SessionSummary>;
    reset(sessionId: SessionId): Promise<void>;
    remove(sessionId: SessionId): Promise<void>;
    /** All messages of a session, for exports. */
    history(sessionId: SessionId): Promise<AgentMessage[]>;
  };
  readonly engines: EngineClient;
  readonly grants: { list(): Promise<Grant[]>; remove(id: string): Promise<void> };
  /** Projects whose own files may start programs. */
  readonly trusted: { list(): Promise<TrustedProject[]>; revoke(path: string): Promise<TrustedProject[]> };
  /** Folders agents may work in beside the home folder. */
  readonly roots: { list(): Promise<string[]>; add(path: string): Promise<string[]>; remove(path: string): Promise<string[]> };
  act(sessionId: SessionId, request: ActRequest): Promise<ActResponse>;
  /** Without `turnId`: what runs and what waits. */
  cancel(sessionId: SessionId, turnId?: TurnId): Promise<void>;
  /** Ends a task that runs in the background. */
  stopTask(sessionId: SessionId, itemId: ItemId): Promise<void>;
  /** The end of what a command in the background has written so far. */
  readTask(sessionId: SessionId, itemId: ItemId): Promise<TaskOutput>;
  answer(sessionId: SessionId, requestId: RequestId, answer: RequestAnswer): Promise<void>;
  /** A session's events after `after`, for as long as `signal` lets; survives daemon restarts. A `resync` voids what came before. */
  streamSession(
    sessionId: SessionId,
    after: string | null,
    onEvent: (event: SessionEvent | Resync, cursor: string | null) => void,
    signal: AbortSignal,
    onState?: (state: StreamState) => void,
  ): Promise<void>;
  streamState(onEvent: (event: StateEvent) => void, signal: AbortSignal, onState?: (state: StreamState) => void): Promise<void>;
  /** A session for a client from outside; it ends with `closeMcpSession`, with `close`, or with this process. */
  openMcpSession(input: McpSessionInput): Promise<SessionId>;
  closeMcpSession(sessionId: SessionId): Promise<void>;
  callTool(
    sessionId: SessionId,
    call: McpCallInput,
    options: { signal: AbortSignal; onProgress?: (progress: CallProgress) => void },
  ): Promise<ToolResult>;
  /** What an MCP client needs; over HTTP with a fresh token. */
  mcpConfig(transport: 'stdio' | 'http'): Promise<Record<string, unknown>>;
  shutdown(): Promise<void>;
  close(): Promise<void>;
}

const Anything = z.unknown();
const Config = z.record(z.string(), z.unknown());
const Projects = z.object({ projects: z.array(Project) });
const OneProject = z.object({ project: Project });
const Folder = z.object({ path: z.string() });
const Sessions = z.object({ sessions: z.array(SessionSummary) });
const OneSession = z.object({ session: SessionSummary });
const Messages = z.object({ messages: z.array(AgentMessage) });
const Grants = z.object({ grants: z.array(Grant) });
const Trusted = z.object({ projects: z.array(TrustedProject) });
const Roots = z.object({ roots: z.array(z.string()) });
const Opened = z.object({ sessionId: SessionId });

/** A client of the daemon of the user whose paths these are. Close it: its connections keep a process alive. */
export const createClient = ({
  paths,
  start = (onEnd) => startDaemon(process.env, onEnd),
}: {
  paths: Pick<Paths, 'socket' | 'daemonLog'>;
  start?: (onEnd: (hasFailed: boolean) => void) => void;
}): Client => {
  const transport = createTransport(paths.socket);
  const { send } = transport;
  const holds = new Map<SessionId, AbortController>();
  const session = (sessionId: SessionId): string => `/agent/sessions/${encodeURIComponent(sessionId)}`;
  const chat = (sessionId: SessionId): string => `/agent/chat/${encodeURIComponent(sessionId)}`;
  const mcpSession = (sessionId: SessionId): string => `/api/mcp-sessions/${encodeURIComponent(sessionId)}`;

  return {
    connect: (options) => connect({ ...options, transport, startDaemon: start, paths }),
    status: (signal) => send(Status, 'GET', '/api/status', { signal }),
    projects: {
      list: async () => (await send(Projects, 'GET', '/agent/projects')).projects,
      save: async (body) => (await send(OneProject, 'POST', '/agent/projects', { body })).project,
      remove: async (id) => void (await send(Anything, 'DELETE', `/agent/projects/${encodeURIComponent(id)}`)),
      defaultWorkspace: async () => (await send(Folder, 'GET', '/agent/projects/default-workspace')).path,
    },
    sessions: {
      list: async () => (await send(Sessions, 'GET', '/agent/sessions')).sessions,
      create: async (projectId, body) =>
        (await send(OneSession, 'POST', `/agent/projects/${encodeURIComponent(projectId)}/sessions`, { body })).session,
      update: async (id, body) => (await send(OneSession, 'PATCH', session(id), { body })).session,
      reset: async (id) => void (await send(Anything, 'POST', `${session(id)}/reset`)),
      remove: async (id) => void (await send(Anything, 'DELETE', session(id))),
      history: async (id) => (await send(Messages, 'GET', `${session(id)}/history`)).messages,
    },
    engines: createEngineClient(transport),
    grants: {
      list: async () => (await send(Grants, 'GET', '/api/grants')).grants,
      remove: async (id) => void (await send(Anything, 'DELETE', `/api/grants/${encodeURIComponent(id)}`)),
    },
    trusted: {
      list: async () => (await send(Trusted, 'GET', '/api/trust')).projects,
      revoke: async (path) => (await send(Trusted, 'DELETE', `/api/trust?path=${encodeURIComponent(path)}`)).projects,
    },
    roots: {
      list: async () => (await send(Roots, 'GET', '/api/roots')).roots,
      add: async (path) => (await send(Roots, 'POST', '/api/roots', { body: { path } })).roots,
      remove: async (path) => (await send(Roots, 'DELETE', `/api/roots?path=${encodeURIComponent(path)}`)).roots,
    },
    act: (id, body) => send(ActResponse, 'POST', `${chat(id)}/act`, { body }),
    cancel: async (id, turnId) =>
      void (await send(Anything, 'DELETE', `${chat(id)}/cancel${turnId === undefined ? '' : `/${encodeURIComponent(turnId)}`}`)),
    stopTask: async (id, itemId) =>
      void (await send(Anything, 'DELETE', `/api/agent-sessions/${encodeURIComponent(id)}/tasks/${encodeURIComponent(itemId)}`)),
    readTask: (id, itemId) =>
      send(TaskOutput, 'GET', `/api/agent-sessions/${encodeURIComponent(id)}/items/${encodeURIComponent(itemId)}/output`),
    answer: async (id, requestId, body) =>
      void (await send(Anything, 'POST', `/api/agent-sessions/${encodeURIComponent(id)}/requests/${encodeURIComponent(requestId)}`, {
        body,
      })),
    streamSession: (id, after, onEvent, signal, onState) =>
      streamSession(transport, id, after, { onEvent, signal, ...(onState === undefined ? {} : { onState }) }),
    streamState: (onEvent, signal, onState) => streamState(transport, { onEvent, signal, ...(onState === undefined ? {} : { onState }) }),
    openMcpSession: async (body) => {
      const { sessionId } = await send(Opened, 'POST', '/api/mcp-sessions', { body });
      const hold = new AbortController();
      holds.set(sessionId, hold);
      // It rejects only when the session was deleted; the next call says so.
      holdMcpSession(transport, sessionId, hold.signal).catch(() => {});
      return sessionId;
    },
    closeMcpSession: async (id) => {
      holds.get(id)?.abort();
      holds.delete(id);
      await send(Anything, 'DELETE', mcpSession(id));
    },
    callTool: async (id, body, { signal, onProgress }) => {
      // A person may take as long as they like to answer.
      const answer = await transport.stream('POST', `${mcpSession(id)}/call`, { body, signal, silenceMs: 0 });
      try {
        for await (const line of readLines(answer)) {
          const parsed = McpCallLine.parse(JSON.parse(line));
          if ('result' in parsed) return parsed.result;
          onProgress?.(parsed);
        }
      } catch (cause) {
        signal.throwIfAborted();
        throw lostDuringCall(cause);
      }
      throw lostDuringCall();
    },
    mcpConfig: (kind) => send(Config, 'GET', `/api/mcp-config?transport=${kind}`),
    shutdown: async () => void (await send(Anything, 'POST', '/api/shutdown')),
    close: async () => {
      for (const hold of holds.values()) hold.abort();
      await transport.close();
    },
  };
};

/** Whether the call was carried out nobody can tell: it is not repeated by itself. */
const lostDuringCall = (cause?: unknown): CompanionError =>
  new CompanionError('DAEMON_NOT_RUNNING', 'It went away during the call.', {
    remedy: 'Look at the page first, then call again: the daemon is started by itself.',
    cause,
  });
