/** Projects: a name for a folder that agents may work in. */
import { readProjectDescription } from '#companion/projects/manifest.ts';
import { isInside } from '#companion/lib/inside.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { PortListeners } from '#companion/lib/listener-folder.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Paths } from '#companion/lib/paths.ts';
import type { Store } from '#companion/store/store.ts';
import type { Project, ProjectInput, Served } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { ProjectId, type SessionId } from '#protocol/ids.ts';
import { foldersLike } from './complete-folder.ts';
import { checkWorkspace } from './workspace.ts';

type Listener = (projects: Project[]) => void;

/** Where a session works that has a working folder of its own. */
export interface WorktreePlace {
  readonly path: string;
  readonly projectId: ProjectId | null;
  readonly sessionId: SessionId;
}

export class Projects {
  readonly #store: Store;
  readonly #paths: Paths;
  readonly #now: () => number;
  readonly #listeners = new Set<Listener>();
  readonly #ports = new PortListeners();

  constructor(options: { readonly store: Store; readonly paths: Paths; readonly now: () => number }) {
    this.#store = options.store;
    this.#paths = options.paths;
    this.#now = options.now;
  }

  /** All projects, the most recently used first. */
  list(): Project[] {
    return this.#store.projects.list().toSorted((a, b) => (b.lastActiveAt ?? b.createdAt).localeCompare(a.lastActiveAt ?? a.createdAt));
  }

  find(projectId: ProjectId): Project | null {
    return this.#store.projects.find(projectId);
  }

  /**
   * What is served on a port of this machine, as a page of `host` is asked for there: the innermost folder around the one in which the process
   * works that listens there, of a project or of a session's own working folder.
   */
  async servedOn({ port, host }: { port: number; host?: string | undefined }, worktrees: readonly WorktreePlace[]): Promise<Served> {
    const folder = await this.#ports.folderOf(port, host);
    const projects = this.list();
    const places = [
      ...projects.map((project) => ({ root: project.rootPath, project, sessionId: null })),
      ...worktrees.map(({ path, projectId, sessionId }) => ({
        root: path,
        project: projects.find(({ id }) => id === projectId) ?? null,
        sessionId,
      })),
    ];
    const around = folder === null ? [] : places.filter(({ root, project }) => project !== null && isInside(root, folder));
    const [inner = { root: null, project: null, sessionId: null }] = around.toSorted((a, b) => b.root.length - a.root.length);
    return { folder, ...inner };
  }

  /**
   * Creates a project, or changes the one with `id`; refuses a folder in which agents may not work. With `mayChooseId` a new one has the
   * `id` that is given.
   */
  async save(input: ProjectInput, { mayChooseId = false }: { mayChooseId?: boolean } = {}): Promise<Project> {
    const store = this.#store;
    const find = (): Project | null => {
      const found = input.id === undefined ? null : store.projects.find(input.id);
      if (input.id !== undefined && found === null && !mayChooseId) throw new CompanionError('PROJECT_NOT_FOUND', input.id);
      return found;
    };
    const isNew = find() === null;
    const allowedRoots = extraRoots(store, this.#paths);
    const rootPath = await checkWorkspace(input.rootPath, { allowedRoots, allowCreate: input.allowCreate ?? false });
    const description = input.description ?? (isNew ? await readProjectDescription(rootPath) : undefined);
    // Somebody else may have saved or forgotten it while the folder was looked at.
    const old = find();
    const at = new Date(this.#now()).toISOString();
    const project: Project = {
      ...withDefaults(old, input),
      id: input.id ?? ProjectId.parse(randomId('project')),
      name: input.name,
      rootPath,
      ...(description === undefined ? {} : { description }),
      ...(input.toolSets === undefined ? {} : { toolSets: [...new Set(input.toolSets)] }),
      createdAt: old?.createdAt ?? at,
      updatedAt: at,
    };
    store.projects.save(project);
    this.#publish();
    return project;
  }

  /** Forgets a project; its folder and its sessions stay. */
  remove(projectId: ProjectId): void {
    if (this.#store.projects.find(projectId) === null) throw new CompanionError('PROJECT_NOT_FOUND', projectId);
    this.#store.projects.remove(projectId);
    this.#publish();
  }

  /** Real path of the folder used when no project was chosen; made when it is missing. */
  async defaultWorkspace(): Promise<string> {
    return openDefaultWorkspace(this.#store, this.#paths);
  }

  /** What a path that is being typed may become. */
  async foldersLike(typed: string): Promise<string[]> {
    return foldersLike(typed, extraRoots(this.#store, this.#paths));
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #publish(): void {
    const projects = this.list();
    for (const listener of this.#listeners) listener(projects);
  }
}

/** The folder of sessions without a project. It is Pilotfish's own, so it is made without asking where it lies. */
export const openDefaultWorkspace = async (store: Store, paths: Paths): Promise<string> => {
  makeDir(paths.defaultWorkspace, 0o777);
  return checkWorkspace(paths.defaultWorkspace, { allowedRoots: extraRoots(store, paths), allowCreate: false });
};

/** Notes that somebody worked in a project, which orders the list. A turn does not fail when the note cannot be kept. */
export const noteUse = (store: Store, projectId: ProjectId | null, now: number, log: Log): void => {
  try {
    const project = projectId === null ? null : store.projects.find(projectId);
    if (project !== null) store.projects.save({ ...project, lastActiveAt: new Date(now).toISOString() }, 'normal');
  } catch (error) {
    log.warn('store.project_not_noted', { projectId, error });
  }
};

/**
 * The allowed roots beside the home and temporary folders: those of the user, and the default workspace, which may be on a
 * portable disk.
 */
export const extraRoots = (store: Store, paths: Paths): string[] => [...store.settings.current().allowedRoots, paths.defaultWorkspace];

/** What a new session of the project begins with: what is not named stays, and null takes it away. */
const withDefaults = (old: Project | null, input: ProjectInput): Partial<Project> => {
  const { preferredCli, selectedModel, selectedMode, ...rest } = old ?? {};
  const defaults = {
    preferredCli: input.preferredCli === undefined ? preferredCli : input.preferredCli,
    selectedModel: input.selectedModel === undefined ? selectedModel : input.selectedModel,
    selectedMode: input.selectedMode === undefined ? selectedMode : input.selectedMode,
  };
  return { ...rest, ...Object.fromEntries(Object.entries(defaults).filter(([, name]) => typeof name === 'string')) };
};
