import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { listChanges, readPatch } from '#companion/git/change.ts';
import { restore } from '#companion/git/restore.ts';
import { MAX_FILE_BYTES, takeSnapshot } from '#companion/git/snapshot.ts';
import { type GitStage, gitTest as test, hasGit } from '#test/fixtures/git-repository.ts';
import { isWhole } from '#test/fixtures/whole.ts';

/** As many as a build may leave behind. */
const FILES = isWhole ? 10_000 : 100;

const text = (folder: string, name: string): string => readFileSync(path.join(folder, name), 'utf8');

describe.skipIf(!hasGit)('a snapshot', () => {
  test('holds what is changed, staged, new and deleted, and leaves index, branches, stash and HEAD as they are', async ({ stage }) => {
    const folder = stage.init();
    stage.write(folder, { 'staged.txt': 'staged\n' });
    stage.person(folder, 'add', 'staged.txt');
    stage.write(folder, { 'a.txt': 'changed\n', 'new.txt': 'new\n', 'ignored/x.txt': 'no\n' });
    rmSync(path.join(folder, 'src/b.txt'));
    const state = (): string[] => [
      stage.person(folder, 'status', '--porcelain', '-uall'),
      stage.person(folder, 'diff', '--cached', '--raw'),
      stage.person(folder, 'for-each-ref'),
      stage.person(folder, 'rev-parse', 'HEAD'),
    ];
    const before = state();

    const { tree } = await takeSnapshot(await stage.open(folder));

    expect(stage.person(folder, 'ls-tree', '-r', '--name-only', tree).split('\n')).toEqual([
      '.gitignore',
      'a.txt',
      'new.txt',
      'staged.txt',
      '',
    ]);
    expect(stage.person(folder, 'cat-file', '-p', `${tree}:a.txt`)).toBe('changed\n');
    expect(state()).toEqual(before);
  });

  test('notices a file that was changed in the very moment of the last commit', async ({ stage }) => {
    const folder = stage.init();
    const moment = new Date('2026-01-01T00:00:00Z');
    const file = path.join(folder, 'a.txt');
    // Of a file's times git shall look at this one only: the others cannot be set.
    stage.person(folder, 'config', 'core.checkStat', 'minimal');
    stage.person(folder, 'config', 'core.trustctime', 'false');
    utimesSync(file, moment, moment);
    stage.person(folder, 'update-index', '--refresh');
    stage.write(folder, { 'a.txt': 'ONE\ntwo\nthree\n' });
    for (const written of [file, path.join(folder, '.git', 'index')]) utimesSync(written, moment, moment);

    const { tree } = await takeSnapshot(await stage.open(folder));

    expect(stage.person(folder, 'cat-file', '-p', `${tree}:a.txt`)).toBe('ONE\ntwo\nthree\n');
  });

  test('names what is too large, and repositories in the folder, instead of taking them', async ({ stage }) => {
    const folder = stage.init();
    stage.write(folder, { 'big.bin': Buffer.alloc(MAX_FILE_BYTES + 1), 'src/b.txt': 'more\n' });
    stage.init('project/inner');

    const snapshot = await takeSnapshot(await stage.open(folder));

    expect(snapshot.leftOut).toEqual([{ path: 'big.bin', sizeBytes: MAX_FILE_BYTES + 1, isNew: true }]);
    expect(snapshot.repositories).toEqual(['inner/']);
    expect(stage.person(folder, 'cat-file', '-p', `${snapshot.tree}:src/b.txt`)).toBe('more\n');
  });

  test('is taken without a commit, in the middle of a merge, and of a folder below the top', async ({ stage }) => {
    const empty = stage.init('empty', { isEmpty: true });
    stage.write(empty, { 'x.txt': 'x\n' });
    const merging = stage.init('merging');
    stage.person(merging, 'switch', '-qc', 'other');
    stage.write(merging, { 'a.txt': 'theirs\n' });
    stage.person(merging, 'commit', '-qam', 'theirs');
    stage.person(merging, 'switch', '-q', 'main');
    stage.write(merging, { 'a.txt': 'ours\n' });
    stage.person(merging, 'commit', '-qam', 'ours');
    expect(() => stage.person(merging, 'merge', 'other')).toThrow();
    const below = stage.init('below');
    stage.write(below, { 'src/new.txt': 'new\n', 'outside.txt': 'outside\n' });

    const trees = await Promise.all(
      [empty, merging, path.join(below, 'src')].map(async (folder) => (await takeSnapshot(await stage.open(folder))).tree),
    );

    expect(stage.person(empty, 'ls-tree', '-r', '--name-only', trees[0] ?? '')).toBe('x.txt\n');
    expect(stage.person(merging, 'cat-file', '-p', `${trees[1]}:a.txt`)).toContain('<<<<<<<');
    const names = stage.person(below, 'ls-tree', '-r', '--name-only', trees[2] ?? '').split('\n');
    expect(names).toContain('src/new.txt');
    expect(names).not.toContain('outside.txt');
  });
});

