/** Files that an agent reads and writes through Pilotfish: inside the project's folder, wherever links and races would lead. */
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { isInside } from '#companion/lib/inside.ts';
import { CompanionError } from '#protocol/errors.ts';

const MAX_FILE_BYTES = 10 * 1024 * 1024;

export const ReadFile = z.looseObject({
  path: z.string(),
  line: z.number().int().positive().nullish(),
  limit: z.number().int().min(0).nullish(),
});
export const WriteFile = z.looseObject({ path: z.string(), content: z.string() });

export const readText = async (root: string, { path: file, line, limit }: z.infer<typeof ReadFile>): Promise<string> => {
  const handle = await openInside(root, file, await realInside(root, file), constants.O_RDONLY);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) throw new CompanionError('INPUT_TOO_LARGE', `${file} has ${size} bytes.`);
    const text = await handle.readFile('utf8');
    const from = (line ?? 1) - 1;
    return text
      .split('\n')
      .slice(from, limit === null || limit === undefined ? undefined : from + limit)
      .join('\n');
  } finally {
    await handle.close();
  }
};

export const writeText = async (root: string, { path: file, content }: z.infer<typeof WriteFile>): Promise<void> => {
  if (Buffer.byteLength(content) > MAX_FILE_BYTES)
    throw new CompanionError('INPUT_TOO_LARGE', `${file} would have more than ${MAX_FILE_BYTES} bytes.`);
  const handle = await openInside(root, file, await placeInside(root, file), constants.O_WRONLY | constants.O_CREAT);
  try {
    // The file is emptied only now: before the check it might have been another one.
    await handle.truncate();
    await handle.writeFile(content, 'utf8');
  } finally {
    await handle.close();
  }
};

/** The real path of a file that exists and is inside the folder. */
export const realInside = async (root: string, file: string): Promise<string> => {
  if (!path.isAbsolute(file)) throw new CompanionError('INPUT_INVALID', `${file} is not an absolute path.`);
  const real = await told(file, realpath(file));
  if (!isInside(root, real)) throw new CompanionError('WORKSPACE_OUTSIDE_ROOTS', real);
  return real;
};

/** Where a file is to be written: an existing file, or a new one, for which missing folders are made. */
const placeInside = async (root: string, file: string): Promise<string> => {
  try {
    return await realInside(root, file);
  } catch (error) {
    if (!(error instanceof CompanionError) || error.code !== 'FILE_NOT_FOUND') throw error;
  }
  // The nearest folder that exists is checked before any folder is made.
  const folder = path.dirname(path.resolve(file));
  await nearestInside(root, folder);
  await told(file, mkdir(folder, { recursive: true }));
  return path.join(await realInside(root, folder), path.basename(file));
};

const nearestInside = async (root: string, folder: string): Promise<string> => {
  try {
    return await realInside(root, folder);
  } catch (error) {
    const parent = path.dirname(folder);
    if (parent === folder || !(error instanceof CompanionError) || error.code !== 'FILE_NOT_FOUND') throw error;
    return nearestInside(root, parent);
  }
};

/**
 * Opens a plain file, and looks where it lies once it is open: a folder that became a link meanwhile leads nowhere.
 * A link as the last part, or a pipe nobody writes to, is no plain file.
 */
const openInside = async (root: string, file: string, real: string, flags: number): Promise<FileHandle> => {
  const handle = await told(file, open(real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o644));
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) throw new CompanionError('INPUT_INVALID', `${file} is not a plain file.`);
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
const told = async <T>(file: string, work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const isMissing = reason === 'ENOENT' || reason === 'ENOTDIR';
    throw new CompanionError(isMissing ? 'FILE_NOT_FOUND' : 'INPUT_INVALID', isMissing ? file : `${file}: ${reason}`, { cause: error });
  }
};
