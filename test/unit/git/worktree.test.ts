import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { discardWorktree, keepWorktree, mergeWorktree } from '#companion/git/finish.ts';
import { Git, toGitError } from '#companion/git/git.ts';
import { clearLeftWorktree } from '#companion/git/left-worktree.ts';
import { Repository } from '#companion/git/repository.ts';
import { addWorktree, restoreWorktree } from '#companion/git/worktree.ts';
import type { Worktree } from '#protocol/work.ts';
import { gitEnv, gitTest as test, hasGit, refusalOf, type GitStage } from '#test/fixtures/git-repository.ts';

const text = (folder: string, name: string): string => readFileSync(path.join(folder, name), 'utf8');

const begin = async (stage: GitStage, folder: string, name = 'Fix the login!'): Promise<{ repository: Repository; worktree: Worktree }> => {
  const repository = await stage.open(folder);
  const worktree = await addWorktree(repository, { worktreesDir: path.join(stage.home, 'data', 'worktrees'), name, key: 'session_1' });
  return { repository, worktree };
};

describe.skipIf(!hasGit)('a worktree', () => {
  test('has a branch of its own beside our data, begins at the commit, and says what was not taken along', async ({ stage }) => {
    const folder = stage.init('pro ject\nné');
    stage.write(folder, { 'a.txt': 'not committed\n', 'new.txt': 'new\n' });

    const { worktree } = await begin(stage, folder);

    expect(worktree).toMatchObject({
      branch: 'pilotfish/fix-the-login',
      baseBranch: 'main',
      repository: folder,
      leftBehind: 2,
      state: 'open',
    });
    expect(worktree.path.startsWith(path.join(stage.home, 'data', 'worktrees', 'fix-the-login-'))).toBe(true);
    expect(worktree.folder).toBe(worktree.path);
    expect(text(worktree.path, 'a.txt')).toBe('one\ntwo\nthree\n');
    expect(stage.person(worktree.path, 'branch', '--show-current')).toBe('pilotfish/fix-the-login\n');
    expect(text(folder, 'a.txt')).toBe('not committed\n');
  });

  test('of a project that is a folder of a repository has the agent in that folder', async ({ stage }) => {
    const folder = stage.init();

    const { worktree } = await begin(stage, path.join(folder, 'src'));

    expect(worktree.folder).toBe(path.join(worktree.path, 'src'));
    expect(text(worktree.folder, 'b.txt')).toBe('b\n');
  });

  test('finds another name when one is taken, and when a branch is called as our folder of branches', async ({ stage }) => {
    const folder = stage.init();
    stage.person(folder, 'branch', 'pilotfish/你好-login');
    const other = stage.init('other');
    stage.person(other, 'branch', 'pilotfish');

    expect((await begin(stage, folder, '你好, login')).worktree.branch).toBe('pilotfish/你好-login-2');
    expect((await begin(stage, other, '…')).worktree.branch).toBe('pilotfish-session');
  });

  test('is refused by name where there can be none', async ({ stage }) => {
    const empty = stage.init('empty', { isEmpty: true });
    const bare = path.join(stage.home, 'bare.git');
    mkdirSync(bare);
    stage.person(bare, 'init', '--quiet', '--bare');
    const plain = path.join(stage.home, 'plain');
    mkdirSync(plain);
    const led = stage.init('led');
    stage.person(led, 'config', 'core.worktree', plain);

    expect(await refusalOf(begin(stage, empty))).toBe('GIT_NO_COMMIT');
    expect(await refusalOf(begin(stage, bare))).toBe('GIT_NO_REPOSITORY');
    expect(await refusalOf(begin(stage, plain))).toBe('GIT_NO_REPOSITORY');
    expect(await refusalOf(begin(stage, led))).toBe('GIT_NO_REPOSITORY');
  });

  test('knows its top and its index below folders whose names hold newlines', async ({ stage }) => {
    const top = stage.init('odd\ntrue\nname');
    const folder = path.join(top, 'deep\n../\ner');
    mkdirSync(folder, { recursive: true });

    const repository = await stage.open(folder);

    expect(repository).toMatchObject({ folder, top, index: path.join(top, '.git', 'index'), prefix: 'deep\n../\ner/' });
  });

  test('without a program called git, or with one that is too old, is refused by name', async ({ stage }) => {
    const folder = stage.init();
    // What lies in a project is never started, and here everything does.
    const none = new Git({ env: gitEnv(stage.home), projectRoots: () => ['/'] });
    const bin = path.join(stage.home, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'git'), '#!/bin/sh\necho git version 2.20.1\n', { mode: 0o755 });
    const old = new Git({ env: { ...gitEnv(stage.home), PATH: `${bin}:/bin` }, projectRoots: () => [] });

    expect(await refusalOf(Repository.open(none, folder))).toBe('GIT_NOT_FOUND');
    expect(await refusalOf(Repository.open(old, folder))).toBe('GIT_TOO_OLD');
  });

  test('of a repository with a submodule is made without it', async ({ stage }) => {
    const inner = stage.init('inner');
    const folder = stage.init();
    stage.person(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
    stage.person(folder, 'commit', '-qm', 'submodule');

    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'a.txt': 'work\n' });
    const finished = await mergeWorktree({ repository, worktree, message: 'work' });

    expect(finished.committedFiles).toBe(1);
    expect(text(folder, 'a.txt')).toBe('work\n');
    expect(text(path.join(folder, 'sub'), 'a.txt')).toBe('one\ntwo\nthree\n');
  });

  test('is made after another one of its repository, for git fails beside itself', async ({ stage }) => {
    const repository = await stage.open(stage.init());
    const [beingMade, most]: [Set<object>, number[]] = [new Set(), []];
    const seen = new Proxy(repository, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          const isOne = String(args[0]).startsWith('worktree,add');
          if (isOne) most.push(beingMade.add(args).size);
          return Reflect.apply(value, target, args).finally(() => beingMade.delete(args));
        };
      },
    });

    const worktreesDir = path.join(stage.home, 'data', 'worktrees');
    await Promise.all(['one', 'two', 'three'].map((key) => addWorktree(seen, { worktreesDir, name: key, key })));

    expect(most).toEqual([1, 1, 1]);
  });

  test('that was removed by hand is made again from its branch, unless that is checked out elsewhere', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'done.txt': 'done\n' });
    stage.person(worktree.path, 'add', '.');
    stage.person(worktree.path, 'commit', '-qm', 'done');
    rmSync(worktree.path, { recursive: true });

    await restoreWorktree(repository, worktree);
    expect(text(worktree.path, 'done.txt')).toBe('done\n');

    rmSync(worktree.path, { recursive: true });
    stage.person(folder, 'worktree', 'prune');
    stage.person(folder, 'switch', '-q', worktree.branch);
    expect(await refusalOf(restoreWorktree(repository, worktree))).toBe('BRANCH_ELSEWHERE');
    expect(text(folder, 'done.txt')).toBe('done\n');
  });
});

