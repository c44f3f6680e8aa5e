/** The command of a person's shell, tried in a real shell. */
import { execFileSync } from 'node:child_process';
import { readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { createInstaller } from '#installer/register/installer.ts';
import { isThere, test, type Stage } from './stage.ts';

const link = '.local/bin/pilotfish';

const installerWith = (stage: Stage, env: NodeJS.ProcessEnv) =>
  createInstaller({ ...stage.context, env: { ...stage.context.env, ...env } });

describe('the command', () => {
  test('is a link in ~/.local/bin that a shell finds, and goes with the rest', ({ stage }) => {
    const PATH = `${stage.at('.local/bin')}:/usr/bin:/bin`;
    const installer = installerWith(stage, { PATH });
    expect(installer.command()).toBe(stage.context.executable);

    const report = installer.install({});

    expect(report.command).toMatchObject({ path: stage.at(link), state: 'written' });
    expect(report.warnings.map(({ text }) => text).join()).not.toContain('PATH');
    expect(execFileSync('/bin/sh', ['-c', 'command -v pilotfish'], { env: { PATH }, encoding: 'utf8' }).trim()).toBe(stage.at(link));
    expect(installer.command()).toBe('pilotfish');
    expect(installer.install({}).command?.state).toBe('unchanged');

    expect(installer.uninstall({ purge: false }).removed).toContain(stage.at(link));
    expect(isThere(stage.at(link))).toBe(false);
  });

  test.for([
    ['/bin/bash', 'add this line to ~/.bashrc and open a new terminal:  export PATH="$HOME/.local/bin:$PATH".'],
    ['/bin/zsh', 'add this line to ~/.zshrc'],
    ['/usr/bin/fish', 'fish_add_path --move ~/.local/bin'],
  ] as const)('tells what to add when ~/.local/bin is not on PATH: %s', ([SHELL, line], { stage }) => {
    const installer = installerWith(stage, { PATH: '/usr/bin:/bin', SHELL });

    const { warnings } = installer.install({});

    expect(warnings.find(({ code }) => code === 'command_off_path')?.text).toContain(line);
    expect(installer.command()).toBe(stage.context.executable);
  });

  test('is not linked where the name leads to the executable already', ({ stage }) => {
    const installer = installerWith(stage, { PATH: path.dirname(stage.context.executable) });

    expect(installer.install({}).command?.state).toBe('unchanged');
    expect(isThere(stage.at(link))).toBe(false);
    expect(installer.command()).toBe('pilotfish');
  });

  test('takes the place of an older link, never of somebody else’s program', ({ stage }) => {
    const installer = installerWith(stage, { PATH: '/usr/bin' });
    installer.install({});
    execFileSync('ln', ['-sfn', stage.at('former', 'pilotfish-0.0.9'), stage.at(link)]);
    expect(installer.install({}).command?.state).toBe('written');
    expect(readlinkSync(stage.at(link))).toBe(stage.context.executable);

    execFileSync('rm', [stage.at(link)]);
    writeFileSync(stage.at(link), '#!/bin/sh\n');
    const report = installer.install({});
    expect(report).toMatchObject({ isComplete: false, command: { state: 'failed' } });
    expect(report.command?.error?.message).toContain(stage.at(link));
    installer.uninstall({ purge: false });
    expect(isThere(stage.at(link))).toBe(true);
  });

  test('goes with an executable that its person has named otherwise, and a link to one that is gone is replaced', ({ stage }) => {
    const executable = stage.at('apps', 'pf');
    stage.write(executable, '#!/bin/sh\n', 0o755);
    const installer = createInstaller({ ...stage.context, executable, env: { ...stage.context.env, PATH: '/usr/bin' } });
    installer.install({});
    expect(readlinkSync(stage.at(link))).toBe(executable);
    expect(installer.uninstall({ purge: false }).removed).toContain(stage.at(link));

    symlinkSync(stage.at('apps', 'former'), stage.at(link));
    expect(installer.install({}).command?.state).toBe('written');
  });

  test('is not found by a program of the same name that stands before it', ({ stage }) => {
    stage.write(stage.at('other', 'pilotfish'), '#!/bin/sh\n', 0o755);
    const installer = installerWith(stage, { PATH: `${stage.at('other')}:${stage.at('.local/bin')}` });

    expect(installer.install({}).warnings.map(({ code }) => code)).toContain('command_hidden');
    expect(installer.command()).toBe(stage.context.executable);
  });

  test('is not made for a folder that holds everything', ({ stage }) => {
    const installer = createInstaller({ ...stage.context, paths: { ...stage.context.paths, isPortable: true } });

    expect(installer.install({}).command).toBeNull();
    expect(isThere(stage.at(link))).toBe(false);
  });

  test('is written with quotes where its path has spaces', ({ stage }) => {
    const executable = stage.at('my programs', 'pilotfish');
    stage.write(executable, '', 0o755);
    symlinkSync(executable, stage.at('elsewhere'));

    expect(createInstaller({ ...stage.context, executable }).command()).toBe(`"${executable}"`);
  });
});
