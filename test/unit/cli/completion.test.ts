/** The completion, in the shells it is for. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { subcommands } from '#companion/cli/index.ts';
import { test, type Stage } from './stage.ts';

const script = async (stage: Stage, shell: string): Promise<string> => {
  expect(await stage.run('completion', shell)).toBe(0);
  const file = path.join(stage.folder, `completion.${shell}`);
  writeFileSync(file, stage.out);
  return file;
};

const complete = (shell: string, program: string): string[] => {
  const { stdout, stderr } = spawnSync(shell, ['-c', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split(/\s+/u).filter((word) => word !== '');
};

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe('completion', () => {
  test('of bash knows every command, and the flags of each', async ({ stage }) => {
    const file = await script(stage, 'bash');
    const words = (...line: string[]): string[] =>
      complete(
        'bash',
        `. ${file}; COMP_WORDS=(pilotfish ${line.join(' ')}); COMP_CWORD=${line.length}; _pilotfish; echo "\${COMPREPLY[@]}"`,
      );

    expect(words("''").toSorted()).toEqual(subcommands.map(({ name }) => name).toSorted());
    expect(words('se')).toEqual(subcommands.map(({ name }) => name).filter((name) => name.startsWith('se')));
    expect(words('approve', '--d')).toEqual(['--deny']);
    expect(words('mcp', 'config', 'clau')).toEqual(['claude-desktop', 'claude']);
    expect(words('projects', 'a')).toEqual(['add']);
  });

  test.runIf(has('fish'))('of fish knows them too', async ({ stage }) => {
    const file = await script(stage, 'fish');
    const words = (line: string): string[] => complete('fish', `source ${file}; complete -C '${line}' | string replace -r '\\t.*' ''`);

    expect(words('pilotfish se')).toEqual(
      subcommands
        .map(({ name }) => name)
        .filter((name) => name.startsWith('se'))
        .toSorted(),
    );
    expect(words('pilotfish approve --d')).toEqual(['--deny']);
  });

  test.runIf(has('zsh'))('of zsh is taken by its completion system', async ({ stage }) => {
    const file = await script(stage, 'zsh');

    expect(complete('zsh', `autoload -U compinit; compinit -D -u; source ${file}; print $_comps[pilotfish]`)).toEqual(['_pilotfish']);
  });

  test('knows no other shell', async ({ stage }) => {
    expect(await stage.run('completion', 'csh')).toBe(2);
  });
});