describe.skipIf(!hasGit)('the end of a worktree', () => {
  test('merges by moving the branch and its folder forward; what was not committed is in a commit of the person', async ({ stage }) => {
    const folder = stage.init();
    stage.person(folder, 'config', 'user.name', 'Ada');
    stage.person(folder, 'config', 'user.email', 'ada@example.com');
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'a.txt': 'by the agent\n', 'new.txt': 'new\n' });
    stage.write(folder, { 'mine.txt': 'not committed, and not in the way\n' });

    const finished = await mergeWorktree({ repository, worktree, message: 'Fix the login' });

    expect(finished).toMatchObject({ worktree: { state: 'merged' }, committedFiles: 2, savedAs: null });
    expect(text(folder, 'a.txt')).toBe('by the agent\n');
    expect(text(folder, 'mine.txt')).toContain('not committed');
    expect(stage.person(folder, 'log', '-1', '--format=%an %s')).toBe('Ada Fix the login\n');
    expect(existsSync(worktree.path)).toBe(false);
    expect(stage.person(folder, 'branch', '--format=%(refname:short)')).toBe('main\n');
    expect(stage.person(folder, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  test('merges with a commit of two parents when the branch has moved on', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'new.txt': 'new\n' });
    stage.write(folder, { 'a.txt': 'by the person\n' });
    stage.person(folder, 'commit', '-qam', 'meanwhile');

    await mergeWorktree({ repository, worktree, message: 'work' });

    expect(stage.person(folder, 'log', '-1', '--format=%p').trim().split(' ')).toHaveLength(2);
    expect([text(folder, 'a.txt'), text(folder, 'new.txt')]).toEqual(['by the person\n', 'new\n']);
    expect(stage.person(folder, 'status', '--porcelain')).toBe('');
  });

  test('merges into a branch that is not checked out', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'new.txt': 'new\n' });
    stage.person(folder, 'switch', '-qc', 'elsewhere');

    await mergeWorktree({ repository, worktree, message: 'work' });

    expect(stage.person(folder, 'cat-file', '-p', 'main:new.txt')).toBe('new\n');
    expect(existsSync(path.join(folder, 'new.txt'))).toBe(false);
  });

  test('with a conflict, or with changes in the way, says which files, and leaves both sides as they are', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'a.txt': 'by the agent\n' });
    stage.write(folder, { 'a.txt': 'not committed\n' });
    const ending = { repository, worktree, message: 'work' };

    await expect(mergeWorktree(ending)).rejects.toMatchObject({ code: 'MERGE_BLOCKED', message: expect.stringContaining('a.txt') });
    expect(text(folder, 'a.txt')).toBe('not committed\n');

    stage.person(folder, 'commit', '-qam', 'meanwhile');
    const head = stage.person(folder, 'rev-parse', 'main');
    await expect(mergeWorktree(ending)).rejects.toMatchObject({ code: 'MERGE_CONFLICT', message: expect.stringContaining('a.txt') });
    expect(stage.person(folder, 'rev-parse', 'main')).toBe(head);
    expect(stage.person(folder, 'status', '--porcelain')).toBe('');
    expect(text(worktree.path, 'a.txt')).toBe('by the agent\n');
    expect(stage.person(worktree.path, 'status', '--porcelain')).toBe('');
  });

  test('in the midst of a rebase, or with conflicts, is refused: the marks of git would come into the branch', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'a.txt': 'by the agent\n' });
    stage.person(worktree.path, 'commit', '-qam', 'agent');
    stage.write(folder, { 'a.txt': 'by the person\n' });
    stage.person(folder, 'commit', '-qam', 'person');
    expect(() => stage.person(worktree.path, 'rebase', 'main')).toThrow();
    const before = stage.person(folder, 'rev-parse', 'main');
    const merge = () => mergeWorktree({ repository, worktree, message: 'work' }).catch((error: unknown) => error);

    const inConflict = await merge();
    stage.write(worktree.path, { 'a.txt': 'by both\n' });
    stage.person(worktree.path, 'add', 'a.txt');
    const resolved = await merge();

    expect(inConflict).toMatchObject({ code: 'MERGE_BLOCKED', message: expect.stringContaining('conflicts that are not resolved: a.txt') });
    expect(resolved).toMatchObject({ code: 'MERGE_BLOCKED', message: expect.stringContaining('is in the midst of a rebase') });
    expect(stage.person(folder, 'rev-parse', 'main')).toBe(before);
    stage.person(worktree.path, '-c', 'core.editor=true', 'rebase', '--continue');
    expect(await mergeWorktree({ repository, worktree, message: 'work' })).toMatchObject({ worktree: { state: 'merged' } });
    expect(text(folder, 'a.txt')).toBe('by both\n');
  });

  test.skipIf(process.platform !== 'linux')('takes files along whose names are no text', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    const inFolder = (place: string): Buffer => Buffer.concat([Buffer.from(`${place}/f`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(inFolder(worktree.path), 'of the agent');

    await mergeWorktree({ repository, worktree, message: 'work' });

    expect(readFileSync(inFolder(folder), 'utf8')).toBe('of the agent');
  });

  test('never writes over a file of the person that git ignores', async ({ stage }) => {
    const folder = stage.init();
    stage.write(folder, { '.gitignore': 'ignored/\n.env\n' });
    stage.person(folder, 'add', '.');
    stage.person(folder, 'commit', '-qm', 'ignore');
    const { repository, worktree } = await begin(stage, folder);
    stage.write(folder, { '.env': 'mine\n' });
    stage.write(worktree.path, { '.env': 'by the agent\n' });
    stage.person(worktree.path, 'add', '-f', '.env');

    await expect(mergeWorktree({ repository, worktree, message: 'work' })).rejects.toMatchObject({
      code: 'MERGE_BLOCKED',
      message: expect.stringContaining('.env'),
    });

    expect([text(folder, '.env'), text(worktree.path, '.env')]).toEqual(['mine\n', 'by the agent\n']);
  });

  test(
    'merges where the data of git lie in another place than the folder, as those of a submodule do',
    { tags: 'whole' },
    async ({ stage }) => {
      const inner = stage.init('inner');
      const outer = stage.init('outer');
      stage.person(outer, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', '-b', 'main', inner, 'sub');
      const apart = stage.init('apart');
      stage.person(apart, 'init', '--quiet', '--separate-git-dir', path.join(stage.home, 'data of git'));
      for (const folder of [path.join(outer, 'sub'), apart]) {
        const { repository, worktree } = await begin(stage, folder);
        stage.write(worktree.path, { 'new.txt': 'new\n' });

        await mergeWorktree({ repository, worktree, message: 'work' });

        expect(text(folder, 'new.txt')).toBe('new\n');
        expect(stage.person(folder, 'status', '--porcelain')).toBe('');
      }
      const left = await begin(stage, path.join(outer, 'sub'));
      expect(await clearLeftWorktree(stage.git, left.worktree.path)).toBeNull();
      expect(existsSync(left.worktree.path)).toBe(false);
    },
  );

  test('merges several at once, one after the other', async ({ stage }) => {
    const folder = stage.init();
    const begun = [];
    for (const name of ['one', 'two', 'three']) begun.push(await begin(stage, folder, name));
    for (const { worktree } of begun) stage.write(worktree.path, { [`${worktree.branch.replace('pilotfish/', '')}.txt`]: 'x\n' });

    const merged = await Promise.all(begun.map((one) => mergeWorktree({ ...one, message: 'work' })));

    expect(merged.map(({ worktree }) => worktree.state)).toEqual(['merged', 'merged', 'merged']);
    expect(readdirSync(folder).filter((name) => name.endsWith('.txt'))).toEqual(['a.txt', 'one.txt', 'three.txt', 'two.txt']);
    expect(stage.person(folder, 'status', '--porcelain')).toBe('');
  });

  test('keeps what git was told to overlook', async ({ stage }) => {
    const folder = stage.init();
    stage.write(folder, { 'b.txt': 'b\n' });
    stage.person(folder, 'add', '.');
    stage.person(folder, 'commit', '-qm', 'more');
    const { repository, worktree } = await begin(stage, folder);
    stage.person(worktree.path, 'update-index', '--assume-unchanged', 'a.txt');
    stage.person(worktree.path, 'update-index', '--skip-worktree', 'b.txt');
    stage.write(worktree.path, { 'a.txt': 'changed\n', 'b.txt': 'changed too\n' });

    const { savedAs } = await discardWorktree({ repository, worktree, message: 'work' });

    expect(['a.txt', 'b.txt'].map((name) => stage.person(folder, 'cat-file', '-p', `${savedAs ?? 'nothing'}:${name}`))).toEqual([
      'changed\n',
      'changed too\n',
    ]);
  });

  test('keeps the branch with everything on it, also one that the agent began itself, or none at all', async ({ stage }) => {
    const folder = stage.init();
    const first = await begin(stage, folder, 'first');
    stage.person(first.worktree.path, 'switch', '-qc', 'feature');
    stage.write(first.worktree.path, { 'x.txt': 'x\n' });
    const second = await addWorktree(first.repository, {
      worktreesDir: path.join(stage.home, 'data', 'worktrees'),
      name: 'second',
      key: '2',
    });
    stage.person(second.path, 'switch', '-q', '--detach');
    stage.write(second.path, { 'y.txt': 'y\n' });

    const kept = await keepWorktree({ ...first, message: 'first' });
    const detached = await keepWorktree({ repository: first.repository, worktree: second, message: 'second' });

    expect(kept.worktree).toMatchObject({ state: 'kept', branch: 'feature' });
    expect(stage.person(folder, 'cat-file', '-p', 'feature:x.txt')).toBe('x\n');
    expect(detached.worktree.branch).toBe('pilotfish/second');
    expect(stage.person(folder, 'cat-file', '-p', 'pilotfish/second:y.txt')).toBe('y\n');
    expect(existsSync(first.worktree.path) || existsSync(second.path)).toBe(false);
  });

  test('discards: no branch is left, and a hidden ref holds all that was there, however large', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'big.bin': Buffer.alloc(17 * 1024 * 1024, 1), 'ignored/x': 'not kept' });

    const { savedAs, worktree: after } = await discardWorktree({ repository, worktree, message: 'work' });

    expect(after.state).toBe('discarded');
    expect(stage.person(folder, 'ls-tree', '--name-only', savedAs ?? '').split('\n')).toContain('big.bin');
    expect(stage.person(folder, 'branch', '--format=%(refname:short)')).toBe('main\n');
    expect(existsSync(worktree.path)).toBe(false);
  });

  test('of work in which there is a further repository is refused, since that would be lost', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    const inner = path.join(worktree.path, 'inner');
    mkdirSync(inner);
    stage.person(inner, 'init', '--quiet');
    stage.write(inner, { 'x.txt': 'x\n' });

    expect(await refusalOf(discardWorktree({ repository, worktree, message: 'work' }))).toBe('MERGE_BLOCKED');
    expect(text(inner, 'x.txt')).toBe('x\n');
  });

  test('of one that its person has locked is refused, also while its folder is away, and goes on once it is unlocked', async ({
    stage,
  }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'x.txt': 'x\n' });
    stage.person(folder, 'worktree', 'lock', '--reason', 'on a drive', worktree.path);
    const ending = { repository, worktree, message: 'work' };
    const away = `${worktree.path}.away`;

    await expect(discardWorktree(ending)).rejects.toMatchObject({ code: 'MERGE_BLOCKED', message: expect.stringContaining('on a drive') });
    expect([await refusalOf(keepWorktree(ending)), await refusalOf(mergeWorktree(ending))]).toEqual(['MERGE_BLOCKED', 'MERGE_BLOCKED']);
    renameSync(worktree.path, away);
    expect(await refusalOf(discardWorktree(ending))).toBe('MERGE_BLOCKED');
    renameSync(away, worktree.path);
    expect(stage.person(worktree.path, 'status', '--porcelain')).toBe('?? x.txt\n');

    stage.person(folder, 'worktree', 'unlock', worktree.path);
    expect((await discardWorktree(ending)).savedAs).not.toBeNull();
  });

  test(
    'of work in which a submodule holds what is nowhere else is refused, and goes on once that is safe',
    { tags: 'whole' },
    async ({ stage }) => {
      const inner = stage.init('inner');
      const folder = stage.init();
      stage.person(folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
      stage.person(folder, 'commit', '-qm', 'submodule');
      const { repository, worktree } = await begin(stage, folder);
      const sub = path.join(worktree.path, 'sub');
      const ending = { repository, worktree, message: 'work' };
      const refused = { code: 'MERGE_BLOCKED', message: expect.stringContaining(`${sub} `) };

      // As long as it is not checked out it is a folder of which git sees nothing.
      stage.write(sub, { 'x.txt': 'x\n' });
      for (const end of [mergeWorktree, keepWorktree, discardWorktree]) await expect(end(ending)).rejects.toMatchObject(refused);
      expect(text(sub, 'x.txt')).toBe('x\n');
      rmSync(path.join(sub, 'x.txt'));
      stage.person(worktree.path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');

      stage.write(sub, { 'a.txt': 'not committed\n' });
      for (const end of [mergeWorktree, keepWorktree, discardWorktree]) await expect(end(ending)).rejects.toMatchObject(refused);
      expect(await clearLeftWorktree(stage.git, worktree.path)).toMatchObject({ code: 'submodule_work' });
      stage.person(sub, 'commit', '-qam', 'only here');
      await expect(discardWorktree(ending)).rejects.toMatchObject(refused);
      expect(text(sub, 'a.txt')).toBe('not committed\n');
      stage.person(sub, 'push', '-q', 'origin', 'HEAD:refs/heads/saved');

      expect((await keepWorktree(ending)).worktree.state).toBe('kept');
    },
  );

  test('of a folder that belongs to no repository any more, or to another, is refused, since what lies in it would be lost', async ({
    stage,
  }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    const ending = { repository, worktree, message: 'work' };
    stage.write(worktree.path, { 'x.txt': 'x\n' });
    const refusals = (): Promise<string[]> =>
      Promise.all([mergeWorktree, keepWorktree, discardWorktree].map((end) => refusalOf(end(ending))));

    rmSync(path.join(worktree.path, '.git'));
    const withoutGit = await refusals();
    stage.person(worktree.path, 'clone', '--quiet', '--no-checkout', folder, 'other');
    renameSync(path.join(worktree.path, 'other', '.git'), path.join(worktree.path, '.git'));
    const withAnother = await refusals();

    expect([...withoutGit, ...withAnother]).toEqual(Array(6).fill('MERGE_BLOCKED'));
    expect(text(worktree.path, 'x.txt')).toBe('x\n');
    rmSync(worktree.path, { recursive: true });
    expect(await refusalOf(keepWorktree(ending))).toBe('none');
  });

  test('of a folder that was removed by hand still has its branch', async ({ stage }) => {
    const folder = stage.init();
    const { repository, worktree } = await begin(stage, folder);
    stage.write(worktree.path, { 'x.txt': 'x\n' });
    stage.person(worktree.path, 'add', '.');
    stage.person(worktree.path, 'commit', '-qm', 'x');
    rmSync(worktree.path, { recursive: true });

    await mergeWorktree({ repository, worktree, message: 'work' });

    expect(text(folder, 'x.txt')).toBe('x\n');
    expect(stage.person(folder, 'branch', '--list', worktree.branch)).toBe('');
  });
});

