/** The folder in which a session works: its worktree, its project's folder, or the one for those who have none. */
import { existsSync } from 'node:fs';
import type { Paths } from '#companion/lib/paths.ts';
import type { Store } from '#companion/store/store.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Worktree } from '#protocol/work.ts';
import { extraRoots, openDefaultWorkspace } from './projects.ts';
import { checkWorkspace } from './workspace.ts';

export interface SessionFolder {
  /** A real path. */
  readonly folder: string;
  /** The project's own folder, when the session works in a worktree that was made from it. */
  readonly madeFrom: { readonly folder: string; readonly repository: string; readonly worktree: string } | null;
}

/** Throws when a session that was made for a worktree has none any more. */
export const checkWorktree = ({ state, branch, folder }: Pick<Worktree, 'state' | 'branch' | 'folder'>): void => {
  if (state !== 'open') throw new CompanionError('WORKTREE_FINISHED', branch);
  if (!existsSync(folder)) throw new CompanionError('WORKTREE_GONE', folder);
};

/** It is checked at every start and not only when the project was made, because folders move and links change. */
export const folderOfSession = async (
  { store, paths }: { readonly store: Store; readonly paths: Paths },
  { projectId, worktree }: Pick<SessionView, 'projectId' | 'worktree'>,
): Promise<SessionFolder> => {
  if (projectId === null) return { folder: await openDefaultWorkspace(store, paths), madeFrom: null };
  const project = store.projects.find(projectId);
  if (project === null) throw new CompanionError('PROJECT_FORGOTTEN');
  const allowedRoots = extraRoots(store, paths);
  const own = await checkWorkspace(project.rootPath, { allowedRoots, allowCreate: false });
  if (worktree === null) return { folder: own, madeFrom: null };
  checkWorktree(worktree);
  const folder = await checkWorkspace(worktree.folder, { allowedRoots: [paths.worktreesDir], allowCreate: false }).catch(
    (error: unknown) => {
      const isMissing = error instanceof CompanionError && error.code === 'WORKSPACE_NOT_FOUND';
      throw isMissing ? new CompanionError('WORKTREE_GONE', worktree.folder, { cause: error }) : error;
    },
  );
  return { folder, madeFrom: { folder: own, repository: worktree.repository, worktree: worktree.path } };
};
