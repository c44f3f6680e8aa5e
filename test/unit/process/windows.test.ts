/** Windows from any system: what is looked for, and what a shim comes down to. */
import { describe, expect, test } from 'vitest';
import { fileNames, pathFolders } from '#companion/process/candidates.ts';
import { parseCmdShim } from '#companion/process/cmd-shim.ts';
import { childEnvironment, withProjectsLast } from '#companion/process/environment.ts';
import { findExecutable } from '#companion/process/find.ts';

const crlf = (text: string): string => text.replaceAll('\n', '\r\n');

/** As npm writes it for a script with this interpreter line. */
const npm = (program: string, flags: string, target: string): string =>
  crlf(`@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0

IF EXIST "%dp0%\\${program}.exe" (
  SET "_prog=%dp0%\\${program}.exe"
) ELSE (
  SET "_prog=${program}"
  SET PATHEXT=%PATHEXT:;.JS;=;%
)

endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%" ${flags} "%dp0%\\${target}" %*
`);

const npmNative = (target: string): string =>
  crlf(`@ECHO off
GOTO start
:find_dp0
SET dp0=%~dp0
EXIT /b
:start
SETLOCAL
CALL :find_dp0
"%dp0%\\${target}"   %*
`);

/** As pnpm writes it. */
const pnpm = (target: string): string =>
  crlf(`@SETLOCAL
@IF NOT DEFINED NODE_PATH (
  @SET "NODE_PATH=%~dp0\\global\\5\\node_modules"
) ELSE (
  @SET "NODE_PATH=%~dp0\\global\\5\\node_modules;%NODE_PATH%"
)
@IF EXIST "%~dp0\\node.exe" (
  "%~dp0\\node.exe"  "%~dp0\\${target}" %*
) ELSE (
  @SET PATHEXT=%PATHEXT:;.JS;=;%
  node  "%~dp0\\${target}" %*
)
`);

/** As yarn writes it, on the same drive and on another. */
const yarn = (target: string): string => crlf(`@"${target}"   %*\n`);

const SHIM = 'C:\\Users\\A & B\\npm\\agent.cmd';

describe('a shim', () => {
  test.for([
    [
      'npm, a script',
      npm('node', '', 'node_modules\\@openai\\codex\\bin\\codex.js'),
      'node',
      ['C:\\Users\\A & B\\npm\\node_modules\\@openai\\codex\\bin\\codex.js'],
    ],
    [
      'npm, a script without an extension',
      npm('node', '', 'node_modules\\some agent\\bin\\agent'),
      'node',
      ['C:\\Users\\A & B\\npm\\node_modules\\some agent\\bin\\agent'],
    ],
    [
      'npm, an interpreter line with flags',
      npm('node', '--no-warnings=DEP0040 --max-old-space-size=4096', 'x.mjs'),
      'node',
      ['--no-warnings=DEP0040', '--max-old-space-size=4096', 'C:\\Users\\A & B\\npm\\x.mjs'],
    ],
    [
      'npm, a native program',
      npmNative('node_modules\\opencode-ai\\bin\\opencode.exe'),
      'C:\\Users\\A & B\\npm\\node_modules\\opencode-ai\\bin\\opencode.exe',
      [],
    ],
    [
      'pnpm',
      pnpm('global\\5\\node_modules\\@anthropic-ai\\claude-code\\cli.js'),
      'node',
      ['C:\\Users\\A & B\\npm\\global\\5\\node_modules\\@anthropic-ai\\claude-code\\cli.js'],
    ],
    ['pnpm, a native program', crlf('@SETLOCAL\n@"%~dp0\\..\\store\\claude.exe"   %*\n'), 'C:\\Users\\A & B\\store\\claude.exe', []],
    [
      'yarn',
      yarn('%~dp0\\..\\Data\\global\\node_modules\\.bin\\agent.cmd'),
      'C:\\Users\\A & B\\Data\\global\\node_modules\\.bin\\agent.cmd',
      [],
    ],
    ['yarn, on another drive', yarn('D:\\R & D\\.bin\\agent.cmd'), 'D:\\R & D\\.bin\\agent.cmd', []],
    ['Volta', crlf('@echo off\nvolta run %~n0 %*\n'), 'volta', ['run', 'agent']],
  ] as const)('of %s gives what it starts', ([, text, program, args]) => {
    expect(parseCmdShim(text, SHIM)).toEqual({ program, args });
  });

  test.for([
    ['a batch file of its own', '@echo hello %*'],
    ['another interpreter', npm('sh', '', 'agent.sh')],
    ['a variable only cmd.exe knows', '@"%ProgramFiles%\\x\\agent.exe" %*'],
    ['node without a script', '@node %*'],
    ['nothing', ''],
    ['arguments only', '%*'],
    ['half a quote', '"%~dp0\\agent.exe %*'],
    ['a program of the folder it is called in', '@".\\agent.exe" %*'],
  ] as const)('that is %s gives nothing', ([, text]) => {
    expect(parseCmdShim(text, SHIM)).toBeNull();
  });
});

