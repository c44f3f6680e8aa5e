/** Brings files of a folder back to what they were in a snapshot. Neither the index nor a branch of the person's is touched. */
import { lstat, readdir, realpath, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '#companion/lib/inside.ts';
import type { Repository } from './repository.ts';
import { withIndex } from './snapshot.ts';

export interface Restored {
  /** Paths below the top of files that were written or removed. */
  readonly files: string[];
  /** Those that could not be: something that no snapshot holds stands in their place. */
  readonly skipped: string[];
}

/** `from` is the snapshot of the folder as it is now, `to` the one to go back to. Without `only` it is all that differs. */
export const restore = async (
  repository: Repository,
  { from, to, only }: { readonly from: string; readonly to: string; readonly only?: readonly string[] },
): Promise<Restored> => {
  const listed = await repository.run(
    [
      'diff-tree',
      '-r',
      '-z',
      '--no-renames',
      '--name-status',
      from,
      to,
      '--',
      ...(only ?? (repository.prefix === '' ? [] : [repository.prefix])),
    ],
    { cwd: repository.top },
  );
  const parts = listed.split('\0');
  const gone: string[] = [];
  const wanted: string[] = [];
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [status = '', name = ''] = [parts[index], parts[index + 1]];
    (status === 'D' ? gone : wanted).push(name);
  }
  const skipped: string[] = [];
  for (const name of gone) if (!(await removeFile(repository.top, name))) skipped.push(name);
  const free: string[] = [];
  for (const name of wanted) ((await isFree(repository.top, name)) ? free : skipped).push(name);
  if (free.length > 0) {
    await withIndex(async (index) => {
      const env = { GIT_INDEX_FILE: index };
      await repository.run(['read-tree', to], { env, cwd: repository.top });
      await repository.run(['checkout-index', '--force', '-z', '--stdin'], { env, cwd: repository.top, input: `${free.join('\0')}\0` });
    });
  }
  const missed = new Set(skipped);
  return { files: [...gone, ...wanted].filter((name) => !missed.has(name)), skipped };
};

/** False when it does not lie where its name says: a folder on the way has become a link. */
const removeFile = async (top: string, name: string): Promise<boolean> => {
  const file = path.join(top, name);
  const folder = await realpath(path.dirname(file)).catch(() => null);
  if (folder === null) return true;
  if (folder !== path.dirname(file) || !isInside(top, folder)) return false;
  const found = await lstat(file).catch(() => null);
  if (found === null) return true;
  if (found.isDirectory()) return false;
  await unlink(file);
  await removeEmpty(folder, top);
  return true;
};

const removeEmpty = async (folder: string, top: string): Promise<void> => {
  if (folder === top || !isInside(top, folder) || (await readdir(folder)).length > 0) return;
  await rmdir(folder);
  await removeEmpty(path.dirname(folder), top);
};

/** Whether a file can be written there without removing a folder with something in it, and without following a link. */
const isFree = async (top: string, name: string): Promise<boolean> => {
  const parts = name.split('/');
  for (let count = 1; count < parts.length; count += 1) {
    const above = await lstat(path.join(top, ...parts.slice(0, count))).catch(() => null);
    if (above === null) return true;
    if (!above.isDirectory()) return false;
  }
  const found = await lstat(path.join(top, name)).catch(() => null);
  if (found?.isDirectory() !== true) return true;
  return (await readdir(path.join(top, name))).length === 0;
};
