/** The routes of existing clients. Their bodies are converted here, in one place; what they do is done by our own routes' handlers. */
import path from 'node:path';
import {
  toCompatEngine,
  toCompatSession,
  toHistory,
  toMessages,
  toProjectInput,
  toTurnInput,
  withOwnKeys,
  type ActRequest,
} from '#companion/compat/bodies.ts';
import type { compatRoutes } from '#companion/compat/routes.ts';
import { SessionSummary, type Project } from '#protocol/api.ts';
import type { Given } from '#protocol/contract.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { ProjectId, SessionId } from '#protocol/ids.ts';
import { checkNewWorkspace, checkWorkspace } from '#companion/projects/workspace.ts';
import type { ServerDeps } from '../deps.ts';
import type { Context, Handlers } from '../handlers.ts';
import type { RealtimeStream } from '../realtime-stream.ts';
import { findSummary, sessionsOf, type SessionHandlers } from './sessions.ts';

type CompatHandlers = Handlers<typeof compatRoutes>;

type FolderNames = 'validatePath' | 'createDirectory' | 'compatDefaultWorkspace' | 'defaultRoot';
type SessionNames =
  | 'compatListSessions'
  | 'compatListProjectSessions'
  | 'compatCreateSession'
  | 'compatReadSession'
  | 'compatUpdateSession'
  | 'compatRemoveSession'
  | 'compatResetSession'
  | 'sessionHistory'
  | 'chatHistory'
  | 'projectMessages';
type ChatNames = 'act' | 'message' | 'cancelChat' | 'cancelAll' | 'cancelOne' | 'realtimeStream';

interface Parts {
  /** What carries out our own routes. */
  readonly own: SessionHandlers;
  readonly realtime: RealtimeStream;
}

export const compatHandlers = (deps: ServerDeps, parts: Parts): CompatHandlers => ({
  ping: () => ({ status: 'ok', message: 'pong' }),
  compatListEngines: () => {
    void deps.engines.look();
    return { engines: deps.engines.list().map(toCompatEngine) };
  },
  compatListProjects: () => ({ projects: deps.projects.list() }),
  compatSaveProject: async ({ body }) => ({ project: await deps.projects.save(toProjectInput(body)) }),
  compatRemoveProject: ({ params }) => deps.projects.remove(params.projectId),
  ...folderHandlers(deps),
  ...sessionHandlers(deps, parts),
  ...chatHandlers(deps, parts),
});

const folderHandlers = ({ projects, settings, paths }: ServerDeps): Pick<CompatHandlers, FolderNames> => {
  const allowedRoots = (): string[] => [...settings.current().allowedRoots, paths.defaultWorkspace];
  const check = (rootPath: string, allowCreate: boolean): Promise<string> =>
    checkWorkspace(rootPath, { allowedRoots: allowedRoots(), allowCreate });
  /** Resolves with why a folder cannot be made there, or with null when it can. */
  const whyNotMade = (rootPath: string): Promise<ErrorBody | null> =>
    checkNewWorkspace(rootPath, allowedRoots()).then(() => null, toErrorBody);
  return {
    validatePath: async ({ body: { rootPath } }) => {
      try {
        return { valid: true, exists: true, needsCreation: false, path: await check(rootPath, false) };
      } catch (thrown) {
        const error = toErrorBody(thrown);
        const isMissing = error.code === 'WORKSPACE_NOT_FOUND';
        const obstacle = isMissing ? await whyNotMade(rootPath) : error;
        const { code, message, remedy } = obstacle ?? error;
        const exists = !isMissing && code !== 'INPUT_INVALID';
        return { valid: obstacle === null, exists, needsCreation: isMissing, error: message, code, remedy };
      }
    },
    createDirectory: async ({ body }) => ({ success: true, path: await check(body.absolutePath, true) }),
    compatDefaultWorkspace: async () => ({ success: true, path: await projects.defaultWorkspace() }),
    defaultRoot: async ({ body }) => ({
      success: true,
      path: path.join(await projects.defaultWorkspace(), toFolderName(body.projectName)),
    }),
  };
};

const sessionHandlers = (deps: ServerDeps, { own }: Parts): Pick<CompatHandlers, SessionNames> => {
  const { sessions } = deps;
  const toCompat = (summary: SessionSummary) => toCompatSession(summary, findEngine(deps, summary.engineName));
  return {
    compatListSessions: () => ({ sessions: sessions.list().map(toCompat) }),
    compatListProjectSessions: ({ params }) => ({ sessions: sessionsOf(deps, params.projectId).map(toCompat) }),
    compatCreateSession: async ({ params, body }, context) => {
      const input = withOwnKeys(body, body.engineName, findEngine(deps, body.engineName));
      const { session } = await own.createSession({ params, body: input }, context);
      return { session: toCompat(SessionSummary.parse(session)) };
    },
    compatReadSession: ({ params }) => ({ session: toCompat(findSummary(deps, params.sessionId)) }),
    compatUpdateSession: async ({ params, body: { engineName, ...body } }, context) => {
      const { engine } = sessions.view(params.sessionId);
      if (engineName !== undefined && engineName !== engine) {
        throw new CompanionError('ENGINE_UNSUPPORTED', `This session belongs to ${engine}.`, {
          remedy: `Start a new session for ${engineName}.`,
        });
      }
      await own.updateSession({ params, body: withOwnKeys(body, engine, findEngine(deps, engine)) }, context);
      return { session: toCompat(findSummary(deps, params.sessionId)) };
    },
    compatRemoveSession: (input, context) => own.removeSession(input, context),
    compatResetSession: async ({ params }, context) => {
      const before = sessions.view(params.sessionId);
      await own.resetSession({ params }, context);
      return {
        success: true,
        deletedMessages: before.items.length,
        clearedEngineSessionId: before.engineSessionId !== null,
        session: toCompat(findSummary(deps, params.sessionId)),
      };
    },
    sessionHistory: ({ params, query }) => toHistory(sessions.view(params.sessionId), query),
    chatHistory: ({ params, query }) => toHistory(sessions.view(params.sessionId), query),
    projectMessages: ({ params, query }) =>
      toMessages(
        sessionsOf(deps, params.projectId).map(({ id }) => sessions.view(id)),
        query,
      ),
  };
};

