import { chmodSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { createInstaller } from '#installer/register/installer.ts';
import { installing } from '#installer/register/install.ts';
import { manifestProblem } from '#installer/register/manifest-check.ts';
import { finish } from '#installer/register/steps.ts';
import { isThere, modeOf, test } from './stage.ts';

const chromeManifest = '.config/google-chrome/NativeMessagingHosts/com.pilotfish.host.json';
const chromiumManifest = '.config/chromium/NativeMessagingHosts/com.pilotfish.host.json';

describe('install', () => {
  test('registers with every browser found, for exactly our extension', ({ stage }) => {
    const report = createInstaller(stage.context).install({});

    expect(report.isComplete).toBe(true);
    expect(report.browsers.map(({ id, state }) => [id, state])).toEqual([
      ['chrome', 'written'],
      ['chromium', 'written'],
    ]);
    expect(JSON.parse(readFileSync(stage.at(chromeManifest), 'utf8'))).toEqual({
      name: 'com.pilotfish.host',
      description: expect.any(String),
      path: stage.context.executable,
      type: 'stdio',
      allowed_origins: ['chrome-extension://pgdlaadhmoiocfabflcddjfihdjegdoi/'],
    });
    expect(modeOf(stage.at(chromeManifest))).toBe(0o644);
    expect(report.warnings).toEqual([]);
  });

  test('unpacks the extension and adds a menu entry with an icon', ({ stage }) => {
    createInstaller(stage.context).install({});

    expect(readFileSync(stage.at('.local/share/pilotfish/extension/background.js'), 'utf8')).toBe('// worker');
    expect(readFileSync(stage.at('.local/share/applications/pilotfish.desktop'), 'utf8')).toContain(`Exec=${stage.context.executable}\n`);
    expect(readFileSync(stage.at('.local/share/applications/pilotfish.desktop'), 'utf8')).toContain('Terminal=true');
    expect(isThere(stage.at('.local/share/icons/hicolor/128x128/apps/pilotfish.png'))).toBe(true);
  });

  test('changes nothing when it runs again', ({ stage }) => {
    const installer = createInstaller(stage.context);
    installer.install({});
    const before = stage.files().map((file) => [file, statSync(stage.at(file)).ino]);

    const report = installer.install({});

    expect(report.browsers.every(({ state }) => state === 'unchanged')).toBe(true);
    expect(report.extension.state).toBe('unchanged');
    expect(report.menuEntry?.state).toBe('unchanged');
    expect(stage.files().map((file) => [file, statSync(stage.at(file)).ino])).toEqual(before);
  });

  test('writes a manifest readable for the browser whatever the umask is', ({ stage }) => {
    const umask = process.umask(0o077);

    createInstaller(stage.context).install({});
    process.umask(umask);

    expect(modeOf(stage.at(chromeManifest))).toBe(0o644);
  });

  test('replaces a link in the place of the manifest instead of writing through it', ({ stage }) => {
    stage.write(stage.at('victim'), 'mine');
    mkdirSync(stage.at('.config/google-chrome/NativeMessagingHosts'));
    symlinkSync(stage.at('victim'), stage.at(chromeManifest));

    createInstaller(stage.context).install({});

    expect(readFileSync(stage.at('victim'), 'utf8')).toBe('mine');
    expect(manifestProblem(stage.at(chromeManifest), stage.context.executable)).toBeNull();
  });

  test('registers the others when one browser cannot be registered, and says why', ({ stage }) => {
    stage.write(stage.at('.config/google-chrome/NativeMessagingHosts'), 'a file where a folder should be');

    const report = createInstaller(stage.context).install({});

    expect(report.isComplete).toBe(false);
    expect(report.browsers.map(({ id, state }) => [id, state])).toEqual([
      ['chrome', 'failed'],
      ['chromium', 'written'],
    ]);
    expect(report.browsers[0]?.error).toMatchObject({ code: 'INSTALL_FAILED', message: expect.stringContaining('google-chrome') });
  });

  test('warns when others could change the manifest or a folder above it', ({ stage }) => {
    chmodSync(stage.at('.config/google-chrome'), 0o777);

    const report = createInstaller(stage.context).install({});

    expect(report.warnings.map(({ text }) => text)).toEqual([`${stage.at('.config/google-chrome')} can be changed by other users.`]);
  });

  test('refuses an executable that is not there or is no absolute path', ({ stage }) => {
    for (const executable of [stage.at('nothing'), 'pilotfish', stage.at('bin')]) {
      expect(() => createInstaller({ ...stage.context, executable }).install({})).toThrow(
        expect.objectContaining({ code: 'INSTALL_FAILED' }),
      );
    }
  });

  test('registers for one profile folder and remembers it for uninstall', ({ stage }) => {
    const profile = stage.at('my profile');
    const installer = createInstaller(stage.context);

    const report = installer.install({ userDataDir: profile });

    expect(report.browsers.at(-1)).toMatchObject({ id: 'custom', state: 'written' });
    expect(manifestProblem(`${profile}/NativeMessagingHosts/com.pilotfish.host.json`, stage.context.executable)).toBeNull();
    installer.uninstall({ purge: false });
    expect(isThere(profile)).toBe(false);
  });

  test('starts with the portable folder from the menu when there is one', ({ stage }) => {
    const paths = { ...stage.context.paths, root: stage.at('my "home"'), isPortable: true };

    const report = createInstaller({ ...stage.context, paths }).install({});

    const entry = readFileSync(stage.at('.local/share/applications/pilotfish.desktop'), 'utf8');
    expect(entry).toContain(`Exec=env "PILOTFISH_HOME=${stage.at(String.raw`my \\"home\\"`)}" ${stage.context.executable}`);
    expect(report.warnings[0]?.text).toContain('PILOTFISH_HOME');
  });
});

describe('an interrupted install', () => {
  test('leaves every manifest old or new, and the next one repairs it, at each step', ({ stage }) => {
    const steps = [...installing(stage.context)].length;
    expect(steps).toBeGreaterThan(10);

    for (let count = 0; count <= steps; count += 1) {
      createInstaller(stage.context).uninstall({ purge: true });
      const old = { ...stage.context, executable: stage.at('old-pilotfish') };
      stage.write(old.executable, '#!/bin/sh\n', 0o755);
      finish(installing(old));
      stage.write(stage.at('.local/share/pilotfish/extension/background.js'), '// older');

      const run = installing(stage.context);
      for (let index = 0; index < count; index += 1) run.next();

      for (const file of [chromeManifest, chromiumManifest]) {
        const problems = [old.executable, stage.context.executable].map((executable) => manifestProblem(stage.at(file), executable));
        expect(problems).toContain(null);
      }
      finish(installing(stage.context));
      expect(manifestProblem(stage.at(chromeManifest), stage.context.executable)).toBeNull();
      expect(readFileSync(stage.at('.local/share/pilotfish/extension/background.js'), 'utf8')).toBe('// worker');
      expect(stage.files().filter((file) => /\.(new|old)(\/|$)/u.test(file))).toEqual([]);
    }
  });
});

describe('the extension', () => {
  test('is replaced as a whole when a file of it differs, is missing or is too many', ({ stage }) => {
    const installer = createInstaller(stage.context);
    const directory = stage.context.paths.extensionDir;
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

  test("is current in spite of the browser's own index in it", ({ stage }) => {
    const installer = createInstaller(stage.context);
    installer.install({});

    stage.write(`${stage.context.paths.extensionDir}/_metadata/generated_indexed_rulesets/_ruleset1`, '');

    expect(installer.extension().isCurrent).toBe(true);
  });

  test('is never unpacked outside its folder', ({ stage }) => {
    const report = createInstaller({ ...stage.context, extensionFiles: { '../../evil.js': Buffer.of() } }).install({});

    expect(report.extension).toMatchObject({ state: 'failed', error: { code: 'INSTALL_FAILED' } });
    expect(isThere(stage.at('.local/share/evil.js'))).toBe(false);
  });

  test('leaves nothing behind of what it could not finish', ({ stage }) => {
    const extensionFiles = { 'background.js': Buffer.from('// worker'), '../../evil.js': Buffer.of() };

    createInstaller({ ...stage.context, extensionFiles }).install({});

    expect(stage.files().filter((file) => file.includes('extension'))).toEqual([]);
  });
});
