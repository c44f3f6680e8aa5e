import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { toHttpError } from '#companion/server/http-error.ts';
import { CompanionError } from '#protocol/errors.ts';
import { ProjectId, type SessionId } from '#protocol/ids.ts';
import type { SessionView } from '#protocol/view.ts';
import type { Worktree } from '#protocol/work.ts';
import { warningText } from '#protocol/warnings.ts';
import { hasGit, initRepository, personGit, writeFiles } from '#test/fixtures/git-repository.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';
import { until } from '#test/fixtures/until.ts';
import { isWhole } from '#test/fixtures/whole.ts';
import { codeOf, isIdle, said, test, type Stage } from './stage.ts';

const PROJECT = ProjectId.parse('project-shop');

/** A project that is a repository of a person. */
const addRepository = (stage: Stage, files: Readonly<Record<string, string>> = {}): string => {
  const rootPath = initRepository(stage.home, path.join(stage.home, 'shop'));
  writeFiles(rootPath, files);
  if (Object.keys(files).length > 0) {
    personGit(stage.home, rootPath, 'add', '.');
    personGit(stage.home, rootPath, 'commit', '-qm', 'more');
  }
  return saveProject(stage, rootPath);
};

const saveProject = (stage: Stage, rootPath: string): string => {
  // A machine that is busy with other tests keeps the state of a folder all the same.
  stage.store.settings.change({ checkpointMs: HANG_MS });
  const at = new Date().toISOString();
  stage.store.projects.save({ id: PROJECT, name: 'shop', rootPath, createdAt: at, updatedAt: at });
  return rootPath;
};

const create = async (stage: Stage, worktree?: { name?: string }): Promise<SessionId> => {
  const given = worktree === undefined ? {} : { worktree };
  return (await stage.sessions.dispatch({ type: 'session.create', projectId: PROJECT, engine: 'fake', ...given })).sessionId;
};

const worktreeOf = (stage: Stage, sessionId: SessionId): Worktree => {
  const { worktree } = stage.sessions.view(sessionId);
  if (worktree === null) throw new Error('it has no worktree');
  return worktree;
};

const text = (folder: string, name: string): string => readFileSync(path.join(folder, name), 'utf8');

