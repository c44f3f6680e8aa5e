/** Brings entries of an index up to what stands in the folder, also where a folder, a file and a link have changed places. */
import type { Stats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import path from 'node:path';
import type { GitCall } from './git.ts';
import type { Repository } from './repository.ts';

type Call = Pick<GitCall, 'env' | 'signal'> & { readonly cwd: string };

/** `names` are below `cwd`. */
export const updateIndex = async (repository: Repository, names: readonly string[], call: Call): Promise<void> => {
  const there: string[] = [];
  const gone: string[] = [];
  for (const name of names) ((await standing(call.cwd, name)) === null ? gone : there).push(name);
  const update = async (flags: readonly string[], listed: readonly string[]): Promise<void> => {
    if (listed.length === 0) return;
    await repository.run(['update-index', ...flags, '-z', '--stdin'], { ...call, input: `${listed.join('\0')}\0` });
  };
  await update(['--add', '--remove', '--replace'], there);
  // Git itself refuses a name that leads through a link or to a folder, although nothing of the entry is there any more.
  await update(['--force-remove'], gone);
};

/**
 * What stands where a file of a repository is expected: null when nothing does, when a link on the way leads elsewhere, or when it is
 * a folder. A folder with a repository of its own is an entry like a file. `folder` is a real path.
 */
export const standing = async (folder: string, name: string): Promise<Stats | null> => {
  const file = path.join(folder, name);
  try {
    if ((await realpath(path.dirname(file))) !== path.dirname(file)) return null;
    const found = await lstat(file);
    if (found.isDirectory()) await lstat(path.join(file, '.git'));
    return found;
  } catch {
    return null;
  }
};
