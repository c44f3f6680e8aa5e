import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { createInstaller } from '#installer/register/installer.ts';
import { installing } from '#installer/register/install.ts';
import { manifestProblem } from '#installer/register/manifest-check.ts';
import { finish } from '#installer/register/steps.ts';
import { isThere, modeOf, test } from './world.ts';

const chromeManifest = '.config/google-chrome/NativeMessagingHosts/com.pilotfish.host.json';
const chromiumManifest = '.config/chromium/NativeMessagingHosts/com.pilotfish.host.json';

describe('install', () => {
  test('registers with every browser found, for exactly our extension (S15)', ({ world }) => {
    const report = createInstaller(world.context).install({});

    expect(report.isComplete).toBe(true);
    expect(report.browsers.map(({ id, state }) => [id, state])).toEqual([
      ['chrome', 'written'],
      ['chromium', 'written'],
    ]);
    expect(JSON.parse(readFileSync(world.at(chromeManifest), 'utf8'))).toEqual({
      name: 'com.pilotfish.host',
      description: expect.any(String),
      path: world.context.executable,
      type: 'stdio',
      allowed_origins: ['chrome-extension://pgdlaadhmoiocfabflcddjfihdjegdoi/'],
    });
    expect(modeOf(world.at(chromeManifest))).toBe(0o644);
    expect(report.warnings).toEqual([]);
  });

  test('unpacks the extension and adds a menu entry with an icon', ({ world }) => {
    createInstaller(world.context).install({});

    expect(readFileSync(world.at('.local/share/pilotfish/extension/background.js'), 'utf8')).toBe('// worker');
    expect(readFileSync(world.at('.local/share/applications/pilotfish.desktop'), 'utf8')).toContain(`Exec=${world.context.executable}\n`);
    expect(readFileSync(world.at('.local/share/applications/pilotfish.desktop'), 'utf8')).toContain('Terminal=true');
    expect(isThere(world.at('.local/share/icons/hicolor/128x128/apps/pilotfish.png'))).toBe(true);
  });

  test('changes nothing when it runs again', ({ world }) => {
    const installer = createInstaller(world.context);
    installer.install({});
    const before = world.files().map((file) => [file, statSync(world.at(file)).ino]);

    const report = installer.install({});

    expect(report.browsers.every(({ state }) => state === 'unchanged')).toBe(true);
    expect(report.extension.state).toBe('unchanged');
    expect(report.menuEntry?.state).toBe('unchanged');
    expect(world.files().map((file) => [file, statSync(world.at(file)).ino])).toEqual(before);
  });

  test('writes a manifest readable for the browser whatever the umask is', ({ world }) => {
    const umask = process.umask(0o077);

    createInstaller(world.context).install({});
    process.umask(umask);

    expect(modeOf(world.at(chromeManifest))).toBe(0o644);
  });

  test('replaces a link in the place of the manifest instead of writing through it', ({ world }) => {
    world.write(world.at('victim'), 'mine');
    mkdirSync(world.at('.config/google-chrome/NativeMessagingHosts'));
    symlinkSync(world.at('victim'), world.at(chromeManifest));

    createInstaller(world.context).install({});

    expect(readFileSync(world.at('victim'), 'utf8')).toBe('mine');
    expect(manifestProblem(world.at(chromeManifest), world.context.executable)).toBeNull();
  });

  test('registers the others when one browser cannot be registered, and says why', ({ world }) => {
    world.write(world.at('.config/google-chrome/NativeMessagingHosts'), 'a file where a folder should be');

    const report = createInstaller(world.context).install({});

    expect(report.isComplete).toBe(false);
    expect(report.browsers.map(({ id, state }) => [id, state])).toEqual([
      ['chrome', 'failed'],
      ['chromium', 'written'],
    ]);
    expect(report.browsers[0]?.error).toMatchObject({ code: 'INSTALL_FAILED', message: expect.stringContaining('google-chrome') });
  });

  test('warns when others could change the manifest or a folder above it (S15)', ({ world }) => {
    chmodSync(world.at('.config/google-chrome'), 0o777);

    const report = createInstaller(world.context).install({});

    expect(report.warnings).toEqual([`${world.at('.config/google-chrome')} can be changed by other users`]);
  });

  test('refuses an executable that is not there or is no absolute path', ({ world }) => {
    for (const executable of [world.at('nothing'), 'pilotfish', world.at('bin')]) {
      expect(() => createInstaller({ ...world.context, executable }).install({})).toThrow(
        expect.objectContaining({ code: 'INSTALL_FAILED' }),
      );
    }
  });

  test('registers for one profile folder and remembers it for uninstall', ({ world }) => {
    const profile = world.at('my profile');
    const installer = createInstaller(world.context);

    const report = installer.install({ userDataDir: profile });

    expect(report.browsers.at(-1)).toMatchObject({ id: 'custom', state: 'written' });
    expect(manifestProblem(`${profile}/NativeMessagingHosts/com.pilotfish.host.json`, world.context.executable)).toBeNull();
    installer.uninstall({ purge: false });
    expect(isThere(profile)).toBe(false);
  });

  test('starts with the portable folder from the menu when there is one', ({ world }) => {
    const paths = { ...world.context.paths, root: world.at('my "home"'), isPortable: true };

    const report = createInstaller({ ...world.context, paths }).install({});

    const entry = readFileSync(world.at('.local/share/applications/pilotfish.desktop'), 'utf8');
    expect(entry).toContain(`Exec=env "PILOTFISH_HOME=${world.at(String.raw`my \\"home\\"`)}" ${world.context.executable}`);
    expect(report.warnings[0]).toContain('PILOTFISH_HOME');
  });
});