const chatHandlers = (deps: ServerDeps, { own, realtime }: Parts): Pick<CompatHandlers, ChatNames> => {
  const cancelAll: CompatHandlers['cancelAll'] = async ({ params }, context) => ({
    success: true,
    ...(await own.cancelTurns({ params }, context)),
    sessionId: params.sessionId,
  });
  return {
    act: ({ params, body }, context) => act(deps, own, params.sessionId, body, context),
    message: ({ params, body: { content, ...rest } }, context) =>
      act(deps, own, params.sessionId, { instruction: content, ...rest }, context),
    cancelChat: cancelAll,
    cancelAll,
    cancelOne: async ({ params: { sessionId, requestId } }, context) => {
      const { cancelledCount } = await own.cancelTurn({ params: { sessionId, turnId: requestId } }, context);
      const message = cancelledCount > 0 ? 'The turn is being cancelled.' : 'Nothing was running.';
      return { success: true, message, requestId, sessionId };
    },
    realtimeStream: ({ params, query }, { lastEventId, hijack }) =>
      realtime.open(hijack, params.sessionId, lastEventId ?? query.after ?? null),
  };
};

/** A prompt that may create its session and choose the model. */
const act = async (
  deps: ServerDeps,
  own: SessionHandlers,
  addressed: SessionId,
  request: ActRequest,
  context: Context,
): Promise<Given<typeof compatRoutes.act>> => {
  const sessionId = await sessionFor(deps, request.dbSessionId ?? addressed, request);
  const view = deps.sessions.view(sessionId);
  if (request.cliPreference !== undefined && request.cliPreference !== view.engine) {
    throw new CompanionError('INPUT_INVALID', `cliPreference: this session belongs to ${view.engine}, not ${request.cliPreference}.`);
  }
  if (request.projectRoot !== undefined && request.projectRoot !== (await folderOf(deps, view.projectId))) {
    throw new CompanionError('WORKSPACE_OUTSIDE_ROOTS', 'projectRoot must be the root of the session’s own project.', {
      remedy: 'Leave projectRoot out, or start a session in the other project.',
    });
  }
  if (request.model !== undefined && request.model !== view.settings.model) {
    await deps.sessions.dispatch({ type: 'session.update', sessionId, settings: { model: request.model } });
  }
  const { turnId } = await own.startTurn({ params: { sessionId }, body: toTurnInput(request) }, context);
  return { requestId: turnId, sessionId, status: 'accepted' };
};

/** The session that is named, or a new one in the project that the prompt names. */
const sessionFor = async (deps: ServerDeps, wanted: SessionId, request: ActRequest): Promise<SessionId> => {
  if (deps.sessions.list().some(({ id }) => id === wanted)) return wanted;
  if (request.projectId === undefined) throw new CompanionError('SESSION_NOT_FOUND');
  const project = findProject(deps, request.projectId);
  const engine =
    request.cliPreference ?? project.preferredCli ?? (await deps.engines.look()).find(({ status }) => status === 'ready')?.name;
  if (engine === undefined) throw new CompanionError('ENGINE_NOT_FOUND');
  const model = request.model ?? project.selectedModel;
  const { sessionId } = await deps.sessions.dispatch({
    type: 'session.create',
    projectId: project.id,
    engine,
    ...(model === undefined ? {} : { settings: { model } }),
  });
  return sessionId;
};

/** The folder of an existing session. */
const folderOf = async ({ projects }: ServerDeps, projectId: ProjectId | null): Promise<string> => {
  if (projectId === null) return projects.defaultWorkspace();
  const project = projects.list().find(({ id }) => id === projectId);
  if (project === undefined) throw new CompanionError('PROJECT_FORGOTTEN');
  return project.rootPath;
};

const findProject = ({ projects }: ServerDeps, projectId: ProjectId): Project => {
  const project = projects.list().find(({ id }) => id === projectId);
  if (project === undefined) throw new CompanionError('PROJECT_NOT_FOUND');
  return project;
};

const findEngine = ({ engines }: ServerDeps, engineName: string): EngineInfo | undefined =>
  engines.list().find(({ name }) => name === engineName);

/** A name that can be a single folder on every system. */
const toFolderName = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80) || 'project';