describe.skipIf(!hasGit)('a session in a worktree', () => {
  test('works there and not in the folder of the person, also after a restart, until its work is merged', async ({ stage }) => {
    const folder = addRepository(stage);
    const sessionId = await create(stage, { name: 'Fix the login' });
    await stage.turn(sessionId, 'write new.txt by the agent');
    await stage.restart();
    await stage.turn(sessionId, 'write more.txt more');
    const before = { person: existsSync(path.join(folder, 'new.txt')), summary: stage.sessions.list()[0] };

    const finished = await stage.sessions.work.finish(sessionId, 'merge');

    expect(before.person).toBe(false);
    expect(before.summary?.worktree).toMatchObject({ branch: 'pilotfish/fix-the-login', baseBranch: 'main', state: 'open' });
    expect(finished).toMatchObject({ committedFiles: 2, worktree: { state: 'merged' } });
    expect([text(folder, 'new.txt'), text(folder, 'more.txt')]).toEqual(['by the agent', 'more']);
    expect(worktreeOf(stage, sessionId).state).toBe('merged');
    const prompt = { text: 'say hello', attachments: [] };
    expect(await codeOf(stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt }))).toBe('WORKTREE_FINISHED');
    // One that was taken before is so still, however often it comes.
    const [first] = stage.sessions.view(sessionId).turns;
    const again = { type: 'turn.start', sessionId, prompt, ...(first === undefined ? {} : { turnId: first.turnId }) } as const;
    expect(await stage.sessions.dispatch(again)).toEqual({ sessionId, turnId: first?.turnId });
    expect(readdirSync(stage.paths.worktreesDir)).toEqual([]);
  });

  test('is made once, however often the command with its id comes, and not at all where that cannot be', async ({ stage }) => {
    addRepository(stage);
    const command = { type: 'session.create', sessionId: 'mine' as SessionId, projectId: PROJECT, engine: 'fake', worktree: {} } as const;

    await Promise.all([stage.sessions.dispatch(command), stage.sessions.dispatch(command)]);
    await stage.sessions.dispatch(command);

    expect(readdirSync(stage.paths.worktreesDir)).toHaveLength(1);
    const other = path.join(stage.home, 'plain');
    mkdirSync(other);
    saveProject(stage, other);
    expect(await codeOf(create(stage, {}))).toBe('GIT_NO_REPOSITORY');
    expect(stage.sessions.list()).toHaveLength(1);
  });

  test('whose folder was removed by hand says so, and goes on when it was made again', async ({ stage }) => {
    addRepository(stage);
    const sessionId = await create(stage, {});
    await stage.turn(sessionId, 'say hello');
    const { path: place } = worktreeOf(stage, sessionId);
    await stage.restart();
    rmSync(place, { recursive: true });

    const prompt = { text: 'say again', attachments: [] };
    const refused = await codeOf(stage.sessions.dispatch({ type: 'turn.start', sessionId, prompt }));
    await stage.sessions.work.finish(sessionId, 'restore');
    const view = await stage.turn(sessionId, 'write back.txt back');

    expect(refused).toBe('WORKTREE_GONE');
    expect(view.turns.at(-1)?.status).toBe('completed');
    expect(text(place, 'back.txt')).toBe('back');
  });

  test('goes on where its repository was moved and the project says so', { tags: 'whole' }, async ({ stage }) => {
    const folder = addRepository(stage);
    const sessionId = await create(stage, {});
    await stage.turn(sessionId, 'write new.txt by the agent');
    const moved = `${folder} of today`;
    renameSync(folder, moved);
    saveProject(stage, moved);

    const view = await stage.turn(sessionId, 'write more.txt more');
    const { files } = await stage.sessions.work.changes(sessionId);
    await stage.sessions.work.finish(sessionId, 'merge');

    expect(view.turns.at(-1)?.status).toBe('completed');
    expect(files.map((file) => file.path)).toEqual(['more.txt', 'new.txt']);
    expect([text(moved, 'new.txt'), text(moved, 'more.txt')]).toEqual(['by the agent', 'more']);
  });

  test('stays through a crash, one that can be brought back too; what a crash left without a session goes, or is told', async ({
    stage,
  }) => {
    const folder = addRepository(stage);
    const kept = worktreeOf(stage, await create(stage, { name: 'kept' }));
    const removed = await create(stage, { name: 'removed' });
    const binned = worktreeOf(stage, removed);
    await stage.sessions.dispatch({ type: 'session.delete', sessionId: removed });
    const [idle, busy] = await Promise.all(
      ['idle', 'busy'].map((name) => stage.sessions.work.begin(PROJECT, { name, key: `never-${name}` })),
    );
    if (idle === undefined || busy === undefined) throw new Error('not made');
    writeFiles(busy.path, { 'new.txt': 'new' });

    await stage.restart({ isCrash: true });
    const isCleared = (): boolean => readFileSync(stage.paths.daemonLog, 'utf8').includes('work.left_worktree_cleared');
    await until(() => isCleared() && stage.sessions.warnings.length > 0, { what: 'the clearing' });

    expect(existsSync(idle.path)).toBe(false);
    expect([kept, binned, busy].every((worktree) => existsSync(path.join(worktree.path, 'a.txt')))).toBe(true);
    expect(stage.sessions.warnings.map(warningText)).toEqual([expect.stringContaining(`${busy.path} (changes that are not committed)`)]);
    expect(personGit(stage.home, folder, 'branch', '--list', 'pilotfish/idle')).toBe('');
  });

  test('that is deleted for ever leaves its work as a branch, and nothing else', async ({ stage }) => {
    const folder = addRepository(stage);
    const sessionId = await create(stage, { name: 'kept' });
    await stage.turn(sessionId, 'write new.txt by the agent');
    const idle = await create(stage, { name: 'empty' });

    await stage.sessions.dispatch({ type: 'session.delete', sessionId, isForever: true });
    await stage.sessions.dispatch({ type: 'session.delete', sessionId: idle, isForever: true });

    const branches = (): string => personGit(stage.home, folder, 'branch', '--format=%(refname:short)');
    await until(() => readdirSync(stage.paths.worktreesDir).length === 0 && branches() === 'main\npilotfish/kept\n', {
      what: 'the clearing',
    });
    expect(personGit(stage.home, folder, 'cat-file', '-p', 'pilotfish/kept:new.txt')).toBe('by the agent');
    expect(personGit(stage.home, folder, 'for-each-ref', 'refs/pilotfish/sessions')).toBe('');
  });

  test('cannot be finished while it works', async ({ stage }) => {
    addRepository(stage);
    const sessionId = await create(stage, {});
    await stage.send(sessionId, 'slow');
    await stage.until(sessionId, ({ status }) => status === 'running');

    expect(await codeOf(stage.sessions.work.finish(sessionId, 'discard'))).toBe('SESSION_BUSY');
    expect(existsSync(worktreeOf(stage, sessionId).path)).toBe(true);
  });
});

