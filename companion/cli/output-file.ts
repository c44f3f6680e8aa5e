/** Files that a command writes because the person named them. */
import { randomBytes } from 'node:crypto';
import { realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { CompanionError } from '#protocol/errors.ts';

/**
 * Writes a file that only its owner reads. It is there whole or not at all: what cannot be finished leaves the file of this name as it was.
 * A pipe or a device is written into as it is. `what` names the content in the error.
 */
export const writeOutput = async (file: string, what: string, content: string | AsyncIterable<Uint8Array | string>): Promise<void> => {
  try {
    const place = await realpath(file).catch(() => file);
    const found = await stat(place).catch(() => null);
    if (found !== null && !found.isFile()) return await writeFile(place, content);
    const draft = `${place}.${randomBytes(4).toString('hex')}`;
    try {
      await writeFile(draft, content, { mode: 0o600, flag: 'wx', flush: true });
      await rename(draft, place);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  } catch (cause) {
    // What the content's own source throws is no fault of the disk.
    if (!(cause instanceof Error && 'syscall' in cause)) throw cause;
    throw new CompanionError('DISK_FAILED', `${what}: ${cause.message}`, {
      remedy: 'Name a file in a folder that is there and that you may write.',
      cause,
    });
  }
};
