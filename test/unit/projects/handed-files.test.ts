import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepOne } from '#test/fixtures/keep-one.ts';
import { describe, expect, test as base } from 'vitest';
import type { AttachmentRef } from '#protocol/items.ts';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths, ensurePrivateDir } from '#companion/lib/paths.ts';
import { HandedFiles } from '#companion/projects/handed-files.ts';
import { mayHoldKeys } from '#companion/projects/key-files.ts';
import { Store } from '#companion/store/store.ts';
import { codeOf } from '#test/unit/sessions/stage.ts';

const openStage = () => {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilotfish-')));
  const paths = createPaths({ HOME: home, PILOTFISH_HOME: path.join(home, 'pilotfish') });
  ensurePrivateDir(paths.root);
  const store = new Store(paths, nullLog);
  const project = path.join(home, 'project');
  mkdirSync(path.join(project, 'out'), { recursive: true });
  writeFileSync(path.join(project, 'out', 'report.pdf'), 'a report');
  writeFileSync(path.join(home, 'secret.txt'), 'not for pages');
  const at = new Date(0).toISOString();
  store.projects.save({ id: 'p' as never, name: 'P', rootPath: project, createdAt: at, updatedAt: at });
  const files = new HandedFiles({ store, paths });
  const turns: { prompt: { text: string; attachments: AttachmentRef[] } }[] = [];
  const read = (...given: string[]) =>
    files.read({ view: { kind: 'agent', projectId: 'p' as never, worktree: null, turns: turns as never }, folder: null, given });
  return {
    home,
    project,
    store,
    read,
    attach: (name: string, text: string): string => {
      const ref = keepOne(store.attachments, { kind: 'file', name, mimeType: 'text/csv', dataBase64: btoa(text) });
      turns.push({ prompt: { text: '', attachments: [ref] } });
      return store.attachments.pathOf(ref);
    },
    readAsClient: (folder: string | null, ...given: string[]) =>
      files.read({ view: { kind: 'client', projectId: null, worktree: null, turns: [] }, folder, given }),
    close: () => {
      store.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
};

const test = base.extend<{ stage: ReturnType<typeof openStage> }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    const stage = openStage();
    await use(stage);
    stage.close();
  },
});

