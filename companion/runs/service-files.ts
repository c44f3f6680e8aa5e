/** Files that an agent reads and writes through Pilotfish: inside the project's folder, wherever links and races would lead. */
import { constants } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { openInside, realInside, told } from '#companion/projects/inside-folder.ts';
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
