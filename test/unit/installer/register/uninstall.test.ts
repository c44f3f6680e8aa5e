import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { createInstaller } from '#installer/register/installer.ts';
import { finish } from '#installer/register/steps.ts';
import { uninstalling } from '#installer/register/uninstall.ts';
import { isThere, test, type World } from './world.ts';

/** What a daemon leaves in a home. */
const runDaemon = (world: World): void => {
  const { paths } = world.context;
  for (const name of ['pilotfish.db', 'pilotfish.db-wal', 'settings.json', 'attachments/a.png'])
    world.write(`${paths.root}/${name}`, 'data');
  world.write(paths.keyFile, 'key');
  world.write(`${paths.logDir}/daemon.log`, 'log');
  world.write(`${paths.runsDir}/1/mcp.json`, 'run');
  world.write(paths.socket, '');
};

describe('uninstall', () => {
  test("leaves no file of ours but the user's data", ({ world }) => {
    const before = world.files();
    const installer = createInstaller(world.context);
    installer.install({});
    runDaemon(world);

    const report = installer.uninstall({ purge: false });

    expect(report.isComplete).toBe(true);
    expect(world.files()).toEqual(
      [
        ...before,
        ...['attachments/a.png', 'pilotfish.db', 'pilotfish.db-wal', 'settings.json'].map((name) => `.local/share/pilotfish/${name}`),
      ].toSorted(),
    );
    expect(report.kept).toEqual([world.context.paths.root]);
    expect(isThere(world.at('.config/chromium'))).toBe(false);
    expect(isThere(world.at('.local/share/icons'))).toBe(false);
  });

  test('leaves nothing with --purge, except what is in the workspace', ({ world }) => {
    const before = world.files();
    const installer = createInstaller(world.context);
    installer.install({});
    runDaemon(world);
    world.write(world.at('Pilotfish/project/main.ts'), 'code');

    const report = installer.uninstall({ purge: true });

    expect(world.files()).toEqual([...before, 'Pilotfish/project/main.ts'].toSorted());
    expect(report.kept).toEqual([world.context.paths.defaultWorkspace]);
  });

  test('keeps a workspace inside the data folder', ({ world }) => {
    const paths = { ...world.context.paths, defaultWorkspace: `${world.context.paths.root}/workspace` };
    const installer = createInstaller({ ...world.context, paths });
    world.write(`${paths.defaultWorkspace}/main.ts`, 'code');

    installer.uninstall({ purge: true });

    expect(readFileSync(`${paths.defaultWorkspace}/main.ts`, 'utf8')).toBe('code');
  });

  test("leaves other programs' manifests alone, also one under our file name", ({ world }) => {
    const other = '.config/google-chrome/NativeMessagingHosts/com.other.host.json';
    const taken = '.config/chromium/NativeMessagingHosts/com.pilotfish.host.json';
    world.write(world.at(other), '{}');
    world.write(world.at(taken), JSON.stringify({ name: 'com.other.host', path: '/x', type: 'stdio', allowed_origins: [] }));

    createInstaller(world.context).uninstall({ purge: true });

    expect(isThere(world.at(other))).toBe(true);
    expect(isThere(world.at(taken))).toBe(true);
  });

  test('finds nothing to do in a home it never was in', ({ world }) => {
    const before = world.files();

    const report = createInstaller(world.context).uninstall({ purge: true });

    expect(report).toMatchObject({ removed: [], failed: [], isComplete: true });
    expect(world.files()).toEqual(before);
  });

  test('goes on after a place it cannot remove, and names it', ({ world }) => {
    const installer = createInstaller(world.context);
    installer.install({});
    mkdirSync(world.at('.local/share/pilotfish/registrations.json'), { recursive: true });

    const report = installer.uninstall({ purge: false });

    expect(report.isComplete).toBe(false);
    expect(report.failed[0]?.error).toMatchObject({ code: 'INSTALL_FAILED', remedy: expect.stringContaining('uninstall') });
    expect(isThere(world.at('.config/google-chrome/NativeMessagingHosts'))).toBe(false);
  });

  test('can be interrupted at each step and run again (R28)', ({ world }) => {
    const before = world.files();
    const installer = createInstaller(world.context);
    installer.install({ userDataDir: world.at('profile') });
    const steps = [...uninstalling(world.context, true)].length;

    for (let count = 0; count <= steps; count += 1) {
      installer.install({ userDataDir: world.at('profile') });
      runDaemon(world);
      const run = uninstalling(world.context, true);
      for (let index = 0; index < count; index += 1) run.next();

      finish(uninstalling(world.context, true));

      expect(world.files().filter((file) => !file.startsWith('profile/'))).toEqual(before);
    }
  });
});
