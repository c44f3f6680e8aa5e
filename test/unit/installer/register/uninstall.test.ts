import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { createInstaller } from '#installer/register/installer.ts';
import { finish } from '#installer/register/steps.ts';
import { uninstalling } from '#installer/register/uninstall.ts';
import { isThere, test, type Stage } from './stage.ts';

/** What a daemon leaves in a home. */
const runDaemon = (stage: Stage): void => {
  const { paths } = stage.context;
  for (const name of ['pilotfish.db', 'pilotfish.db-wal', 'settings.json', 'attachments/a.png'])
    stage.write(`${paths.root}/${name}`, 'data');
  stage.write(paths.keyFile, 'key');
  stage.write(`${paths.logDir}/daemon.log`, 'log');
  stage.write(`${paths.runsDir}/1/mcp.json`, 'run');
  stage.write(paths.socket, '');
};

describe('uninstall', () => {
  test("leaves no file of ours but the user's data", ({ stage }) => {
    const before = stage.files();
    const installer = createInstaller(stage.context);
    installer.install({});
    runDaemon(stage);

    const report = installer.uninstall({ purge: false });

    expect(report.isComplete).toBe(true);
    expect(stage.files()).toEqual(
      [
        ...before,
        ...['attachments/a.png', 'pilotfish.db', 'pilotfish.db-wal', 'settings.json'].map((name) => `.local/share/pilotfish/${name}`),
      ].toSorted(),
    );
    expect(report.kept).toEqual([stage.context.paths.root]);
    expect(isThere(stage.at('.config/chromium'))).toBe(false);
    expect(isThere(stage.at('.local/share/icons'))).toBe(false);
  });

  test('keeps the worktrees of sessions with --purge, and says where they are', ({ stage }) => {
    const { paths } = stage.context;
    const work = `${paths.worktreesDir}/shop-1a2b/notes.txt`;
    stage.write(work, 'nowhere else');

    const report = createInstaller(stage.context).uninstall({ purge: true });

    expect(readFileSync(work, 'utf8')).toBe('nowhere else');
    expect(report.kept).toContain(paths.worktreesDir);
    expect(report.removed).not.toContain(paths.worktreesDir);
  });

  test('leaves nothing with --purge, except what is in the workspace', ({ stage }) => {
    const before = stage.files();
    const installer = createInstaller(stage.context);
    installer.install({});
    runDaemon(stage);
    stage.write(stage.at('Pilotfish/project/main.ts'), 'code');

    const report = installer.uninstall({ purge: true });

    expect(stage.files()).toEqual([...before, 'Pilotfish/project/main.ts'].toSorted());
    expect(report.kept).toEqual([stage.context.paths.defaultWorkspace]);
  });

  test('leaves no folder in that of the login, unless another home has a socket there', ({ stage }) => {
    const socketDir = stage.at('run/pilotfish/one');
    const paths = { ...stage.context.paths, socketDir, socket: `${socketDir}/pilotfish.sock` };
    const installer = createInstaller({ ...stage.context, paths });
    stage.write(paths.socket, '');
    stage.write(stage.at('run/pilotfish/two/pilotfish.sock'), '');

    installer.uninstall({ purge: true });
    expect(isThere(stage.at('run/pilotfish/one'))).toBe(false);
    expect(isThere(stage.at('run/pilotfish/two/pilotfish.sock'))).toBe(true);

    rmSync(stage.at('run/pilotfish/two'), { recursive: true });
    stage.write(paths.socket, '');
    installer.uninstall({ purge: true });
    expect(isThere(stage.at('run/pilotfish'))).toBe(false);
    expect(isThere(stage.at('run'))).toBe(true);
  });

  test('keeps a workspace inside the data folder', ({ stage }) => {
    const paths = { ...stage.context.paths, defaultWorkspace: `${stage.context.paths.root}/workspace` };
    const installer = createInstaller({ ...stage.context, paths });
    stage.write(`${paths.defaultWorkspace}/main.ts`, 'code');

    installer.uninstall({ purge: true });

    expect(readFileSync(`${paths.defaultWorkspace}/main.ts`, 'utf8')).toBe('code');
  });

  test("leaves other programs' manifests alone, also one under our file name", ({ stage }) => {
    const other = '.config/google-chrome/NativeMessagingHosts/com.other.host.json';
    const taken = '.config/chromium/NativeMessagingHosts/com.pilotfish.host.json';
    stage.write(stage.at(other), '{}');
    stage.write(stage.at(taken), JSON.stringify({ name: 'com.other.host', path: '/x', type: 'stdio', allowed_origins: [] }));

    createInstaller(stage.context).uninstall({ purge: true });

    expect(isThere(stage.at(other))).toBe(true);
    expect(isThere(stage.at(taken))).toBe(true);
  });

  test('finds nothing to do in a home it never was in', ({ stage }) => {
    const before = stage.files();

    const report = createInstaller(stage.context).uninstall({ purge: true });

    expect(report).toMatchObject({ removed: [], failed: [], isComplete: true });
    expect(stage.files()).toEqual(before);
  });

  test('goes on after a place it cannot remove, and names it', ({ stage }) => {
    const installer = createInstaller(stage.context);
    installer.install({});
    mkdirSync(stage.at('.local/share/pilotfish/registrations.json'), { recursive: true });

    const report = installer.uninstall({ purge: false });

    expect(report.isComplete).toBe(false);
    expect(report.failed[0]?.error).toMatchObject({ code: 'INSTALL_FAILED', remedy: expect.stringContaining('uninstall') });
    expect(isThere(stage.at('.config/google-chrome/NativeMessagingHosts'))).toBe(false);
  });

  test('can be interrupted at each step and run again', ({ stage }) => {
    const before = stage.files();
    const installer = createInstaller(stage.context);
    installer.install({ userDataDir: stage.at('profile') });
    const steps = [...uninstalling(stage.context, true)].length;

    for (let count = 0; count <= steps; count += 1) {
      installer.install({ userDataDir: stage.at('profile') });
      runDaemon(stage);
      const run = uninstalling(stage.context, true);
      for (let index = 0; index < count; index += 1) run.next();

      finish(uninstalling(stage.context, true));

      expect(stage.files().filter((file) => !file.startsWith('profile/'))).toEqual(before);
    }
  });
});
