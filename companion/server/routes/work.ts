/** What a session does in a git repository: its change, its checkpoints, the end of its worktree. */
import type { routes } from '#protocol/routes.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';
import { findProject } from './find.ts';

type Names = 'listFiles' | 'readChanges' | 'readPatch' | 'stageFiles' | 'revertFiles' | 'listCheckpoints' | 'goBack' | 'finishWorktree';

export const workHandlers = (deps: ServerDeps): Pick<Handlers<typeof routes>, Names> => {
  const { work } = deps.sessions;
  return {
    listFiles: ({ params: { projectId } }) => work.files(findProject(deps, projectId).id),
    readChanges: ({ params: { sessionId } }) => work.changes(sessionId),
    readPatch: ({ params: { sessionId }, query }) => work.patch(sessionId, query),
    stageFiles: async ({ params: { sessionId }, body: { paths, isStaged } }) => {
      await work.stage(sessionId, paths, isStaged);
      return { success: true };
    },
    revertFiles: ({ params: { sessionId }, body: { paths, hunk } }) => work.revert(sessionId, paths, hunk),
    listCheckpoints: async ({ params: { sessionId } }) => ({ checkpoints: await work.checkpoints(sessionId) }),
    goBack: ({ params: { sessionId, checkpointId } }) => work.goBack(sessionId, checkpointId),
    finishWorktree: ({ params: { sessionId }, body: { action } }) => work.finish(sessionId, action),
  };
};
