/** Looks up what a request names; what is not there is answered with its own error. */
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { ProjectId } from '#protocol/ids.ts';
import type { ServerDeps } from '../deps.ts';

export const findProject = ({ projects }: Pick<ServerDeps, 'projects'>, projectId: ProjectId): Project => {
  const project = projects.find(projectId);
  if (project === null) throw new CompanionError('PROJECT_NOT_FOUND');
  return project;
};

export const findEngine = ({ engines }: Pick<ServerDeps, 'engines'>, engineName: string): EngineInfo | undefined =>
  engines.list().find(({ name }) => name === engineName);

/** The folder in which the sessions of a project work. */
export const folderOf = async ({ projects }: Pick<ServerDeps, 'projects'>, projectId: ProjectId | null): Promise<string> => {
  if (projectId === null) return projects.defaultWorkspace();
  const project = projects.list().find(({ id }) => id === projectId);
  if (project === undefined) throw new CompanionError('PROJECT_FORGOTTEN');
  return project.rootPath;
};

/** The folder in which a session works: its worktree, or that of its project. */
export const folderOfSummary = async (deps: Pick<ServerDeps, 'projects'>, { projectId, worktree }: SessionSummary): Promise<string> =>
  worktree?.state === 'open' ? worktree.folder : folderOf(deps, projectId);

/** `true` wishes for a worktree, a text for one with a branch of that name. */
export const toWorktreeWish = (wish: boolean | string | undefined): { worktree?: { name?: string } } =>
  wish === undefined || wish === false ? {} : { worktree: wish === true ? {} : { name: wish } };

/** The agent of a session for which nobody named one: the project's, or the first that is ready. */
export const defaultEngine = async ({ engines }: Pick<ServerDeps, 'engines'>, project: Project | null): Promise<string> => {
  const name = project?.preferredCli ?? (await engines.look()).find(({ status }) => status === 'ready')?.name;
  if (name === undefined) throw new CompanionError('ENGINE_NOT_FOUND');
  return name;
};
