/** A worktree that no session has: a daemon that was killed left it, before its session began or after it had gone. Nothing that is nowhere else is removed. */
import { lstat, readdir, readFile, realpath, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { Said } from '#protocol/said.ts';
import { warn } from '#protocol/warnings.ts';
import type { Git } from './git.ts';
import { Repository } from './repository.ts';
import { takeSnapshot } from './snapshot.ts';
import { submodulesWithWork } from './submodules.ts';
import { BEING_MADE, folderOfBranch, removeWorktree, workingFolder } from './worktree.ts';

/** What git keeps of a merge and the like that is not at its end. */
const UNDER_WAY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'BISECT_LOG', 'rebase-merge', 'rebase-apply', 'sequencer'];

const OWN_BRANCH = /^pilotfish[/-]/;

/** Removes it; where that could lose something it stays, and this resolves with what it holds. */
export const clearLeftWorktree = async (git: Git, folder: string): Promise<Said | null> => {
  if (!(await lstat(folder)).isDirectory()) return warn('no_folder');
  if ((await readdir(folder)).length === 0) {
    await rmdir(folder);
    return null;
  }
  const place = await realpath(folder);
  if (!(await isThere(path.join(place, '.git')))) return warn('no_repository');
  const inside = await Repository.open(git, place);
  if (inside.top !== place) return warn('no_repository');
  const why = await whatItHolds(inside);
  if (why !== null) return why;
  const branch = await inside.branch();
  // The first that git names is the person's own.
  const [, main = ''] = /^worktree ([^\n]+)\n/.exec(await inside.run(['worktree', 'list', '--porcelain'])) ?? [];
  const repository = await inside.at(await workingFolder(inside, main));
  await removeWorktree(repository, place);
  if (branch !== null && OWN_BRANCH.test(branch)) await removeSpareBranch(repository, branch);
  return null;
};

const whatItHolds = async (inside: Repository): Promise<Said | null> => {
  const own = path.resolve(inside.top, (await inside.run(['rev-parse', '--git-dir'])).replace(/\n$/, ''));
  const lock = await readFile(path.join(own, 'locked'), 'utf8').catch(() => null);
  const isHalfMade = lock?.trim() === BEING_MADE;
  if (lock !== null && !isHalfMade) return warn('locked');
  for (const name of UNDER_WAY) if (await isThere(path.join(own, name))) return warn('under_way');
  const head = await inside.commitOf('HEAD');
  if (head === null) return warn('no_commit');
  const { tree, repositories } = await takeSnapshot(inside, { isWhole: true });
  if (repositories.length > 0) return warn('own_repository');
  if ((await submodulesWithWork(inside)).length > 0) return warn('submodule_work');
  const changes = [
    await inside.run(['diff-tree', '-r', '-z', '--no-renames', '--name-status', head, tree]),
    await inside.run(['diff-index', '--cached', '-r', '-z', '--no-renames', '--name-status', head]),
  ].flatMap(statesIn);
  // Of one that was not made to the end, files are missing that nobody has removed.
  if (changes.some((state) => !isHalfMade || state !== 'D')) return warn('uncommitted');
  const lonely = await inside.run(['rev-list', '-n', '1', 'HEAD', '--not', '--branches', '--remotes']);
  return lonely.trim() === '' ? null : warn('lonely_commits');
};

/** A letter, then a name. */
const statesIn = (listed: string): string[] => listed.split('\0').filter((part, index) => index % 2 === 0 && part !== '');

/** A branch that Pilotfish made, on which there is nothing but what others have, too. */
const removeSpareBranch = async (repository: Repository, branch: string): Promise<void> => {
  const ref = `refs/heads/${branch}`;
  const tip = await repository.commitOf(ref);
  if (tip === null || (await folderOfBranch(repository, branch)) !== null) return;
  const alone = await repository.run(['rev-list', '-n', '1', tip, '--not', `--exclude=${branch}`, '--branches', '--remotes']);
  if (alone.trim() === '') await repository.run(['update-ref', '-d', ref, tip], { cwd: repository.top });
};

const isThere = async (file: string): Promise<boolean> => (await lstat(file).catch(() => null)) !== null;
