/** Files inside a folder, wherever links and races would lead. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '#companion/lib/inside.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';

/** The real path of a file that exists and is inside the folder. */
export const realInside = async (root: string, file: string): Promise<string> => {
  if (!path.isAbsolute(file)) throw new CompanionError('INPUT_INVALID', explain('not_absolute', { path: file }));
  const real = await told(file, realpath(file));
  if (!isInside(root, real)) throw new CompanionError('WORKSPACE_OUTSIDE_ROOTS', real);
  return real;
};

/**
 * Opens a plain file, and looks where it lies once it is open: a folder that became a link meanwhile leads nowhere.
 * A link as the last part, or a pipe nobody writes to, is no plain file.
 */
export const openInside = async (root: string, file: string, real: string, flags: number): Promise<FileHandle> => {
  const handle = await told(file, open(real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644));
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) throw new CompanionError('INPUT_INVALID', explain('not_plain_file', { file }));
    if (!isInside(root, await placeOf(handle, real))) throw new CompanionError('WORKSPACE_OUTSIDE_ROOTS', file);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** Where an open file really is. Linux tells it; elsewhere it is the path that led to it, if that still leads there. */
const placeOf = async (handle: FileHandle, real: string): Promise<string> => {
  if (process.platform === 'linux') return readlink(`/proc/self/fd/${handle.fd}`);
  const place = await told(real, realpath(real));
  const [opened, found] = [await handle.stat(), await told(real, lstat(place))];
  return opened.ino === found.ino && opened.dev === found.dev ? place : path.parse(place).root;
};

/** What the system says about a file, in words that help the agent. */
export const told = async <T>(file: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const isMissing = reason === 'ENOENT' || reason === 'ENOTDIR';
    throw new CompanionError(isMissing ? 'FILE_NOT_FOUND' : 'INPUT_INVALID', isMissing ? file : `${file}: ${reason}`, { cause: error });
  }
};
