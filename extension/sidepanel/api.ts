/** The daemon's HTTP API as the panel uses it. */
import type {
  Project,
  ProjectInput,
  SessionChange,
  SessionInput,
  SessionSummary,
  TaskOutput,
  TrustedProject,
  TurnSent,
} from '#protocol/api.ts';
import type { Answer, Route, Sent } from '#protocol/contract.ts';
import type { EngineSettingsInput, EngineSetup } from '#protocol/engine-setup.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { ItemId, ProjectId, RequestId, SessionId, TurnId } from '#protocol/ids.ts';
import type { RequestAnswer } from '#protocol/requests.ts';
import { routes } from '#protocol/routes.ts';
import { call, type Endpoint } from './wire.ts';

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
  act(sessionId: SessionId, input: TurnSent): Promise<void>;
  cancel(sessionId: SessionId, turnId?: TurnId): Promise<void>;
  stopTask(sessionId: SessionId, itemId: ItemId): Promise<void>;
  readTask(sessionId: SessionId, itemId: ItemId): Promise<TaskOutput>;
  answer(sessionId: SessionId, requestId: RequestId, answer: RequestAnswer): Promise<void>;
}

/** `endpoint` gives the newest one: port and token change when the daemon restarts. Every failure is a CompanionError. */
export const createApi = (endpoint: () => Endpoint | null): Api => {
  const ask = async <R extends Route>(route: R, sent: Sent<R>): Promise<Answer<R>> => {
    const place = endpoint();
    if (place === null) throw new CompanionError('DAEMON_NOT_RUNNING');
    return call(place, route, sent);
  };
  return {
    engines: async () => (await ask(routes.listEngines, {})).engines,
    refreshEngines: async (name) => void (await ask(routes.refreshEngines, { body: name === undefined ? {} : { name } })),
    engineSetups: () => ask(routes.listEngineSetups, {}),
    changeEngine: (name, body) => ask(routes.changeEngineSetup, { params: { name }, body }),
    storeSecret: (name, secretName, value) => ask(routes.storeSecret, { params: { name, secretName }, body: { value } }),
    trustedProjects: async () => (await ask(routes.listTrust, {})).projects,
    revokeTrust: async (path) => (await ask(routes.revokeTrust, { query: { path } })).projects,
    projects: async () => (await ask(routes.listProjects, {})).projects,
    saveProject: async (body) => (await ask(routes.saveProject, { body })).project,
    defaultWorkspace: async () => (await ask(routes.defaultWorkspace, {})).path,
    sessions: async () => (await ask(routes.listSessions, {})).sessions,
    createSession: async (projectId, body) => (await ask(routes.createSession, { params: { projectId }, body })).session,
    updateSession: async (sessionId, body) => void (await ask(routes.updateSession, { params: { sessionId }, body })),
    removeSession: async (sessionId) => void (await ask(routes.removeSession, { params: { sessionId } })),
    act: async (sessionId, body) => void (await ask(routes.startTurn, { params: { sessionId }, body })),
    cancel: async (sessionId, turnId) => {
      if (turnId === undefined) await ask(routes.cancelTurns, { params: { sessionId } });
      else await ask(routes.cancelTurn, { params: { sessionId, turnId } });
    },
    stopTask: async (sessionId, itemId) => void (await ask(routes.stopTask, { params: { sessionId, itemId } })),
    readTask: (sessionId, itemId) => ask(routes.readTask, { params: { sessionId, itemId } }),
    answer: async (sessionId, requestId, body) => void (await ask(routes.answerRequest, { params: { sessionId, requestId }, body })),
  };
};
