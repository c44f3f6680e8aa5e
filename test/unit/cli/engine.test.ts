import path from 'node:path';
import { describe, expect } from 'vitest';
import { test, type World } from './world.ts';

const changes = (world: World): unknown[][] => world.calls.filter(([what]) => !['connect', 'refresh'].includes(String(what)));

describe('engine', () => {
  test('list starts no agent and names those that are switched off', async ({ world }) => {
    await world.run('engine');
    expect(world.out).toContain('claude: claude 2.1.4 is ready');

    world.out = '';
    world.setup.isDisabled = true;
    await world.run('engine', 'list');
    expect(world.out).toContain('claude: claude is switched off');
    expect(world.calls.some(([what]) => what === 'refresh')).toBe(false);
  });

  test('add takes what follows -- as the command line of the agent, flags included', async ({ world }) => {
    expect(await world.run('engine', 'add', 'mine', '--', 'node', 'agent.js', '--json', '--help')).toBe(0);
    expect(await world.run('engine', 'add', 'near', '--', './agent')).toBe(0);

    expect(changes(world)).toEqual([
      ['add', { name: 'mine', command: 'node', args: ['agent.js', '--json', '--help'] }],
      ['add', { name: 'near', command: path.resolve('agent'), args: [] }],
    ]);
    expect(world.calls).toContainEqual(['refresh', 'mine']);
    expect(world.out).toContain('mine: mine is ready');
  });

  test('refuses a name that cannot be, and an action that is none', async ({ world }) => {
    expect(await world.run('engine', 'add', 'My Agent', '--', 'x')).toBe(2);
    expect(await world.run('engine', 'add', 'x')).toBe(2);
    expect(await world.run('engine', 'toString')).toBe(2);
    expect(await world.run('engine', 'remove')).toBe(2);
    expect(await world.run('engine', 'list', 'claude')).toBe(2);
    expect(changes(world)).toEqual([]);
  });

  test('remove asks the daemon', async ({ world }) => {
    expect(await world.run('engine', 'remove', 'claude')).toBe(0);
    expect(changes(world)).toEqual([['remove', 'claude']]);
  });

  test('set reads assignments, an empty value takes away, -- has the arguments', async ({ world }) => {
    const words = ['path=claude-internal', 'env.HTTPS_PROXY=http://a=b', 'env.OLD=', 'disabled=no'];
    expect(await world.run('engine', 'set', 'claude', ...words, '--', '--debug')).toBe(0);
    expect(await world.run('engine', 'set', 'claude', 'path=', 'endpoint=http://localhost:1', '--')).toBe(0);

    expect(changes(world)).toEqual([
      [
        'change',
        'claude',
        { args: ['--debug'], path: 'claude-internal', isDisabled: false, env: { HTTPS_PROXY: 'http://a=b', OLD: null } },
      ],
      ['change', 'claude', { args: null, path: null, endpoint: 'http://localhost:1' }],
    ]);
    expect(world.calls.at(-1)).toEqual(['refresh', 'claude']);
  });

  test('set without a change shows what is set, and no value that may be secret', async ({ world }) => {
    world.setup.args = ['--debug'];
    world.setup.secrets = [{ name: 'API_KEY', isSet: true, place: 'keychain' }];

    expect(await world.run('engine', 'set', 'claude')).toBe(0);

    expect(world.out).toBe(
      'claude: claude\n  path      found by itself\n  args      --debug\n  env       PROXY, set\n  key       API_KEY, in the keychain\n',
    );
    expect(changes(world)).toEqual([]);
  });

  test.for(['path', 'colour=red', '=x', 'disabled=perhaps'])('set refuses %s', async (assignment, { world }) => {
    expect(await world.run('engine', 'set', 'claude', assignment)).toBe(2);
    expect(changes(world)).toEqual([]);
  });

  test('an agent that is switched off is not started to be checked', async ({ world }) => {
    world.setup.isDisabled = true;

    expect(await world.run('engine', 'set', 'claude', 'disabled=yes')).toBe(0);

    expect(world.calls.some(([what]) => what === 'refresh')).toBe(false);
    expect(world.out).toContain('claude: claude, switched off');
  });
});

describe('engine key', () => {
  test('takes the key from a pipe', async ({ world }) => {
    world.stdin.end('sk-piped\n');

    expect(await world.run('engine', 'key', 'claude', 'API_KEY')).toBe(0);

    expect(changes(world)).toEqual([['secret', 'claude', 'API_KEY', 'sk-piped']]);
    expect(world.out + world.err).not.toContain('sk-piped');
  });

  test('asks a person for it and shows nothing of it', async ({ world }) => {
    world.isInteractive = true;
    world.stdin.write('sk-typed\n');

    expect(await world.run('engine', 'key', 'claude', 'API_KEY')).toBe(0);

    expect(changes(world)).toEqual([['secret', 'claude', 'API_KEY', 'sk-typed']]);
    expect(world.err).toContain('API_KEY, which is not shown:');
    expect(world.out + world.err).not.toContain('sk-typed');
  });

  test('never takes it as an argument, and none for an agent that reads no such key', async ({ world }) => {
    expect(await world.run('engine', 'key', 'claude', 'API_KEY', 'sk-typed')).toBe(2);
    expect(await world.run('engine', 'key', 'claude', 'NODE_OPTIONS')).toBe(2);
    expect(await world.run('engine', 'key', 'claude')).toBe(2);
    expect(changes(world)).toEqual([]);
  });

  test('takes an empty one for a mistake, and removes only when told', async ({ world }) => {
    world.stdin.end('\n');

    expect(await world.run('engine', 'key', 'claude', 'API_KEY')).toBe(2);
    expect(changes(world)).toEqual([]);
    expect(await world.run('engine', 'key', 'claude', 'API_KEY', '--remove')).toBe(0);
    expect(changes(world)).toEqual([['secret', 'claude', 'API_KEY', null]]);
  });
});