test('what git says becomes an error with the remedy that belongs to it', () => {
  const remedyOf = (stderr: string): string => toGitError(['worktree', 'add'], stderr, null).remedy;

  expect(remedyOf("fatal: could not create directory of '.git/worktrees/x': Read-only file system")).toContain('read-only');
  expect(remedyOf("fatal: detected dubious ownership in repository at '/x'")).toContain('safe.directory');
  expect(remedyOf("fatal: Unable to create '/x/.git/index.lock': File exists.")).toContain('lock');
  expect(toGitError(['worktree'], 'fatal: odd', null).message).toContain('git worktree: odd');
  const ended = Object.assign(new Error('Command failed: git update-index'), { killed: true });
  expect(toGitError(['update-index'], '', ended).message).toContain('git update-index: it took longer than 30 s.');
});

/** Runs what it is given with the folder $1 on a disk that cannot be written; where the kernel lets nobody but root mount, there is no such disk. */
const READ_ONLY = ['-rm', 'sh', '-c', 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && shift && exec "$@"', 'sh'];

const canMount = (): boolean => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
  const { status } = spawnSync('/usr/bin/unshare', [...READ_ONLY, folder, 'true']);
  rmSync(folder, { recursive: true, force: true });
  return status === 0;
};

test.skipIf(!hasGit || !canMount())('on a disk that cannot be written, what would write there is refused with the reason', ({ stage }) => {
  const folder = stage.init();
  const script = path.join(import.meta.dirname, '..', '..', 'fixtures', 'on-read-only-disk.ts');

  const { stdout } = spawnSync('/usr/bin/unshare', [...READ_ONLY, folder, process.execPath, script, folder], {
    encoding: 'utf8',
    env: gitEnv(stage.home),
  });

  const remedy = expect.stringContaining('read-only');
  expect(JSON.parse(stdout)).toMatchObject({
    read: null,
    validate: { code: 'WORKSPACE_NOT_FOUND', remedy },
    make: { code: 'WORKSPACE_NOT_FOUND', remedy },
    worktree: { code: 'GIT_FAILED', remedy },
  });
});

