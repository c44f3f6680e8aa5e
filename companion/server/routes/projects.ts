/** Projects and the folders they work in. */
import type { routes } from '#protocol/routes.ts';
import type { ServerDeps } from '../deps.ts';
import type { Handlers } from '../handlers.ts';

type Names = 'listProjects' | 'saveProject' | 'removeProject' | 'defaultWorkspace' | 'listFolders' | 'findServed';

export const projectHandlers = ({ projects, sessions }: ServerDeps): Pick<Handlers<typeof routes>, Names> => ({
  listProjects: () => ({ projects: projects.list() }),
  saveProject: async ({ body }) => ({ project: await projects.save(body) }),
  removeProject: ({ params }) => projects.remove(params.projectId),
  listFolders: async ({ query }) => ({ folders: await projects.foldersLike(query.path) }),
  findServed: ({ query }) => {
    const worktrees = sessions
      .list()
      .flatMap(({ id: sessionId, projectId, worktree }) => (worktree === undefined ? [] : [{ path: worktree.path, projectId, sessionId }]));
    return projects.servedOn(query, worktrees);
  },
  defaultWorkspace: async () => ({ path: await projects.defaultWorkspace() }),
});
