/** One prompt to an agent, from whichever route it came. */
import type { ActRequest, ActResponse, Project } from '#protocol/api.ts';
import { Prompt } from '#protocol/commands.ts';
import { CompanionError } from '#protocol/errors.ts';
import { TurnId, type ProjectId, type SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import type { ServerDeps } from '../deps.ts';
import { parse } from '../http-error.ts';

/** Resolves when the prompt is on disk; what comes of it comes as events. */
export const createAct = ({ sessions, projects, engines }: ServerDeps) => {
  const findProject = (projectId: ProjectId | null): Project => {
    const project = projects.list().find(({ id }) => id === projectId);
    if (project === undefined) throw new CompanionError('PROJECT_NOT_FOUND');
    return project;
  };

  const create = async (request: ActRequest): Promise<SessionView> => {
    if (request.projectId === undefined) throw new CompanionError('SESSION_NOT_FOUND');
    const project = findProject(request.projectId);
    const engine = request.cliPreference ?? project.preferredCli ?? engines.list().find(({ status }) => status === 'ready')?.name;
    if (engine === undefined) throw new CompanionError('ENGINE_NOT_FOUND');
    const model = request.model ?? project.selectedModel;
    const { sessionId } = await sessions.dispatch({
      type: 'session.create',
      projectId: project.id,
      engine,
      ...(model === undefined ? {} : { settings: { model } }),
    });
    return sessions.view(sessionId);
  };

  const check = (view: SessionView, request: ActRequest): void => {
    if (request.cliPreference !== undefined && request.cliPreference !== view.engine) {
      throw new CompanionError('INPUT_INVALID', `cliPreference: this session belongs to ${view.engine}, not ${request.cliPreference}.`);
    }
    if (request.projectRoot !== undefined && request.projectRoot !== findProject(view.projectId).rootPath) {
      throw new CompanionError('WORKSPACE_OUTSIDE_ROOTS', 'projectRoot must be the root of the session’s own project.', {
        remedy: 'Leave projectRoot out, or start a session in the other project.',
      });
    }
  };

  return async (pathSessionId: SessionId, request: ActRequest): Promise<ActResponse> => {
    const prompt = parse(Prompt, {
      text: request.instruction,
      ...(request.displayText === undefined ? {} : { displayText: request.displayText }),
      attachments: (request.attachments ?? []).map(({ type, name, mimeType, dataBase64 }) => ({
        kind: type,
        name,
        mimeType,
        dataBase64: dataBase64.replace(DATA_URL, ''),
      })),
    });
    const view = viewOrNull(request.dbSessionId ?? pathSessionId) ?? (await create(request));
    const { sessionId } = view;
    check(view, request);
    if (request.model !== undefined && request.model !== view.settings.model) {
      await sessions.dispatch({ type: 'session.update', sessionId, settings: { model: request.model } });
    }
    const { turnId } = await sessions.dispatch({
      type: 'turn.start',
      sessionId,
      prompt,
      ...(request.requestId === undefined ? {} : { turnId: TurnId.parse(request.requestId) }),
      ...(request.delivery === undefined ? {} : { delivery: request.delivery }),
    });
    return { requestId: turnId ?? request.requestId ?? '', sessionId, status: 'accepted' };
  };

  function viewOrNull(sessionId: SessionId): SessionView | null {
    try {
      return sessions.view(sessionId);
    } catch (error) {
      if (error instanceof CompanionError && error.code === 'SESSION_NOT_FOUND') return null;
      throw error;
    }
  }
};

/** Some clients send the whole data URL of a picture. */
const DATA_URL = /^data:[^,]{0,200};base64,/;