/** What can be done to a session with its folder, in an order in which one does not stand in the way of the next. */
const ACTS: Readonly<Record<string, (stage: Stage, sessionId: SessionId) => Promise<unknown>>> = {
  changes: (stage, sessionId) => stage.sessions.work.changes(sessionId),
  patch: (stage, sessionId) => stage.sessions.work.patch(sessionId, { path: 'a.txt', offset: 1e9 }),
  'patch of a list that never was': (stage, sessionId) =>
    stage.sessions.work.patch(sessionId, { path: 'a.txt', now: '1'.repeat(40), offset: 0 }),
  stage: (stage, sessionId) => stage.sessions.work.stage(sessionId, ['nowhere.txt'], true),
  revert: (stage, sessionId) => stage.sessions.work.revert(sessionId, ['nowhere.txt']),
  checkpoints: (stage, sessionId) => stage.sessions.work.checkpoints(sessionId),
  'go back': (stage, sessionId) => stage.sessions.work.goBack(sessionId, 'nowhere'),
  prompt: async (stage, sessionId) => {
    const error = (await stage.turn(sessionId, 'say hello')).turns.at(-1)?.error ?? null;
    if (error !== null) throw new CompanionError(error.code, error.message, { remedy: error.remedy });
  },
  restore: (stage, sessionId) => stage.sessions.work.finish(sessionId, 'restore'),
  merge: (stage, sessionId) => stage.sessions.work.finish(sessionId, 'merge'),
  keep: (stage, sessionId) => stage.sessions.work.finish(sessionId, 'keep'),
  discard: (stage, sessionId) => stage.sessions.work.finish(sessionId, 'discard'),
};

/** The same answer to everything. */
const all = (answer: string): Record<string, string> => Object.fromEntries(Object.keys(ACTS).map((name) => [name, answer]));

const UNKNOWN = {
  'patch of a list that never was': 'GIT_FAILED',
  'go back': 'CHECKPOINT_NOT_FOUND',
  stage: 'FILE_NOT_FOUND',
  revert: 'FILE_NOT_FOUND',
};

const NO_WORKTREE = { restore: 'WORKTREE_NONE', merge: 'WORKTREE_NONE', keep: 'WORKTREE_NONE', discard: 'WORKTREE_NONE' };

/** A state of a repository that a person has brought about. */
interface State {
  readonly name: string;
  make(stage: Stage): Promise<SessionId>;
  readonly answers: Readonly<Record<string, string>>;
}

const inWorktree =
  (change: (stage: Stage, where: { readonly folder: string; readonly worktree: Worktree }) => unknown) =>
  async (stage: Stage): Promise<SessionId> => {
    const folder = addRepository(stage);
    const sessionId = await create(stage, { name: 'work' });
    change(stage, { folder, worktree: worktreeOf(stage, sessionId) });
    return sessionId;
  };

const removed = (worktree: Worktree): void => rmSync(worktree.path, { recursive: true });

