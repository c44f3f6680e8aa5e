/** Submodules in a worktree: git keeps the repository of one that is checked out beside it, and both go when it is removed. */
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Repository } from './repository.ts';
import { takeSnapshot } from './snapshot.ts';

const SUBMODULE = /^160000 [^\t]*\t([\s\S]*)$/;

/** Those that hold changes or commits which are nowhere else, by their paths below the top. */
export const submodulesWithWork = async (repository: Repository): Promise<string[]> => {
  const listed = await repository.run(['ls-files', '--stage', '-z'], { cwd: repository.top });
  const found: string[] = [];
  for (const line of listed.split('\0')) {
    const name = SUBMODULE.exec(line)?.[1];
    if (name !== undefined && (await hasWork(repository, path.join(repository.top, name)))) found.push(name);
  }
  return found;
};

const hasWork = async (repository: Repository, folder: string): Promise<boolean> => {
  // Of one that is not checked out there is an empty folder. What is written into that is in no commit and no snapshot.
  if ((await lstat(path.join(folder, '.git')).catch(() => null)) === null) return (await readdir(folder).catch(() => [])).length > 0;
  const inside = await repository.at(folder);
  const head = await inside.commitOf('HEAD');
  if (head === null) return true;
  const { tree, repositories } = await takeSnapshot(inside, { isWhole: true });
  if (repositories.length > 0 || tree !== (await inside.run(['rev-parse', `${head}^{tree}`])).trim()) return true;
  const alone = await inside.run(['rev-list', '-n', '1', 'HEAD', '--branches', '--not', '--remotes']);
  return alone.trim() !== '' || (await submodulesWithWork(inside)).length > 0;
};
