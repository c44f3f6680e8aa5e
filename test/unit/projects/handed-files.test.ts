import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepOne } from '#test/fixtures/keep-one.ts';
import { describe, expect, test as base } from 'vitest';
import type { SessionId } from '#protocol/ids.ts';
import type { AttachmentRef } from '#protocol/items.ts';
import type { SavedFile } from '#protocol/link.ts';
import { nullLog } from '#companion/lib/log.ts';
import { createPaths, ensurePrivateDir } from '#companion/lib/paths.ts';
import { HandedFiles } from '#companion/projects/handed-files.ts';
import { mayHoldKeys } from '#companion/projects/key-files.ts';
import { Store } from '#companion/store/store.ts';
import { codeOf } from '#test/unit/sessions/stage.ts';

const sessionId = 'session_1' as SessionId;

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
  const saved: SavedFile[] = [];
  const more = { saved: () => Promise.resolve(saved) };
  const read = (...given: string[]) =>
    files.read({
      view: { sessionId, kind: 'agent', projectId: 'p' as never, worktree: null, turns: turns as never },
      folder: null,
      given,
      ...more,
    });
  return {
    home,
    project,
    store,
    downloadsDir: paths.downloadsDir,
    read,
    attach: (name: string, text: string): string => {
      const ref = keepOne(store.attachments, { kind: 'file', name, mimeType: 'text/csv', dataBase64: btoa(text) });
      turns.push({ prompt: { text: '', attachments: [ref] } });
      return store.attachments.pathOf(ref);
    },
    /** The session saves it in the browser on this machine. */
    save: (file: string, text: string, by: Partial<SavedFile> = {}): string => {
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
      const told = {
        path: file,
        name: path.basename(file),
        sizeBytes: Buffer.byteLength(text),
        savedAt: Date.now(),
        origin: 'https://mail.example',
      };
      saved.push({ ...told, ...by });
      return file;
    },
    readAsClient: (folder: string | null, ...given: string[]) =>
      files.read({ view: { sessionId, kind: 'client', projectId: null, worktree: null, turns: [] }, folder, given, ...more }),
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

  test('may be what the session has saved in the browser, by its path or its name', async ({ stage }) => {
    const downloads = path.join(stage.home, 'downloads');
    const shot = stage.save(path.join(downloads, 'shot (1).png'), 'pixels', { name: 'shot.png' });
    const report = stage.save(path.join(downloads, 'report.pdf'), 'of the bank');
    writeFileSync(path.join(downloads, 'letter.txt'), 'of the person');

    for (const given of [shot, 'shot.png', 'shot (1).png', 'shot'])
      expect((await stage.read(given))[0], given).toMatchObject({ path: shot, sizeBytes: 6, savedFrom: 'https://mail.example' });
    expect((await stage.readAsClient(null, report, 'report.pdf')).map(({ file }) => atob(file.dataBase64))).toEqual([
      'of the bank',
      'of the bank',
    ]);
    // The project's own file of that name comes first.
    writeFileSync(path.join(stage.project, 'report.pdf'), 'of the project');
    expect((await stage.read('report.pdf'))[0]).not.toHaveProperty('savedFrom');
    expect(await codeOf(stage.read(path.join(downloads, 'letter.txt')))).toBe('FILE_OUTSIDE_PROJECT');
    expect(await codeOf(stage.read('letter.txt'))).toBe('FILE_NOT_FOUND');
  });

  test('that the session has saved is still the one that it saved, and no link', async ({ stage }) => {
    const at = (name: string): string => path.join(stage.home, 'downloads', name);
    const sha256 = createHash('sha256').update('as saved').digest('hex');
    const [made, longer, later, link] = ['made.md', 'longer.csv', 'later.csv', 'link.csv'].map(at);
    stage.save(made ?? '', 'as saved', { sha256 });
    expect(await codeOf(stage.read('made.md'))).toBe('none');
    writeFileSync(made ?? '', 'not that');
    stage.save(longer ?? '', 'a,b');
    writeFileSync(longer ?? '', 'a,b,c');
    stage.save(later ?? '', 'a,b');
    utimesSync(later ?? '', new Date(), new Date(Date.now() + 60_000));
    stage.save(link ?? '', 'not for pages');
    renameSync(link ?? '', at('elsewhere.csv'));
    symlinkSync(path.join(stage.home, 'secret.txt'), link ?? '');

    for (const name of ['made.md', 'longer.csv', 'later.csv', 'link.csv'])
      expect(await codeOf(stage.read(name)), name).toBe('INPUT_INVALID');
    await expect(stage.read('made.md')).rejects.toThrow('is not what this session saved there: it has changed');
  });

  test('may be one that came from a browser on another machine for this session, and for no other', async ({ stage }) => {
    const folder = (id: string): string => path.join(stage.downloadsDir, id);
    for (const id of [sessionId, 'session_2']) mkdirSync(folder(id), { recursive: true });
    writeFileSync(path.join(folder(sessionId), 'mine.csv'), 'mine');
    writeFileSync(path.join(folder('session_2'), 'other.csv'), 'other');

    expect((await stage.read(path.join(folder(sessionId), 'mine.csv')))[0]).toMatchObject({ sizeBytes: 4, savedFrom: '' });
    expect(await codeOf(stage.read(path.join(folder('session_2'), 'other.csv')))).toBe('FILE_OUTSIDE_PROJECT');
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