const STATES: readonly State[] = [
  {
    name: 'whose worktree was removed by hand',
    make: inWorktree((_, { worktree }) => removed(worktree)),
    answers: { ...all('WORKTREE_GONE'), restore: 'done', merge: 'done', keep: 'WORKTREE_FINISHED', discard: 'WORKTREE_FINISHED' },
  },
  {
    name: 'whose worktree was removed by hand, with its branch',
    make: inWorktree((stage, { folder, worktree }) => {
      removed(worktree);
      personGit(stage.home, folder, 'worktree', 'prune');
      personGit(stage.home, folder, 'branch', '-D', worktree.branch);
    }),
    answers: all('WORKTREE_GONE'),
  },
  {
    name: 'whose worktree was removed by hand, and its branch is checked out elsewhere',
    make: inWorktree((stage, { folder, worktree }) => {
      removed(worktree);
      personGit(stage.home, folder, 'worktree', 'prune');
      personGit(stage.home, folder, 'switch', '-q', worktree.branch);
    }),
    answers: {
      ...all('WORKTREE_GONE'),
      restore: 'BRANCH_ELSEWHERE',
      merge: 'done',
      keep: 'WORKTREE_FINISHED',
      discard: 'WORKTREE_FINISHED',
    },
  },
  {
    name: 'whose worktree is no worktree of git any more',
    make: inWorktree((_, { worktree }) => {
      writeFiles(worktree.path, { 'mine.txt': 'not committed' });
      rmSync(path.join(worktree.path, '.git'));
    }),
    answers: {
      ...all('GIT_NO_REPOSITORY'),
      prompt: 'done',
      restore: 'WORKTREE_THERE',
      merge: 'MERGE_BLOCKED',
      keep: 'MERGE_BLOCKED',
      discard: 'MERGE_BLOCKED',
    },
  },
  {
    name: 'whose worktree stands on a branch without a commit',
    make: inWorktree((stage, { worktree }) => personGit(stage.home, worktree.path, 'checkout', '-q', '--orphan', 'nothing')),
    answers: {
      ...all('done'),
      ...UNKNOWN,
      restore: 'WORKTREE_THERE',
      merge: 'GIT_NO_COMMIT',
      keep: 'GIT_NO_COMMIT',
      discard: 'GIT_NO_COMMIT',
    },
  },
  {
    name: 'whose repository is gone',
    make: inWorktree((_, { folder }) => rmSync(path.join(folder, '.git'), { recursive: true })),
    answers: { ...all('GIT_NO_REPOSITORY'), prompt: 'done' },
  },
  {
    name: 'whose project folder is gone',
    make: inWorktree((_, { folder }) => rmSync(folder, { recursive: true })),
    answers: all('WORKSPACE_NOT_FOUND'),
  },
  {
    name: 'in a repository without a commit',
    make: async (stage) => {
      saveProject(stage, initRepository(stage.home, path.join(stage.home, 'shop'), { isEmpty: true }));
      return create(stage);
    },
    answers: {
      ...all('GIT_NO_COMMIT'),
      ...NO_WORKTREE,
      stage: 'FILE_NOT_FOUND',
      checkpoints: 'done',
      'go back': 'CHECKPOINT_NOT_FOUND',
      prompt: 'done',
    },
  },
  {
    name: 'in a bare repository',
    make: async (stage) => {
      const folder = path.join(stage.home, 'shop');
      mkdirSync(folder);
      personGit(stage.home, folder, 'init', '-q', '--bare');
      saveProject(stage, folder);
      return create(stage);
    },
    answers: { ...all('GIT_NO_REPOSITORY'), ...NO_WORKTREE, prompt: 'done' },
  },
  {
    name: 'in a worktree of a repository with a submodule',
    make: async (stage) => {
      const inner = initRepository(stage.home, path.join(stage.home, 'inner'));
      const folder = addRepository(stage);
      personGit(stage.home, folder, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'sub');
      personGit(stage.home, folder, 'commit', '-qm', 'submodule');
      return create(stage, { name: 'work' });
    },
    answers: {
      ...all('done'),
      ...UNKNOWN,
      restore: 'WORKTREE_THERE',
      keep: 'WORKTREE_FINISHED',
      discard: 'WORKTREE_FINISHED',
    },
  },
];

describe.skipIf(!hasGit)('a session', () => {
  // In the short form every third.
  test.for(STATES.filter((_, index) => isWhole || index % 3 === 1))(
    '$name answers whatever is wanted of it, or says by a code why not and what to do',
    async ({ make, answers }, { stage }) => {
      const sessionId = await make(stage);
      const seen: Record<string, string> = {};
      const faults: string[] = [];

      for (const [name, act] of Object.entries(ACTS)) {
        try {
          await act(stage, sessionId);
          seen[name] = 'done';
        } catch (error) {
          const { code, message, remedy } = toHttpError(error).body;
          seen[name] = code;
          if (code === 'INTERNAL' || message === '' || remedy === '') faults.push(`${name}: ${String(error)}`);
        }
      }

      expect(faults).toEqual([]);
      expect(seen).toEqual(answers);
    },
  );
});

describe.skipIf(!hasGit)('trust in a project', () => {
  const EVIL = JSON.stringify({ mcpServers: { evil: { command: 'node', args: ['tool.js'] } } });
  const asked = (stage: Stage, sessionId: SessionId): Promise<SessionView> =>
    stage.until(sessionId, (view) => view.requests.length > 0 || (isIdle(view) && view.turns.length > 0));

  test('holds in a worktree for the same files, and for no other', async ({ stage }) => {
    addRepository(stage, { '.mcp.json': EVIL, 'tool.js': '// harmless' });
    const first = await create(stage);
    await stage.send(first, 'say hello');
    await asked(stage, first);
    await stage.answer(first, 'trust');
    await stage.until(first, isIdle);

    const sessionId = await create(stage, {});
    const same = await stage.turn(sessionId, 'write tool.js // changed');
    await stage.send(sessionId, 'say again');
    const changed = await asked(stage, sessionId);

    expect(same.turns.at(-1)?.status).toBe('completed');
    expect(stage.events(sessionId).filter((event) => event.type === 'request.opened')).toHaveLength(1);
    expect(changed.requests[0]?.request).toMatchObject({ kind: 'trust', where: worktreeOf(stage, sessionId).path });
  });

  test('that was given to a worktree ends with it', async ({ stage }) => {
    const folder = addRepository(stage, { '.mcp.json': EVIL, 'tool.js': '// harmless' });
    const [kept, deleted] = [await create(stage, {}), await create(stage, {})];
    for (const sessionId of [await create(stage), kept, deleted]) {
      await stage.send(sessionId, 'write tool.js // changed');
      await asked(stage, sessionId);
      await stage.answer(sessionId, 'trust');
      await stage.until(sessionId, isIdle);
    }
    const before = stage.sessions.trusted.list().length;

    await stage.sessions.work.finish(kept, 'keep');
    await stage.sessions.work.forget(stage.sessions.view(deleted));

    expect(before).toBe(3);
    expect(stage.sessions.trusted.list().map(({ path: root }) => root)).toEqual([folder]);
  });

  test('that was never given is asked for in a worktree too', async ({ stage }) => {
    addRepository(stage, { '.mcp.json': EVIL, 'tool.js': '// harmless' });
    const sessionId = await create(stage, {});

    await stage.send(sessionId, 'say hello');

    expect((await asked(stage, sessionId)).requests).toHaveLength(1);
    expect(stage.trace()).toEqual([]);
  });
});