describe.skipIf(!hasGit)('going back', () => {
  test('writes what was changed, removes what was new, brings back what was deleted, whatever the names', async ({ stage }) => {
    const folder = stage.init('pro ject\nné');
    const odd = 'sp ace/new\nline/\u4f60\u597d "q".txt';
    stage.write(folder, { [odd]: 'odd\n' });
    symlinkSync('a.txt', path.join(folder, 'link'));
    const repository = await stage.open(folder);
    const to = await takeSnapshot(repository);
    stage.write(folder, { 'a.txt': 'changed\n', 'deep/er/new.txt': 'new\n', 'ignored/kept.txt': 'kept\n' });
    rmSync(path.join(folder, odd));
    rmSync(path.join(folder, 'link'));
    const from = await takeSnapshot(repository);
    const index = stage.person(folder, 'ls-files', '--stage');

    const { files, skipped } = await restore(repository, { from: from.tree, to: to.tree });

    expect(new Set(files)).toEqual(new Set(['a.txt', 'deep/er/new.txt', odd, 'link']));
    expect(skipped).toEqual([]);
    expect(text(folder, 'a.txt')).toBe('one\ntwo\nthree\n');
    expect(text(folder, odd)).toBe('odd\n');
    expect(readlinkSync(path.join(folder, 'link'))).toBe('a.txt');
    expect(existsSync(path.join(folder, 'deep'))).toBe(false);
    expect(text(folder, 'ignored/kept.txt')).toBe('kept\n');
    expect(stage.person(folder, 'ls-files', '--stage')).toBe(index);
    expect((await takeSnapshot(repository)).tree).toBe(to.tree);
  });

  test('never follows a link that stands in the place of a folder, and keeps ignored files in the way', async ({ stage }) => {
    const folder = stage.init();
    const outside = path.join(stage.home, 'outside');
    mkdirSync(outside);
    stage.write(folder, { 'dir/x.txt': 'x\n', 'dir/y.txt': 'y\n', plain: 'a file\n' });
    const repository = await stage.open(folder);
    const to = await takeSnapshot(repository);
    rmSync(path.join(folder, 'dir'), { recursive: true });
    rmSync(path.join(folder, 'plain'));
    const from = await takeSnapshot(repository);
    stage.write(folder, { 'plain/kept': 'not in any snapshot\n' });
    symlinkSync(outside, path.join(folder, 'dir'));

    const { skipped } = await restore(repository, { from: from.tree, to: to.tree });

    expect(new Set(skipped)).toEqual(new Set(['dir/x.txt', 'dir/y.txt', 'plain']));
    expect(existsSync(path.join(outside, 'x.txt'))).toBe(false);
    expect(text(folder, 'plain/kept')).toBe('not in any snapshot\n');
  });

  test('brings back one file only when that is asked', async ({ stage }) => {
    const folder = stage.init();
    const repository = await stage.open(folder);
    const to = await takeSnapshot(repository);
    stage.write(folder, { 'a.txt': 'changed\n', 'src/b.txt': 'changed too\n' });
    const from = await takeSnapshot(repository);

    await restore(repository, { from: from.tree, to: to.tree, only: ['a.txt'] });

    expect([text(folder, 'a.txt'), text(folder, 'src/b.txt')]).toEqual(['one\ntwo\nthree\n', 'changed too\n']);
  });
});

