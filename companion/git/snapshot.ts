/**
 * The state of a folder as a git commit, without touching what the person has staged, their branches or their stash: it is written with an
 * index of its own. Files that are not tracked yet belong to it, ignored ones do not.
 */
import { copyFile, lstat, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Repository } from './repository.ts';
import { Standing, updateIndex } from './update-index.ts';

/** A larger file is left out of a checkpoint, and named. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** So much of what is not tracked is taken in, all together. */
const MAX_NEW_BYTES = 256 * 1024 * 1024;
const MAX_NEW_FILES = 20_000;
/** It stands in a name for bytes that are no text. */
const NO_UTF8 = '\u{fffd}';

export interface LeftOut {
  readonly path: string;
  readonly sizeBytes: number;
  /** Git does not know it yet. */
  readonly isNew: boolean;
}

export interface Snapshot {
  readonly tree: string;
  /** Files that have changed and are not in it, by their paths below the top. */
  readonly leftOut: readonly LeftOut[];
  /** Folders with a repository of their own, which is never looked into. */
  readonly repositories: readonly string[];
}

export interface SnapshotOptions {
  readonly signal?: AbortSignal | undefined;
  /** Everything is taken in, whatever its size: it would be lost otherwise. */
  readonly isWhole?: boolean;
}

/** Who our own commits are by, which no branch contains. */
export const OWN_IDENTITY = {
  GIT_AUTHOR_NAME: 'Pilotfish',
  GIT_AUTHOR_EMAIL: 'pilotfish@localhost',
  GIT_COMMITTER_NAME: 'Pilotfish',
  GIT_COMMITTER_EMAIL: 'pilotfish@localhost',
};

/** Takes the folder of the repository as it is now. What lies outside the folder is taken as it is staged. */
export const takeSnapshot = async (repository: Repository, options: SnapshotOptions = {}): Promise<Snapshot> =>
  withIndex(async (index) => {
    const { signal, isWhole = false } = options;
    await copyIndex(repository, index, signal);
    const env = { GIT_INDEX_FILE: index };
    if (isWhole) await lookAgain(repository, env);
    const args = ['ls-files', '-t', '-z', '--modified', '--deleted', '--others', '--exclude-standard', '--', '.'];
    const listed = namesIn(await repository.run(args, { env, signal }));
    // A letter before each name says what became of the file; `?` is for one that git does not know.
    const named = (isNew: boolean): string[] => listed.filter((line) => line.startsWith('?') === isNew).map((line) => line.slice(2));
    const chosen = await choose(repository, { changed: named(false), added: named(true), isWhole });
    await updateIndex(repository, chosen.take, { cwd: repository.folder, env, signal });
    // Such a file cannot be named to git one by one.
    if (isWhole && listed.some((name) => name.includes(NO_UTF8))) await repository.run(['add', '--all', '--', '.'], { env, signal });
    const tree = (await repository.run(['write-tree'], { env, signal })).trim();
    return { tree, leftOut: chosen.leftOut, repositories: chosen.repositories };
  });

/** Gives `work` the name of an index that is removed afterwards. */
export const withIndex = async <T>(work: (index: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'pilotfish-git-'));
  try {
    return await work(path.join(folder, 'index'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** A commit of a tree that is on no branch. */
export const commitTree = async (
  repository: Repository,
  tree: string,
  {
    parents,
    message,
    identity = OWN_IDENTITY,
  }: { parents: readonly string[]; message: string; identity?: Readonly<Record<string, string>> },
): Promise<string> =>
  (
    await repository.run(['commit-tree', tree, ...parents.flatMap((parent) => ['-p', parent]), '-F', '-'], {
      env: identity,
      input: message,
    })
  ).trim();

export const namesIn = (listed: string): string[] => [...new Set(listed.split('\0').filter((name) => name !== ''))];

/** What git knows of the files in the index spares it reading them all. */
const copyIndex = async (repository: Repository, index: string, signal: AbortSignal | undefined): Promise<void> => {
  const found = await stat(repository.index).catch(() => null);
  if (found !== null) {
    await copyFile(repository.index, index);
    // A file that was changed in the moment in which the index was written is told by the index's own time.
    const seconds = Math.floor(found.mtimeMs / 1000);
    await utimes(index, seconds, seconds);
    return;
  }
  const head = await repository.commitOf('HEAD', signal);
  const env = { GIT_INDEX_FILE: index };
  await repository.run(['read-tree', ...(head === null ? ['--empty'] : [head])], { env, signal });
};

/** Git was told to overlook some files; what has become of those that are there counts all the same. */
const lookAgain = async (repository: Repository, env: Readonly<Record<string, string>>): Promise<void> => {
  // A small letter is for one that is assumed to be unchanged, S for one that is not to be checked out.
  const listed = namesIn(await repository.run(['ls-files', '-v', '-z'], { env })).filter((line) => /^(?:[a-z]|S) /.test(line));
  const there: string[] = [];
  for (const line of listed) {
    const name = line.slice(2);
    if ((await lstat(path.join(repository.folder, name)).catch(() => null)) !== null) there.push(name);
  }
  if (there.length === 0) return;
  const input = `${there.join('\0')}\0`;
  for (const flag of ['--no-assume-unchanged', '--no-skip-worktree'])
    await repository.run(['update-index', flag, '-z', '--stdin'], { env, input });
};

interface Chosen {
  readonly take: string[];
  readonly leftOut: LeftOut[];
  readonly repositories: string[];
}

const choose = async (
  repository: Repository,
  { changed, added, isWhole }: { changed: readonly string[]; added: readonly string[]; isWhole: boolean },
): Promise<Chosen> => {
  const chosen: Chosen = { take: [], leftOut: [], repositories: [] };
  let left = { bytes: isWhole ? Infinity : MAX_NEW_BYTES, files: isWhole ? Infinity : MAX_NEW_FILES };
  const isNew = new Set(added);
  const standing = new Standing(repository.folder);
  for (const name of new Set([...changed, ...added])) {
    const below = `${repository.prefix}${name}`;
    if (name.endsWith('/')) {
      chosen.repositories.push(below);
      continue;
    }
    const found = await standing.at(name);
    // A submodule is a folder, and its own repository says what has changed in it.
    if (found === null) chosen.take.push(name);
    if (found === null || !(found.isFile() || found.isSymbolicLink())) continue;
    const { size } = found;
    const isTooMuch = (size > MAX_FILE_BYTES && !isWhole) || (isNew.has(name) && (size > left.bytes || left.files === 0));
    if (isTooMuch) {
      chosen.leftOut.push({ path: below, sizeBytes: size, isNew: isNew.has(name) });
      continue;
    }
    if (isNew.has(name)) left = { bytes: left.bytes - size, files: left.files - 1 };
    chosen.take.push(name);
  }
  return chosen;
};
