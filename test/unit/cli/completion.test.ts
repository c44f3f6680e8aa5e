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
    expect(words('engines', 'ch')).toEqual(['check']);
    expect(words('run', '--on-ask', "''")).toEqual(['deny', 'allow', 'wait']);
    expect(words('run', '--if-taken', 'q')).toEqual(['queue']);
  });

  test.for([
    [['send', 's'], 'sessions', ['s-01', 's-02']],
    [['run', '--session', 's-02'], 'sessions', ['s-02']],
    [['engine', 'check', 's'], 'engines', ['set', 's-01', 's-02']],
    [['run', '--engine', 's'], 'engines', ['s-01', 's-02']],
    [['search', '--project', 's'], 'projects', ['s-01', 's-02']],
    [['browsers', 'revoke', 's'], 'browsers', ['s-01', 's-02']],
    [['clients', 'deny', 's'], 'clients', ['s-01', 's-02']],
  ] as const)('of bash asks what there is now for %j', async ([line, kind, offered], { stage }) => {
    const file = await script(stage, 'bash');
    const program = `pilotfish() { [ "$*" = 'completion --names ${kind}' ] && printf 's-01\tThe first\ns-02\t\n'; }`;

    expect(
      complete(
        'bash',
        `${program}; . ${file}; COMP_WORDS=(pilotfish ${line.join(' ')}); COMP_CWORD=${line.length}; _pilotfish; echo "\${COMPREPLY[@]}"`,
      ),
    ).toEqual(offered);
  });

  test.for(['sessions', 'projects', 'engines', 'browsers', 'clients'])(
    'names the %s that there are, and starts no daemon for it',
    async (kind, { stage }) => {
      stage.isRunning = false;
      expect(await stage.run('completion', '--names', kind)).toBe(0);
      expect(stage.out).toBe('');
      expect(stage.calls).toEqual([['connect', false]]);

      stage.isRunning = true;
      stage.out = '';
      expect(await stage.run('completion', '--names', kind)).toBe(0);
      if (kind === 'engines') expect(stage.out).toBe('claude claude\ncodex codex\n');
      stage.out = '';
      expect(await stage.run('completion', '--names', kind, '--json')).toBe(0);
      expect(JSON.parse(stage.out)).toEqual({ names: expect.any(Array) });
    },
  );

  test.runIf(has('fish'))('of fish knows them too', async ({ stage }) => {
    const file = await script(stage, 'fish');
    const words = (line: string): string[] =>
      complete(
        'fish',
        `function pilotfish; echo s-01 The first; end; source ${file}; complete -C '${line}' | string replace -r '\\t.*' ''`,
      );

    expect(words('pilotfish se')).toEqual(
      subcommands
        .map(({ name }) => name)
        .filter((name) => name.startsWith('se'))
        .toSorted(),
    );
    expect(words('pilotfish approve --d')).toEqual(['--deny']);
    expect(words('pilotfish send s-')).toEqual(['s-01']);
    expect(words('pilotfish run --engine s-')).toEqual(['s-01']);
    expect(words('pilotfish run --on-ask d')).toEqual(['deny']);
  });

  test.runIf(has('zsh'))('of zsh completes commands, flags and names in a live shell', async ({ stage }) => {
    const file = await script(stage, 'zsh');
    const typed = ['pilotfish unin', 'pilotfish approve --d', 'pilotfish engines chec', 'pilotfish run --on-ask de', 'pilotfish send s-0'];
    const live = path.join(stage.folder, 'live.zsh');
    writeFileSync(
      live,
      [
        'PS1= PROMPT_EOL_MARK=',
        'autoload -U compinit; compinit -D -u',
        `source ${file}`,
        'pilotfish() { if [[ $1 == completion ]]; then print \'s-01 The first\'; else print -r -- "got:${(j:,:)@}:"; fi }',
        "print 'rea''dy'",
      ].join('\n'),
    );
    const program = [
      'zmodload zsh/zpty',
      'zpty shell zsh -f -i',
      `zpty -w shell 'source ${live}'; zpty -r -m shell line '*ready*'`,
      `for typed in ${typed.map((line) => `'${line}'`).join(' ')}; do`,
      "  zpty -w shell \"$typed\"$'\\t'; zpty -r -m shell line '*got:*:*'",
      '  print -r -- "${${line##*got:}%%:*}"',
      'done',
      'zpty -d shell',
    ].join('\n');

    expect(complete('zsh', program)).toEqual(['uninstall', 'approve,--deny', 'engines,check', 'run,--on-ask,deny', 'send,s-01']);
  });

  test('knows no other shell', async ({ stage }) => {
    expect(await stage.run('completion', 'csh')).toBe(2);
  });
});
