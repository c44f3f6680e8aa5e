/** Brings the work of a worktree to its end: everything in it is committed first, so that nothing is lost whatever follows. */
import { createHash } from 'node:crypto';
import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';
import type { Finished, Worktree } from '#protocol/work.ts';
import { explain } from '#protocol/faults.ts';
import type { Repository } from './repository.ts';
import { commitTree, namesIn, OWN_IDENTITY, takeSnapshot } from './snapshot.ts';
import { submodulesWithWork } from './submodules.ts';
import { BEING_MADE, commonFolder, folderOfBranch, inTurn, removeWorktree } from './worktree.ts';

/** `repository` is the person's own; `message` is for what the agent has not committed itself. */
interface Ending {
  readonly repository: Repository;
  readonly worktree: Worktree;
  readonly message: string;
}

/** What a worktree holds, all of it in a commit. */
interface Gathered {
  readonly tip: string;
  /** The branch that was checked out in it, or its own. */
  readonly branch: string;
  readonly committedFiles: number;
}

/** Brings its work into the branch from which it began; refuses, and leaves all as it is, when that cannot be done without a person. */
export const mergeWorktree = async (ending: Ending): Promise<Finished> => inTurn(ending.repository, () => merge(ending));

/** Leaves its work as a branch. */
export const keepWorktree = async (ending: Ending): Promise<Finished> => inTurn(ending.repository, () => keep(ending));

/** Puts its work away: there is no branch of it any more, and a hidden ref keeps it. */
export const discardWorktree = async (ending: Ending): Promise<Finished> => inTurn(ending.repository, () => discard(ending));

const merge = async (ending: Ending): Promise<Finished> => {
  const { repository, worktree, message } = ending;
  const { baseBranch } = worktree;
  if (baseBranch === null) {
    throw new CompanionError('MERGE_BLOCKED', explain('no_base_branch'), {
      remedy: explain('keep_and_merge'),
    });
  }
  await tipOf(repository, baseBranch);
  await checkSettled(repository, worktree.path);
  const gathered = await gather(ending);
  if (gathered.tip !== worktree.base) {
    await mergeInto(repository, { branch: baseBranch, tip: gathered.tip, message: `Merge ${gathered.branch}: ${message}` });
  }
  await removeWorktree(repository, worktree.path);
  await removeBranch(repository, gathered);
  return toFinished(worktree, 'merged', gathered, null);
};

const keep = async (ending: Ending): Promise<Finished> => {
  const { repository, worktree } = ending;
  const gathered = await gather(ending);
  await removeWorktree(repository, worktree.path);
  return toFinished({ ...worktree, branch: gathered.branch }, 'kept', gathered, null);
};

const discard = async (ending: Ending): Promise<Finished> => {
  const { repository, worktree } = ending;
  const gathered = await gather(ending);
  const isEmpty = gathered.tip === worktree.base;
  const mark = createHash('sha256').update(worktree.path).digest('hex').slice(0, 8);
  const savedAs = `refs/pilotfish/discarded/${worktree.branch.replaceAll('/', '-')}-${mark}`;
  if (!isEmpty) await repository.run(['update-ref', savedAs, gathered.tip], { cwd: repository.top });
  await removeWorktree(repository, worktree.path);
  await removeBranch(repository, gathered);
  return toFinished(worktree, 'discarded', gathered, isEmpty ? null : savedAs);
};

const toFinished = (worktree: Worktree, state: Worktree['state'], { tip, committedFiles }: Gathered, savedAs: string | null): Finished => ({
  worktree: { ...worktree, state },
  commit: tip === worktree.base ? null : tip,
  committedFiles,
  savedAs,
});