describe.skipIf(!hasGit)('the change of a session', () => {
  test('that cannot be kept in time is told in the conversation, once', async ({ stage }) => {
    addRepository(stage);
    stage.store.settings.change({ checkpointMs: 1 });
    const sessionId = await create(stage);

    await stage.turn(sessionId, 'write new.txt by the agent');
    const view = await stage.turn(sessionId, 'write more.txt more');

    const notices = view.items.flatMap(({ body, turnId }) => (body.kind === 'notice' ? [{ turnId, code: body.saying?.code }] : []));
    expect(notices).toEqual([{ turnId: view.turns[0]?.turnId, code: 'no_checkpoint' }]);
    expect(await stage.sessions.work.checkpoints(sessionId)).toEqual([]);
    // What the person had not committed then is not told from what the agent did.
    expect(await stage.sessions.work.changes(sessionId)).toMatchObject({ since: 'commit' });
  });

  test('that cannot be kept at all is told with the reason, once as long as that is so', async ({ stage }) => {
    const folder = addRepository(stage);
    const sessionId = await create(stage);
    const codesOf = ({ items }: SessionView) => items.flatMap(({ body }) => (body.kind === 'notice' ? [body.saying?.code] : []));
    // A file where git keeps its refs, as good as a disk that cannot be written.
    const refs = path.join(folder, '.git', 'refs', 'pilotfish');
    writeFiles(folder, { '.git/refs/pilotfish': '' });

    await stage.turn(sessionId, 'say hello');
    const failed = await stage.turn(sessionId, 'say again');
    rmSync(refs);
    await stage.turn(sessionId, 'say more');
    const checkpoints = await stage.sessions.work.checkpoints(sessionId);
    const { since } = await stage.sessions.work.changes(sessionId);
    rmSync(refs, { recursive: true });
    writeFiles(folder, { '.git/refs/pilotfish': '' });
    const again = await stage.turn(sessionId, 'say last');

    expect(codesOf(failed)).toEqual(['checkpoint_failed']);
    expect(failed.items.find(({ body }) => body.kind === 'notice')?.body).toMatchObject({
      text: expect.stringContaining('refs/pilotfish'),
    });
    expect(checkpoints).toHaveLength(1);
    // What the first turns did belongs to the change, too.
    expect(since).toBe('commit');
    expect(codesOf(again)).toEqual(['checkpoint_failed', 'checkpoint_failed']);
  });

  test('is counted from where it began, with what the person had not committed then', async ({ stage }) => {
    const folder = addRepository(stage);
    writeFiles(folder, { 'mine.txt': 'of the person\n', 'a.txt': 'changed by the person\n' });
    const sessionId = await create(stage);
    await stage.turn(sessionId, 'write new.txt by the agent');
    await stage.turn(sessionId, 'write a.txt again');

    const { files, now, since } = await stage.sessions.work.changes(sessionId);
    const page = await stage.sessions.work.patch(sessionId, { path: 'a.txt', now, offset: 0 });

    expect(since).toBe('session');
    expect(files.map(({ path: name, status, additions, deletions }) => [name, status, additions, deletions])).toEqual([
      ['a.txt', 'modified', 1, 1],
      ['new.txt', 'added', 1, 0],
    ]);
    expect(page.patch).toContain('-changed by the person\n+again');
  });

  test('of a fork is counted from its own first turn', async ({ stage }) => {
    const folder = addRepository(stage);
    const sessionId = await create(stage);
    await stage.turn(sessionId, 'write before.txt by the first');
    const { sessionId: fork } = await stage.sessions.dispatch({ type: 'session.fork', sessionId });
    await stage.turn(fork, 'say hello');
    writeFiles(folder, { 'after.txt': 'by the fork\n' });

    const { files, since } = await stage.sessions.work.changes(fork);

    expect(since).toBe('session');
    expect(files.map(({ path: name }) => name)).toEqual(['after.txt']);
  });

  test('goes back to before a turn and forward again; one file is reverted; files are staged', async ({ stage }) => {
    const folder = addRepository(stage);
    const sessionId = await create(stage);
    await stage.turn(sessionId, 'write first.txt 1');
    await stage.turn(sessionId, 'write second.txt 2');
    const { work } = stage.sessions;
    const turns = stage.sessions.view(sessionId).turns.map(({ turnId }) => turnId);
    const head = personGit(stage.home, folder, 'rev-parse', 'HEAD');

    expect(new Set((await work.checkpoints(sessionId)).map(({ turnId }) => turnId))).toEqual(new Set(turns));
    const back = await work.goBack(sessionId, turns[1] ?? '');
    expect([existsSync(path.join(folder, 'first.txt')), existsSync(path.join(folder, 'second.txt'))]).toEqual([true, false]);
    await work.goBack(sessionId, back.undo);
    expect(text(folder, 'second.txt')).toBe('2');

    const reverted = await work.revert(sessionId, ['first.txt']);
    expect([existsSync(path.join(folder, 'first.txt')), existsSync(path.join(folder, 'second.txt'))]).toEqual([false, true]);
    await work.goBack(sessionId, reverted.undo);
    expect(text(folder, 'first.txt')).toBe('1');

    await work.stage(sessionId, ['first.txt', 'second.txt'], true);
    await work.stage(sessionId, ['second.txt'], false);
    expect(personGit(stage.home, folder, 'diff', '--cached', '--name-only')).toBe('first.txt\n');
    expect(personGit(stage.home, folder, 'rev-parse', 'HEAD')).toBe(head);
    expect(await codeOf(work.goBack(sessionId, 'turn-nowhere'))).toBe('CHECKPOINT_NOT_FOUND');
  });

  test('of a path that is no file anywhere is refused, and then nothing is staged or reverted', async ({ stage }) => {
    const folder = addRepository(stage, { 'kept.txt': 'kept', 'gone.txt': 'gone', 'later.txt': 'later', 'src/a.txt': 'a' });
    const sessionId = await create(stage);
    await stage.turn(sessionId, 'say hello');
    writeFileSync(path.join(folder, 'kept.txt'), 'changed');
    rmSync(path.join(folder, 'gone.txt'));
    personGit(stage.home, folder, 'rm', '--quiet', '--cached', 'src/a.txt');
    personGit(stage.home, folder, 'rm', '--quiet', 'later.txt');
    personGit(stage.home, folder, 'commit', '--quiet', '-m', 'without it', '--', 'later.txt');
    const { work } = stage.sessions;
    const staged = (): string => personGit(stage.home, folder, 'diff', '--cached', '--name-status');
    const before = staged();

    for (const wrong of ['nowhere.txt', 'src', 'kept.txt/inside', '*.txt']) {
      expect(await codeOf(work.stage(sessionId, ['kept.txt', wrong], true)), wrong).toBe('FILE_NOT_FOUND');
      expect(await codeOf(work.stage(sessionId, ['kept.txt', wrong], false)), wrong).toBe('FILE_NOT_FOUND');
      expect(await codeOf(work.revert(sessionId, ['kept.txt', wrong])), wrong).toBe('FILE_NOT_FOUND');
    }

    expect([staged(), text(folder, 'kept.txt')]).toEqual([before, 'changed']);
    // Each of these is in one of the folder, the index, the newest commit and the beginning of the session only.
    await work.stage(sessionId, ['gone.txt', 'src/a.txt', 'later.txt'], true);
    expect(staged()).toBe('D\tgone.txt\n');
    await work.stage(sessionId, ['gone.txt', 'src/a.txt', 'later.txt'], false);
    expect(staged()).toBe('');
    expect((await work.revert(sessionId, ['later.txt', 'gone.txt'])).files.toSorted()).toEqual(['gone.txt', 'later.txt']);
  });

  test(
    'of files, folders and links that have changed places, by any name, is listed, staged and taken back',
    { tags: 'whole' },
    async ({ stage }) => {
      const elsewhere = path.join(stage.home, 'elsewhere');
      writeFiles(elsewhere, { 'c.txt': 'not of the project' });
      const odd = 'tab\t"and\nline"';
      const folder = addRepository(stage, {
        'linked/c.txt': 'c',
        [odd]: 'a',
        void: 'a file',
        'was/a.txt': 'a',
        'was/b.txt': 'b',
        will: 'a file',
      });
      const sessionId = await create(stage);
      await stage.turn(sessionId, 'say hello');
      for (const name of ['linked', 'void', 'was', 'will']) rmSync(path.join(folder, name), { recursive: true });
      writeFiles(folder, { [odd]: 'b', was: 'a file now', 'will/c.txt': 'new' });
      mkdirSync(path.join(folder, 'void'));
      symlinkSync(elsewhere, path.join(folder, 'linked'));
      const { work } = stage.sessions;
      const staged = (): string[] => personGit(stage.home, folder, 'diff', '--cached', '--name-only', '--no-renames', '-z').split('\0');

      const { files } = await work.changes(sessionId);
      const names = files.map(({ path: name }) => name);
      await work.stage(sessionId, names.toReversed(), true);

      expect(files.map(({ path: name, status, additions, deletions }) => `${status} ${name} ${additions} ${deletions}`)).toEqual([
        'added linked 1 0',
        'deleted linked/c.txt 0 1',
        `modified ${odd} 1 1`,
        'deleted void 0 1',
        'added was 1 0',
        'deleted was/a.txt 0 1',
        'deleted was/b.txt 0 1',
        'deleted will 0 1',
        'added will/c.txt 1 0',
      ]);
      expect(staged()).toEqual([...names, '']);
      await work.stage(sessionId, names, false);
      expect(staged()).toEqual(['']);
      const { undo } = await work.revert(sessionId, names);
      expect((await work.changes(sessionId)).files).toEqual([]);
      await work.goBack(sessionId, undo);
      expect((await work.changes(sessionId)).files).toEqual(files);
      expect(text(elsewhere, 'c.txt')).toBe('not of the project');
    },
  );

  test('of a file that was renamed is reverted by its name in the list', async ({ stage }) => {
    const folder = addRepository(stage, { 'old.txt': 'a line\n'.repeat(20) });
    const sessionId = await create(stage);
    await stage.turn(sessionId, 'say hello');
    renameSync(path.join(folder, 'old.txt'), path.join(folder, 'new.txt'));
    const { files } = await stage.sessions.work.changes(sessionId);

    const { undo } = await stage.sessions.work.revert(sessionId, ['new.txt']);

    expect(files).toMatchObject([{ path: 'new.txt', oldPath: 'old.txt', status: 'renamed' }]);
    expect(readdirSync(folder).filter((name) => /old|new/.test(name))).toEqual(['old.txt']);
    await stage.sessions.work.goBack(sessionId, undo);
    expect(readdirSync(folder).filter((name) => /old|new/.test(name))).toEqual(['new.txt']);
  });

  test('of one part of a file is taken back alone, and forward again; what has changed since, or is no part, is refused', async ({
    stage,
  }) => {
    const lines = Array.from({ length: 40 }, (_, index) => `tide ${index}`);
    const changed = lines.with(3, 'high tide').with(30, '-- a/low tide').toSpliced(20, 1);
    const folder = addRepository(stage, { 'strange "name"\t.txt': `${lines.join('\n')}\n` });
    const name = 'strange "name"\t.txt';
    const sessionId = await create(stage);
    await stage.turn(sessionId, 'write new.txt by the agent');
    writeFileSync(path.join(folder, name), changed.join('\n'));
    const { work } = stage.sessions;
    const { now } = await work.changes(sessionId);
    const hunk = (index: number): { now: string; index: number } => ({ now, index });

    expect((await work.patch(sessionId, { path: name, now, offset: 0 })).patch.match(/^@@ /gm)).toHaveLength(4);
    for (const [paths, index] of [
      [[name], 4],
      [[name, 'new.txt'], 0],
      [['new.txt'], 0],
    ] as const) {
      expect(await codeOf(work.revert(sessionId, paths, hunk(index))), paths.join()).toBe('INPUT_INVALID');
    }
    const gone = await work.revert(sessionId, [name], hunk(1));

    expect(gone.files).toEqual([name]);
    expect(text(folder, name)).toBe(lines.with(3, 'high tide').with(30, '-- a/low tide').join('\n'));
    expect(text(folder, 'new.txt')).toBe('by the agent');
    // The patch that was shown is another one now.
    expect(await codeOf(work.revert(sessionId, [name], hunk(0)))).toBe('INPUT_INVALID');
    await work.goBack(sessionId, gone.undo);
    expect(text(folder, name)).toBe(changed.join('\n'));
    await work.revert(sessionId, [name], hunk(2));
    expect(text(folder, name)).toBe(lines.with(3, 'high tide').toSpliced(20, 1).join('\n'));
  });

  test('is plainly not there in a folder without git', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say hello');

    expect(await codeOf(stage.sessions.work.changes(sessionId))).toBe('GIT_NO_REPOSITORY');
    expect(await codeOf(stage.sessions.work.checkpoints(sessionId))).toBe('GIT_NO_REPOSITORY');
  });
});

