import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { subcommands } from '#companion/cli/index.ts';
import { CompanionError } from '#protocol/errors.ts';
import { VERSION } from '#protocol/version.ts';
import { engine, summary, test, type World } from './world.ts';

describe('the command line', () => {
  test('lists every command in the help and has a page for each', async ({ world }) => {
    expect(await world.run('help')).toBe(0);

    for (const { name, summary: text } of subcommands) expect(world.out).toContain(`${name.padEnd(11)}${text}`);
    for (const { name } of subcommands) {
      world.out = '';
      expect(await world.run(name, '--help')).toBe(0);
      expect(world.out).toContain(`pilotfish ${name}`);
    }
  });

  test('names what it does not understand, and exits with 2', async ({ world }) => {
    for (const { name } of subcommands.filter(({ name: command }) => !['help', 'mcp', 'daemon'].includes(command))) {
      world.err = '';
      expect(await world.run(name, '--bogus'), name).toBe(2);
      expect(world.err).toContain("'--bogus'");
      expect(world.err).toContain('pilotfish --help');
    }
    expect(await world.run('mcp', 'config', '--bogus')).toBe(2);
    expect(await world.run('bogus')).toBe(2);
    expect(world.err).toContain('"bogus"');
  });

  test('tells what went wrong as JSON where JSON was asked for', async ({ world }) => {
    expect(await world.run('status', '--json', '--bogus')).toBe(2);

    expect(JSON.parse(world.out)).toMatchObject({ error: { code: 'CLI_USAGE', remedy: expect.any(String) } });
  });

  test('refuses an argument too many and one too few', async ({ world }) => {
    expect(await world.run('status', 'now')).toBe(2);
    expect(world.err).toContain('"now" is one argument too many');
    expect(await world.run('roots', 'add')).toBe(2);
    expect(await world.run('logs', '--lines', 'many')).toBe(2);
    expect(await world.run('engine', 'add', 'x')).toBe(2);
  });

  test('prints nothing a terminal would obey, from whatever source (S40)', async ({ world }) => {
    world.sessions = [summary({ name: 'evil \u001b]52;c;x\u0007\u009b31m\u202ename' })];

    await world.run('export');
    await world.run('export', '--json');

    expect(world.out).toContain('evil name');
    expect(world.out).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
  });

  test('reports its version', async ({ world }) => {
    expect(await world.run('version', '--json')).toBe(0);

    expect(JSON.parse(world.out)).toMatchObject({ version: VERSION });
  });
});

describe('install and uninstall', () => {
  test('say what was done, and how to load the extension', async ({ world }) => {
    expect(await world.run('install', '--user-data-dir', '/profile')).toBe(0);

    expect(world.calls).toEqual([['install', '/profile']]);
    for (const part of ['Already registered with Google Chrome', 'Warning: beware.', 'Load unpacked', '/ext'])
      expect(world.out).toContain(part);
  });

  test('exit with 1 when a browser could not be registered', async ({ world }) => {
    const error = new CompanionError('INSTALL_FAILED', '/x: no').toBody();
    const report = world.installer.install({});
    world.installer.install = () => ({
      ...report,
      browsers: [{ id: 'a', name: 'A', manifestFile: '/x', state: 'failed', error }],
      isComplete: false,
    });

    expect(await world.run('install')).toBe(1);
    expect(world.out).toContain(error.remedy);
  });

  test('uninstall stops the daemon first', async ({ world }) => {
    expect(await world.run('uninstall', '--purge', '--json')).toBe(0);

    expect(world.calls).toEqual([['connect', false], ['shutdown'], ['uninstall', true]]);
    expect(JSON.parse(world.out)).toMatchObject({ wasRunning: true, removed: ['/x/manifest.json'] });
  });
});

describe('status', () => {
  test('starts nothing', async ({ world }) => {
    world.isRunning = false;

    expect(await world.run('status', '--json')).toBe(0);

    expect(world.calls).toEqual([['connect', false]]);
    expect(JSON.parse(world.out)).toMatchObject({
      version: VERSION,
      isRunning: false,
      pid: null,
      port: null,
      browsers: [],
      engines: [],
      sessions: [],
    });
  });

  test('says what is missing and how to mend it', async ({ world }) => {
    const { message, remedy } = new CompanionError('ENGINE_SERVER_NOT_FOUND', '', { remedy: 'Start Ollama.' });
    world.engines.push(engine('local', 'not_installed', { error: { code: 'ENGINE_SERVER_NOT_FOUND', message, remedy } }));
    await world.run('status');

    for (const part of [
      'is running: process 42',
      '+ Google Chrome is registered',
      '! No browser with the extension is connected.',
      'Load unpacked',
      '+ claude 2.1.4 is ready',
      'codex is not installed: npm install -g @openai/codex',
      'local: no model server answers',
      'Start Ollama.',
    ]) {
      expect(world.out).toContain(part);
    }
  });
});

