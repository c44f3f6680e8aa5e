import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { readSettings } from '#companion/cli/engine-settings.ts';
import { addCommands, changeCommand, faultOf, toProposal } from '#extension/options/engine-command.ts';

const form = { name: ' mine ', program: ' npx ', args: '-y\n@acme/agent\n\n--acp', variables: '' };

/** The words that a shell makes of a line, without the program's name. */
const wordsOf = (line: string): string[] =>
  execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' })
    .split('\0')
    .slice(1, -1);

/** What a shell would take for something else, each as one argument. */
const HOSTILE = ['$(touch owned)', '`id`', "it's", '"a b"', '; rm -rf ~', '~', '=x', '-- x', '\\', '\u202eevil', '*', '!!', '#'];

describe('the commands of the form', () => {
  test('add an agent with its arguments, and set its variables with a second one', () => {
    expect(addCommands(form, false)).toEqual(['pilotfish engine add mine -- npx -y @acme/agent --acp']);
    expect(addCommands({ ...form, variables: 'A=1\nB=x y' }, false)).toEqual([
      'pilotfish engine add mine -- npx -y @acme/agent --acp',
      "pilotfish engine set mine env.A=1 'env.B=x y'",
    ]);
  });

  test('change what was filled in and nothing else', () => {
    expect(changeCommand({ name: 'claude', program: '', args: '', variables: ' \n' }, false)).toBeNull();
    expect(changeCommand({ name: 'claude', program: '/opt/my apps/claude', args: '--debug', variables: 'OLD=' }, false)).toBe(
      "pilotfish engine set claude 'path=/opt/my apps/claude' env.OLD= -- --debug",
    );
  });

  test('are for a shell the very words of the form, and for the command line what they say', () => {
    const line =
      changeCommand({ name: 'claude', program: HOSTILE[0] ?? '', args: HOSTILE.join('\n'), variables: `A=${HOSTILE[4]}` }, false) ?? '';
    const [, , name, path, variable, cut, ...args] = wordsOf(line);

    expect([name, cut, args]).toEqual(['claude', '--', HOSTILE]);
    expect(readSettings([path ?? '', variable ?? ''], args)).toEqual({ path: HOSTILE[0], args: HOSTILE, env: { A: HOSTILE[4] } });
  });

  test('are quoted for PowerShell on Windows, whose quotes are more than one', () => {
    const line = addCommands({ ...form, program: String.raw`C:\agents\a.exe`, args: "it's ‘so’\n$(x)\n@y\n--acp" }, true)[0];

    expect(line).toBe(String.raw`pilotfish engine add mine -- C:\agents\a.exe 'it''s ‘‘so’’' '$(x)' '@y' '--acp'`);
  });

  test.for([
    [{ name: 'My Agent' }, 'name'],
    [{ program: ' ' }, 'program'],
    [{ variables: 'A B=1' }, 'variables'],
    [{ variables: 'A' }, 'variables'],
    [{}, null],
  ] as const)('%j has as its fault %s', ([change, fault]) => {
    expect(faultOf({ ...form, ...change }, true)).toBe(fault);
  });
});

describe('the proposal of the form', () => {
  test('says what its commands say', () => {
    expect(toProposal({ ...form, variables: 'A=1\nB=x=y\nGONE=' }, true)).toEqual({
      type: 'add',
      command: 'npx',
      args: ['-y', '@acme/agent', '--acp'],
      env: { A: '1', B: 'x=y' },
    });
    expect(toProposal({ name: 'claude', program: '/opt/claude', args: '', variables: 'OLD=' }, false)).toEqual({
      type: 'change',
      path: '/opt/claude',
      env: { OLD: null },
    });
    expect(toProposal({ ...form, program: '/x', args: HOSTILE.slice(0, 5).join('\n') }, true)).toMatchObject({ args: HOSTILE.slice(0, 5) });
  });

  test.for([{ program: './agent' }, { variables: 'ACME_API_KEY=sk-1' }, { args: 'x'.repeat(601) }])(
    'is none for %j, which only a command sets',
    (change) => {
      expect(toProposal({ ...form, ...change }, true)).toBeNull();
    },
  );
});
