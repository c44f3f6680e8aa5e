/** What a session does in a git repository: its worktree from the beginning to the end, its whole change, and the states it can go back to. */
import { readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { listChanges, readPatch } from '#companion/git/change.ts';
import { Checkpoints } from '#companion/git/checkpoints.ts';
import { discardWorktree, keepWorktree, mergeWorktree } from '#companion/git/finish.ts';
import { clearLeftWorktree } from '#companion/git/left-worktree.ts';
import { checkAreKnown } from '#companion/git/known-files.ts';
import { treeWithoutHunk } from '#companion/git/hunk.ts';
import { listFiles, MAX_FILES } from '#companion/git/list-files.ts';
import type { Git } from '#companion/git/git.ts';
import { mayBeRepository, Repository } from '#companion/git/repository.ts';
import { restore } from '#companion/git/restore.ts';
import { takeSnapshot, type Snapshot } from '#companion/git/snapshot.ts';
import { stageFiles } from '#companion/git/stage-files.ts';
import { addWorktree, isAdrift, reconnectWorktrees, restoreWorktree } from '#companion/git/worktree.ts';
import type { Log } from '#companion/lib/log.ts';
import type { Paths } from '#companion/lib/paths.ts';
import { folderOfSession } from '#companion/projects/session-folder.ts';
import { walkFiles } from '#companion/projects/walk-files.ts';
import type { Store } from '#companion/store/store.ts';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { failureIn } from '#protocol/faults.ts';
import type { ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import { notice, type Notice } from '#protocol/notices.ts';
import type { SessionView } from '#protocol/view.ts';
import type {
  ChangedFile,
  Changes,
  Checkpoint,
  FinishAction,
  Finished,
  HunkPlace,
  PatchPage,
  ProjectFiles,
  WentBack,
  Worktree,
} from '#protocol/work.ts';
import { warn, type Warning } from '#protocol/warnings.ts';
import type { Said } from '#protocol/said.ts';

/** After so many turns checkpoints that are too many are removed. */
const TRIM_EVERY = 50;

interface WorkDeps {
  readonly store: Store;
  readonly paths: Paths;
  readonly log: Log;
  readonly git: Git;
  /** Throws SESSION_NOT_FOUND. */
  readonly view: (sessionId: SessionId) => SessionView;
  /** Runs `work` while no turn of the session runs and none can begin; throws SESSION_BUSY. */
  readonly whileIdle: <T>(sessionId: SessionId, work: () => Promise<T>) => Promise<T>;
  readonly note: (sessionId: SessionId, worktree: Worktree) => void;
  /** Told of each worktree whose folder is no more. */
  readonly removed: (folder: string) => void;
}

type Place = Pick<SessionView, 'projectId' | 'worktree'>;

export class SessionWork {
  readonly #deps: WorkDeps;
  /** Folders that take longer than a turn may wait; no later turn waits for them. */
  readonly #slow = new Set<string>();
  /** Folders whose state could not be kept the last time, which the person has been told. */
  readonly #failing = new Set<string>();
  /** Worktrees without a session, and what each of them holds. */
  readonly #left = new Map<string, Said | string>();
  #turns = 0;

  constructor(deps: WorkDeps) {
    this.#deps = deps;
  }

  /** Warnings for a person. */
  get warnings(): readonly Warning[] {
    const remedy = warn('take_out_and_remove');
    return [...this.#left].map(([folder, why]) => ({ what: warn('worktree_left', { folder, why }), remedy }));
  }

  /** Clears away worktrees that a daemon which was killed left behind; `used` are those of sessions. What there is now is told before any is made. */
  clearLeft(used: () => ReadonlySet<string>): void {
    const folders = foldersIn(this.#deps.paths.worktreesDir);
    if (folders.length === 0) return;
    const known = used();
    void (async () => {
      for (const folder of folders) if (!known.has(folder)) await this.#clearLeft(folder);
    })();
  }

  /** Makes a worktree for a session that is to begin. */
  async begin(projectId: ProjectId | null, wish: { readonly name: string; readonly key: string }): Promise<Worktree> {
    const repository = await this.#open({ projectId, worktree: null });
    return addWorktree(repository, { worktreesDir: this.#deps.paths.worktreesDir, ...wish });
  }

  /** Takes back what `begin` made, because no session has come of it. */
  async takeBack(projectId: ProjectId | null, worktree: Worktree): Promise<void> {
    const repository = await this.#open({ projectId, worktree: null });
    await discardWorktree({ repository, worktree, message: 'Not used' });
  }

  /** Keeps the folder as it is before a turn, where that can be done in time. It never fails: a turn does without, and the person is told once. */
  async beforeTurn(view: SessionView, turnId: TurnId): Promise<Notice | null> {
    const { sessionId } = view;
    const { checkpointMs } = this.#deps.store.settings.current();
    if (checkpointMs === 0) return null;
    const signal = AbortSignal.timeout(checkpointMs);
    let place = '';
    try {
      const { folder } = await folderOfSession(this.#deps, view);
      await this.#reconnect(view);
      if (!mayBeRepository(folder) || this.#slow.has(folder)) return null;
      place = folder;
      const repository = await Repository.open(this.#deps.git, folder, signal);
      const checkpoints = new Checkpoints(repository, sessionId);
      await checkpoints.addTurn(turnId, { isFirst: isFirstTurn(view, turnId), signal });
      this.#failing.delete(folder);
      this.#turns += 1;
      if (this.#turns % TRIM_EVERY !== 0) return null;
      void checkpoints.trim().catch((error: unknown) => this.#deps.log.warn('work.not_trimmed', { sessionId, error }));
      return null;
    } catch (error) {
      this.#deps.log.warn('work.no_checkpoint', { sessionId, turnId, error });
      // Whatever keeps the agent from its folder is told when it starts.
      if (place === '') return null;
      return signal.aborted ? this.#tellSlow(place, checkpointMs) : this.#tellFailing(place, error);
    }
  }

  /** The files of a project, as a person would name them. */
  async files(projectId: ProjectId): Promise<ProjectFiles> {
    const { folder } = await folderOfSession(this.#deps, { projectId, worktree: null });
    const names = mayBeRepository(folder) ? await this.#filesByGit(folder) : null;
    const files = names ?? (await walkFiles(folder, MAX_FILES));
    return { files: files.slice(0, MAX_FILES), isCut: files.length >= MAX_FILES };
  }

  /** All that is not as it was where the session began. */
  async changes(sessionId: SessionId): Promise<Changes> {
    const { view, repository, base, since, now } = await this.#look(sessionId);
    const listed = await listChanges(repository, base, now.tree);
    const files = [...listed, ...now.leftOut.map(toHugeFile)].toSorted((one, other) => (one.path < other.path ? -1 : 1));
    const sum = (key: 'additions' | 'deletions'): number => files.reduce((total, file) => total + file[key], 0);
    const { folder, top } = repository;
    const counts = { additions: sum('additions'), deletions: sum('deletions') };
    return { folder, top, base, since, now: now.tree, files, ...counts, worktree: view.worktree };
  }

  /** A page of one file's patch; with `now` it belongs to the list that had it. */
  async patch(
    sessionId: SessionId,
    {
      path,
      oldPath,
      now,
      offset,
    }: { readonly path: string; readonly oldPath?: string | undefined; readonly now?: string | undefined; readonly offset: number },
  ): Promise<PatchPage> {
    const { repository, base, now: seen } = await this.#look(sessionId, now);
    const names = [path, ...(oldPath === undefined ? [] : [oldPath])];
    return { path, ...(await readPatch(repository, { from: base, to: seen.tree, names, offset })) };
  }

  /** Puts files into the person's index, or takes them out of it. */
  async stage(sessionId: SessionId, paths: readonly string[], isStaged: boolean): Promise<void> {
    const view = this.#deps.view(sessionId);
    const repository = await this.#open(view);
    const { base } = await baseOf(view, repository, new Checkpoints(repository, sessionId));
    await stageFiles(repository, { paths, isStaged, base });
  }

  /** Brings files back to what they were where the session began; one that was renamed has its old name again. With `hunk` it is only that part of the one file. */
  async revert(sessionId: SessionId, paths: readonly string[], hunk?: HunkPlace): Promise<WentBack> {
    return this.#deps.whileIdle(sessionId, async () => {
      const { repository, base, now, checkpoints } = await this.#look(sessionId);
      await checkAreKnown(repository, paths, base);
      const wanted = new Set(paths);
      const renamed = (await listChanges(repository, base, now.tree)).filter(({ path }) => wanted.has(path));
      const names = [...new Set([...paths, ...renamed.flatMap(({ oldPath }) => oldPath ?? [])])];
      const to = hunk === undefined ? base : await treeWithoutHunk(repository, { from: base, to: now.tree, names, paths, hunk });
      const undo = await checkpoints.addUndo(now);
      return { undo, ...(await restore(repository, { from: now.tree, to, only: hunk === undefined ? names : paths })) };
    });
  }

  /** The newest first. */
  async checkpoints(sessionId: SessionId): Promise<Checkpoint[]> {
    const repository = await this.#open(this.#deps.view(sessionId));
    const kept = await new Checkpoints(repository, sessionId).list();
    return kept.map(({ id, kind, turnId, at }) => ({ id, kind, turnId, at }));
  }

  /** Brings the folder back to a checkpoint, by its id or that of its turn. The state before is kept first. */
  async goBack(sessionId: SessionId, wanted: string): Promise<WentBack> {
    return this.#deps.whileIdle(sessionId, async () => {
      const repository = await this.#open(this.#deps.view(sessionId));
      const checkpoints = new Checkpoints(repository, sessionId);
      const target = (await checkpoints.list()).find(({ id, turnId }) => id === wanted || turnId === wanted);
      if (target === undefined) throw new CompanionError('CHECKPOINT_NOT_FOUND', wanted);
      const now = await takeSnapshot(repository);
      const undo = await checkpoints.addUndo(now);
      return { undo, ...(await restore(repository, { from: now.tree, to: target.commit })) };
    });
  }

  /** Brings the worktree of a session to its end, or its folder back. */
  async finish(sessionId: SessionId, action: FinishAction): Promise<Finished> {
    return this.#deps.whileIdle(sessionId, async () => {
      const view = this.#deps.view(sessionId);
      const { worktree } = view;
      if (worktree === null) throw new CompanionError('WORKTREE_NONE');
      if (worktree.state !== 'open') throw new CompanionError('WORKTREE_FINISHED', worktree.branch);
      const repository = await this.#open({ projectId: view.projectId, worktree: null });
      if (action === 'restore') {
        await restoreWorktree(repository, worktree);
        return { worktree, commit: null, committedFiles: 0, savedAs: null };
      }
      await this.#reconnect(view);
      const ending = { repository, worktree, message: messageOf(view) };
      const finished = await (action === 'merge'
        ? mergeWorktree(ending)
        : action === 'keep'
          ? keepWorktree(ending)
          : discardWorktree(ending));
      this.#deps.removed(worktree.path);
      this.#deps.note(sessionId, finished.worktree);
      return finished;
    });
  }

  /** The session is gone for ever: its checkpoints go, and its worktree, whose work stays as a branch when there is any. */
  async forget(view: Pick<SessionView, 'sessionId' | 'worktree' | 'projectId' | 'name'>): Promise<void> {
    const { sessionId, worktree, projectId } = view;
    try {
      const { folder } = await folderOfSession(this.#deps, { projectId, worktree: null });
      if (!mayBeRepository(folder)) return;
      const repository = await Repository.open(this.#deps.git, folder);
      await new Checkpoints(repository, sessionId).removeAll();
      if (worktree?.state !== 'open') return;
      const ending = { repository, worktree, message: messageOf(view) };
      const kept = await keepWorktree(ending);
      if (kept.commit === null) await discardWorktree(ending);
      this.#deps.removed(worktree.path);
    } catch (error) {
      this.#deps.log.warn('work.not_cleared', { sessionId, error });
    }
  }

  #tellSlow(folder: string, checkpointMs: number): Notice {
    this.#slow.add(folder);
    return notice('no_checkpoint', { seconds: checkpointMs / 1000 });
  }

  #tellFailing(folder: string, error: unknown): Notice | null {
    const body = toErrorBody(error);
    // What looked like a repository is none.
    if (body.code === 'GIT_NO_REPOSITORY' || this.#failing.has(folder)) return null;
    this.#failing.add(folder);
    return notice('checkpoint_failed', { reason: failureIn(body) });
  }

  async #clearLeft(folder: string): Promise<void> {
    const { git, log, removed } = this.#deps;
    try {
      const why = await clearLeftWorktree(git, folder);
      if (why === null) {
        removed(folder);
        log.info('work.left_worktree_cleared', { folder });
      } else {
        this.#left.set(folder, why);
        log.warn('work.left_worktree_kept', { folder, why: why.text });
      }
    } catch (error) {
      this.#left.set(folder, error instanceof Error ? error.message : String(error));
      log.warn('work.left_worktree_kept', { folder, error });
    }
  }

  /** Null where git cannot tell: it is too old, or the folder belongs to somebody else. */
  async #filesByGit(folder: string): Promise<string[] | null> {
    try {
      return await listFiles(await Repository.open(this.#deps.git, folder));
    } catch (error) {
      this.#deps.log.info('work.files_without_git', { folder, error });
      return null;
    }
  }

  async #open(place: Place): Promise<Repository> {
    const { folder } = await folderOfSession(this.#deps, place);
    await this.#reconnect(place);
    return Repository.open(this.#deps.git, folder);
  }

  /** The person may have moved the repository from which the worktree was made, and told the project so. It never fails: what is asked next says more. */
  async #reconnect({ projectId, worktree }: Place): Promise<void> {
    if (worktree === null || !isAdrift(worktree.path)) return;
    try {
      const { folder } = await folderOfSession(this.#deps, { projectId, worktree: null });
      await reconnectWorktrees(await Repository.open(this.#deps.git, folder));
    } catch (error) {
      this.#deps.log.info('work.worktree_adrift', { folder: worktree.path, error });
    }
  }

  async #look(
    sessionId: SessionId,
    tree?: string,
  ): Promise<{
    view: SessionView;
    repository: Repository;
    checkpoints: Checkpoints;
    base: string;
    since: Changes['since'];
    now: Snapshot;
  }> {
    const view = this.#deps.view(sessionId);
    const repository = await this.#open(view);
    const checkpoints = new Checkpoints(repository, sessionId);
    const { base, since } = await baseOf(view, repository, checkpoints);
    if (base === null) throw new CompanionError('GIT_NO_COMMIT', repository.top);
    const now = tree === undefined ? await takeSnapshot(repository) : { tree, leftOut: [], repositories: [] };
    return { view, repository, checkpoints, base, since, now };
  }
}

/** Whether no turn of the session's own came before this one. */
const isFirstTurn = ({ turns, forkedFrom }: SessionView, turnId: TurnId): boolean =>
  turns.filter((turn) => turn.turnId !== turnId && turn.status !== 'queued').length <= (forkedFrom?.turns ?? 0);

/** Where a session began or, where that was not kept, the last commit; null in a repository without one. */
const baseOf = async (
  { worktree }: SessionView,
  repository: Repository,
  checkpoints: Checkpoints,
): Promise<{ readonly base: string | null; readonly since: Changes['since'] }> => {
  const began = worktree?.base ?? (await checkpoints.base());
  return began === null ? { base: await repository.commitOf('HEAD'), since: 'commit' } : { base: began, since: 'session' };
};

/** By the names under which sessions know them. */
const foldersIn = (worktreesDir: string): string[] => {
  try {
    const real = realpathSync(worktreesDir);
    return readdirSync(real).map((name) => path.join(real, name));
  } catch {
    // It is made with the first worktree.
    return [];
  }
};

const toHugeFile = ({ path, sizeBytes, isNew }: Snapshot['leftOut'][number]): ChangedFile => ({
  path,
  status: isNew ? 'added' : 'modified',
  additions: 0,
  deletions: 0,
  isBinary: false,
  sizeBytes,
  isHuge: true,
});

const messageOf = ({ name }: Pick<SessionView, 'name'>): string => (name === '' ? 'Work of an agent' : name);
