/** What differs between two snapshots: the files with their counts, and one file's patch in pages. */
import type { ChangedFile } from '#protocol/work.ts';
import type { Repository } from './repository.ts';

/** A larger file is named; its patch would help nobody. */
const MAX_PATCHED_BYTES = 2 * 1024 * 1024;
const PAGE_CHARS = 64 * 1024;
const MAX_PATCH_BYTES = 32 * 1024 * 1024;

/** Nothing that the repository names is run to show a difference. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--no-color', '--find-renames', '--ignore-submodules=none'];

/** Files by their paths below the top, in the order of their names. */
export const listChanges = async (repository: Repository, from: string, to: string): Promise<ChangedFile[]> => {
  const where = repository.prefix === '' ? [] : ['--', repository.prefix];
  const listed = await repository.run(['diff-tree', '-r', '-z', '--raw', '--numstat', ...PLAIN, from, to, ...where], {
    cwd: repository.top,
  });
  const files = parseChanges(listed);
  const sizes = await sizesOf(
    repository,
    files.flatMap(({ blobs }) => blobs),
  );
  return files.map(({ blobs, ...file }) => {
    const sizeBytes = sizes.get(blobs[1]) ?? 0;
    const isHuge = Math.max(sizeBytes, sizes.get(blobs[0]) ?? 0) > MAX_PATCHED_BYTES;
    return { ...file, sizeBytes, ...(isHuge ? { isHuge } : {}) };
  });
};

export interface PatchPage {
  readonly patch: string;
  /** Where the next page begins; null after the last one. */
  readonly nextOffset: number | null;
  readonly totalChars: number;
}

/** What has become of one file between two trees; one that was renamed has two names. */
export interface Change {
  readonly from: string;
  readonly to: string;
  readonly names: readonly string[];
}

/** One file's patch. */
export const patchOf = (repository: Repository, { from, to, names }: Change): Promise<string> =>
  repository.run(['diff', ...PLAIN, from, to, '--', ...names], { cwd: repository.top, maxBytes: MAX_PATCH_BYTES });

/** A page of it, cut at the end of a line. */
export const readPatch = async (
  repository: Repository,
  { offset, ...change }: Change & { readonly offset: number },
): Promise<PatchPage> => {
  const patch = await patchOf(repository, change);
  const end = offset + PAGE_CHARS;
  if (end >= patch.length) return { patch: patch.slice(offset), nextOffset: null, totalChars: patch.length };
  const lineEnd = patch.lastIndexOf('\n', end - 1) + 1;
  const cut = lineEnd > offset ? lineEnd : end;
  return { patch: patch.slice(offset, cut), nextOffset: cut, totalChars: patch.length };
};

type Parsed = Omit<ChangedFile, 'sizeBytes' | 'isHuge'> & { readonly blobs: readonly [before: string, after: string] };

const STATUSES: ReadonlyMap<string, ChangedFile['status']> = new Map([
  ['A', 'added'],
  ['D', 'deleted'],
  ['M', 'modified'],
  ['R', 'renamed'],
  ['T', 'type-changed'],
]);

/** Reads `--raw --numstat -z`: first all files with status and blobs, then all of them with their counts. */
const parseChanges = (listed: string): Parsed[] => {
  const parts = listed.split('\0');
  const found = new Map<string, Parsed>();
  let index = 0;
  for (; parts[index]?.startsWith(':') === true; index += 1) {
    const [, , before = '', after = '', letter = ''] = (parts[index] ?? '').split(' ');
    const status = STATUSES.get(letter.charAt(0)) ?? 'modified';
    const first = parts[(index += 1)] ?? '';
    const path = status === 'renamed' ? (parts[(index += 1)] ?? '') : first;
    const oldPath = status === 'renamed' ? { oldPath: first } : {};
    found.set(path, { path, ...oldPath, status, additions: 0, deletions: 0, isBinary: false, blobs: [before, after] });
  }
  for (; index < parts.length && parts[index] !== ''; index += 1) {
    const [added = '', deleted = '', ...named] = (parts[index] ?? '').split('\t');
    // Its name may have tabs too.
    const name = named.join('\t');
    // A renamed file has its two names in parts of their own.
    const path = name === '' ? (parts[(index += 2)] ?? '') : name;
    const file = found.get(path);
    if (file === undefined) continue;
    found.set(path, { ...file, additions: Number(added) || 0, deletions: Number(deleted) || 0, isBinary: added === '-' });
  }
  return [...found.values()];
};

const sizesOf = async (repository: Repository, blobs: readonly string[]): Promise<ReadonlyMap<string, number>> => {
  const known = [...new Set(blobs)].filter((blob) => !/^0+$/.test(blob));
  if (known.length === 0) return new Map();
  const told = await repository.run(['cat-file', '--batch-check=%(objectname) %(objectsize)'], { input: `${known.join('\n')}\n` });
  return new Map(told.split('\n').map((line): [string, number] => [line.split(' ')[0] ?? '', Number(line.split(' ')[1]) || 0]));
};