describe.skipIf(!hasGit)('the change between two snapshots', () => {
  test('has each file with its counts; binary, huge and renamed ones are named as such', async ({ stage }) => {
    const folder = stage.init();
    stage.write(folder, { 'old-name.txt': Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join('') });
    const repository = await stage.open(folder);
    const from = await takeSnapshot(repository);
    stage.write(folder, {
      'a.txt': 'one\n2\nthree\nfour\n',
      'picture.png': Buffer.from([0, 1, 2, 3, 0]),
      'huge.txt': 'x'.repeat(3 * 1024 * 1024),
      'new name.txt': text(folder, 'old-name.txt'),
    });
    rmSync(path.join(folder, 'old-name.txt'));
    rmSync(path.join(folder, 'src/b.txt'));
    const to = await takeSnapshot(repository);

    const files = await listChanges(repository, from.tree, to.tree);

    expect(files).toEqual([
      { path: 'a.txt', status: 'modified', additions: 2, deletions: 1, isBinary: false, sizeBytes: 17 },
      { path: 'huge.txt', status: 'added', additions: 1, deletions: 0, isBinary: false, sizeBytes: 3 * 1024 * 1024, isHuge: true },
      expect.objectContaining({ path: 'new name.txt', oldPath: 'old-name.txt', status: 'renamed', additions: 0, deletions: 0 }),
      { path: 'picture.png', status: 'added', additions: 0, deletions: 0, isBinary: true, sizeBytes: 5 },
      { path: 'src/b.txt', status: 'deleted', additions: 0, deletions: 1, isBinary: false, sizeBytes: 0 },
    ]);
  });

  test('comes in pages that end at a line and together are the whole patch', async ({ stage }) => {
    const folder = stage.init();
    const repository = await stage.open(folder);
    const from = await takeSnapshot(repository);
    stage.write(folder, { 'a.txt': Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`).join('') });
    const to = await takeSnapshot(repository);
    const pages: string[] = [];

    for (let offset: number | null = 0; offset !== null;) {
      const page = await readPatch(repository, { from: from.tree, to: to.tree, names: ['a.txt'], offset });
      pages.push(page.patch);
      offset = page.nextOffset;
    }

    expect(pages.length).toBeGreaterThan(2);
    expect(pages.every((page) => page.endsWith('\n'))).toBe(true);
    expect(pages.join('')).toBe(stage.person(folder, 'diff', from.tree, to.tree, '--', 'a.txt'));
  });
});

/** Repositories that are not as `git init` leaves them, each made from one as usual; resolves with its folder. */
const KINDS: Readonly<Record<string, (stage: GitStage) => string>> = {
  'that shows a part of its files only': (stage) => {
    const folder = stage.init();
    stage.write(folder, { 'far/away.txt': 'far\n' });
    stage.person(folder, 'add', '.');
    stage.person(folder, 'commit', '-qm', 'far');
    stage.person(folder, 'sparse-checkout', 'set', 'src');
    return folder;
  },
  'that was cloned without its past': (stage) => {
    const folder = stage.init('whole');
    stage.write(folder, { 'a.txt': 'one\ntwo\nthree\nfour\n' });
    stage.person(folder, 'commit', '-qam', 'more');
    stage.person(stage.home, 'clone', '-q', '--depth=1', `file://${folder}`, 'shallow');
    return path.join(stage.home, 'shallow');
  },
  'with names of 256 bits': (stage) => {
    const folder = stage.init('long', { isEmpty: true });
    rmSync(path.join(folder, '.git'), { recursive: true });
    stage.person(folder, 'init', '-q', '--object-format=sha256', '.');
    stage.write(folder, { 'a.txt': 'one\n', 'src/b.txt': 'b\n' });
    stage.person(folder, 'add', '.');
    stage.person(folder, 'commit', '-qm', 'first');
    return folder;
  },
  'without a branch, in the midst of a rebase': (stage) => {
    const folder = stage.init();
    for (const [branch, words] of [
      ['other', 'theirs\n'],
      ['main', 'ours\n'],
    ] as const) {
      stage.person(folder, 'switch', '-q', ...(branch === 'main' ? ['main'] : ['-c', branch]));
      stage.write(folder, { 'a.txt': words });
      stage.person(folder, 'commit', '-qam', words);
    }
    expect(() => stage.person(folder, 'rebase', 'other')).toThrow();
    return folder;
  },
  'whose index is in two parts': (stage) => {
    const folder = stage.init();
    stage.person(folder, 'update-index', '--split-index');
    return folder;
  },
};

describe.skipIf(!hasGit)('a repository', () => {
  for (const [what, make] of Object.entries(KINDS)) {
    test(`${what} is kept and gone back to, and stays as it is for git`, async ({ stage }) => {
      const folder = make(stage);
      const repository = await stage.open(folder);
      const state = (): string[] => [
        stage.person(folder, 'status', '--porcelain=v2', '--branch'),
        stage.person(folder, 'ls-files', '--stage', '-t'),
        stage.person(folder, 'for-each-ref'),
      ];
      const before = state();
      const to = await takeSnapshot(repository);
      stage.write(folder, { 'src/b.txt': 'changed\n', 'src/new.txt': 'new\n' });
      const from = await takeSnapshot(repository);
      const patch = stage.person(folder, 'diff', '--name-only', to.tree, from.tree);

      const { files, skipped } = await restore(repository, { from: from.tree, to: to.tree });

      expect(patch).toBe('src/b.txt\nsrc/new.txt\n');
      expect([files.toSorted(), skipped]).toEqual([['src/b.txt', 'src/new.txt'], []]);
      expect(state()).toEqual(before);
      expect((await takeSnapshot(repository)).tree).toBe(to.tree);
    });
  }

  test(`with ${FILES} files that git does not know is kept and gone back to`, async ({ stage }) => {
    const folder = stage.init();
    const names = Array.from({ length: FILES }, (_, index) => `made/${index % 100}/file ${index}.txt`);
    stage.write(folder, Object.fromEntries(names.map((name) => [name, `${name}\n`])));
    const repository = await stage.open(folder);
    const to = await takeSnapshot(repository);
    rmSync(path.join(folder, 'made'), { recursive: true });
    const from = await takeSnapshot(repository);

    const { files, skipped } = await restore(repository, { from: from.tree, to: to.tree });

    expect([files.length, skipped]).toEqual([FILES, []]);
    expect(names.filter((name) => text(folder, name) !== `${name}\n`)).toEqual([]);
    expect((await takeSnapshot(repository)).tree).toBe(to.tree);
  });
});
