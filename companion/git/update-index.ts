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
  const standing = new Standing(call.cwd);
  for (const name of names) ((await standing.at(name)) === null ? gone : there).push(name);
  const update = async (flags: readonly string[], listed: readonly string[]): Promise<void> => {
    if (listed.length === 0) return;
    await repository.run(['update-index', ...flags, '-z', '--stdin'], { ...call, input: `${listed.join('\0')}\0` });
  };
  await update(['--add', '--remove', '--replace'], there);
  // Git itself refuses a name that leads through a link or to a folder, although nothing of the entry is there any more.
  await update(['--force-remove'], gone);
};

/** What stands in a folder, whose path is a real one, where files of a repository are expected. It is for one look: each folder is asked for once. */
export class Standing {
  readonly #folder: string;
  readonly #areReal = new Map<string, boolean>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Null when nothing stands there, when a link on the way leads elsewhere, or when it is a folder. One with a repository of its own is an entry like a file. */
  async at(name: string): Promise<Stats | null> {
    const file = path.join(this.#folder, name);
    try {
      if (!(await this.#isReal(path.dirname(file)))) return null;
      const found = await lstat(file);
      if (found.isDirectory()) await lstat(path.join(file, '.git'));
      return found;
    } catch {
      return null;
    }
  }

  async #isReal(folder: string): Promise<boolean> {
    const known = this.#areReal.get(folder);
    if (known !== undefined) return known;
    const isReal = (await realpath(folder).catch(() => null)) === folder;
    this.#areReal.set(folder, isReal);
    return isReal;
  }
}
