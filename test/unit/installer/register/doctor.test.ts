import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { examine } from '#installer/register/doctor.ts';
import { createInstaller } from '#installer/register/installer.ts';
import { saidText } from '#display/said.ts';
import { inLanguage, words } from '#display/words.ts';
import type { Finding } from '#protocol/setup.ts';
import { EXTENSION_ID, VERSION } from '#protocol/version.ts';
import { hostScript, test, type Stage } from './stage.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';

const manifest = (stage: Stage): string => stage.at('.config/google-chrome/NativeMessagingHosts/com.pilotfish.host.json');

const manifestIn = (stage: Stage, profile: string): string => stage.at(profile, 'NativeMessagingHosts/com.pilotfish.host.json');

const changeManifest = (stage: Stage, change: Record<string, unknown>): void =>
  writeFileSync(manifest(stage), JSON.stringify({ ...JSON.parse(readFileSync(manifest(stage), 'utf8')), ...change }));

/** The words of a Chinese terminal's live check that are neither names nor what is typed, nor the host's own. */
const englishLeft = (stage: Stage, checks: readonly Finding[]): string[] => {
  const chinese = inLanguage(words, 'zh');
  const shown = checks
    .flatMap(({ title, detail, remedy }) => [title, detail, ...(remedy === undefined ? [] : [remedy])])
    .map((said) => saidText(said, chinese))
    .join('\n');
  return [
    ...(shown
      .replaceAll(stage.at(), '')
      .replaceAll(
        /`[^`]*`|PATH|Chrome|Chromium|Google|Edge|Brave|Vivaldi|Opera|Arc|Pilotfish|JSON|com\.other|npm run build|chmod [\w-]+|export .*|spawn \S+|SIG[A-Z]+|stdio|tcp|The folder is foreign|Remove the folder/gu,
        '',
      )
      .match(/(?<![\w/.:-])[A-Za-z]{3,}(?: [A-Za-z]+)+/gu) ?? []),
  ];
};

/** A profile's check is named for its folder. */
const isAbout =
  (stage: Stage, id: string) =>
  (check: Finding): boolean =>
    check.id.replace(stage.home, '') === id;

/** Chrome's own notes of a profile, in the form that Chrome writes. */
const writeProfile = (
  stage: Stage,
  {
    folder = 'Default',
    place = 'google-chrome',
    loadedFrom,
    off = [],
  }: { folder?: string; place?: string; loadedFrom?: string; off?: number[] },
): void => {
  const settings = loadedFrom === undefined ? {} : { [EXTENSION_ID]: { path: loadedFrom, location: 4, disable_reasons: off } };
  stage.write(stage.at('.config', place, folder, 'Preferences'), JSON.stringify({ extensions: { settings } }));
};

/** One fault each: how it is planted, which check has to find it, and a word of what it has to say. */
const faults: readonly { name: string; plant: (stage: Stage) => void; id: string; says: RegExp }[] = [
  { name: 'the executable is gone', plant: (stage) => rmSync(stage.context.executable), id: 'executable', says: /not there/u },
  {
    name: 'the executable may not be executed',
    plant: (stage) => chmodSync(stage.context.executable, 0o644),
    id: 'executable',
    says: /cannot be executed/u,
  },
  {
    name: 'others may change the executable',
    plant: (stage) => chmodSync(stage.context.executable, 0o777),
    id: 'executable',
    says: /changed by other users/u,
  },
  {
    name: "others may change the executable's folder",
    plant: (stage) => chmodSync(stage.at('bin'), 0o777),
    id: 'executable',
    says: /changed by other users/u,
  },
  { name: 'the manifest is gone', plant: (stage) => rmSync(manifest(stage)), id: 'browser.chrome', says: /no manifest/u },
  {
    name: 'the manifest is not JSON',
    plant: (stage) => writeFileSync(manifest(stage), '{'),
    id: 'browser.chrome',
    says: /not valid JSON/u,
  },
  {
    name: 'the manifest lacks a field',
    plant: (stage) => writeFileSync(manifest(stage), '{"name":"com.pilotfish.host"}'),
    id: 'browser.chrome',
    says: /expected form/u,
  },
  {
    name: 'the manifest begins with a byte order mark',
    plant: (stage) => writeFileSync(manifest(stage), `\uFEFF${readFileSync(manifest(stage), 'utf8')}`),
    id: 'browser.chrome',
    says: /byte order mark/u,
  },
  {
    name: 'the manifest is for another host',
    plant: (stage) => changeManifest(stage, { name: 'com.other' }),
    id: 'browser.chrome',
    says: /com\.other/u,
  },
  { name: 'the manifest has another type', plant: (stage) => changeManifest(stage, { type: 'tcp' }), id: 'browser.chrome', says: /stdio/u },
  {
    name: 'the manifest has a relative path',
    plant: (stage) => changeManifest(stage, { path: 'pilotfish' }),
    id: 'browser.chrome',
    says: /relative/u,
  },
  {
    name: 'the manifest starts another program',
    plant: (stage) => changeManifest(stage, { path: '/usr/bin/true' }),
    id: 'browser.chrome',
    says: /instead of/u,
  },
  {
    name: 'the manifest admits every extension',
    plant: (stage) => changeManifest(stage, { allowed_origins: ['chrome-extension://*/'] }),
    id: 'browser.chrome',
    says: /wildcard/u,
  },
  {
    name: 'the manifest admits another extension only',
    plant: (stage) => changeManifest(stage, { allowed_origins: ['chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/'] }),
    id: 'browser.chrome',
    says: /does not admit/u,
  },
  {
    name: 'the manifest admits another extension too',
    plant: (stage) =>
      changeManifest(stage, {
        allowed_origins: ['chrome-extension://pgdlaadhmoiocfabflcddjfihdjegdoi/', 'chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/'],
      }),
    id: 'browser.chrome',
    says: /other extensions/u,
  },
  {
    name: 'others may change the manifest',
    plant: (stage) => chmodSync(manifest(stage), 0o666),
    id: 'browser.chrome',
    says: /changed by other users/u,
  },
  {
    name: 'the manifest of a profile is gone',
    plant: (stage) => {
      createInstaller(stage.context).install({ userDataDir: stage.at('profile') });
      rmSync(manifestIn(stage, 'profile'));
    },
    id: 'browser./profile',
    says: /no manifest/u,
  },
  {
    name: "others may change a profile's manifest",
    plant: (stage) => {
      createInstaller(stage.context).install({ userDataDir: stage.at('profile') });
      chmodSync(manifestIn(stage, 'profile'), 0o666);
    },
    id: 'browser./profile',
    says: /changed by other users/u,
  },
  {
    name: "others may change the manifest's folder",
    plant: (stage) => chmodSync(stage.at('.config'), 0o777),
    id: 'browser.chrome',
    says: /changed by other users/u,
  },
  {
    name: 'no browser is there',
    plant: (stage) => {
      rmSync(stage.at('.config'), { recursive: true });
      rmSync(stage.at('path'), { recursive: true });
    },
    id: 'browsers',
    says: /No Chromium-family browser/u,
  },
  {
    name: 'a browser is in a sandbox',
    plant: (stage) => mkdirSync(stage.at('snap/chromium'), { recursive: true }),
    id: 'sandbox.Chromium (Snap)',
    says: /sandbox/u,
  },
  {
    name: 'the extension is not unpacked',
    plant: (stage) => rmSync(stage.context.paths.extensionDir, { recursive: true }),
    id: 'extension',
    says: /not unpacked/u,
  },
  {
    name: 'an older extension is unpacked',
    plant: (stage) => writeFileSync(`${stage.context.paths.extensionDir}/manifest.json`, '{"version":"0.0.1"}'),
    id: 'extension',
    says: /0\.0\.1 is unpacked/u,
  },
  {
    name: 'a file of the extension was changed',
    plant: (stage) => writeFileSync(`${stage.context.paths.extensionDir}/background.js`, ''),
    id: 'extension',
    says: /background\.js/u,
  },
  {
    name: 'a file of the extension is gone',
    plant: (stage) => rmSync(`${stage.context.paths.extensionDir}/icons/128.png`),
    id: 'extension',
    says: /128\.png/u,
  },
  {
    name: 'others may change the extension',
    plant: (stage) => chmodSync(stage.context.paths.extensionDir, 0o777),
    id: 'extension',
    says: /changed by other users/u,
  },
  {
    name: 'no profile has the extension',
    plant: (stage) => writeProfile(stage, {}),
    id: 'profile.chrome.Default',
    says: /not loaded there/u,
  },
  {
    name: 'the extension is switched off in a profile',
    plant: (stage) => writeProfile(stage, { loadedFrom: stage.context.paths.extensionDir, off: [1] }),
    id: 'profile.chrome.Default',
    says: /switched off/u,
  },
  {
    name: 'a profile has the extension from a folder that is gone',
    plant: (stage) => writeProfile(stage, { loadedFrom: stage.at('Downloads', 'extension') }),
    id: 'profile.chrome.Default',
    says: /Downloads\/extension, which is gone/u,
  },
  {
    name: 'a profile has the extension from another folder',
    plant: (stage) => {
      stage.write(stage.at('Downloads', 'extension', 'manifest.json'), '{}');
      writeProfile(stage, { loadedFrom: stage.at('Downloads', 'extension') });
    },
    id: 'profile.chrome.Default',
    says: /does not renew/u,
  },
  {
    name: "the socket's folder is open to others",
    plant: (stage) => {
      mkdirSync(stage.context.paths.socketDir, { recursive: true });
      chmodSync(stage.context.paths.socketDir, 0o755);
    },
    id: 'socket',
    says: /open to other users/u,
  },
  {
    name: "the socket's folder is a link",
    plant: (stage) => {
      mkdirSync(stage.at('run'));
      symlinkSync(stage.home, stage.context.paths.socketDir);
    },
    id: 'socket',
    says: /symbolic link/u,
  },
  {
    name: "the socket's folder is a file",
    plant: (stage) => stage.write(stage.context.paths.socketDir, ''),
    id: 'socket',
    says: /not a folder/u,
  },
  {
    name: 'a file lies where the socket should be',
    plant: (stage) => {
      const { socket, socketDir } = stage.context.paths;
      mkdirSync(socketDir, { recursive: true, mode: 0o700 });
      writeFileSync(socket, '');
    },
    id: 'socket',
    says: /not a socket/u,
  },
  {
    name: 'a killed daemon left its socket',
    plant: (stage) => {
      const { socket, socketDir } = stage.context.paths;
      mkdirSync(socketDir, { recursive: true, mode: 0o700 });
      const daemon = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
      expect(spawnSync(process.execPath, ['-e', daemon]).signal).toBe('SIGKILL');
    },
    id: 'socket',
    says: /killed left it/u,
  },
  {
    name: 'an update was cut off',
    plant: ({ context: { paths, executable } }) => {
      mkdirSync(paths.root, { recursive: true });
      // Nobody has this process id.
      writeFileSync(paths.updateTrialFile, JSON.stringify({ version: '9.9.9', executable, pid: 2 ** 30 }));
    },
    id: 'update',
    says: /version 9\.9\.9 was cut off/u,
  },
  {
    name: 'the menu entry is gone',
    plant: (stage) => rmSync(stage.at('.local/share/applications/pilotfish.desktop')),
    id: 'menu',
    says: /none/u,
  },
  {
    name: 'the menu entry starts another program',
    plant: (stage) => writeFileSync(stage.at('.local/share/applications/pilotfish.desktop'), 'Exec=/usr/bin/true'),
    id: 'menu',
    says: /another executable/u,
  },
  {
    name: 'the command is not found',
    plant: (stage) => rmSync(stage.at('.local/bin/pilotfish')),
    id: 'command',
    says: /by its name/u,
  },
  {
    name: 'another program has the name of the command',
    plant: (stage) => stage.write(stage.at('path/pilotfish'), '#!/bin/sh\n', 0o755),
    id: 'command',
    says: /by its name/u,
  },
  {
    name: 'the host ends at once',
    plant: (stage) => stage.write(stage.context.executable, '#!/bin/sh\nexit 3\n', 0o755),
    id: 'handshake',
    says: /exit code 3/u,
  },
  {
    name: 'the host writes noise',
    plant: (stage) => stage.write(stage.context.executable, '#!/bin/sh\necho "Welcome to my program"\n/bin/cat\n', 0o755),
    id: 'handshake',
    says: /no frame/u,
  },
  {
    name: 'the host writes broken frames',
    plant: (stage) =>
      stage.write(stage.context.executable, String.raw`#!/bin/sh${'\n'}printf '\003\000\000\000{x}'${'\n'}/bin/cat${'\n'}`, 0o755),
    id: 'handshake',
    says: /not JSON/u,
  },
  {
    name: 'the host says nothing',
    plant: (stage) => stage.write(stage.context.executable, '#!/bin/sh\nexec /bin/cat >/dev/null\n', 0o755),
    id: 'handshake',
    says: /in time/u,
  },
  {
    name: 'the host cannot reach the daemon',
    plant: (stage) =>
      stage.write(
        stage.context.executable,
        hostScript([
          { type: 'host', version: VERSION, pid: 1 },
          { type: 'host_failed', error: { code: 'SOCKET_FOREIGN', message: 'The folder is foreign.', remedy: 'Remove the folder.' } },
        ]),
        0o755,
      ),
    id: 'handshake',
    says: /folder is foreign/u,
  },
];

describe('doctor', () => {
  test('finds nothing wrong after an install, and proves it with a live exchange', async ({ stage }) => {
    createInstaller(stage.context).install({});

    const checks = await examine(stage.context, AbortSignal.timeout(HANG_MS));

    expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(checks.map(({ id }) => id)).toEqual([
      'executable',
      'browser.chrome',
      'browser.chromium',
      'extension',
      'socket',
      'menu',
      'command',
      'handshake',
    ]);
  });

  for (const { name, plant, id, says } of faults) {
    test(`finds that ${name}, and says what to do`, async ({ stage }) => {
      createInstaller(stage.context).install({});
      plant(stage);

      // A host that says nothing is given up when the caller's patience ends.
      const checks = await examine(stage.context, AbortSignal.timeout(name === 'the host says nothing' ? 300 : HANG_MS));

      const check = checks.find(isAbout(stage, id));
      expect(check?.status).toMatch(/failed|warning/u);
      expect(check?.detail.text).toMatch(says);
      expect(check?.remedy?.text).toBeTruthy();
      expect(englishLeft(stage, checks)).toEqual([]);
    });
  }

  test('tells of each profile of each browser whether the extension is in it, and by which name the person knows it', async ({ stage }) => {
    createInstaller(stage.context).install({});
    stage.write(
      stage.at('.config', 'google-chrome', 'Local State'),
      JSON.stringify({ profile: { info_cache: { 'Profile 2': { name: 'Work' } } } }),
    );
    writeProfile(stage, { loadedFrom: stage.context.paths.extensionDir });
    writeProfile(stage, { folder: 'Profile 2' });
    writeProfile(stage, { folder: 'Profile 10', loadedFrom: 'pgdlaadhmoiocfabflcddjfihdjegdoi/0.1.0_0' });
    writeProfile(stage, { folder: 'System Profile' });
    stage.write(stage.at('.config', 'chromium', 'Default', 'Preferences'), 'no JSON');

    const checks = await examine(stage.context, AbortSignal.timeout(HANG_MS));

    const told = checks.filter(({ id }) => id.startsWith('profile.')).map(({ title, status }) => `${title.text}: ${status}`);
    expect(told).toEqual([
      'Extension in Google Chrome, profile Default: ok',
      'Extension in Google Chrome, profile Work: skipped',
      'Extension in Google Chrome, profile Profile 10: ok',
      'Extension in Chromium, profile Default: skipped',
    ]);
  });

  test('says that a build without an extension carries none', async ({ stage }) => {
    const context = { ...stage.context, extensionFiles: {} };
    createInstaller(context).install({});

    const checks = await examine(context, AbortSignal.timeout(HANG_MS));

    expect(checks.find(({ id }) => id === 'extension')).toMatchObject({ status: 'skipped' });
  });
});

/** What no command at hand mends, and why. */
const notFollowed = new Set([
  // The remedy is another browser.
  'a browser is in a sandbox',
  // Only the started daemon itself takes the place of the killed one.
  'a killed daemon left its socket',
  // The program of before takes its place again: see the tests of updates.
  'an update was cut off',
  // The remedy is what the host says, here that of a double.
  'the host cannot reach the daemon',
]);

describe("doctor's remedy", () => {
  for (const { name, plant, id } of faults.filter((fault) => !notFollowed.has(fault.name))) {
    test(`mends that ${name}, followed as it stands`, async ({ stage }) => {
      const intact = readFileSync(stage.context.executable, 'utf8');
      createInstaller(stage.context).install({});
      plant(stage);
      const signal = AbortSignal.timeout(name === 'the host says nothing' ? 300 : HANG_MS);
      const found = (await examine(stage.context, signal)).find(isAbout(stage, id));

      const env = follow(stage, found?.remedy?.text ?? '', intact);

      const checks = await examine({ ...stage.context, env }, AbortSignal.timeout(HANG_MS));
      expect(checks.filter(({ status }) => status !== 'ok')).toEqual([]);
    });
  }
});

/** Does what a remedy says, as a person would; returns the environment of the next terminal. */
const follow = (stage: Stage, remedy: string, intact: string): NodeJS.ProcessEnv => {
  const { env, executable } = stage.context;
  const line = /export PATH=.*"(?=\.$)/u.exec(remedy)?.[0];
  if (line !== undefined) {
    const shell = spawnSync('/bin/sh', ['-c', `${line}; printf %s "$PATH"`], { env, encoding: 'utf8' });
    return { ...env, PATH: shell.stdout };
  }
  const command = /^Run: (.*)$/u.exec(remedy)?.[1];
  if (command !== undefined) {
    expect(spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
    return env;
  }
  if (remedy.includes('chrome://extensions') && !remedy.includes('`pilotfish install`')) {
    const [, folder] = /[Ll]oad it from (\S+) at/u.exec(remedy) ?? [];
    if (folder === undefined) expect(remedy).toContain('Switch it on');
    writeProfile(stage, { loadedFrom: folder ?? stage.context.paths.extensionDir });
    return env;
  }
  if (remedy.startsWith('Build or download pilotfish again')) stage.write(executable, intact, 0o755);
  if (remedy.startsWith('Install Chrome')) stage.write(stage.at('.config/google-chrome/Local State'), '{}');
  expect(remedy).toContain('`pilotfish install`');
  createInstaller(stage.context).install({});
  return env;
};

/** What stands on its own feet: somebody else's files, the person's PATH, another program in the place of Pilotfish. */
const notMended = new Set([
  // The browser's own notes, and its person's choice.
  'no profile has the extension',
  'the extension is switched off in a profile',
  'a profile has the extension from a folder that is gone',
  'a profile has the extension from another folder',
  'the executable is gone',
  'others may change the executable',
  "others may change the executable's folder",
  "others may change the manifest's folder",
  'no browser is there',
  'a browser is in a sandbox',
  'another program has the name of the command',
  'an update was cut off',
  // The next daemon takes its place by itself.
  'a killed daemon left its socket',
  'the host ends at once',
  'the host writes noise',
  'the host writes broken frames',
  'the host says nothing',
  'the host cannot reach the daemon',
]);

describe('doctor --fix', () => {
  for (const { name, plant, id } of faults.filter((fault) => !notMended.has(fault.name))) {
    test(`mends that ${name}`, async ({ stage }) => {
      const installer = createInstaller(stage.context);
      installer.install({});
      plant(stage);

      expect(installer.mend()).not.toEqual([]);

      const checks = await examine(stage.context, AbortSignal.timeout(HANG_MS));
      expect(checks.find(isAbout(stage, id))).toMatchObject({ status: 'ok' });
      expect(installer.mend()).toEqual([]);
    });
  }

  test('changes nothing where nothing is broken, and follows no link to what is not ours', async ({ stage }) => {
    const installer = createInstaller(stage.context);
    installer.install({});
    stage.write(stage.at('victim'), 'mine', 0o666);
    rmSync(manifest(stage));
    symlinkSync(stage.at('victim'), manifest(stage));

    installer.mend();

    expect(statSync(stage.at('victim')).mode & 0o777).toBe(0o666);
    expect(readFileSync(stage.at('victim'), 'utf8')).toBe('mine');
    expect(installer.mend()).toEqual([]);
  });
});

test('every planted fault is found, and most are mended', () => {
  expect(faults.length).toBeGreaterThanOrEqual(30);
  expect(faults.length - notMended.size).toBeGreaterThanOrEqual(20);
});
