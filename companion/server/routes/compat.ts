/** The routes of existing clients. Their bodies are converted here, in one place; what they do is done by our own routes' handlers. */
import path from 'node:path';
import { toCompatEngine, toCompatSession, toIgnored, toProjectInput, withOwnKeys } from '#companion/compat/bodies.ts';
import type { compatRoutes } from '#companion/compat/routes.ts';
import { SessionSummary } from '#protocol/api.ts';
import { CompanionError, toErrorBody, type ErrorBody } from '#protocol/errors.ts';
import type { SessionId } from '#protocol/ids.ts';
import { countsOf } from '#protocol/project-counts.ts';
import { explain } from '#protocol/faults.ts';
import { checkNewWorkspace, checkWorkspace } from '#companion/projects/workspace.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import type { RealtimeStream } from '../realtime-stream.ts';
import { act } from './compat-act.ts';
import { infoHandlers } from './compat-info.ts';
import { messageHandlers } from './compat-messages.ts';
import { defaultEngine, findEngine, findProject } from './find.ts';
import { historyOf } from './message-pages.ts';
import { sessionsOf, type SessionHandlers } from './sessions.ts';

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
  | 'chatHistory';
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
  compatListProjects: () => {
    const sessions = deps.sessions.list();
    return { projects: deps.projects.list().map((project) => ({ ...project, ...countsOf(project.id, sessions) })) };
  },
  compatSaveProject: async ({ body }) => ({ project: await deps.projects.save(toProjectInput(body), { mayChooseId: true }) }),
  compatRemoveProject: ({ params }) => deps.projects.remove(params.projectId),
  ...folderHandlers(deps),
  ...sessionHandlers(deps, parts),
  ...chatHandlers(deps, parts),
  ...messageHandlers(deps),
  ...infoHandlers(deps),
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
  /** The answer with one session has its settings too. */
  const toOne = (sessionId: SessionId) => {
    const summary = deps.sessions.summary(sessionId);
    return toCompatSession(summary, findEngine(deps, summary.engineName), sessions.view(sessionId).settings);
  };
  return {
    compatListSessions: () => ({ sessions: sessions.list().map(toCompat) }),
    compatListProjectSessions: ({ params }) => ({ sessions: sessionsOf(deps, params.projectId).map(toCompat) }),
    compatCreateSession: async ({ params, body }, context) => {
      const engineName = body.engineName ?? (await defaultEngine(deps, findProject(deps, params.projectId)));
      const engine = findEngine(deps, engineName);
      const input = withOwnKeys({ ...body, engineName }, engineName, engine);
      const { session } = await own.createSession({ params, body: input }, context);
      return { session: toOne(SessionSummary.parse(session).id), ...toIgnored(body, engine) };
    },
    compatReadSession: ({ params }) => ({ session: toOne(params.sessionId) }),
    compatUpdateSession: async ({ params, body: { engineName, ...body } }, context) => {
      const { engine } = sessions.view(params.sessionId);
      if (engineName !== undefined && engineName !== engine) {
        throw new CompanionError('ENGINE_UNSUPPORTED', explain('session_of_agent', { agent: engine }), {
          remedy:
            `Go on with ${engineName} in a fork, which has the conversation so far: name it as cliPreference of the next message, ` +
            `or POST /api/agent-sessions/${params.sessionId}/fork with {"engineName":"${engineName}"}.`,
        });
      }
      const found = findEngine(deps, engine);
      await own.updateSession({ params, body: withOwnKeys(body, engine, found) }, context);
      return { session: toOne(params.sessionId), ...toIgnored(body, found) };
    },
    compatRemoveSession: (input, context) => own.removeSession({ ...input, query: {} }, context),
    compatResetSession: async ({ params }, context) => {
      const before = sessions.view(params.sessionId);
      await own.resetSession({ params }, context);
      return {
        success: true,
        deletedMessages: before.items.length,
        clearedEngineSessionId: before.engineSessionId !== null,
        session: toOne(params.sessionId),
      };
    },
    sessionHistory: ({ params, query }) => historyOf(sessions, params.sessionId, query),
    chatHistory: ({ params, query }) => historyOf(sessions, params.sessionId, query),
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
      act(deps, own, deps.sessions.summary(params.sessionId).id, { instruction: content, ...rest }, context),
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

/** A name that can be a single folder on every system. */
const toFolderName = (name: string): string =>
  name
    .normalize('NFKC')
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 80) || 'project';
