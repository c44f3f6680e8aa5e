import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { discardWorktree, mergeWorktree } from '#companion/git/finish.ts';
import { listChanges, readPatch } from '#companion/git/change.ts';
import { restore } from '#companion/git/restore.ts';
import { takeSnapshot } from '#companion/git/snapshot.ts';
import { addWorktree } from '#companion/git/worktree.ts';
import { gitTest as test, hasGit, refusalOf, type GitStage } from '#test/fixtures/git-repository.ts';

/** A repository that names a program for everything that git would start, each of which leaves a file. */
const hostile = (stage: GitStage): { folder: string; watch: () => () => string[] } => {
  const folder = stage.init();
  const marks = path.join(stage.home, 'marks');
  const program = (name: string): string => {
    const file = path.join(stage.home, `evil-${name}`);
    writeFileSync(file, `#!/bin/sh\ntouch "${marks}/${name}" 2>/dev/null\ncat\n`);
    chmodSync(file, 0o755);
    return file;
  };
  stage.write(folder, { '.gitattributes': '* filter=evil diff=evil merge=evil\n' });
  stage.person(folder, 'add', '.');
  stage.person(folder, 'commit', '--quiet', '-m', 'attributes');
  const hooks = path.join(folder, '.git', 'hooks');
  for (const hook of [
    'post-checkout',
    'post-merge',
    'pre-commit',
    'post-commit',
    'reference-transaction',
    'post-index-change',
    'pre-merge-commit',
  ]) {
    writeFileSync(path.join(hooks, hook), `#!/bin/sh\ntouch "${marks}/hook-${hook}" 2>/dev/null\n`);
    chmodSync(path.join(hooks, hook), 0o755);
  }
  const settings: Record<string, string> = {
    'core.fsmonitor': program('fsmonitor'),
    'core.pager': program('pager'),
    'core.editor': program('editor'),
    'core.sshCommand': program('ssh'),
    'diff.external': program('diff-external'),
    'diff.evil.command': program('diff-command'),
    'diff.evil.textconv': program('textconv'),
    'filter.evil.clean': program('clean'),
    'filter.evil.smudge': program('smudge'),
    'filter.evil.process': program('process'),
    'filter.evil.required': 'true',
    'merge.evil.driver': program('merge'),
    'commit.gpgSign': 'true',
    'gpg.program': program('gpg'),
    'credential.helper': program('credential'),
  };
  for (const [key, value] of Object.entries(settings)) stage.person(folder, 'config', key, value);
  return {
    folder,
    // What the person's own git starts before this leaves no trace.
    watch: () => {
      mkdirSync(marks);
      return () => readdirSync(marks);
    },
  };
};

describe.skipIf(!hasGit)('a repository that names programs', () => {
  test('has none of them started by a worktree, a snapshot, a difference, going back and an end', async ({ stage }) => {
    const { folder, watch } = hostile(stage);
    const traces = watch();
    const repository = await stage.open(folder);
    stage.write(folder, { 'a.txt': 'changed by the person\n', 'new.txt': 'new\n' });

    const from = await takeSnapshot(repository);
    stage.write(folder, { 'a.txt': 'changed again\n' });
    const to = await takeSnapshot(repository);
    await listChanges(repository, from.tree, to.tree);
    const page = await readPatch(repository, { from: from.tree, to: to.tree, names: ['a.txt'], offset: 0 });
    await restore(repository, { from: to.tree, to: from.tree });
    const worktree = await addWorktree(repository, { worktreesDir: path.join(stage.home, 'worktrees'), name: 'x', key: '1' });
    stage.write(worktree.path, { 'a.txt': 'by the agent\n' });

    expect(await refusalOf(mergeWorktree({ repository, worktree, message: 'work' }))).toBe('MERGE_BLOCKED');
    expect(await refusalOf(discardWorktree({ repository, worktree, message: 'work' }))).toBe('MERGE_BLOCKED');
    expect(existsSync(worktree.path)).toBe(true);
    expect(page.patch).toContain('+changed again');
    expect(repository.hasOwnFilters).toBe(true);
    expect(traces()).toEqual([]);
  });

  test('has its drivers of merging left out: what git would have given them is a conflict', async ({ stage }) => {
    const { folder, watch } = hostile(stage);
    for (const key of ['clean', 'smudge', 'process', 'required']) stage.person(folder, 'config', '--unset', `filter.evil.${key}`);
    const repository = await stage.open(folder);
    const worktree = await addWorktree(repository, { worktreesDir: path.join(stage.home, 'worktrees'), name: 'x', key: '1' });
    stage.write(worktree.path, { 'a.txt': 'one by the agent\ntwo\nthree\n' });
    const ending = { repository, worktree, message: 'work' };
    // The person's own commit goes past the hooks, which are the repository's.
    stage.write(folder, { 'a.txt': 'one\ntwo\nthree by the person\n' });
    stage.person(folder, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'commit', '--no-gpg-sign', '-qam', 'more');
    const traces = watch();

    expect(await refusalOf(mergeWorktree(ending))).toBe('MERGE_CONFLICT');
    expect(traces()).toEqual([]);
  });
});
