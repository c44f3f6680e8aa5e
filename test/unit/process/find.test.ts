import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { parseCmdShim } from '#companion/process/cmd-shim.ts';
import { findExecutable, readVersion } from '#companion/process/find.ts';

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
    '.claude/local/some-agent',
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

  test('a version is read from what the program says, and none is none', async ({ program }) => {
    const signal = AbortSignal.timeout(10_000);

    expect(await readVersion(program('a'), ['--version'], { PATH: '/bin' }, signal)).toBe('1.2.3');
    expect(await readVersion(program('b', 'echo hello'), [], { PATH: '/bin' }, signal)).toBeNull();
    expect(await readVersion('/none', [], {}, signal)).toBeNull();
  });

  test('a program that never tells its version ends with the signal', async ({ program }) => {
    expect(await readVersion(program('a', 'exec sleep 600'), [], { PATH: '/bin:/usr/bin' }, AbortSignal.timeout(50))).toBeNull();
  });
});

describe('Windows shims', () => {
  test('an npm shim gives the script it starts', () => {
    const shim =
      '@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\nIF EXIST "%dp0%\\node.exe" (\r\n  SET "_prog=%dp0%\\node.exe"\r\n) ELSE (\r\n  SET "_prog=node"\r\n)\r\n\r\nendLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\@openai\\codex\\bin\\codex.js" %*\r\n';

    expect(parseCmdShim(shim, 'C:\\npm')).toBe('C:\\npm\\node_modules\\@openai\\codex\\bin\\codex.js');
  });

  test('a shim of a native program gives the program, and another batch file gives nothing', () => {
    expect(parseCmdShim('@"%~dp0\\..\\pkg\\bin\\claude.exe" %*', 'C:\\npm')).toBe('C:\\pkg\\bin\\claude.exe');
    expect(parseCmdShim('@echo hello %*', 'C:\\npm')).toBeNull();
  });
});