/** Commits what is not committed. A folder that was removed by hand has nothing beside its branch. */
const gather = async ({ repository, worktree, message }: Ending): Promise<Gathered> => {
  const { branch: own } = worktree;
  await checkUnlocked(repository, worktree.path);
  if (await isEmptied(worktree.path)) {
    const tip = await repository.commitOf(`refs/heads/${own}`);
    if (tip === null) {
      throw new CompanionError('WORKTREE_GONE', explain('folder_and_branch_gone', { folder: worktree.path, branch: own }), {
        remedy: explain('start_session'),
      });
    }
    return { tip, branch: own, committedFiles: 0 };
  }
  const inside = await openInside(repository, worktree.path);
  if (inside.hasOwnFilters) throw ownFilters(repository);
  const head = await inside.commitOf('HEAD');
  if (head === null) throw new CompanionError('GIT_NO_COMMIT', worktree.path);
  const { tree, repositories } = await takeSnapshot(inside, { isWhole: true });
  const [inner] = repositories;
  if (inner !== undefined) {
    throw new CompanionError('MERGE_BLOCKED', explain('inner_repository', { folder: path.join(worktree.path, inner) }), {
      remedy: explain('move_it'),
    });
  }
  const [submodule] = await submodulesWithWork(inside);
  if (submodule !== undefined) {
    throw new CompanionError('MERGE_BLOCKED', explain('inner_submodule', { folder: path.join(worktree.path, submodule) }), {
      remedy: explain('commit_and_push'),
    });
  }
  const before = (await inside.run(['rev-parse', `${head}^{tree}`])).trim();
  // An agent may have begun a branch of its own, or none.
  const branch = (await inside.branch()) ?? (await branchFor(inside, own, head));
  if (tree === before) return { tip: head, branch, committedFiles: 0 };
  const changed = namesIn(await inside.run(['diff-tree', '-r', '-z', '--no-renames', '--name-only', before, tree]));
  const tip = await commitTree(inside, tree, { parents: [head], message, identity: await identityOf(inside) });
  await inside.run(['update-ref', `refs/heads/${branch}`, tip]);
  // The index is that of the commit again, so that what follows may be refused without leaving a mess.
  await inside.ask(['reset', '--quiet'], { codes: [1] });
  return { tip, branch, committedFiles: changed.length };
};

/** What an agent has left in the midst of a rebase or with conflicts would come into the person's branch as it is, with git's marks in it. */
const checkSettled = async (repository: Repository, place: string): Promise<void> => {
  if (await isEmptied(place)) return;
  const inside = await openInside(repository, place);
  const conflicts = namesIn(await inside.run(['ls-files', '--unmerged', '-z'])).map((line) => line.slice(line.indexOf('\t') + 1));
  const steps = ['rebase-merge', 'rebase-apply'].map((name) => lstat(path.join(path.dirname(inside.index), name)).catch(() => null));
  const isRebasing = (await Promise.all(steps)).some((found) => found !== null);
  if (conflicts.length === 0 && !isRebasing) return;
  const left =
    conflicts.length === 0
      ? explain('in_rebase', { folder: place })
      : explain('conflicts_left', { folder: place, files: [...new Set(conflicts)].join(', ') });
  throw new CompanionError('MERGE_BLOCKED', left, {
    remedy: explain('finish_or_give_up'),
  });
};

/** Who locked a worktree wants it to stay: https://git-scm.com/docs/git-worktree */
const checkUnlocked = async (repository: Repository, place: string): Promise<void> => {
  const reason = await lockOf(await commonFolder(repository), place);
  if (reason === null || reason === BEING_MADE) return;
  const locked = reason === '' ? explain('worktree_locked', { place }) : explain('worktree_locked_why', { place, reason });
  throw new CompanionError('MERGE_BLOCKED', locked, { remedy: explain('unlock_worktree') });
};

/** Why a worktree is locked, which may be empty; null for one that is not. The folder itself may be gone, as on a drive that is not there. */
const lockOf = async (common: string, place: string): Promise<string | null> => {
  const kept = path.join(common, 'worktrees');
  for (const name of await readdir(kept).catch(() => [])) {
    const own = path.join(kept, name);
    const file = (await readFile(path.join(own, 'gitdir'), 'utf8').catch(() => '')).replace(/\n$/, '');
    if (file === '' || path.dirname(path.resolve(own, file)) !== place) continue;
    return (await readFile(path.join(own, 'locked'), 'utf8').catch(() => null))?.trim() ?? null;
  }
  return null;
};

const isEmptied = async (place: string): Promise<boolean> =>
  (
    await readdir(place).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    })
  ).length === 0;

/** What lies in a folder that belongs to no repository any more, or to another one, cannot be committed, and would be lost. */
const openInside = async (repository: Repository, place: string): Promise<Repository> => {
  const inside = (await lstat(path.join(place, '.git')).catch(() => null)) === null ? null : await repository.at(place);
  if (inside === null || (await commonFolder(inside)) !== (await commonFolder(repository))) {
    throw new CompanionError('MERGE_BLOCKED', explain('no_worktree_left', { folder: place, repository: repository.top }), {
      remedy: explain('move_needed_out'),
    });
  }
  return inside;
};

