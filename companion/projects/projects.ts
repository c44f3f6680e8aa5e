/** Projects: a name for a folder that agents may work in. */
import { mkdir } from 'node:fs/promises';
import { readProjectDescription } from '#companion/projects/manifest.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { Store } from '#companion/store/store.ts';
import type { Project, ProjectInput } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { ProjectId } from '#protocol/ids.ts';
import { checkWorkspace } from './workspace.ts';

export interface Projects {
  /** Most recently used first. */
  list(): Project[];
  /** Creates, or changes the one with `id`; refuses a folder agents may not work in. */
  save(input: ProjectInput): Promise<Project>;
  remove(projectId: ProjectId): void;
  /** Real path of the folder used when no project was chosen; made when it is missing. */
  defaultWorkspace(): Promise<string>;
  subscribe(listener: (projects: Project[]) => void): () => void;
}

/** The user's projects. */
export const createProjects = (options: { store: Store; paths: Paths; now: () => number }): Projects => {
  const { store, paths, now } = options;
  const listeners = new Set<(projects: Project[]) => void>();
  const list = (): Project[] =>
    store.projects.list().toSorted((a, b) => (b.lastActiveAt ?? b.createdAt).localeCompare(a.lastActiveAt ?? a.createdAt));
  const publish = (): void => {
    const projects = list();
    for (const listener of listeners) listener(projects);
  };
  return {
    list,
    save: async (input) => {
      const old = input.id === undefined ? null : store.projects.find(input.id);
      if (input.id !== undefined && old === null) throw new CompanionError('PROJECT_NOT_FOUND', input.id);
      const rootPath = await checkWorkspace(input.rootPath, {
        allowedRoots: extraRoots(store, paths),
        allowCreate: input.allowCreate ?? false,
      });
      const description = input.description ?? (old === null ? await readProjectDescription(rootPath) : undefined);
      const at = new Date(now()).toISOString();
      const project: Project = {
        ...old,
        id: old?.id ?? ProjectId.parse(randomId('project')),
        name: input.name,
        rootPath,
        ...(description === undefined ? {} : { description }),
        ...(input.preferredCli === undefined ? {} : { preferredCli: input.preferredCli }),
        ...(input.selectedModel === undefined ? {} : { selectedModel: input.selectedModel }),
        createdAt: old?.createdAt ?? at,
        updatedAt: at,
      };
      store.projects.save(project);
      publish();
      return project;
    },
    remove: (projectId) => {
      if (store.projects.find(projectId) === null) throw new CompanionError('PROJECT_NOT_FOUND', projectId);
      store.projects.remove(projectId);
      publish();
    },
    defaultWorkspace: () => openDefaultWorkspace(store, paths),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** The folder of sessions without a project. It is ours, so it is made without asking where it lies. */
export const openDefaultWorkspace = async (store: Store, paths: Paths): Promise<string> => {
  await mkdir(paths.defaultWorkspace, { recursive: true });
  return checkWorkspace(paths.defaultWorkspace, { allowedRoots: extraRoots(store, paths), allowCreate: false });
};

/** Notes that a project was worked in, which orders the list; not worth failing a turn for. */
export const noteUse = (store: Store, projectId: ProjectId | null, now: number, log: Log): void => {
  try {
    const project = projectId === null ? null : store.projects.find(projectId);
    if (project !== null) store.projects.save({ ...project, lastActiveAt: new Date(now).toISOString() }, 'normal');
  } catch (error) {
    log.warn('store.project_not_noted', { projectId, error });
  }
};

/** Roots beside the home and temporary folders: the user's own, and the default workspace, which may be portable. */
export const extraRoots = (store: Store, paths: Paths): string[] => [...store.settings.current().allowedRoots, paths.defaultWorkspace];
