/** One part of a file's change taken back: the file as it would be then, as a tree, from which it is restored like any other. */
import { CompanionError } from '#protocol/errors.ts';
import type { HunkPlace } from '#protocol/work.ts';
import { explain } from '#protocol/faults.ts';
import { patchOf, type Change } from './change.ts';
import type { Repository } from './repository.ts';
import { withIndex } from './snapshot.ts';

/** The name under which the file is patched: git writes strange ones in a way of its own. */
const NAME = 'file';

/** `paths` is the one file, as it is called in the tree `to`. Throws INPUT_INVALID when it has changed since the patch was shown, or has no such part. */
export const treeWithoutHunk = async (
  repository: Repository,
  { paths, hunk: { now, index }, ...change }: Change & { readonly paths: readonly string[]; readonly hunk: HunkPlace },
): Promise<string> => {
  const [name, ...others] = paths;
  if (name === undefined || others.length > 0)
    throw new CompanionError('INPUT_INVALID', 'hunk: it is of one file, so only that one is named.');
  const patch = await patchOf(repository, change);
  if (patch !== (await patchOf(repository, { ...change, to: now }))) {
    throw new CompanionError('INPUT_INVALID', explain('changed_since_shown', { file: name }), { remedy: explain('look_again') });
  }
  const [header = '', ...hunks] = patch.split(/^(?=@@ )/m);
  const hunk = hunks[index];
  const [mode, blob] = await entryOf(repository, change.to, name);
  // What is new as a whole, or not text, is taken back as a whole.
  if (hunk === undefined || blob === undefined || header.includes('\n--- /dev/null\n')) {
    throw new CompanionError('INPUT_INVALID', `hunk: the change of ${name} has no such part.`);
  }
  const { top: cwd } = repository;
  const patched = await withIndex(async (file) => {
    const env = { GIT_INDEX_FILE: file };
    await repository.run(['update-index', '--add', '--cacheinfo', `${mode},${blob},${NAME}`], { env, cwd });
    const args = ['apply', '--cached', '--reverse', '--unidiff-zero', '--whitespace=nowarn', '--no-ignore-whitespace', '-'];
    await repository.run(args, { env, cwd, input: `--- a/${NAME}\n+++ b/${NAME}\n${hunk}` });
    return (await repository.run(['write-tree'], { env, cwd })).trim();
  });
  const [, after] = await entryOf(repository, patched, NAME);
  return withIndex(async (file) => {
    const env = { GIT_INDEX_FILE: file };
    await repository.run(['read-tree', change.to], { env, cwd });
    await repository.run(['update-index', '-z', '--index-info'], { env, cwd, input: `${mode} ${after}\t${name}\0` });
    return (await repository.run(['write-tree'], { env, cwd })).trim();
  });
};

/** Mode and blob of a file in a tree; nothing when it is not there. */
const entryOf = async (repository: Repository, tree: string, name: string): Promise<string[]> => {
  const listed = await repository.run(['ls-tree', '-z', '--full-tree', tree, '--', name], { cwd: repository.top });
  const [mode, type, blob] = listed.split('\t')[0]?.split(' ') ?? [];
  return mode === undefined || type !== 'blob' || blob === undefined ? [] : [mode, blob];
};
