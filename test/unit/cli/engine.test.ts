import path from 'node:path';
import { describe, expect } from 'vitest';
import { test, type Stage } from './stage.ts';

const changes = (stage: Stage): unknown[][] => stage.calls.filter(([what]) => !['connect', 'refresh'].includes(String(what)));

describe('engine', () => {
  test('list starts no agent and names those that are switched off', async ({ stage }) => {
    await stage.run('engine');
    expect(stage.out).toContain('claude: claude 2.1.4 is ready');

    stage.out = '';
    stage.setup.isDisabled = true;
    await stage.run('engine', 'list');
    expect(stage.out).toContain('claude: claude is switched off');
    expect(stage.calls.some(([what]) => what === 'refresh')).toBe(false);
  });

  test('add takes what follows -- as the command line of the agent, flags included', async ({ stage }) => {
    expect(await stage.run('engine', 'add', 'mine', '--', 'node', 'agent.js', '--json', '--help')).toBe(0);
    expect(await stage.run('engine', 'add', 'near', '--', './agent')).toBe(0);

    expect(changes(stage)).toEqual([
      ['add', { name: 'mine', command: 'node', args: ['agent.js', '--json', '--help'] }],
      ['add', { name: 'near', command: path.resolve('agent'), args: [] }],
    ]);
    expect(stage.calls).toContainEqual(['refresh', 'mine']);
    expect(stage.out).toContain('mine: mine is ready');
  });

  test('keys are listed, stored from the standard input and taken away, also by the name secret', async ({ stage }) => {
    expect(await stage.run('secret', 'list', 'claude', '--json')).toBe(0);
    expect(JSON.parse(stage.out)).toEqual({ secrets: [{ engine: 'claude', name: 'API_KEY', isSet: false }] });
    stage.stdin.end('sk-secret\n');
    expect(await stage.run('secret', 'set', 'claude', 'API_KEY')).toBe(0);
    expect(await stage.run('secret', 'remove', 'claude', 'API_KEY')).toBe(0);
    expect(await stage.run('secret', 'set', 'claude')).toBe(2);
    expect(await stage.run('secret', 'lst')).toBe(2);

    expect(stage.err).toContain('there are list, set, remove. Did you mean list?');
    expect(changes(stage)).toEqual([
      ['secret', 'claude', 'API_KEY', 'sk-secret'],
      ['secret', 'claude', 'API_KEY', null],
    ]);
    expect(stage.out).not.toContain('sk-secret');
  });

  test('refuses a name that cannot be, and an action that is none', async ({ stage }) => {
    expect(await stage.run('engine', 'add', 'My Agent', '--', 'x')).toBe(2);
    expect(await stage.run('engine', 'add', 'x')).toBe(2);
    expect(await stage.run('engine', 'toString')).toBe(2);
    expect(await stage.run('engine', 'remove')).toBe(2);
    expect(await stage.run('engine', 'list', 'claude')).toBe(2);
    expect(changes(stage)).toEqual([]);
  });

  test('remove asks the daemon', async ({ stage }) => {
    expect(await stage.run('engine', 'remove', 'claude')).toBe(0);
    expect(changes(stage)).toEqual([['remove', 'claude']]);
  });

  test('set reads assignments, an empty value takes away, -- has the arguments', async ({ stage }) => {
    const words = ['path=claude-internal', 'env.HTTPS_PROXY=http://a=b', 'env.OLD=', 'disabled=no'];
    expect(await stage.run('engine', 'set', 'claude', ...words, '--', '--debug')).toBe(0);
    expect(await stage.run('engine', 'set', 'claude', 'path=', 'endpoint=http://localhost:1', '--')).toBe(0);

    expect(changes(stage)).toEqual([
      [
        'change',
        'claude',
        { args: ['--debug'], path: 'claude-internal', isDisabled: false, env: { HTTPS_PROXY: 'http://a=b', OLD: null } },
      ],
      ['change', 'claude', { args: null, path: null, endpoint: 'http://localhost:1' }],
    ]);
    expect(stage.calls.at(-1)).toEqual(['refresh', 'claude']);
  });

  test('a key is not asked for any more after ctrl+c', async ({ stage }) => {
    stage.isInteractive = true;
    stage.interrupt.abort();

    expect(await stage.run('secret', 'set', 'claude', 'API_KEY')).toBe(130);
    expect(stage.err).not.toContain('which is not shown');
  });

  test('set without a change shows what is set, and no value that may be secret', async ({ stage }) => {
    stage.setup.args = ['--debug'];
    stage.setup.secrets = [{ name: 'API_KEY', isSet: true, place: 'keychain' }];

    expect(await stage.run('engine', 'set', 'claude')).toBe(0);

    expect(stage.out).toBe(
      'claude: claude\n  path      found by itself\n  args      --debug\n  env       PROXY, set\n  key       API_KEY, in the keychain\n',
    );
    expect(changes(stage)).toEqual([]);
  });

  test.for(['path', 'colour=red', '=x', 'disabled=perhaps'])('set refuses %s', async (assignment, { stage }) => {
    expect(await stage.run('engine', 'set', 'claude', assignment)).toBe(2);
    expect(changes(stage)).toEqual([]);
  });

  test('an agent that is switched off is not started to be checked', async ({ stage }) => {
    stage.setup.isDisabled = true;

    expect(await stage.run('engine', 'set', 'claude', 'disabled=yes')).toBe(0);

    expect(stage.calls.some(([what]) => what === 'refresh')).toBe(false);
    expect(stage.out).toContain('claude: claude, switched off');
  });
});

describe('engine key', () => {
  test('takes the key from a pipe', async ({ stage }) => {
    stage.stdin.end('sk-piped\n');

    expect(await stage.run('engine', 'key', 'claude', 'API_KEY')).toBe(0);

    expect(changes(stage)).toEqual([['secret', 'claude', 'API_KEY', 'sk-piped']]);
    expect(stage.out + stage.err).not.toContain('sk-piped');
  });

  test('asks a person for it and shows nothing of it', async ({ stage }) => {
    stage.isInteractive = true;
    stage.stdin.write('sk-typed\n');

    expect(await stage.run('engine', 'key', 'claude', 'API_KEY')).toBe(0);

    expect(changes(stage)).toEqual([['secret', 'claude', 'API_KEY', 'sk-typed']]);
    expect(stage.err).toContain('API_KEY, which is not shown:');
    expect(stage.out + stage.err).not.toContain('sk-typed');
  });

  test('never takes it as an argument, and none for an agent that reads no such key', async ({ stage }) => {
    expect(await stage.run('engine', 'key', 'claude', 'API_KEY', 'sk-typed')).toBe(2);
    expect(await stage.run('engine', 'key', 'claude', 'NODE_OPTIONS')).toBe(2);
    expect(await stage.run('engine', 'key', 'claude')).toBe(2);
    expect(changes(stage)).toEqual([]);
  });

  test('takes an empty one for a mistake, and removes only when told', async ({ stage }) => {
    stage.stdin.end('\n');

    expect(await stage.run('engine', 'key', 'claude', 'API_KEY')).toBe(2);
    expect(changes(stage)).toEqual([]);
    expect(await stage.run('engine', 'key', 'claude', 'API_KEY', '--remove')).toBe(0);
    expect(changes(stage)).toEqual([['secret', 'claude', 'API_KEY', null]]);
  });
});
