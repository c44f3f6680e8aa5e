/** What is known of the agents that work in a project, in our form and in that of existing clients. */
import { toManagementInfo } from '#companion/compat/bodies.ts';
import type { EngineReport } from '#companion/compat/bodies.ts';
import type { compatRoutes } from '#companion/compat/routes.ts';
import type * as z from 'zod';
import type { SessionSummary } from '#protocol/api.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { findEngine, findProject, folderOfSummary } from './find.ts';
import { sessionsOf } from './sessions.ts';

type Names = 'sessionEngineInfo' | 'projectEngineInfo' | 'sessionClaudeInfo' | 'projectClaudeInfo';

type Report = z.output<typeof EngineReport>;

export const infoHandlers = (deps: ServerDeps): Pick<Handlers<typeof compatRoutes>, Names> => {
  const report = async (summary: SessionSummary): Promise<Report> => {
    const { id, engineName, model, mode } = summary;
    const engine = findEngine(deps, engineName) ?? null;
    return { sessionId: id, engineName, engine, model, mode, folder: await folderOfSummary(deps, summary).catch(() => null) };
  };
  return {
    sessionEngineInfo: ({ params }) => report(deps.sessions.summary(params.sessionId)),
    projectEngineInfo: async ({ params: { projectId } }) => {
      findProject(deps, projectId);
      // The list has the newest session first, so the first of each agent is the one that tells of it.
      const newest = new Map(
        sessionsOf(deps, projectId)
          .toReversed()
          .map((session) => [session.engineName, session]),
      );
      return { projectId, engines: await Promise.all([...newest.values()].toReversed().map(report)) };
    },
    sessionClaudeInfo: async ({ params }) => {
      const found = await report(deps.sessions.summary(params.sessionId));
      return { managementInfo: toManagementInfo(found), sessionId: found.sessionId, engineName: found.engineName };
    },
    projectClaudeInfo: async ({ params: { projectId } }) => {
      findProject(deps, projectId);
      const sessions = sessionsOf(deps, projectId).filter(({ engineName }) => engineName === 'claude');
      const [newest] = sessions;
      return {
        managementInfo: newest === undefined ? null : toManagementInfo(await report(newest)),
        sourceSessionId: newest?.id ?? null,
        projectId,
        sessionsWithInfo: sessions.length,
      };
    },
  };
};