describe('an interrupted install', () => {
  test('leaves every manifest old or new, and the next one repairs it, at each step (R28)', ({ world }) => {
    const steps = [...installing(world.context)].length;
    expect(steps).toBeGreaterThan(10);

    for (let count = 0; count <= steps; count += 1) {
      createInstaller(world.context).uninstall({ purge: true });
      const old = { ...world.context, executable: world.at('old-pilotfish') };
      world.write(old.executable, '#!/bin/sh\n', 0o755);
      finish(installing(old));
      world.write(world.at('.local/share/pilotfish/extension/background.js'), '// older');

      const run = installing(world.context);
      for (let index = 0; index < count; index += 1) run.next();

      for (const file of [chromeManifest, chromiumManifest]) {
        const problems = [old.executable, world.context.executable].map((executable) => manifestProblem(world.at(file), executable));
        expect(problems).toContain(null);
      }
      finish(installing(world.context));
      expect(manifestProblem(world.at(chromeManifest), world.context.executable)).toBeNull();
      expect(readFileSync(world.at('.local/share/pilotfish/extension/background.js'), 'utf8')).toBe('// worker');
      expect(world.files().filter((file) => /\.(new|old)(\/|$)/u.test(file))).toEqual([]);
    }
  });
});

describe('the extension', () => {
  test('is replaced as a whole when a file of it differs, is missing or is too many', ({ world }) => {
    const installer = createInstaller(world.context);
    const directory = world.context.paths.extensionDir;
    installer.install({});
    const faults = [
      () => writeFileSync(`${directory}/background.js`, 'changed'),
      () => rmSync(`${directory}/icons/128.png`),
      () => writeFileSync(`${directory}/stale.js`, ''),
    ];

    for (const plant of faults) {
      plant();
      expect(installer.extension().isCurrent).toBe(false);
      expect(installer.install({}).extension.state).toBe('written');
      expect(installer.extension().isCurrent).toBe(true);
    }
    expect(readdirSync(directory).toSorted()).toEqual(['background.js', 'icons', 'manifest.json']);
  });

  test("is current in spite of the browser's own index in it", ({ world }) => {
    const installer = createInstaller(world.context);
    installer.install({});

    world.write(`${world.context.paths.extensionDir}/_metadata/generated_indexed_rulesets/_ruleset1`, '');

    expect(installer.extension().isCurrent).toBe(true);
  });

  test('is never unpacked outside its folder', ({ world }) => {
    const report = createInstaller({ ...world.context, extensionFiles: { '../../evil.js': '' } }).install({});

    expect(report.extension).toMatchObject({ state: 'failed', error: { code: 'INSTALL_FAILED' } });
    expect(isThere(world.at('.local/share/evil.js'))).toBe(false);
  });
});
