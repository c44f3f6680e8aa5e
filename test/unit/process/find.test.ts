import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { findExecutable, type Refusal } from '#companion/process/find.ts';
import { knownDirs } from '#companion/process/known-dirs.ts';

const test = base.extend<{ home: string; program: (path: string, body?: string) => string }>({
  // oxlint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'pilotfish-find-')));
    await use(home);
    rmSync(home, { recursive: true });
  },
  program: async ({ home }, use) => {
    await use((path, body = 'echo "1.2.3 (Some Agent)"') => {
      const full = join(home, path);
      mkdirSync(dirname(full), { recursive: true });
      writeFileSync(full, `#!/bin/sh\n${body}\n`);
      chmodSync(full, 0o755);
      return full;
    });
  },
});

const finding = { commands: ['some-agent'], knownPaths: ['~/.some-agent/local/some-agent'] };
const find = async (home: string, path = '', overridePath?: string) =>
  findExecutable(finding, { loginEnv: { PATH: path }, homeDir: home, overridePath });

describe('find', () => {
  test("the login shell's PATH comes first, and relative entries of it are never looked at", async ({ home, program }) => {
    program('.local/bin/some-agent');
    const path = program('tools/some-agent');

    expect(await find(home, `.:node_modules/.bin:${home}/tools`)).toEqual({
      path,
      leadingArgs: [],
      source: 'login shell',
      binDirs: [`${home}/tools`],
    });
  });

  test.for([
    '.some-agent/local/some-agent',
    '.local/bin/some-agent',
    '.nvm/versions/node/v22.1.0/bin/some-agent',
    '.local/share/fnm/node-versions/v22.1.0/installation/bin/some-agent',
    '.volta/bin/some-agent',
    '.asdf/shims/some-agent',
    '.local/share/mise/shims/some-agent',
    '.bun/bin/some-agent',
    '.npm-global/bin/some-agent',
  ])('with an empty PATH it is found at ~/%s', async (place, { home, program }) => {
    const path = program(place);

    expect(await find(home)).toMatchObject({ path, source: 'known folder' });
  });

  test('of several versions the newest is taken, by number', async ({ home, program }) => {
    program('.nvm/versions/node/v9.9.0/bin/some-agent');
    const path = program('.nvm/versions/node/v22.10.0/bin/some-agent');
    program('.nvm/versions/node/v22.9.0/bin/some-agent');

    expect((await find(home))?.path).toBe(path);
  });

  test('folders, files without the right to run, and broken links are passed over', async ({ home, program }) => {
    mkdirSync(join(home, 'a/some-agent'), { recursive: true });
    chmodSync(program('b/some-agent'), 0o644);
    mkdirSync(join(home, 'c'));
    symlinkSync(join(home, 'gone'), join(home, 'c/some-agent'));

    expect(await find(home, `${home}/a:${home}/b:${home}/c`)).toBeNull();
  });

  test('a link brings the folder of the link and of its target, for the interpreter beside either', async ({ home, program }) => {
    program('lib/agent/cli');
    mkdirSync(join(home, 'bin'));
    symlinkSync('../lib/agent/cli', join(home, 'bin/some-agent'));

    expect((await find(home, `${home}/bin`))?.binDirs).toEqual([`${home}/bin`, `${home}/lib/agent`]);
  });

  test('a path from the settings is the only one looked at', async ({ home, program }) => {
    program('.local/bin/some-agent');
    const path = program('own/agent');

    expect(await find(home, '', '~/own/agent')).toMatchObject({ path, source: 'settings' });
    expect(await find(home, '', join(home, 'none'))).toBeNull();
  });

  test.for([
    ['NVM_DIR', 'moved/versions/node/v22.1.0/bin'],
    ['FNM_DIR', 'moved/node-versions/v22.1.0/installation/bin'],
    ['VOLTA_HOME', 'moved/bin'],
    ['ASDF_DATA_DIR', 'moved/shims'],
    ['MISE_DATA_DIR', 'moved/shims'],
    ['BUN_INSTALL', 'moved/bin'],
    ['PNPM_HOME', 'moved'],
    ['N_PREFIX', 'moved/bin'],
    ['HOMEBREW_PREFIX', 'moved/bin'],
  ] as const)('with %s it is found where that manager was moved to', async ([name, folder], { home, program }) => {
    const path = program(`${folder}/some-agent`);
    const found = await findExecutable(finding, { loginEnv: { PATH: '', [name]: `${home}/moved` }, homeDir: home });

    expect(found).toMatchObject({ path, source: 'known folder' });
  });

  test('a program in a project is passed over, wherever PATH has it', async ({ home, program }) => {
    const planted = program('project/node_modules/.bin/some-agent');
    symlinkSync(join(home, 'project/node_modules/.bin'), join(home, 'link'));
    const own = program('tools/some-agent');
    const refused: Refusal[] = [];
    const search = async (path: string) =>
      findExecutable(finding, {
        loginEnv: { PATH: path },
        homeDir: home,
        projectRoots: [join(home, 'project')],
        onRefused: (refusal) => refused.push(refusal),
      });

    expect((await search(`${dirname(planted)}:${home}/link:${home}/tools`))?.path).toBe(own);
    expect(await search(`${home}/link`)).toBeNull();
    expect(refused[0]).toEqual({ path: planted, why: 'in a project' });
  });

  test.for(['folder', 'file', 'folder of the file a link leads to'])(
    'a program that everybody may replace is passed over, for its %s',
    async (open, { home, program }) => {
      const path = program('tools/some-agent');
      mkdirSync(join(home, 'links'));
      symlinkSync(path, join(home, 'links/some-agent'));
      chmodSync(open === 'folder' ? join(home, 'links') : open === 'file' ? path : dirname(path), 0o777);
      const refused: Refusal[] = [];
      const options = { loginEnv: { PATH: `${home}/links` }, homeDir: home, onRefused: (refusal: Refusal) => refused.push(refusal) };

      expect(await findExecutable(finding, options)).toBeNull();
      expect(refused).toEqual([{ path: join(home, 'links/some-agent'), why: 'open to others' }]);
      // Who names it has looked at it.
      expect((await findExecutable(finding, { ...options, overridePath: join(home, 'links/some-agent') }))?.path).toBe(
        join(home, 'links/some-agent'),
      );
    },
  );

  test('each system has the folders of its own package managers', () => {
    const of = (platform: NodeJS.Platform) => knownDirs('/h', {}, platform);

    expect(of('darwin')).toEqual(expect.arrayContaining(['/opt/homebrew/bin', '/usr/local/bin', '/h/Library/pnpm', '/h/.bun/bin']));
    expect(of('linux')).toEqual(expect.arrayContaining(['/home/linuxbrew/.linuxbrew/bin', '/usr/local/bin', '/snap/bin']));
    expect(of('linux').join()).not.toMatch(/opt\/homebrew|Library/);
  });

  test('an app of the Mac is found for all users and for one', async () => {
    const app = { commands: ['codex'], knownPaths: ['/Applications/Codex.app/Contents/Resources/codex'] };
    const on = async (path: string) =>
      findExecutable(app, {
        loginEnv: {},
        homeDir: '/Users/me',
        platform: 'darwin',
        disk: { isExecutable: (each) => each === path, readText: () => null, realPath: (each) => each, isOpenToOthers: () => false },
      });

    for (const path of ['/Applications/Codex.app/Contents/Resources/codex', '/Users/me/Applications/Codex.app/Contents/Resources/codex']) {
      expect(await on(path)).toMatchObject({ path, source: 'known folder' });
    }
  });
});
