/** The files of a folder that a person may mean: what git follows, and what is new and not ignored. */
import type { Repository } from './repository.ts';

/** More would be slow to look through while somebody types. */
export const MAX_FILES = 20_000;

const MAX_BYTES = 16 * 1024 * 1024;

/** Paths below the folder, with `/`. */
export const listFiles = async (repository: Repository): Promise<string[]> => {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const listed = await repository.run(args, { maxBytes: MAX_BYTES });
  return listed.split('\0').filter((name) => name !== '');
};
