import { describe, expect } from 'vitest';
import { CompanionError } from '#protocol/errors.ts';
import type { Changes, Finished, Worktree } from '#protocol/work.ts';
import { TurnId } from '#protocol/ids.ts';
import { sessionId, summary, test, type Stage } from './stage.ts';
import { sampleWorktree } from '#test/fixtures/samples.ts';

const worktree: Worktree = { ...sampleWorktree, leftBehind: 2 };

const file = (path: string, more: object = {}) =>
  ({ path, status: 'modified', additions: 1, deletions: 0, isBinary: false, sizeBytes: 3, ...more }) as const;

const changes: Changes = {
  folder: '/data/worktrees/fix',
  top: '/data/worktrees/fix',
  base: worktree.base,
  since: 'session',
  now: 'b'.repeat(40),
  files: [file('a.txt'), file('logo.png', { status: 'added', isBinary: true, sizeBytes: 900 })],
  additions: 2,
  deletions: 0,
  worktree,
};

describe('diff', () => {
  test('prints the patch of each file, page by page, and names what has none', async ({ stage }) => {
    stage.work.changes = changes;
    stage.work.pages = ['@@ -1 +1 @@\n-one\n', '+two\n'];

    expect(await stage.run('diff', sessionId)).toBe(0);

    expect(stage.out).toContain('@@ -1 +1 @@\n-one\n+two\n');
    expect(stage.out).toContain('A logo.png  binary, 900 B');
    expect(stage.err).toContain('2 files of your folder with changes that are not committed were not taken along.');
  });

  test('says when it is that since the last commit, because where the session began was not kept', async ({ stage }) => {
    stage.work.changes = { ...changes, since: 'commit' };

    expect(await stage.run('diff', sessionId, '--stat')).toBe(0);

    expect(stage.err).toContain('Since the last commit: where the session began was not kept.');
  });

  test('reverts only what is named, and says how that is undone', async ({ stage }) => {
    stage.work.changes = changes;

    expect(await stage.run('diff', sessionId, '--revert')).toBe(2);
    expect(await stage.run('diff', sessionId, 'nowhere.txt', '--revert')).toBe(2);
    expect(await stage.run('diff', sessionId, 'a.txt', '--revert')).toBe(0);

    expect(stage.calls.filter(([name]) => name === 'revert')).toEqual([['revert', sessionId, ['a.txt']]]);
    expect(stage.out).toContain(`pilotfish checkpoints ${sessionId} restore undo-1`);
  });
});

test('worktrees are listed, and finished with the words for what became of them', async ({ stage }) => {
  stage.sessions = [summary({ worktree })];
  const finished: Finished = {
    worktree: { ...worktree, state: 'discarded' },
    commit: 'c',
    committedFiles: 1,
    savedAs: 'refs/pilotfish/discarded/x',
  };
  stage.work.finished = finished;

  expect(await stage.run('worktree')).toBe(0);
  expect(await stage.run('worktree', 'discard', sessionId)).toBe(0);
  expect(await stage.run('worktree', 'burn', sessionId)).toBe(2);

  expect(stage.out).toContain('pilotfish/fix  /data/worktrees/fix');
  expect(stage.out).toContain('git branch NAME refs/pilotfish/discarded/x');
  expect(stage.calls.filter(([name]) => name === 'finish')).toEqual([['finish', sessionId, 'discard']]);
});

const end = (stage: Stage, turnId: string): void =>
  stage.emit({ type: 'turn.completed', turnId: TurnId.parse(turnId), outcome: 'completed', durationMs: 1 });

describe('run in a folder where another agent works', () => {
  const taken = new CompanionError('FOLDER_TAKEN', 'It is codex in the session "other".');

  test('waits without a terminal, and says so', async ({ stage }) => {
    stage.refusals = [taken];
    stage.onAct = (turnId) => end(stage, turnId);

    expect(await stage.run('run', '--', 'x')).toBe(0);

    expect(stage.err).toContain('This waits for its end');
    expect(stage.calls).toContainEqual(['ifTaken', 'queue']);
  });

  test('tells the person at a terminal what can be chosen, and leaves no empty session', async ({ stage }) => {
    stage.isInteractive = true;
    stage.refusals = [taken];

    expect(await stage.run('run', '--', 'x')).toBe(1);

    expect(stage.err).toContain('--if-taken queue');
    expect(stage.calls).toContainEqual(['remove', sessionId, 'forever']);
  });

  test('works in a worktree when that is asked', async ({ stage }) => {
    stage.refusals = [taken];
    stage.onAct = (turnId) => end(stage, turnId);

    expect(await stage.run('run', '--if-taken', 'worktree', '--', 'Fix the login')).toBe(0);

    expect(stage.calls.filter(([name]) => name === 'create').at(-1)?.[2]).toMatchObject({ worktree: 'Fix the login' });
  });
});