describe('a folder in which an agent works', () => {
  const send = (stage: Stage, sessionId: SessionId, prompt: string, ifTaken?: 'refuse' | 'queue' | 'anyway') =>
    stage.sessions.dispatch({
      type: 'turn.start',
      sessionId,
      prompt: { text: prompt, attachments: [] },
      ...(ifTaken === undefined ? {} : { ifTaken }),
    });
  const occupied = async (stage: Stage): Promise<{ worker: SessionId; other: SessionId }> => {
    const [worker, other] = [await stage.create(), await stage.create()];
    await stage.send(worker, 'slow');
    await stage.until(worker, ({ status }) => status === 'running');
    return { worker, other };
  };

  test('is refused to another session with what can be chosen', async ({ stage }) => {
    const { worker, other } = await occupied(stage);

    await expect(send(stage, other, 'say hello', 'refuse')).rejects.toMatchObject({
      code: 'FOLDER_TAKEN',
      message: expect.stringContaining('"slow"'),
      choices: ['queue', 'worktree', 'anyway'],
    });
    expect(stage.sessions.view(other).turns).toEqual([]);
    // What goes to the session that works there is its own affair.
    await send(stage, worker, 'say more', 'refuse');
  });

  test('is shared when that is asked, and when nothing is', async ({ stage }) => {
    const { other } = await occupied(stage);

    await send(stage, other, 'say hello', 'anyway');
    await stage.until(other, isIdle);
    await send(stage, other, 'say again');

    expect(said(await stage.until(other, isIdle))).toEqual(['hello', 'again']);
  });

  test('is waited for, by one session after the other', async ({ stage }) => {
    const { worker, other } = await occupied(stage);
    const third = await stage.create();
    await send(stage, other, 'say second', 'queue');
    await send(stage, third, 'say third', 'queue');
    const waiting = [other, third].map((sessionId) => stage.sessions.view(sessionId).turns.map(({ status }) => status));

    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId: worker });
    const done = await Promise.all(
      [other, third].map((sessionId) => stage.until(sessionId, (view) => isIdle(view) && view.items.length > 0)),
    );

    expect(waiting).toEqual([['queued'], ['queued']]);
    expect(done.map(said)).toEqual([['second'], ['third']]);
    const begun = (sessionId: SessionId): number => stage.events(sessionId).find(({ type }) => type === 'turn.started')?.at ?? 0;
    expect(begun(third)).toBeGreaterThanOrEqual(begun(other));
  });

  test('becomes free when the session that works there is deleted', async ({ stage }) => {
    const { worker, other } = await occupied(stage);
    await send(stage, other, 'say hello', 'queue');

    await stage.sessions.dispatch({ type: 'session.delete', sessionId: worker });

    expect(said(await stage.until(other, (view) => isIdle(view) && view.items.length > 0))).toEqual(['hello']);
  });
});