describe('doctor', () => {
  const faults: readonly { name: string; plant: (world: World) => void; id: string; status: string }[] = [
    {
      name: 'the daemon does not start',
      plant: (world) => {
        world.client.connect = () => Promise.reject(new CompanionError('DAEMON_START_FAILED', 'log'));
      },
      id: 'daemon',
      status: 'failed',
    },
    {
      name: 'an older daemon runs',
      plant: (world) => {
        world.status = { ...world.status, version: '0.0.1' };
      },
      id: 'daemon',
      status: 'warning',
    },
    { name: 'the loopback port does not answer', plant: () => undefined, id: 'port', status: 'failed' },
    {
      name: 'the daemon listens on no port',
      plant: (world) => {
        world.status = { ...world.status, port: null };
      },
      id: 'port',
      status: 'failed',
    },
    {
      name: 'no agent is ready',
      plant: (world) => {
        world.engines = [engine('codex', 'not_logged_in', { fix: 'codex login' })];
      },
      id: 'engines',
      status: 'failed',
    },
    {
      name: 'an agent is not logged in',
      plant: (world) => {
        world.engines = [engine('claude', 'ready'), engine('codex', 'not_logged_in', { fix: 'codex login' })];
      },
      id: 'engine.codex',
      status: 'warning',
    },
    { name: 'no browser is connected', plant: () => undefined, id: 'connected', status: 'warning' },
    {
      name: 'there is no keychain',
      plant: (world) => {
        world.status = { ...world.status, warnings: ['There is no keychain; keys lie in vault.json.'] };
      },
      id: 'warning.1',
      status: 'warning',
    },
  ];

  for (const { name, plant, id, status } of faults) {
    test(`finds that ${name}, and says what to do (R29)`, async ({ world }) => {
      plant(world);
      const code = await world.run('doctor', '--json');

      const report = JSON.parse(world.out);
      expect(report.checks.find((check: { id: string }) => check.id === id)).toMatchObject({ status, remedy: expect.stringMatching(/./u) });
      expect(code).toBe(1);
      expect(report.isHealthy).toBe(false);
    });
  }

  test('prints one line for each check and the way out', async ({ world }) => {
    await world.run('doctor');

    expect(world.out).toContain('[ok]   Executable: /opt/pilotfish');
    expect(world.out).toContain('[FAIL] Loopback port: 127.0.0.1:1 does not answer.');
    expect(world.out).toContain('mend it in the order above');
  });
});

describe('mcp config', () => {
  test('prints what any client needs, and starts nothing', async ({ world }) => {
    expect(await world.run('mcp', 'config', '--json')).toBe(0);

    expect(JSON.parse(world.out)).toEqual({
      mcpServers: { pilotfish: { command: '/opt/my apps/pilotfish', args: ['mcp'], env: { PILOTFISH_HOME: world.folder } } },
    });
    expect(world.calls).toEqual([]);
  });

  test('asks the daemon for an address with a token', async ({ world }) => {
    expect(await world.run('mcp', 'config', '--http', '--json')).toBe(0);

    expect(JSON.parse(world.out)).toMatchObject({ mcpServers: { pilotfish: { type: 'http' } } });
  });

  test.for([
    ['claude', "-- '/opt/my apps/pilotfish' mcp"],
    ['codex', 'command = "/opt/my apps/pilotfish"'],
    ['cursor', '~/.cursor/mcp.json'],
  ] as const)('says how to add it to %s', async ([name, text], { world }) => {
    expect(await world.run('mcp', 'config', '--client', name)).toBe(0);

    expect(world.out).toContain(text);
    // Without it the client would start a daemon of its own elsewhere.
    expect(world.out).toMatch(/PILOTFISH_HOME"?\s*[=:]\s*"?\/\S*pf-cli-/);
  });

  test('knows no other client', async ({ world }) => {
    expect(await world.run('mcp', 'config', '--client', 'emacs')).toBe(2);
  });
});

describe('roots', () => {
  test('are listed, added by full path and removed', async ({ world }) => {
    await world.run('roots');
    expect(world.out).toBe('/srv\n');
    world.out = '';
    await world.run('roots', 'add', 'sub', '--json');
    expect(JSON.parse(world.out)).toEqual({ roots: ['/srv', path.resolve('sub')] });
    world.out = '';
    await world.run('roots', 'remove', '/srv');
    expect(world.out).toContain('No folder beside');
  });
});

