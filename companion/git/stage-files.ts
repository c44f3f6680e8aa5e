/** Puts files into the index of a repository for its owner, who asked for it; nothing else in Pilotfish writes there. */
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { checkAreKnown } from './known-files.ts';
import type { Repository } from './repository.ts';
import { updateIndex } from './update-index.ts';

/** `paths` are below the top; a file that is only in `base`, the tree with which the session began, is as it should be already. */
export const stageFiles = async (
  repository: Repository,
  { paths, isStaged, base }: { readonly paths: readonly string[]; readonly isStaged: boolean; readonly base: string | null },
): Promise<void> => {
  if (repository.hasOwnFilters) {
    throw new CompanionError('MERGE_BLOCKED', explain('own_filters', { folder: repository.top }), {
      remedy: explain('stage_yourself'),
    });
  }
  await checkAreKnown(repository, paths, base);
  if (isStaged) return updateIndex(repository, paths, { cwd: repository.top, env: { GIT_OPTIONAL_LOCKS: '1' } });
  const hasCommit = (await repository.commitOf('HEAD')) !== null;
  const args = hasCommit ? ['reset', '--quiet'] : ['rm', '--cached', '--quiet'];
  await repository.ask([...args, '--', ...paths], { cwd: repository.top, codes: [1] });
};
