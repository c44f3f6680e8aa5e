/** Working folders that Pilotfish makes in a person's repository: each with a branch of its own, beside our own data. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { lstat, mkdir, readdir, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { ensurePrivateDir } from '#companion/lib/paths.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Worktree } from '#protocol/work.ts';
import { explain } from '#protocol/faults.ts';
import type { Repository } from './repository.ts';

const MAX_SLUG_CHARS = 40;
const MAX_NAMES = 100;

/** What git writes into the lock of a worktree while it makes one: https://git-scm.com/docs/git-worktree */
export const BEING_MADE = 'initializing';

/** The last change of its worktrees that was begun in each repository. */
const changes = new Map<string, Promise<unknown>>();

/** One after the other: git fails where another one of it is just making a worktree, and lets one at a time write into a folder. */
export const inTurn = async <T>(repository: Repository, work: () => Promise<T>): Promise<T> => {
  const key = await commonFolder(repository);
  const mine = (changes.get(key) ?? Promise.resolve()).then(work, work);
  changes.set(key, mine);
  try {
    return await mine;
  } finally {
    if (changes.get(key) === mine) changes.delete(key);
  }
};

interface NewWorktree {
  readonly worktreesDir: string;
  readonly name: string;
  readonly key: string;
}

/** Makes a working folder at the commit that is checked out in the repository. */
export const addWorktree = (repository: Repository, wanted: NewWorktree): Promise<Worktree> =>
  inTurn(repository, () => add(repository, wanted));

const add = async (repository: Repository, { worktreesDir, name, key }: NewWorktree): Promise<Worktree> => {
  const base = await repository.commitOf('HEAD');
  if (base === null) throw new CompanionError('GIT_NO_COMMIT', repository.top);
  const slug = slugOf(name) || 'session';
  const [branch, baseBranch, leftBehind] = await Promise.all([
    freeBranch(repository, slug),
    repository.branch(),
    countUncommitted(repository),
  ]);
  ensurePrivateDir(worktreesDir);
  const mark = createHash('sha256').update(`${repository.top}\0${key}`).digest('hex').slice(0, 8);
  const place = path.join(await realpath(worktreesDir), `${slug}-${mark}`);
  if ((await lstat(place).catch(() => null)) !== null) {
    throw new CompanionError('WORKTREE_THERE', place, { remedy: explain('move_contents') });
  }
  try {
    await repository.run(['worktree', 'add', '--no-track', '-b', branch, '--', place, base], { cwd: repository.top });
  } catch (error) {
    await forget(repository, place, branch);
    throw error;
  }
  const folder = path.join(place, ...repository.prefix.split('/'));
  // The project may be a folder with nothing in it that was committed.
  await mkdir(folder, { recursive: true });
  return { path: place, folder: path.join(folder), repository: repository.top, branch, base, baseBranch, leftBehind, state: 'open' };
};

/** Makes the folder of a worktree again after it was removed by hand; what was committed on its branch is in it. */
export const restoreWorktree = (repository: Repository, worktree: Worktree): Promise<void> =>
  inTurn(repository, () => restore(repository, worktree));

const restore = async (repository: Repository, { path: place, folder, branch }: Worktree): Promise<void> => {
  if ((await repository.commitOf(`refs/heads/${branch}`)) === null) {
    throw new CompanionError('WORKTREE_GONE', explain('own_branch_gone', { branch }), { remedy: explain('start_session') });
  }
  await checkNotThere(place);
  const elsewhere = await folderOfBranch(repository, branch);
  if (elsewhere !== null && elsewhere !== place && (await lstat(elsewhere).catch(() => null)) !== null) {
    throw new CompanionError('BRANCH_ELSEWHERE', explain('checked_out_in', { branch, folder: elsewhere }));
  }
  await repository.run(['worktree', 'prune'], { cwd: repository.top });
  ensurePrivateDir(path.dirname(place));
  await repository.run(['worktree', 'add', '--', place, branch], { cwd: repository.top });
  await mkdir(folder, { recursive: true });
};

/** An empty folder is as good as none. */
const checkNotThere = async (place: string): Promise<void> => {
  const found = await lstat(place).catch(() => null);
  if (found === null || (found.isDirectory() && (await readdir(place)).length === 0)) return;
  if ((await lstat(path.join(place, '.git')).catch(() => null)) !== null) throw new CompanionError('WORKTREE_THERE', place);
  throw new CompanionError('WORKTREE_THERE', explain('no_worktree', { folder: place }), {
    remedy: explain('move_contents'),
  });
};