describe('the files of a project', () => {
  test.skipIf(!hasGit)('are those that git follows or would, and none that it ignores', async ({ stage }) => {
    const folder = addRepository(stage, { '.gitignore': 'secret.txt\nout/\n', 'src/main.ts': 'x' });
    writeFiles(folder, { 'secret.txt': 'x', 'out/built.js': 'x', 'src/new one.ts': 'x' });

    const { files, isCut } = await stage.sessions.work.files(PROJECT);

    expect(files).toEqual(expect.arrayContaining(['.gitignore', 'src/main.ts', 'src/new one.ts']));
    expect(files.filter((name) => /secret|out/.test(name))).toEqual([]);
    expect(isCut).toBe(false);
  });

  test('without a repository are what lies there, but for what was installed, hidden or leads elsewhere', async ({ stage }) => {
    const folder = saveProject(stage, path.join(stage.home, 'plain'));
    writeFiles(folder, { 'notes/a.md': 'x', 'top.md': 'x', 'node_modules/p/index.js': 'x', '.hidden/key': 'x' });
    symlinkSync(stage.home, path.join(folder, 'home'));

    expect(await stage.sessions.work.files(PROJECT)).toEqual({ files: ['top.md', 'notes/a.md'], isCut: false });
  });

  test('of a folder in which agents may not work are not told', async ({ stage }) => {
    saveProject(stage, '/');

    expect(await codeOf(stage.sessions.work.files(PROJECT))).toBe('WORKSPACE_OUTSIDE_ROOTS');
  });
});