describe('a file that is handed to a page', () => {
  test('is one of the project, named from its root or by its whole path', async ({ stage }) => {
    const whole = path.join(stage.project, 'out', 'report.pdf');

    for (const given of ['out/report.pdf', './out/../out/report.pdf', whole]) {
      const [opened] = await stage.read(given);
      expect(opened).toMatchObject({ path: whole, sizeBytes: 8, mayHoldKeys: false });
      expect(opened?.file).toMatchObject({ name: 'report.pdf', type: 'application/pdf', dataBase64: btoa('a report') });
      expect(opened?.file.sha256).toBe(createHash('sha256').update('a report').digest('hex'));
      expect(opened?.file.modifiedAt).toBeGreaterThan(Date.now() - 600_000);
    }
    expect((await stage.read('out/report.pdf', 'out/report.pdf')).map(({ file }) => file.name)).toEqual(['report.pdf', 'report.pdf']);
  });

  test('is never one outside, whatever leads there', async ({ stage }) => {
    symlinkSync(stage.home, path.join(stage.project, 'up'));
    symlinkSync(path.join(stage.home, 'secret.txt'), path.join(stage.project, 'innocent.txt'));
    symlinkSync('/proc/self', path.join(stage.project, 'self'));

    const ways = ['../secret.txt', 'up/secret.txt', 'innocent.txt', path.join(stage.home, 'secret.txt'), '/etc/passwd', 'self/environ'];
    for (const way of ways) expect(await codeOf(stage.read(way)), way).toBe('FILE_OUTSIDE_PROJECT');
    expect(await codeOf(stage.read('out/report.pdf', '../secret.txt'))).toBe('FILE_OUTSIDE_PROJECT');
  });

  test('is a plain file that is there', async ({ stage }) => {
    execFileSync('mkfifo', [path.join(stage.project, 'pipe')]);

    expect(await codeOf(stage.read('missing.txt'))).toBe('FILE_NOT_FOUND');
    expect(await codeOf(stage.read('out'))).toBe('INPUT_INVALID');
    expect(await codeOf(stage.read('pipe'))).toBe('INPUT_INVALID');
    expect(await codeOf(stage.read('a\0b'))).toBe('INPUT_INVALID');
    expect(await codeOf(stage.read(''))).toBe('INPUT_INVALID');
  });

  test('is not too large, also together with the others', async ({ stage }) => {
    writeFileSync(path.join(stage.project, 'big'), '');
    truncateSync(path.join(stage.project, 'big'), 20 * 1024 * 1024);

    expect((await stage.read('big'))[0]?.sizeBytes).toBe(20 * 1024 * 1024);
    expect(await codeOf(stage.read('big', 'big'))).toBe('INPUT_TOO_LARGE');
    expect(await codeOf(stage.read(...Array.from({ length: 21 }, () => 'out/report.pdf')))).toBe('INPUT_TOO_LARGE');
  });

  test('may be what the person attached in this session, and nothing else that lies there', async ({ stage }) => {
    const mine = stage.attach('list.csv', 'a,b');
    const others = stage.store.attachments.pathOf(
      keepOne(stage.store.attachments, { kind: 'file', name: 'other.csv', mimeType: 'text/csv', dataBase64: btoa('c') }),
    );

    expect((await stage.read(mine))[0]?.file.dataBase64).toBe(btoa('a,b'));
    expect(await codeOf(stage.read(others))).toBe('FILE_OUTSIDE_PROJECT');
  });

  test('of a program from outside lies in its folder, or in one that the person allowed', async ({ stage }) => {
    expect((await stage.readAsClient(stage.project, 'out/report.pdf'))[0]?.sizeBytes).toBe(8);
    expect(await codeOf(stage.readAsClient(null, path.join(stage.project, 'out', 'report.pdf')))).toBe('FILE_OUTSIDE_PROJECT');
    expect(await codeOf(stage.readAsClient('/', '/etc/passwd'))).toBe('FILE_OUTSIDE_PROJECT');
    stage.store.settings.change({ allowedRoots: [stage.project] });
    expect(await codeOf(stage.readAsClient(null, path.join(stage.project, 'out', 'report.pdf')))).toBe('none');
  });

  test('of a program whose folder is not known is named by its whole path, and the person may allow its folder', async ({ stage }) => {
    const refused = stage.readAsClient(null, 'report.pdf');

    expect(await codeOf(refused)).toBe('FILE_OUTSIDE_PROJECT');
    await expect(refused).rejects.toMatchObject({ remedy: expect.stringContaining('pilotfish roots add') });
  });

  test('tells by its name that it may hold keys', async ({ stage }) => {
    writeFileSync(path.join(stage.project, '.env'), 'KEY=1');
    linkSync(path.join(stage.project, '.env'), path.join(stage.project, 'plain'));
    symlinkSync(path.join(stage.project, '.env'), path.join(stage.project, 'notes.txt'));

    expect((await stage.read('.env', 'notes.txt', 'out/report.pdf')).map((opened) => opened.mayHoldKeys)).toEqual([true, true, false]);
    for (const name of [
      '/p/.env.local',
      '/p/id_ed25519',
      '/p/server.pem',
      '/p/.npmrc',
      '/p/.git/config',
      '/p/aws-credentials.json',
      '/p/.ssh/config',
      '/p/client_secret.json',
      'C:\\p\\.aws\\config',
    ])
      expect(mayHoldKeys(name), name).toBe(true);
    for (const name of [
      '/p/environment.md',
      '/p/id_rsa.pub',
      '/p/keyboard.png',
      '/p/report.pdf',
      '/p/tokenizer.ts',
      '/p/secretary.txt',
      '/p/.gitignore',
    ])
      expect(mayHoldKeys(name), name).toBe(false);
  });
});
