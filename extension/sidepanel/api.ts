/** The daemon's HTTP API as the panel uses it. The token goes in a header, never into an address. */
import * as z from 'zod';
import {
  ActResponse,
  Project,
  SessionSummary,
  TaskOutput,
  TrustedProject,
  type ActRequest,
  type ProjectInput,
  type SessionInput,
} from '#protocol/api.ts';
import { EngineSetup, type EngineSettingsInput } from '#protocol/engine-setup.ts';
import { EngineInfo } from '#protocol/engines.ts';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import type { ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import { errorOf } from './api-error.ts';

/** Where the daemon listens for this profile, as the worker was told over the link. */
export interface Endpoint {
  readonly port: number;
  readonly token: string;
}

type SessionChange = { readonly [K in keyof SessionInput]?: SessionInput[K] | null | undefined };

export interface Api {
  engines(): Promise<readonly EngineInfo[]>;
  refreshEngines(name?: string): Promise<void>;
  /** What is set for each agent; `warning` when a key lies in a file. */
  engineSetups(): Promise<{ readonly engines: readonly EngineSetup[]; readonly warning: string | null }>;
  changeEngine(name: string, change: EngineSettingsInput): Promise<EngineSetup>;
  storeSecret(name: string, secretName: string, value: string | null): Promise<EngineSetup>;
  /** Projects whose own files may start programs. */
  trustedProjects(): Promise<readonly TrustedProject[]>;
  /** Gives what is left. */
  revokeTrust(path: string): Promise<readonly TrustedProject[]>;
  projects(): Promise<readonly Project[]>;
  saveProject(input: ProjectInput): Promise<Project>;
  defaultWorkspace(): Promise<string>;
  sessions(): Promise<readonly SessionSummary[]>;
  createSession(projectId: ProjectId, input: SessionInput): Promise<SessionSummary>;
  updateSession(sessionId: SessionId, change: SessionChange): Promise<void>;
  removeSession(sessionId: SessionId): Promise<void>;
  act(sessionId: SessionId, request: ActRequest): Promise<void>;
  cancel(sessionId: SessionId, turnId?: TurnId): Promise<void>;
  stopTask(sessionId: SessionId, itemId: ItemId): Promise<void>;
  readTask(sessionId: SessionId, itemId: ItemId): Promise<TaskOutput>;
  answer(sessionId: SessionId, requestId: RequestId, answer: RequestAnswer): Promise<void>;
}

/** A hung daemon must not leave a button pressed for ever; health checks of engines take the longest. */
const ANSWER_TIMEOUT_MS = 60_000;

const Engines = z.object({ engines: z.array(EngineInfo) });
const Setups = z.object({ engines: z.array(EngineSetup), warning: z.string().nullable() });
const Trusted = z.object({ projects: z.array(TrustedProject) });
const Projects = z.object({ projects: z.array(Project) });
const OneProject = z.object({ project: Project });
const Sessions = z.object({ sessions: z.array(SessionSummary) });
const OneSession = z.object({ session: SessionSummary });
const Folder = z.object({ path: z.string() });

/** `endpoint` gives the newest one: port and token change when the daemon restarts. Every failure is a CompanionError. */
export const createApi = (endpoint: () => Endpoint | null): Api => {
  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const place = endpoint();
    if (place === null) throw new CompanionError('DAEMON_NOT_RUNNING');
    const response = await fetch(`http://127.0.0.1:${place.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${place.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new CompanionError('DAEMON_NOT_RUNNING', '', { cause });
    });
    if (!response.ok) throw fromErrorBody(await errorOf(response));
    return response.status === 204 ? null : response.json();
  };
  const read = async <T>(schema: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> => {
    const answer = schema.safeParse(await request(method, path, body));
    if (answer.success) return answer.data;
    throw new CompanionError('FRAME_INVALID', `${method} ${path}: ${z.prettifyError(answer.error)}`);
  };
  return {
    engines: async () => (await read(Engines, 'GET', '/agent/engines')).engines,
    refreshEngines: async (name) => void (await request('POST', '/api/engines/refresh', name === undefined ? {} : { name })),
    engineSetups: () => read(Setups, 'GET', '/api/engines'),
    changeEngine: (name, change) => read(EngineSetup, 'PUT', `/api/engines/${encodeURIComponent(name)}/settings`, change),
    storeSecret: (name, secretName, value) =>
      read(EngineSetup, 'PUT', `/api/engines/${encodeURIComponent(name)}/secrets/${encodeURIComponent(secretName)}`, { value }),
    trustedProjects: async () => (await read(Trusted, 'GET', '/api/trust')).projects,
    revokeTrust: async (path) => (await read(Trusted, 'DELETE', `/api/trust?path=${encodeURIComponent(path)}`)).projects,
    projects: async () => (await read(Projects, 'GET', '/agent/projects')).projects,
    saveProject: async (input) => (await read(OneProject, 'POST', '/agent/projects', input)).project,
    defaultWorkspace: async () => (await read(Folder, 'GET', '/agent/projects/default-workspace')).path,
    sessions: async () => (await read(Sessions, 'GET', '/agent/sessions')).sessions,
    createSession: async (projectId, input) =>
      (await read(OneSession, 'POST', `/agent/projects/${encodeURIComponent(projectId)}/sessions`, input)).session,
    updateSession: async (id, change) => void (await request('PATCH', `/agent/sessions/${encodeURIComponent(id)}`, change)),
    removeSession: async (id) => void (await request('DELETE', `/agent/sessions/${encodeURIComponent(id)}`)),
    act: async (id, body) => void (await read(ActResponse, 'POST', `/agent/chat/${encodeURIComponent(id)}/act`, body)),
    cancel: async (id, turnId) =>
      void (await request(
        'DELETE',
        `/agent/chat/${encodeURIComponent(id)}/cancel${turnId === undefined ? '' : `/${encodeURIComponent(turnId)}`}`,
      )),
    stopTask: async (id, itemId) =>
      void (await request('DELETE', `/api/agent-sessions/${encodeURIComponent(id)}/tasks/${encodeURIComponent(itemId)}`)),
    readTask: (id, itemId) =>
      read(TaskOutput, 'GET', `/api/agent-sessions/${encodeURIComponent(id)}/items/${encodeURIComponent(itemId)}/output`),
    answer: async (id, requestId, body) =>
      void (await request('POST', `/api/agent-sessions/${encodeURIComponent(id)}/requests/${encodeURIComponent(requestId)}`, body)),
  };
};