describe('grants', () => {
  test('are shown and taken back', async ({ world }) => {
    await world.run('grants');
    expect(world.out).toBe('g1  https://bank.example  write  always\n');
    world.out = '';
    expect(await world.run('grants', 'remove', 'g1')).toBe(0);
    expect(world.out).toContain('Nothing is allowed without asking');
    expect(await world.run('grants', 'remove')).toBe(2);
  });
});

describe('trust', () => {
  test('is shown and taken back', async ({ world }) => {
    await world.run('trust');
    expect(world.out).toBe('/home/me/project  2026-01-01T00:00:00.000Z  .mcp.json, tools/server.js\n');
    world.out = '';
    expect(await world.run('trust', 'revoke', '/home/me/project/', '--json')).toBe(0);
    expect(JSON.parse(world.out)).toEqual({ projects: [] });
    world.out = '';
    await world.run('trust', 'list');
    expect(world.out).toBe('No project is trusted.\n');
  });

  test('says what is wrong with what was asked', async ({ world }) => {
    expect(await world.run('trust', 'revoke')).toBe(2);
    expect(await world.run('trust', 'add', '/home/me/project')).toBe(2);
    expect(await world.run('trust', 'list', '/home/me/project')).toBe(2);
    expect(await world.run('trust', 'revoke', '/home/me/other')).toBe(1);
    expect(world.err).toContain('/home/me/other is not a trusted project');
    expect(world.trusted).toHaveLength(1);
  });
});

describe('logs', () => {
  const write = (world: World, text: string): void => {
    mkdirSync(path.join(world.folder, 'logs'), { recursive: true });
    writeFileSync(path.join(world.folder, 'logs', 'daemon.log'), text, { flag: 'a' });
  };

  test('prints the last lines', async ({ world }) => {
    write(world, Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join(''));

    expect(await world.run('logs', '-n', '2')).toBe(0);
    expect(world.out).toBe('line 498\nline 499\n');
  });

  test('says that there is none yet, and where it will be', async ({ world }) => {
    expect(await world.run('logs')).toBe(0);
    expect(world.err).toContain('Nothing was logged yet');
    await world.run('logs', '--path');
    expect(world.out).toBe(`${path.join(world.folder, 'logs', 'daemon.log')}\n`);
  });

  test('follows what is added until ctrl+c', async ({ world }) => {
    write(world, 'first\n');
    const running = world.run('logs', '--follow');
    const seen = async (text: string): Promise<void> => {
      while (!world.out.includes(text)) await new Promise((resolve) => setImmediate(resolve));
    };
    await seen('first');

    write(world, 'second\n');
    await seen('second');
    world.interrupt.abort();

    expect(await running).toBe(0);
    expect(world.out).toBe('first\nsecond\n');
  });
});

describe('export', () => {
  const message = (extra: object) =>
    ({ id: 'm', sessionId: 's', role: 'assistant', content: '', messageType: 'chat', createdAt: '', ...extra }) as World['history'][number];

  test('writes markdown that a code block in the output cannot break', async ({ world }) => {
    world.history = [
      message({ role: 'user', content: 'Hello' }),
      message({ content: 'Hm', metadata: { isThinking: true } }),
      message({ content: 'Hi' }),
      message({ role: 'tool', messageType: 'tool_result', content: 'a\n````\nb', metadata: { toolName: 'Bash', title: 'cat x' } }),
    ];

    expect(await world.run('export', 's-01')).toBe(0);

    expect(world.out).toBe(
      '# A session\n\nclaude, begun 2026-01-01T00:00:00.000Z\n\n## You\n\nHello\n\n> *thought*\n> Hm\n\n## Agent\n\nHi\n\n**Bash: cat x**\n\n`````\na\n````\nb\n`````\n',
    );
  });

  test('writes a file for the user alone', async ({ world }) => {
    const file = path.join(world.folder, 'out.json');

    expect(await world.run('export', 'A session', '--json', '--output', file)).toBe(0);

    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ session: { name: 'A session' }, messages: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('names the sessions a short id could mean', async ({ world }) => {
    world.sessions = [summary(), summary({ id: summary().id.replace('9', '8') as (typeof world.sessions)[0]['id'] })];

    expect(await world.run('export', 's-01')).toBe(2);
    expect(world.err).toContain('is 2 sessions');
    expect(await world.run('export', 'nothing')).toBe(1);
  });
});

describe('stop', () => {
  test('returns when the daemon has gone, and does nothing where none runs', async ({ world }) => {
    expect(await world.run('stop', '--json')).toBe(0);
    expect(JSON.parse(world.out)).toEqual({ wasRunning: true });
    world.out = '';

    expect(await world.run('stop')).toBe(0);
    expect(world.out).toContain('No daemon was running');
  });
});