/** The worktree's own branch, moved to what is checked out; another name when that would leave commits behind. */
const branchFor = async (inside: Repository, own: string, head: string): Promise<string> => {
  const tip = await inside.commitOf(`refs/heads/${own}`);
  const isAhead = tip === null || (await inside.ask(['merge-base', '--is-ancestor', tip, head], { codes: [1] })).code === 0;
  const branch = isAhead ? own : `${own}-${head.slice(0, 8)}`;
  await inside.run(['update-ref', `refs/heads/${branch}`, head]);
  return branch;
};

const tipOf = async (repository: Repository, branch: string): Promise<string> => {
  const tip = await repository.commitOf(`refs/heads/${branch}`);
  if (tip !== null) return tip;
  throw new CompanionError('MERGE_BLOCKED', explain('branch_gone', { branch }), {
    remedy: explain('keep_and_merge'),
  });
};

/** The person may commit meanwhile. */
const MERGE_ATTEMPTS = 5;

const mergeInto = async (
  repository: Repository,
  work: { readonly branch: string; readonly tip: string; readonly message: string },
  attempts = MERGE_ATTEMPTS,
): Promise<void> => {
  const { branch, tip, message } = work;
  const target = await tipOf(repository, branch);
  const merged = await mergeCommits(repository, { target, tip, message });
  try {
    await advance(repository, { branch, from: target, to: merged });
  } catch (error) {
    if (attempts === 1 || (await tipOf(repository, branch)) === target) throw error;
    await mergeInto(repository, work, attempts - 1);
  }
};

const mergeCommits = async (
  repository: Repository,
  { target, tip, message }: { readonly target: string; readonly tip: string; readonly message: string },
): Promise<string> => {
  const isAncestor = async (one: string, other: string): Promise<boolean> =>
    (await repository.ask(['merge-base', '--is-ancestor', one, other], { codes: [1] })).code === 0;
  if (await isAncestor(target, tip)) return tip;
  if (await isAncestor(tip, target)) return target;
  await repository.checkMerges();
  const { code, stdout } = await repository.ask(['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', target, tip], {
    codes: [1],
    cwd: repository.top,
  });
  const [tree = '', ...conflicts] = namesIn(stdout);
  if (code === 1) throw new CompanionError('MERGE_CONFLICT', conflicts.join(', '));
  return commitTree(repository, tree, { parents: [target, tip], message, identity: await identityOf(repository) });
};

/** Moves a branch forward, with the folder in which it is checked out: git refuses to when changes there would be lost. */
const advance = async (
  repository: Repository,
  { branch, from, to }: { readonly branch: string; readonly from: string; readonly to: string },
): Promise<void> => {
  const place = await folderOfBranch(repository, branch);
  const isThere = place !== null && (await lstat(place).catch(() => null)) !== null;
  if (!isThere) {
    await repository.run(['update-ref', `refs/heads/${branch}`, to, from], { cwd: repository.top });
    return;
  }
  const checkedOut = await repository.at(place);
  if (checkedOut.hasOwnFilters) throw ownFilters(repository);
  try {
    await checkedOut.run(['merge', '--ff-only', '--no-overwrite-ignore', '--no-stat', '--quiet', to], { cwd: checkedOut.top });
  } catch (error) {
    if (!(error instanceof CompanionError) || !/would be overwritten|unmerged|MERGE_HEAD/.test(error.message)) throw error;
    throw new CompanionError('MERGE_BLOCKED', explain('uncommitted_in_the_way', { folder: place, words: error.message }), {
      cause: error,
    });
  }
};

const removeBranch = async (repository: Repository, { branch, tip }: Gathered): Promise<void> => {
  // Only as long as it is what was gathered, and nobody has it checked out.
  if ((await folderOfBranch(repository, branch)) !== null) return;
  await repository.ask(['update-ref', '-d', `refs/heads/${branch}`, tip], { codes: [1, 128], cwd: repository.top });
};

const ownFilters = (repository: Repository): CompanionError =>
  new CompanionError('MERGE_BLOCKED', explain('own_filters', { folder: repository.top }), {
    remedy: explain('merge_yourself'),
  });

/** The person's own name as git knows it; Pilotfish's where there is none, because a commit needs one. */
const identityOf = async (repository: Repository): Promise<Readonly<Record<string, string>>> => {
  const isSet = async (key: string): Promise<boolean> => {
    const { code, stdout } = await repository.ask(['config', '--get', key], { codes: [1] });
    return code === 0 && stdout.trim() !== '';
  };
  return (await isSet('user.name')) && (await isSet('user.email')) ? {} : OWN_IDENTITY;
};
