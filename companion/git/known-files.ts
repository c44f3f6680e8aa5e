/** Whether paths that somebody names are files that a repository knows, now or from before. */
import { CompanionError } from '#protocol/errors.ts';
import type { Repository } from './repository.ts';
import { Standing } from './update-index.ts';

/** A command line has no room for more names. */
const NAMES_AT_A_TIME = 100;

/**
 * Throws FILE_NOT_FOUND unless each path, below the top, is a file in the folder, in the index, in the newest commit or in `base`,
 * the tree with which a session began.
 */
export const checkAreKnown = async (repository: Repository, paths: readonly string[], base: string | null): Promise<void> => {
  const missing = new Set<string>();
  const standing = new Standing(repository.top);
  for (const name of paths) if ((await standing.at(name)) === null) missing.add(name);
  const trees = [await repository.commitOf('HEAD'), base].filter((tree) => tree !== null);
  const places = [['ls-files', '-z', '--cached'], ...trees.map((tree) => ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree])];
  for (const place of places) {
    const names = [...missing];
    for (let from = 0; from < names.length; from += NAMES_AT_A_TIME) {
      const args = [...place, '--', ...names.slice(from, from + NAMES_AT_A_TIME)];
      for (const name of (await repository.run(args, { cwd: repository.top })).split('\0')) missing.delete(name);
    }
  }
  const [nowhere] = missing;
  if (nowhere !== undefined) throw new CompanionError('FILE_NOT_FOUND', nowhere);
};
