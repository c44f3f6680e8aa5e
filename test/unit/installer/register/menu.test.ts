import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, vi } from 'vitest';
import { desktopEntry } from '#installer/register/desktop-entry.ts';
import { quoteShell, removeApplication, writeApplication } from '#installer/register/macos.ts';
import { finish } from '#installer/register/steps.ts';
import { shortcutFile, writeShortcut } from '#installer/register/windows.ts';
import { isThere, modeOf, test } from './stage.ts';

describe('the desktop entry', () => {
  test.for([
    ['/opt/pilotfish/pilotfish', 'Exec=/opt/pilotfish/pilotfish'],
    ['/home/me/my apps/pilotfish', 'Exec="/home/me/my apps/pilotfish"'],
    ['/home/me/100%/pilotfish', 'Exec="/home/me/100%%/pilotfish"'],
    ['/home/me/$x"`/pilotfish', String.raw`Exec="/home/me/\\$x\\"\\` + '`/pilotfish"'],
    ['/home/me/a\\b/pilotfish', String.raw`Exec="/home/me/a\\\\b/pilotfish"`],
  ] as const)('quotes %s', ([executable, line]) => {
    expect(desktopEntry(executable, null).split('\n')).toContain(line);
  });
});

describe('the shortcut on Windows (not tested on Windows)', () => {
  test.for([
    ['that makes it', 'touch "$PF_LINK"', null],
    ['that makes nothing and says that it did', 'exit 0', /Pilotfish\.lnk was not made/u],
  ] as const)('by a PowerShell %s', ([, script, problem], { stage }) => {
    // A path of Windows is one word without a folder here, and such a program is looked for on the PATH.
    const program = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
    writeFileSync(stage.at(program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    vi.stubEnv('SystemRoot', 'C:\\Windows');
    onTestFinished(() => void vi.unstubAllEnvs());
    const env = { PATH: `${stage.at('.')}:${process.env['PATH'] ?? ''}`, APPDATA: stage.at('') };
    vi.stubEnv('PATH', env.PATH);

    // Its whole path is the name of a file here, in the folder where the tests run.
    onTestFinished(() => rmSync(shortcutFile(env), { force: true }));

    const write = (): void => writeShortcut(env, 'C:\\pilotfish.exe');

    if (problem === null) expect(write).not.toThrow();
    else expect(write).toThrow(problem);
  });
});

describe('the macOS application (not tested on a Mac)', () => {
  test('has a launcher that opens its command file in Terminal', ({ stage }) => {
    finish(writeApplication(stage.context.env, "/Users/me/it's here/pilotfish", '1.2.3'));

    const contents = stage.at('Applications/Pilotfish.app/Contents');
    expect(readFileSync(`${contents}/Resources/pilotfish.command`, 'utf8')).toBe(`#!/bin/sh\nexec '/Users/me/it'\\''s here/pilotfish'\n`);
    expect(modeOf(`${contents}/MacOS/pilotfish`)).toBe(0o755);
    expect(readFileSync(`${contents}/Info.plist`, 'utf8')).toContain('<key>CFBundleExecutable</key><string>pilotfish</string>');
    expect(removeApplication(stage.context.env)).toEqual([stage.at('Applications/Pilotfish.app')]);
    expect(isThere(stage.at('Applications/Pilotfish.app'))).toBe(false);
  });
});

describe('quoteShell', () => {
  test.for(["it's", '$HOME', '`id`', 'a b', '"', '\\', '; echo x'])('gives sh the very word: %s', (word) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${quoteShell(word)}`], { encoding: 'utf8' })).toBe(word);
  });
});