describe('finding on Windows', () => {
  const find = async (files: Record<string, string>, loginEnv: Record<string, string>, overridePath?: string) =>
    findExecutable(
      { commands: ['agent'], knownPaths: ['~/.agent/agent'] },
      {
        loginEnv,
        homeDir: 'C:\\Users\\me',
        overridePath,
        platform: 'win32',
        disk: {
          isExecutable: (path) => path in files,
          readText: (path) => files[path] ?? null,
          realPath: (path) => path,
          isOpenToOthers: () => false,
        },
      },
    );
  const NODE = 'C:\\Program Files\\nodejs\\node.exe';

  test('the script of a shim is started by the node on PATH, without cmd.exe', async () => {
    const files = { 'C:\\npm\\agent': '#!/bin/sh', 'C:\\npm\\agent.cmd': npm('node', '', 'x\\cli.js'), [NODE]: '' };

    expect(await find(files, { Path: '"C:\\npm";.;bin;\\rooted;C:\\Program Files\\nodejs' })).toEqual({
      path: NODE,
      leadingArgs: ['C:\\npm\\x\\cli.js'],
      source: 'login shell',
      binDirs: ['C:\\npm'],
    });
  });

  test('the node.exe beside a shim comes before the one on PATH', async () => {
    const files = { 'C:\\npm\\agent.cmd': pnpm('x.js'), 'C:\\npm\\node.exe': '', [NODE]: '' };

    expect((await find(files, { PATH: 'C:\\Program Files\\nodejs;C:\\npm' }))?.path).toBe('C:\\npm\\node.exe');
  });

  test('a shim of a shim is followed, and one that leads to itself is not', async () => {
    const files = {
      'C:\\Yarn\\bin\\agent.cmd': yarn('%~dp0\\..\\Data\\agent.cmd'),
      'C:\\Yarn\\Data\\agent.cmd': npm('node', '', 'cli.js'),
      [NODE]: '',
    };

    expect(await find(files, { PATH: 'C:\\Yarn\\bin;C:\\Program Files\\nodejs' })).toMatchObject({
      path: NODE,
      leadingArgs: ['C:\\Yarn\\Data\\cli.js'],
    });
    expect(await find({ 'C:\\a\\agent.cmd': yarn('%~dp0\\agent.cmd') }, { PATH: 'C:\\a' })).toBeNull();
  });

  test('a batch file that cannot be read is passed over for what comes after it', async () => {
    const files = { 'C:\\a\\agent.bat': '@echo off\r\nstart notepad\r\n', 'C:\\b\\agent.exe': '' };

    expect((await find(files, { PATH: 'C:\\a;C:\\b' }))?.path).toBe('C:\\b\\agent.exe');
  });

  test('PATHEXT says which of two comes first, and never brings what needs an interpreter', async () => {
    const files = { 'C:\\a\\agent.exe': '', 'C:\\a\\agent.com': '', 'C:\\a\\agent.js': '', 'C:\\a\\agent.ps1': '' };

    expect((await find(files, { PATH: 'C:\\a', PATHEXT: '.JS;.PS1;.EXE;.COM' }))?.path).toBe('C:\\a\\agent.exe');
    expect((await find(files, { PATH: 'C:\\a' }))?.path).toBe('C:\\a\\agent.com');
    expect(fileNames('agent', { PATHEXT: '' }, 'win32')).toEqual(['agent.com', 'agent.exe', 'agent.bat', 'agent.cmd']);
    expect(fileNames('agent.CMD', {}, 'win32')).toEqual(['agent.CMD']);
  });

  test('folders of the user may be moved, and a path of the settings needs no extension', async () => {
    const files = { 'E:\\roaming\\npm\\agent.exe': '', 'C:\\Users\\me\\.agent\\agent.exe': '', 'D:\\own\\agent.exe': '' };

    expect((await find({ 'E:\\roaming\\npm\\agent.exe': '' }, { APPDATA: 'E:\\roaming' }))?.path).toBe('E:\\roaming\\npm\\agent.exe');
    expect((await find(files, {}))?.path).toBe('C:\\Users\\me\\.agent\\agent.exe');
    expect((await find(files, {}, 'D:\\own\\agent'))?.path).toBe('D:\\own\\agent.exe');
  });
});

test('the environment of a process on Windows has names in any case, and its PATH no relative folder', () => {
  const env = childEnvironment({
    loginEnv: { Path: 'C:\\a;.;b', systemroot: 'C:\\Windows', appdata: 'C:\\r', anthropic_api_key: 'k', NODE_OPTIONS: '-r x' },
    allow: ['ANTHROPIC_API_KEY'],
    extra: {},
    binDirs: ['C:\\npm'],
    platform: 'win32',
  });

  expect(env).toEqual({ systemroot: 'C:\\Windows', appdata: 'C:\\r', anthropic_api_key: 'k', PATH: 'C:\\npm;C:\\a' });
});

test('folders of projects stand at the end of PATH, others keep their order', () => {
  expect(withProjectsLast({ PATH: '/p/bin:/usr/bin:/p2/x:/bin', LANG: 'C' }, ['/p'], 'linux')).toEqual({
    PATH: '/usr/bin:/p2/x:/bin:/p/bin',
    LANG: 'C',
  });
  expect(withProjectsLast({ Path: 'C:\\P\\bin;C:\\x' }, ['c:\\p'], 'win32')).toEqual({ PATH: 'C:\\x;C:\\P\\bin' });
  expect(pathFolders({ PATH: 'relative:.::/ok:./x' }, 'linux')).toEqual(['/ok']);
});
