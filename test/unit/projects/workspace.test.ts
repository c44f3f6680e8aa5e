import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { SessionId } from '#protocol/ids.ts';
import { describe, expect, test as base } from 'vitest';
import { foldersLike } from '#companion/projects/complete-folder.ts';
import { checkWorkspace } from '#companion/projects/workspace.ts';
import { codeOf, test as withStage } from '#test/unit/sessions/stage.ts';

const none = { allowedRoots: [], allowCreate: false };
const test = base.extend<{ folder: string }>({
  // eslint-disable-next-line no-empty-pattern
  folder: async ({}, use) => {
    const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilotfish-')));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
});

describe('a workspace', () => {
  test('is the real path of a folder that the user owns', async ({ folder }) => {
    mkdirSync(path.join(folder, 'project'));
    symlinkSync(path.join(folder, 'project'), path.join(folder, 'link'));

    expect(await checkWorkspace(path.join(folder, 'link', '..', 'link'), none)).toBe(path.join(folder, 'project'));
    expect(await checkWorkspace(homedir(), none)).toBe(realpathSync(homedir()));
  });

  test('is never outside the allowed folders, whatever leads there', async ({ folder }) => {
    symlinkSync('/usr', path.join(folder, 'out'));
    const ways = [
      '/',
      '/usr',
      '/usr/../usr',
      `${folder}/out`,
      `${folder}/out/lib`,
      `${folder}/${path.relative(folder, '/usr')}`,
      '/proc/self/root/usr',
      tmpdir(),
      '/etc/.',
    ];

    // The same places by other spellings.
    const spellings: readonly ((way: string) => string)[] = [
      (way) => way,
      (way) => `${way}/`,
      (way) => `${way}/.`,
      (way) => `/${way}`,
      (way) => `/./${way}`,
      (way) => `/proc/self/root${way}`,
      (way) => `${folder}/../..${way}/../..${way}`,
    ];
    const spelled = ways.flatMap((way) => spellings.map((spell) => spell(way)));

    expect(spelled.length).toBeGreaterThanOrEqual(60);
    for (const way of spelled) expect(await codeOf(checkWorkspace(way, none)), way).toMatch(/^WORKSPACE_(OUTSIDE_ROOTS|NOT_FOUND)$/);
    expect(await Promise.all(ways.map((way) => codeOf(checkWorkspace(way, none))))).toEqual(ways.map(() => 'WORKSPACE_OUTSIDE_ROOTS'));
    expect(await checkWorkspace('/usr/lib', { allowedRoots: ['/usr'], allowCreate: false })).toBe(realpathSync('/usr/lib'));
  });

  test('is refused by name when it is missing, a file, or no path at all', async ({ folder }) => {
    writeFileSync(path.join(folder, 'file'), '');

    expect(await codeOf(checkWorkspace(path.join(folder, 'missing'), none))).toBe('WORKSPACE_NOT_FOUND');
    expect(await codeOf(checkWorkspace(path.join(folder, 'file'), none))).toBe('WORKSPACE_NOT_A_DIRECTORY');
    for (const way of ['relative', '', 'a\0b', '~somebody/x']) expect(await codeOf(checkWorkspace(way, none)), way).toBe('INPUT_INVALID');
  });

  test('is made on demand, but only where it is allowed', async ({ folder }) => {
    symlinkSync('/usr', path.join(folder, 'out'));
    const create = { allowedRoots: [], allowCreate: true };

    expect(await checkWorkspace(path.join(folder, 'a', 'b'), create)).toBe(path.join(folder, 'a', 'b'));
    expect(await codeOf(checkWorkspace(path.join(folder, 'out', 'new', 'er'), create))).toBe('WORKSPACE_OUTSIDE_ROOTS');
    expect(await codeOf(checkWorkspace('/opt-of-nobody/x', create))).toBe('WORKSPACE_OUTSIDE_ROOTS');
    const temporary = path.join(tmpdir(), `pilotfish-made-${process.pid}`);
    expect(await checkWorkspace(temporary, create)).toBe(realpathSync(temporary));
    rmSync(temporary, { recursive: true });
  });
});

describe('a path that is being typed', () => {
  test('goes on as the folders that are there, hidden ones with their dot, and nowhere else', async ({ folder }) => {
    for (const name of ['shop', 'shop-old', 'ship', '.shy']) mkdirSync(path.join(folder, name));
    writeFileSync(path.join(folder, 'shopping.txt'), '');
    symlinkSync(path.join(folder, 'shop'), path.join(folder, 'shortcut'));
    const like = (typed: string, roots: readonly string[] = []): Promise<string[]> => foldersLike(typed, roots);

    expect(await like(`${folder}/sho`)).toEqual(['shop', 'shop-old', 'shortcut'].map((name) => `${folder}/${name}`));
    expect(await like(`${folder}/.s`)).toEqual([`${folder}/.shy`]);
    expect(await like(`${folder}/`)).toHaveLength(4);
    // Where agents may not work, nothing is told of what is there.
    expect(
      await Promise.all(['/us', '/', '/etc/', 'relative/x', 'x', `${folder}/none/x`, `${folder}/a\0b/`].map((way) => like(way))),
    ).toEqual(Array.from({ length: 7 }, () => []));
    expect(await like('/usr/li', ['/usr'])).toContain('/usr/lib');
  });

  test('goes on as fifty folders at most', async ({ folder }) => {
    for (let index = 0; index < 60; index += 1) mkdirSync(path.join(folder, `f${index}`));

    expect(await foldersLike(`${folder}/f`, [])).toHaveLength(50);
  });
});

describe('a project', () => {
  withStage('runs its sessions in its folder, checked again at each start', async ({ stage }) => {
    const { Projects } = await import('#companion/projects/projects.ts');
    const projects = new Projects({ store: stage.store, paths: stage.paths, now: Date.now });
    const rootPath = path.join(stage.home, 'project');
    const project = await projects.save({ name: 'Mine', rootPath, allowCreate: true });
    const { sessionId } = await stage.sessions.dispatch({ type: 'session.create', projectId: project.id, engine: 'fake' });
    rmSync(rootPath, { recursive: true });

    const view = await stage.turn(sessionId, 'say hello');

    expect(view.turns[0]?.error?.code).toBe('WORKSPACE_NOT_FOUND');
    expect(projects.list()).toMatchObject([{ name: 'Mine', rootPath }]);
    const renamed = await projects.save({ id: project.id, name: 'Ours', rootPath, allowCreate: true });
    expect(renamed).toMatchObject({ id: project.id, createdAt: project.createdAt, name: 'Ours' });

    // A folder that was moved is named again: the session goes on there, and what was said stays.
    const moved = path.join(stage.home, 'moved');
    renameSync(rootPath, moved);
    expect((await stage.turn(sessionId, 'say again')).turns[1]?.error?.code).toBe('WORKSPACE_NOT_FOUND');
    await projects.save({ id: project.id, name: 'Ours', rootPath: moved });
    expect((await stage.turn(sessionId, 'say once more')).turns.map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
    expect(projects.list()).toMatchObject([{ id: project.id, rootPath: moved, lastActiveAt: expect.any(String) }]);
    expect(await codeOf(projects.save({ name: 'Far', rootPath: '/usr' }))).toBe('WORKSPACE_OUTSIDE_ROOTS');
    expect(await codeOf(stage.sessions.dispatch({ type: 'session.create', projectId: 'x' as never, engine: 'fake' }))).toBe(
      'PROJECT_NOT_FOUND',
    );
  });

  withStage.skipIf(process.platform !== 'linux')(
    'is found by the port on which a server listens that was started in it',
    async ({ stage }) => {
      const { Projects } = await import('#companion/projects/projects.ts');
      const projects = new Projects({ store: stage.store, paths: stage.paths, now: Date.now });
      const rootPath = path.join(stage.home, 'shops');
      await projects.save({ name: 'Shops', rootPath, allowCreate: true });
      const inner = await projects.save({ name: 'Map shop', rootPath: path.join(rootPath, 'maps'), allowCreate: true });
      const script = `const server = require('net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))`;
      const server = spawn(process.execPath, ['-e', script], { cwd: inner.rootPath, stdio: ['ignore', 'pipe', 'inherit'] });
      const [told] = await once(server.stdout, 'data');

      const port = Number(String(told));
      const served = await projects.servedOn({ port }, []);
      const sessionId = SessionId.parse('s1');
      const own = { path: path.join(inner.rootPath, 'own'), projectId: inner.id, sessionId };
      const around = { path: realpathSync(inner.rootPath), projectId: inner.id, sessionId };

      expect(served).toMatchObject({
        folder: realpathSync(inner.rootPath),
        root: inner.rootPath,
        project: { name: 'Map shop' },
        sessionId: null,
      });
      // One that lies deeper is not around it, and that of a forgotten project is nobody's.
      expect(await projects.servedOn({ port }, [own, { ...own, projectId: null }])).toEqual(served);
      projects.remove(inner.id);
      expect(await projects.servedOn({ port }, [around])).toMatchObject({ project: { name: 'Shops' }, sessionId: null });
      const outer = projects.list()[0]?.id ?? null;
      expect(await projects.servedOn({ port }, [{ ...around, projectId: outer }])).toMatchObject({
        project: { name: 'Shops' },
        sessionId: 's1',
      });
      server.kill();
      expect(await projects.servedOn({ port: 1 }, [])).toEqual({ folder: null, root: null, project: null, sessionId: null });
    },
  );
});
