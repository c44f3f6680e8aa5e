/** Reads files that somebody else wrote: with limits, and never through a pipe or a device. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';

/** Settings are small; a larger file is meant to hide something, or does not hold settings. */
const MAX_FILE_BYTES = 1024 * 1024;
/** The limit for a program that settings name; it is read at each start. */
const MAX_PROGRAM_BYTES = 256 * 1024 * 1024;
const CHUNK_BYTES = 16 * 1024;
const MAX_LISTED = 5000;
const MAX_FOLDER_DEPTH = 6;

export const tooMuch = (detail: Said): CompanionError =>
  new CompanionError('WORKSPACE_NOT_TRUSTED', detail, {
    remedy: explain('remove_or_shrink'),
  });

export const isThere = async (file: string): Promise<boolean> => {
  try {
    await lstat(file);
    return true;
  } catch {
    // A file that this process may not read cannot be read by the agent either, which runs as the same user.
    return false;
  }
};

/** The kind of what a name leads to; links are followed. */
export const kindOf = async (file: string): Promise<'file' | 'folder' | null> => {
  try {
    const found = await stat(file);
    return found.isFile() ? 'file' : found.isDirectory() ? 'folder' : null;
  } catch {
    // The agent may not look at it either.
    return null;
  }
};

/** What lies in a folder, by folded names; null when it may not be listed, so that each name is to be looked for. */
export const namesIn = async (folder: string): Promise<ReadonlySet<string> | null> => {
  try {
    return new Set((await readdir(folder)).map(fold));
  } catch (error) {
    // Files in a folder that may not be listed can still be opened by name.
    return isMissing(error) ? new Set() : null;
  }
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** Some systems ignore the case of names, or how an accent is written; the file system itself decides in the end. */
export const fold = (name: string): string => name.normalize('NFC').toLowerCase();

/**
 * Files below the folder, by path with `/`, sorted; a folder whose path, with a `/` at its end, is to be skipped is not looked into.
 * A link to a folder is a folder: agents follow it too.
 */
export const listFiles = async (folder: string, isSkipped: (inner: string) => boolean = () => false, above = ''): Promise<string[]> => {
  const depth = above.split('/').length;
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path.join(folder, entry.name);
    const isFolder = entry.isDirectory() || (entry.isSymbolicLink() && (await kindOf(inner)) === 'folder');
    if (!isFolder) files.push(`${above}${entry.name}`);
    else if (depth < MAX_FOLDER_DEPTH && !isSkipped(`${above}${entry.name}/`))
      files.push(...(await listFiles(inner, isSkipped, `${above}${entry.name}/`)));
    if (files.length > MAX_LISTED) throw tooMuch(explain('too_many_files', { folder, count: MAX_LISTED }));
  }
  return files;
};

/** The real path behind a name, or null when this user may not read such a file. */
export const readBounded = async (file: string): Promise<{ real: string; bytes: Buffer } | null> =>
  withFile(file, async (handle, real) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    for (;;) {
      const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, sizeBytes);
      if (bytesRead === 0) return { real, bytes: Buffer.concat(chunks) };
      chunks.push(buffer.subarray(0, bytesRead));
      sizeBytes += bytesRead;
      if (sizeBytes > MAX_FILE_BYTES) throw tooMuch(explain('too_large', { file, bytes: MAX_FILE_BYTES }));
    }
  });

/** The hash of a program's content and of where it counts as lying, or null when this user may not read such a file. */
export const hashProgram = async (file: string, moved: (file: string) => string): Promise<string | null> =>
  withFile(file, async (handle, real) => {
    const hash = createHash('sha256').update(moved(real)).update('\0');
    let sizeBytes = 0;
    for await (const chunk of handle.createReadStream({ autoClose: false, start: 0 })) {
      const bytes: Buffer = chunk;
      sizeBytes += bytes.length;
      if (sizeBytes > MAX_PROGRAM_BYTES) throw tooMuch(explain('too_large', { file, bytes: MAX_PROGRAM_BYTES }));
      hash.update(bytes);
    }
    return hash.digest('hex');
  });

const withFile = async <T>(file: string, use: (handle: FileHandle, real: string) => Promise<T>): Promise<T | null> => {
  const opened = await openReal(file);
  if (opened === null) return null;
  const { real, handle } = opened;
  try {
    const found = await handle.stat();
    if (found.isDirectory()) return null;
    if (!found.isFile()) throw tooMuch(explain('not_ordinary', { file }));
    return await use(handle, real);
  } finally {
    await handle.close();
  }
};

/** The file is opened without waiting, because opening a named pipe would never return. */
const openReal = async (file: string): Promise<{ real: string; handle: FileHandle } | null> => {
  try {
    const real = await realpath(file);
    return { real, handle: await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (typeof code === 'string' && ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EISDIR'].includes(code)) return null;
    throw new CompanionError('WORKSPACE_NOT_TRUSTED', explain('not_looked_at', { file }), { cause: error });
  }
};