describe.skipIf(!hasGit)('a worktree that no session has', () => {
  const branches = (stage: GitStage, folder: string): string => stage.person(folder, 'branch', '--format=%(refname:short)');

  test('is removed where nothing was done in it, with its branch; one that has commits of its own keeps the branch', async ({ stage }) => {
    const folder = stage.init();
    const { worktree: idle } = await begin(stage, folder, 'idle');
    const { worktree: done } = await begin(stage, folder, 'done');
    stage.write(done.path, { 'new.txt': 'new\n' });
    stage.person(done.path, 'add', '.');
    stage.person(done.path, 'commit', '-qm', 'work');

    const told = [await clearLeftWorktree(stage.git, idle.path), await clearLeftWorktree(stage.git, done.path)];

    expect(told).toEqual([null, null]);
    expect([existsSync(idle.path), existsSync(done.path)]).toEqual([false, false]);
    expect(branches(stage, folder)).toBe('main\npilotfish/done\n');
    expect(stage.person(folder, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  });

  const HOLDING: Readonly<Record<string, readonly [why: RegExp, work: (stage: GitStage, place: string) => void]>> = {
    'a changed file': [/not committed/, (stage, place) => stage.write(place, { 'a.txt': 'changed\n' })],
    'a new file': [/not committed/, (stage, place) => stage.write(place, { 'new.txt': 'new\n' })],
    'a file that was removed': [/not committed/, (_, place) => rmSync(path.join(place, 'a.txt'))],
    'a change that is staged only': [
      /not committed/,
      (stage, place) => {
        stage.write(place, { 'a.txt': 'staged\n' });
        stage.person(place, 'add', '.');
        stage.write(place, { 'a.txt': 'one\ntwo\nthree\n' });
      },
    ],
    'a commit on no branch': [
      /on no branch/,
      (stage, place) => {
        stage.person(place, 'checkout', '-q', '--detach');
        stage.person(place, 'commit', '--allow-empty', '-qm', 'lonely');
      },
    ],
    'a repository of its own': [
      /repository of its own/,
      (stage, place) => {
        mkdirSync(path.join(place, 'inner'));
        stage.person(path.join(place, 'inner'), 'init', '-q');
        stage.write(path.join(place, 'inner'), { 'x.txt': 'x\n' });
        stage.person(path.join(place, 'inner'), 'add', '.');
        stage.person(path.join(place, 'inner'), 'commit', '-qm', 'inner');
      },
    ],
    'a lock of the person': [/locked/, (stage, place) => void stage.person(place, 'worktree', 'lock', '--reason', 'mine', place)],
    'files, and git has forgotten it': [/without a repository/, (_, place) => rmSync(path.join(place, '.git'))],
  };
  test('stays as it is where it holds anything that is nowhere else, and that is told', async ({ stage }) => {
    const folder = stage.init();
    for (const [what, [why, work]] of Object.entries(HOLDING)) {
      const { worktree } = await begin(stage, folder, what);
      work(stage, worktree.path);
      const before = readdirSync(worktree.path);

      expect((await clearLeftWorktree(stage.git, worktree.path))?.text, what).toMatch(why);

      expect(readdirSync(worktree.path)).toEqual(before);
      expect(branches(stage, folder)).toContain(worktree.branch);
    }
  });

  test('that was not made to the end is removed, unless there is something in it that nobody has', async ({ stage }) => {
    const folder = stage.init();
    const halve = (place: string): void => {
      const own = stage.person(place, 'rev-parse', '--git-dir').trim();
      rmSync(path.join(own, 'index'));
      rmSync(path.join(place, 'a.txt'));
      writeFileSync(path.join(own, 'locked'), 'initializing');
    };
    const { worktree: half } = await begin(stage, folder, 'half');
    halve(half.path);
    const { worktree: used } = await begin(stage, folder, 'used');
    halve(used.path);
    stage.write(used.path, { 'new.txt': 'new\n' });
    const empty = path.join(path.dirname(half.path), 'empty');
    mkdirSync(empty);

    const told = [];
    for (const place of [half.path, used.path, empty]) told.push((await clearLeftWorktree(stage.git, place))?.code);

    expect(told).toEqual([undefined, 'uncommitted', undefined]);
    expect([half.path, used.path, empty].map((place) => existsSync(place))).toEqual([false, true, false]);
    expect(branches(stage, folder)).toBe('main\npilotfish/used\n');
  });

  test('whose repository is gone stays as it is', async ({ stage }) => {
    const folder = stage.init();
    const { worktree } = await begin(stage, folder);
    rmSync(folder, { recursive: true });

    expect(await refusalOf(clearLeftWorktree(stage.git, worktree.path))).not.toBe('none');

    expect(existsSync(path.join(worktree.path, 'a.txt'))).toBe(true);
  });
});
