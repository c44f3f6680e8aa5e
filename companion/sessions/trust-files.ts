/** Reads what a project's own files would do when an agent starts in it. Bounded, and never through a pipe or a device. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { PROJECT_FILES, PROJECT_FOLDERS } from '#companion/policy/project-files.ts';
import { scanFile } from '#companion/policy/project-scan.ts';
import { isInside } from '#companion/policy/roots.ts';
import { CompanionError } from '#protocol/errors.ts';

/** Settings are small; a larger file is meant to hide something, or is none. */
const MAX_FILE_BYTES = 1024 * 1024;
const MAX_FOLDER_FILES = 200;
const MAX_FOLDER_DEPTH = 4;

/** A file of the project that starts, redirects or allows something. */
export interface ActiveFile {
  /** Below the project's folder, or whole when it lies above. */
  readonly path: string;
  readonly lines: readonly string[];
}

export interface ActiveFiles {
  readonly files: readonly ActiveFile[];
  /** Of their names and contents. */
  readonly sha256: string;
}

/**
 * The files that act in `root`, a real path, and in the folders above it, where agents look too: up to the home folder, whose
 * files are the user's own settings. Throws WORKSPACE_NOT_TRUSTED for what cannot be looked through.
 */
export const findActiveFiles = async (root: string): Promise<ActiveFiles> => {
  const found = (await Promise.all(foldersOf(root, await realOr(homedir())).map((folder) => readFolder(folder, root)))).flat();
  const hash = createHash('sha256');
  for (const { path: name, sha256 } of found) hash.update(`${name}\0${sha256}\0`);
  return { files: found, sha256: hash.digest('hex') };
};

const foldersOf = (root: string, home: string): string[] => {
  if (root === home) return [];
  const parent = path.dirname(root);
  return parent === root ? [root] : [root, ...foldersOf(parent, home)];
};

interface FoundFile extends ActiveFile {
  readonly sha256: string;
}

const readFolder = async (folder: string, root: string): Promise<FoundFile[]> => {
  const tops = [...new Set([...Object.keys(PROJECT_FILES), ...PROJECT_FOLDERS.map(({ name }) => name)].map(topOf))];
  const there = new Set((await Promise.all(tops.map(async (top) => ((await isThere(path.join(folder, top))) ? [top] : [])))).flat());
  if (there.size === 0) return [];
  const named = Object.keys(PROJECT_FILES).filter((name) => there.has(topOf(name)));
  const listed = await Promise.all(
    PROJECT_FOLDERS.filter(({ name }) => there.has(topOf(name))).map(async ({ name, ends }) =>
      (await listFiles(path.join(folder, name))).filter((file) => ends.some((end) => file.endsWith(end))).map((file) => `${name}/${file}`),
    ),
  );
  const found = await Promise.all([...named, ...listed.flat()].map((name) => readActive(folder, name, root)));
  return found.filter((file) => file !== null);
};

const topOf = (name: string): string => name.split('/', 1)[0] ?? name;

const isThere = async (file: string): Promise<boolean> => {
  try {
    await lstat(file);
    return true;
  } catch {
    // What we may not look at, the agent may not either: it runs as the same user.
    return false;
  }
};

/** Files below the folder, by path with `/`, sorted. */
const listFiles = async (folder: string, depth = 1): Promise<string[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const files: string[] = [];
  for (const entry of names) {
    // A link to a folder is not followed as one: its files are listed by nobody we know of.
    if (!entry.isDirectory()) files.push(entry.name);
    else if (depth < MAX_FOLDER_DEPTH) {
      files.push(...(await listFiles(path.join(folder, entry.name), depth + 1)).map((name) => `${entry.name}/${name}`));
    }
    if (files.length > MAX_FOLDER_FILES) throw tooMuch(`${folder} holds more than ${MAX_FOLDER_FILES} files.`);
  }
  return files;
};

const readActive = async (folder: string, name: string, root: string): Promise<FoundFile | null> => {
  const file = path.join(folder, name);
  const shown = folder === root ? name : file;
  const read = await readBounded(file);
  if (read === null) return null;
  const lines = scanFile({ name, content: read.bytes.toString('utf8') });
  if (lines.length === 0) return null;
  const sha256 = createHash('sha256').update(read.real).update('\0').update(read.bytes).digest('hex');
  // A link to a file elsewhere is told, and what that file holds is kept out of cards and logs.
  return isInside(folder, read.real) ? { path: shown, lines, sha256 } : { path: shown, lines: [`a link to ${read.real}`], sha256 };
};

/** The real file behind a name; null when there is none that this user may read. */
const readBounded = async (file: string): Promise<{ real: string; bytes: Buffer } | null> => {
  const opened = await openReal(file);
  if (opened === null) return null;
  const { real, handle } = opened;
  try {
    const found = await handle.stat();
    if (found.isDirectory()) return null;
    if (!found.isFile()) throw tooMuch(`${file} is not an ordinary file.`);
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    let sizeBytes = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, sizeBytes, buffer.length - sizeBytes, sizeBytes);
      sizeBytes += bytesRead;
      if (bytesRead === 0 || sizeBytes === buffer.length) break;
    }
    if (sizeBytes > MAX_FILE_BYTES) throw tooMuch(`${file} is larger than ${MAX_FILE_BYTES} bytes.`);
    return { real, bytes: buffer.subarray(0, sizeBytes) };
  } finally {
    await handle.close();
  }
};

/** Opened without waiting: a named pipe would never come back. */
const openReal = async (file: string): Promise<{ real: string; handle: FileHandle } | null> => {
  try {
    const real = await realpath(file);
    return { real, handle: await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (typeof code === 'string' && ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EISDIR'].includes(code)) return null;
    throw new CompanionError('WORKSPACE_NOT_TRUSTED', `${file} could not be looked at.`, { cause: error });
  }
};

const realOr = async (folder: string): Promise<string> => {
  try {
    return await realpath(folder);
  } catch {
    return folder;
  }
};

const tooMuch = (detail: string): CompanionError =>
  new CompanionError('WORKSPACE_NOT_TRUSTED', detail, {
    remedy: 'It cannot be shown before an agent reads it: remove it or make it smaller, then send again.',
  });