/** Removes the folder of a worktree whose work is safe, and what git knows of it. */
export const removeWorktree = async (repository: Repository, place: string): Promise<void> => {
  // Twice: git locks one while it makes it, and may have been killed then.
  await repository.run(['worktree', 'remove', '--force', '--force', '--', place], { cwd: repository.top }).catch(() => null);
  await rm(place, { recursive: true, force: true });
  await repository.run(['worktree', 'prune'], { cwd: repository.top });
};

/** The working folder in which a branch is checked out, or null. */
export const folderOfBranch = async (repository: Repository, branch: string): Promise<string | null> => {
  // Only a newer git separates by NUL, and a path may hold a newline: a record begins with `worktree` after an empty line.
  const listed = await repository.run(['worktree', 'list', '--porcelain'], { cwd: repository.top });
  for (const record of listed.split(/\n\n(?=worktree |$)/)) {
    const [, place, rest = ''] = /^worktree ([\s\S]*?)\n((?:HEAD|bare)[\s\S]*)$/.exec(record) ?? [];
    if (place !== undefined && rest.split('\n').includes(`branch refs/heads/${branch}`)) return workingFolder(repository, place);
  }
  return null;
};

/** What all working folders of a repository share. */
export const commonFolder = async (repository: Repository): Promise<string> =>
  realpath(path.resolve(repository.folder, (await repository.run(['rev-parse', '--git-common-dir'])).replace(/\n$/, '')));

/**
 * Of the first working folder git names the place of its own data where that lies elsewhere, as of a submodule or after
 * `git init --separate-git-dir`: https://git-scm.com/docs/git-worktree#_bugs
 */
export const workingFolder = async (repository: Repository, place: string): Promise<string> => {
  const common = await commonFolder(repository);
  if (place !== common) return place;
  const own = (await repository.run(['rev-parse', '--absolute-git-dir'])).replace(/\n$/, '');
  if (own === common) return repository.top;
  const { stdout } = await repository.ask(['config', '--file', path.join(common, 'config'), '--get', 'core.worktree'], { codes: [1] });
  return stdout === '' ? place : path.resolve(common, stdout.replace(/\n$/, ''));
};

const forget = async (repository: Repository, place: string, branch: string): Promise<void> => {
  await removeWorktree(repository, place).catch(() => null);
  await repository.ask(['branch', '-D', '--', branch], { codes: [1, 128], cwd: repository.top }).catch(() => null);
};

/** A part of a branch and of a folder that every system takes. */
const slugOf = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}]+/gu, '-')
    .slice(0, MAX_SLUG_CHARS)
    .replaceAll(/^-+|-+$/g, '');

const freeBranch = async (repository: Repository, slug: string): Promise<string> => {
  // A branch called `pilotfish` leaves no room for others below that name.
  const isTaken = (await repository.commitOf('refs/heads/pilotfish')) !== null;
  const prefix = isTaken ? 'pilotfish-' : 'pilotfish/';
  for (let count = 1; count < MAX_NAMES; count += 1) {
    const branch = `${prefix}${slug}${count === 1 ? '' : `-${count}`}`;
    if ((await repository.commitOf(`refs/heads/${branch}`)) === null) return branch;
  }
  throw new CompanionError('GIT_FAILED', explain('many_branches', { count: MAX_NAMES, name: `${prefix}${slug}` }), {
    remedy: explain('rename_or_remove'),
  });
};

const countUncommitted = async (repository: Repository): Promise<number> => {
  const status = await repository.run(['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=normal'], {
    cwd: repository.top,
  });
  return status.split('\0').filter((entry) => entry !== '').length;
};

/** Whether a worktree's own file of git leads nowhere, as it does when the repository was moved. */
export const isAdrift = (place: string): boolean => {
  try {
    const [, target] = /^gitdir: (.+?)\n?$/s.exec(readFileSync(path.join(place, '.git'), 'utf8')) ?? [];
    return target !== undefined && !existsSync(path.resolve(place, target));
  } catch {
    // It is not there, or is a repository itself.
    return false;
  }
};

/** Tells the worktrees of a repository that was moved where it is now. Those that are another's stay as they are. */
export const reconnectWorktrees = async (repository: Repository): Promise<void> => {
  await inTurn(repository, () => repository.run(['worktree', 'repair'], { cwd: repository.top }));
};
