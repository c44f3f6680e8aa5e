/** A prompt of an existing client: it may make its session, name another folder and choose the model. */
import { hash } from 'node:crypto';
import path from 'node:path';
import { toTurnInput, type ActRequest } from '#companion/compat/bodies.ts';
import type { compatRoutes } from '#companion/compat/routes.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { checkWorkspace } from '#companion/projects/workspace.ts';
import type { Project } from '#protocol/api.ts';
import type { Given } from '#protocol/contract.ts';
import { CompanionError } from '#protocol/errors.ts';
import { CHOSEN_SESSION_ID, isChosenId, SessionId } from '#protocol/ids.ts';
import { projectDefaults } from '#protocol/project-defaults.ts';
import type { ServerDeps } from '../deps.ts';
import type { Context } from '../handlers.ts';
import { defaultEngine, findEngine, findProject } from './find.ts';
import type { SessionHandlers } from './sessions.ts';

export const act = async (
  deps: ServerDeps,
  own: SessionHandlers,
  addressed: SessionId,
  request: ActRequest,
  context: Context,
): Promise<Given<typeof compatRoutes.act>> => {
  const project = await projectOf(deps, request);
  const sessionId = await sessionFor(deps, request.dbSessionId ?? addressed, request, project);
  const view = deps.sessions.view(sessionId);
  if (request.cliPreference !== undefined && request.cliPreference !== view.engine) {
    return actInFork(deps, own, { ...request, cliPreference: request.cliPreference }, { from: sessionId, context });
  }
  const isElsewhere = project !== null && project.id !== view.projectId;
  const isOtherModel = request.model !== undefined && request.model !== view.settings.model;
  if (isElsewhere || isOtherModel) {
    await deps.sessions.dispatch({
      type: 'session.update',
      sessionId,
      ...(isElsewhere ? { projectId: project.id } : {}),
      ...(isOtherModel ? { settings: { model: request.model } } : {}),
    });
  }
  const { turnId } = await own.startTurn({ params: { sessionId }, body: toTurnInput(request) }, context);
  return { requestId: turnId, sessionId, status: 'accepted' };
};

/**
 * A session belongs to one agent. A prompt to another one goes on in a session of its own, which knows what was said; the same
 * prompt sent twice finds the same one.
 */
const actInFork = async (
  deps: ServerDeps,
  own: SessionHandlers,
  request: ActRequest & { readonly cliPreference: string },
  { from, context }: { readonly from: SessionId; readonly context: Context },
): Promise<Given<typeof compatRoutes.act>> => {
  const name = hash('sha256', JSON.stringify([from, request.cliPreference, request.requestId ?? randomId()])).slice(0, 32);
  const { sessionId } = await deps.sessions.dispatch({
    type: 'session.fork',
    sessionId: from,
    newSessionId: SessionId.parse(`fork_${name}`),
    engine: request.cliPreference,
  });
  return { ...(await act(deps, own, sessionId, { ...request, dbSessionId: undefined }, context)), forkedFrom: from };
};

/** The project in which the prompt wants to be carried out: that of the folder it names, or the one it names; null for where the session is. */
const projectOf = async (deps: ServerDeps, { projectRoot, projectId, dbSessionId }: ActRequest): Promise<Project | null> => {
  if (projectRoot !== undefined) return projectAt(deps, projectRoot);
  if (projectId === undefined) return null;
  const project = findProject(deps, projectId);
  // A session that is named beside its project is looked for there; the one in the address goes where its prompts go.
  const isThere = dbSessionId === undefined || !deps.sessions.has(dbSessionId) || deps.sessions.view(dbSessionId).projectId === projectId;
  if (!isThere) throw new CompanionError('SESSION_NOT_FOUND');
  return project;
};

/** The project of a folder; one is made for a folder in which agents may work. */
const projectAt = async ({ projects, settings, paths }: ServerDeps, projectRoot: string): Promise<Project> => {
  const named = projects.list().find(({ rootPath }) => rootPath === projectRoot);
  if (named !== undefined) return named;
  const allowedRoots = [...settings.current().allowedRoots, paths.defaultWorkspace];
  const rootPath = await checkWorkspace(projectRoot, { allowedRoots, allowCreate: false });
  return projects.list().find((project) => project.rootPath === rootPath) ?? projects.save({ name: path.basename(rootPath), rootPath });
};

/** The session that is named, or a new one of that name: in the project that the prompt names, or in the folder for those who have none. */
const sessionFor = async (
  deps: ServerDeps,
  wanted: SessionId,
  { cliPreference, model }: ActRequest,
  project: Project | null,
): Promise<SessionId> => (deps.sessions.has(wanted) ? wanted : createNamed(deps, wanted, { project, engine: cliPreference, model }));

/** Makes a session whose id the client chose. */
export const createNamed = async (
  deps: ServerDeps,
  sessionId: SessionId,
  {
    project,
    engine: named,
    model: wanted,
  }: { readonly project: Project | null; readonly engine: string | undefined; readonly model?: string | undefined },
): Promise<SessionId> => {
  if (!isChosenId(sessionId)) throw new CompanionError('INPUT_INVALID', CHOSEN_SESSION_ID);
  const engine = named ?? (await defaultEngine(deps, project));
  const { model, mode } = projectDefaults(project, findEngine(deps, engine) ?? null);
  const made = await deps.sessions.dispatch({
    type: 'session.create',
    sessionId,
    projectId: project?.id ?? null,
    engine,
    settings: { model: wanted ?? model, mode },
  });
  return made.sessionId;
};
