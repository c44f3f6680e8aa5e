import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { existsSync, mkdirSync, renameSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { subcommands } from '#companion/cli/index.ts';
import { whyNotImported } from '#protocol/attachment-limits.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { ItemId, ProjectId, SessionId, TurnId } from '#protocol/ids.ts';
import type { SearchAnswer, SearchHit } from '#protocol/search.ts';
import { VERSION } from '#protocol/version.ts';
import { AT, sampleGrant } from '#test/fixtures/samples.ts';
import { comer } from '#test/fixtures/admission.ts';
import { until } from '#test/fixtures/until.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { noteResting } from '#companion/lib/resting.ts';
import { engine, sessionId, summary, test, type Stage } from './stage.ts';

describe('the command line', () => {
  test('lists every command in the help and has a page for each', async ({ stage }) => {
    expect(await stage.run('help')).toBe(0);

    const pages = stage.out.replaceAll(/\s+/gu, ' ');
    for (const { name, summary: text } of subcommands) expect(pages).toContain(` ${name} ${text} `);
    for (const { name } of subcommands) {
      stage.out = '';
      expect(await stage.run(name, '--help')).toBe(0);
      expect(stage.out).toContain(`pilotfish ${name}`);
    }
  });

  test.for([
    [['help'], { commands: expect.arrayContaining([expect.objectContaining({ name: 'sessions', summary: expect.any(String) })]) }],
    [['help', 'stop'], { command: { name: 'stop', form: expect.any(String), lines: expect.any(Array) } }],
    [['stop', '--help'], { command: { name: 'stop' } }],
    [['help', '--man'], { manual: expect.stringContaining('.TH PILOTFISH') }],
    [['completion', 'bash'], { shell: 'bash', script: expect.stringContaining('_pilotfish()') }],
  ] as const)('prints the page of %j as JSON', async ([args, page], { stage }) => {
    expect(await stage.run(...args, '--json')).toBe(0);

    expect(JSON.parse(stage.out)).toMatchObject(page);
  });

  test('has no page with a line that is broken on a terminal of 80 columns, and leaves out nothing of it', async ({ stage }) => {
    for (const args of [['help'], ...subcommands.map(({ name }) => ['help', name])]) {
      stage.out = '';
      await stage.run(...args);
      for (const line of stage.out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
      const { usage } = subcommands.find(({ name }) => name === args[1]) ?? { usage: [] };
      const words = stage.out.split(/\s+/u);
      for (const word of usage.join(' ').split(/\s+/u)) if (word !== '') expect(words).toContain(word);
    }
  });

  test.for([
    ['sessions', 'delete', ''],
    ['projects', 'remove', ''],
    ['roots', 'add', ''],
    ['send', '', '--', 'x'],
    ['export', ''],
    ['run', '--project', '', '--', 'x'],
    ['usage', '--session', ''],
    ['search', '--project', '', '--', 'x'],
  ])('takes no empty name for the only session or the folder one is in: %j', async (args, { stage }) => {
    stage.sessions = [summary()];

    expect(await stage.run(...args)).toBe(2);
    expect(stage.err).toContain('empty');
    expect(stage.calls.filter(([name]) => name !== 'connect')).toEqual([]);
  });

  test('names what it does not understand, and exits with 2', async ({ stage }) => {
    for (const { name } of subcommands.filter(({ name: command }) => !['help', 'mcp'].includes(command))) {
      stage.err = '';
      expect(await stage.run(name, '--bogus'), name).toBe(2);
      expect(stage.err).toContain("'--bogus'");
      expect(stage.err).toContain(`See \`pilotfish help ${name}\`.`);
    }
    expect(await stage.run('mcp', 'config', '--bogus')).toBe(2);
    expect(await stage.run('bogus')).toBe(2);
    expect(stage.err).toContain('"bogus"');
  });

  test.for([
    ['run', '--engine', 'nosuch', '--', 'x'],
    ['send', 'nosuch', '--', 'x'],
    ['approve', 'nosuch'],
    ['sessions', 'delete', 'nosuch'],
    ['search', '--project', 'nosuch', '--', 'x'],
    ['usage', '--session', 'nosuch'],
    ['diff', 'nosuch'],
    ['worktree', 'merge', 'nosuch'],
    ['projects', 'remove', 'nosuch'],
    ['engine', 'check', 'nosuch'],
    ['browsers', 'revoke', 'nosuch'],
    ['clients', 'revoke', 'nosuch'],
    ['sites', 'remove', 'nosuch.example'],
    ['trust', 'revoke', 'nosuch'],
    ['export', 'nosuch'],
  ])('exits with 2 where a name stands for nothing: %j', async (args, { stage }) => {
    expect(await stage.run(...args)).toBe(2);

    expect(stage.err).toContain('nosuch');
  });

  test.for([
    [['statsu'], 'Did you mean status?'],
    [['sesions'], 'Did you mean sessions?'],
    [['sned', 'x', '--', 'y'], 'Did you mean send?'],
    [['engine', 'lits'], 'Did you mean list?'],
    [['run', '--enigne', 'codex', '--', 'x'], 'Did you mean --engine?'],
    [['logs', '--folow'], 'Did you mean --follow?'],
    [['run', '--on-ask', 'alow', '--', 'x'], '--on-ask alow is not known; there are deny, allow, wait. Did you mean allow?'],
    [['completion', 'bsh'], 'Did you mean bash?'],
    [['search', 'x', '--kind', 'anser'], 'Did you mean answer?'],
    [['settings', 'set', 'keepDay', '9'], 'Did you mean keepDays?'],
  ] as const)('names the nearest of what it knows for %j', async ([args, hint], { stage }) => {
    expect(await stage.run(...args)).toBe(2);

    expect(stage.err).toContain(hint);
  });

  test.for([
    [['run', '--budget', '-1', '--', 'x'], '--budget needs a value; one that begins with a dash is written --budget=-1.'],
    [['run', '--engine'], '--engine needs a value.'],
    [['stop', '--json=yes'], '--json takes no value.'],
    [['send'], 'An argument is missing: SESSION.'],
    [['import'], 'An argument is missing: FILE.'],
    [['logs', '-n', '-5'], '-n needs a value; one that begins with a dash is written -n-1.'],
    [['settings', 'set', 'keepDays', '-1'], 'What begins with a dash, such as -1, stands behind --, or is written --NAME=-1.'],
    [['settings', 'set', 'keepDays', 'soon'], '"soon" is no value of keepDays: Invalid input: expected number, received string.'],
  ] as const)('says what is missing or too much in %j', async ([args, fault], { stage }) => {
    expect(await stage.run(...args)).toBe(2);

    expect(stage.err).toContain(`The command line is not understood. ${fault}\nSee \`pilotfish help ${args[0]}\`.`);
  });

  test('names the agent that was probably meant, and begins nothing', async ({ stage }) => {
    expect(await stage.run('run', '--engine', 'claud', '--', 'x')).toBe(2);

    expect(stage.err).toContain('No agent has this name. claud; there are claude, codex. Did you mean claude?');
    expect(stage.calls).toEqual([['connect', true]]);
  });

  test('fails when what it prints cannot be written, and not when its reader has seen enough', async ({ stage }) => {
    stage.outputFault = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    expect(await stage.run('version')).toBe(1);
    expect(stage.err).toContain('The output could not be written: ENOSPC');

    stage.err = '';
    stage.outputFault = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    expect(await stage.run('version')).toBe(0);
    expect(stage.err).toBe('');
  });

  test('has a manual page with every command and the day of its sources, which groff and mandoc take without a warning', async ({
    stage,
  }) => {
    stage.env['SOURCE_DATE_EPOCH'] = '1700000000';
    expect(await stage.run('help', '--man')).toBe(0);

    expect(stage.out).toContain('.TH PILOTFISH 1 2023-11-14 ');

    for (const { name } of subcommands) expect(stage.out).toContain(`.B pilotfish ${name}\n`);
    const groff = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], { input: stage.out, encoding: 'utf8' });
    if (groff.error === undefined) expect(groff).toMatchObject({ status: 0, stderr: '' });
    const mandoc = spawnSync('mandoc', ['-Tlint', '-Wwarning'], { input: stage.out, encoding: 'utf8' });
    if (mandoc.error === undefined) expect(mandoc).toMatchObject({ status: 0, stdout: '' });
  });

  test('names the program by its path as long as the shell does not know its name', async ({ stage }) => {
    stage.command = '/opt/my/pilotfish';
    expect(await stage.run('bogus')).toBe(2);
    expect(stage.err).toContain('`/opt/my/pilotfish --help`');
    expect(stage.err).not.toContain('`pilotfish');
  });

  test('tells what went wrong as JSON where JSON was asked for', async ({ stage }) => {
    expect(await stage.run('status', '--json', '--bogus')).toBe(2);

    expect(JSON.parse(stage.out)).toMatchObject({ error: { code: 'CLI_USAGE', remedy: expect.any(String) } });
    // It may come after events, each of which is a line.
    expect(stage.out.trimEnd()).not.toContain('\n');
  });

  test('refuses an argument too many and one too few', async ({ stage }) => {
    expect(await stage.run('status', 'now')).toBe(2);
    expect(stage.err).toContain('"now" is one argument too many');
    expect(await stage.run('roots', 'add')).toBe(2);
    expect(await stage.run('logs', '--lines', 'many')).toBe(2);
    expect(await stage.run('engine', 'add', 'x')).toBe(2);
  });

  test('prints nothing a terminal would obey, from whatever source', async ({ stage }) => {
    stage.sessions = [summary({ name: 'evil \u001b]52;c;x\u0007\u009b31m\u202ename' })];

    await stage.run('export');
    await stage.run('export', '--json');

    expect(stage.out).toContain('evil name');
    expect(stage.out).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
  });

  test('explains the terminal UI instead of opening it', async ({ stage }) => {
    expect(await stage.run('tui', '--help')).toBe(0);
    expect(stage.out).toContain('open the terminal UI');
    expect(await stage.run('tui', 'now')).toBe(2);
  });

  test('reports its version', async ({ stage }) => {
    expect(await stage.run('version', '--json')).toBe(0);

    expect(JSON.parse(stage.out)).toMatchObject({ version: VERSION });
  });
});

describe('install and uninstall', () => {
  test('say what was done, and how to load the extension', async ({ stage }) => {
    expect(await stage.run('install', '--user-data-dir', '/profile')).toBe(0);

    expect(stage.calls).toEqual([['install', '/profile']]);
    for (const part of ['Already registered with Google Chrome', 'Warning: Beware.', 'Load unpacked', '/ext'])
      expect(stage.out).toContain(part);
  });

  test('exit with 1 when a browser could not be registered', async ({ stage }) => {
    const error = new CompanionError('INSTALL_FAILED', '/x: no').toBody();
    const report = stage.installer.install({});
    stage.installer.install = () => ({
      ...report,
      browsers: [{ id: 'a', name: 'A', manifestFile: '/x', state: 'failed', error }],
      isComplete: false,
    });

    expect(await stage.run('install')).toBe(1);
    expect(stage.out).toContain(error.remedy);
  });

  test('with --system are of all users alone, and leave this one as it is', async ({ stage }) => {
    expect(await stage.run('install', '--system')).toBe(0);
    expect(await stage.run('uninstall', '--system', '--json')).toBe(0);
    expect(await stage.run('install', '--system', '--user-data-dir', '/profile')).toBe(2);
    expect(await stage.run('uninstall', '--system', '--purge')).toBe(2);

    expect(stage.calls).toEqual([['system.install'], ['system.uninstall']]);
    expect(stage.out).toContain('Registered for all users: /etc/m.json');
  });

  test('uninstall stops the daemon first', async ({ stage }) => {
    expect(await stage.run('uninstall', '--purge', '--json')).toBe(0);

    expect(stage.calls).toEqual([['connect', false], ['connect', false], ['shutdown'], ['uninstall', true]]);
    expect(JSON.parse(stage.out)).toMatchObject({ wasRunning: true, removed: ['/x/manifest.json'] });
  });

  test('uninstall does not speak of a daemon that it has started for the keys itself', async ({ stage }) => {
    stage.isRunning = false;
    stage.setup = { ...stage.setup, secrets: [{ name: 'API_KEY', isSet: true, place: 'keychain' }] };
    writeFileSync(createPaths(stage.env).settingsFile, '{}');

    expect(await stage.run('uninstall', '--purge')).toBe(0);

    expect(stage.out).toContain('Removed the key API_KEY of claude');
    expect(stage.out).not.toContain('Stopped the daemon');
    expect(stage.calls).toContainEqual(['shutdown']);
  });
});

describe('status', () => {
  test('starts nothing', async ({ stage }) => {
    stage.isRunning = false;

    expect(await stage.run('status', '--json')).toBe(0);

    expect(stage.calls).toEqual([['connect', false]]);
    expect(JSON.parse(stage.out)).toMatchObject({
      version: VERSION,
      isRunning: false,
      pid: null,
      port: null,
      browsers: [],
      engines: [],
      sessions: [],
    });
  });

  test('says that the daemon rests while a browser waits for it', async ({ stage }) => {
    stage.isRunning = false;
    const paths = createPaths(stage.env);
    {
      using _ = noteResting(paths.restingDir);

      expect(await stage.run('status')).toBe(0);
      expect(await stage.run('status', '--json')).toBe(0);
    }
    // A host that was killed leaves its note.
    writeFileSync(path.join(paths.restingDir, '999999999'), '');
    await stage.run('status');

    const [resting = '', gone = ''] = stage.out.split(/^\{.*\}\n/msu);
    expect(resting).toContain('is resting: a browser waits for it');
    expect(resting).not.toContain('not running');
    expect(resting).toContain('Ready: ');
    expect(stage.out).toMatch(/"isResting": ?true/u);
    expect(gone).toContain('is not running.');
  });

  test('says what is missing and how to mend it', async ({ stage }) => {
    const { message, remedy } = new CompanionError('ENGINE_SERVER_NOT_FOUND', '', { remedy: 'Start Ollama.' });
    const capabilities = { ...engine('local', 'ready').capabilities, mcp: ['bridge' as const] };
    stage.engines.push(engine('local', 'not_installed', { capabilities, error: { code: 'ENGINE_SERVER_NOT_FOUND', message, remedy } }));
    await stage.run('status');

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
      expect(stage.out).toContain(part);
    }
  });
});

describe('logs --audit', () => {
  const entry = { hash: 'a', seq: 2, at: AT, kind: 'act', by: 'a terminal', what: 'POST /api/roots', result: '200 /srv' } as const;

  test('prints an entry in each line, as JSON', async ({ stage }) => {
    stage.audit = { entries: [entry], entryCount: 2, fault: null };

    expect(await stage.run('logs', '--audit')).toBe(0);
    expect(
      stage.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([entry]);
  });

  test('prints of a call how long it took and how much the agent was given', async ({ stage }) => {
    const call = { ...entry, kind: 'outcome', what: 'browser_click', durationMs: 240, answerBytes: 1234 } as const;
    stage.audit = { entries: [call], entryCount: 1, fault: null };

    for (const flags of [[], ['--json']]) expect(await stage.run('logs', '--audit', ...flags)).toBe(0);

    expect(stage.out).toBe(`${JSON.stringify(call)}\n`.repeat(2));
    expect(stage.out).toContain('"durationMs":240,"answerBytes":1234');
  });

  test('prints what is from a moment on', async ({ stage }) => {
    const now = { ...entry, at: new Date().toISOString() };
    stage.audit = { entries: [entry, now], entryCount: 2, fault: null };

    expect(await stage.run('logs', '--audit', '--since', '1m')).toBe(0);
    expect(stage.out).toBe(`${JSON.stringify(now)}\n`);
  });

  test('says that it was changed afterwards, and where', async ({ stage }) => {
    stage.audit = { entries: [entry], entryCount: 2, fault: 'Entry 2 was changed, or the one before it.' };

    expect(await stage.run('logs', '--audit')).toBe(1);
    expect(stage.err).toContain('Entry 2 was changed');
  });
});

describe('doctor', () => {
  const faults: readonly { name: string; plant: (stage: Stage) => void; id: string; status: string }[] = [
    {
      name: 'the daemon does not start',
      plant: (stage) => {
        stage.client.connect = () => Promise.reject(new CompanionError('DAEMON_START_FAILED', 'log'));
      },
      id: 'daemon',
      status: 'failed',
    },
    {
      name: 'an older daemon runs',
      plant: (stage) => {
        stage.status = { ...stage.status, version: '0.0.1' };
      },
      id: 'daemon',
      status: 'warning',
    },
    { name: 'the loopback port does not answer', plant: () => undefined, id: 'port', status: 'failed' },
    {
      name: 'the daemon listens on no port',
      plant: (stage) => {
        stage.status = { ...stage.status, port: null };
      },
      id: 'port',
      status: 'failed',
    },
    {
      name: 'an agent is too old',
      plant: (stage) => {
        stage.engines = [engine('claude', 'ready'), engine('codex', 'too_old', { fix: 'npm install -g @openai/codex' })];
      },
      id: 'engine.codex',
      status: 'warning',
    },
    {
      name: 'no agent is ready',
      plant: (stage) => {
        stage.engines = [engine('codex', 'not_logged_in', { fix: 'codex login' })];
      },
      id: 'engines',
      status: 'failed',
    },
    {
      name: 'an agent is not logged in',
      plant: (stage) => {
        stage.engines = [engine('claude', 'ready'), engine('codex', 'not_logged_in', { fix: 'codex login' })];
      },
      id: 'engine.codex',
      status: 'warning',
    },
    { name: 'no browser is connected', plant: () => undefined, id: 'connected', status: 'warning' },
    {
      name: 'the audit was changed',
      plant: (stage) => {
        stage.audit = { ...stage.audit, fault: 'Entry 2 was changed, or the one before it.' };
      },
      id: 'audit',
      status: 'failed',
    },
    {
      name: 'there is no keychain',
      plant: (stage) => {
        stage.status = { ...stage.status, warnings: ['There is no keychain; keys lie in vault.json.'] };
      },
      id: 'warning.1',
      status: 'warning',
    },
  ];

  for (const { name, plant, id, status } of faults) {
    test(`finds that ${name}, and says what to do`, async ({ stage }) => {
      plant(stage);
      const code = await stage.run('doctor', '--json');

      const report = JSON.parse(stage.out);
      expect(report.checks.find((check: { id: string }) => check.id === id)).toMatchObject({ status, remedy: expect.stringMatching(/./u) });
      expect(code).toBe(1);
      expect(report.isHealthy).toBe(false);
    });
  }

  test('finds that the usual port was taken, and says who needs the new one', async ({ stage }) => {
    const daemon = createServer((_, response) => response.writeHead(401).end());
    await new Promise<void>((resolve) => daemon.listen(0, '127.0.0.1', () => resolve()));
    const address = daemon.address();
    stage.status = { ...stage.status, port: typeof address === 'object' && address !== null ? address.port : null };
    try {
      await stage.run('doctor', '--json');
    } finally {
      daemon.close();
    }

    const check = JSON.parse(stage.out).checks.find(({ id }: { id: string }) => id === 'port');
    expect(check).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('was taken'),
      remedy: expect.stringContaining('mcp config'),
    });
    expect(check.remedy).toContain('end the program that has it, then run `pilotfish stop`');
  });

  test('prints one line for each check and the way out', async ({ stage }) => {
    await stage.run('doctor');

    expect(stage.out).toContain('[ok]   Executable: /opt/pilotfish');
    expect(stage.out).toContain('[FAIL] Loopback port: 127.0.0.1:1 does not answer.');
    expect(stage.out).toContain('mend it in the order above');
  });
});

describe('mcp config', () => {
  test('prints what any client needs, and starts nothing', async ({ stage }) => {
    expect(await stage.run('mcp', 'config', '--json')).toBe(0);

    expect(JSON.parse(stage.out)).toEqual({
      mcpServers: { pilotfish: { command: '/opt/my apps/pilotfish', args: ['mcp'], env: { PILOTFISH_HOME: stage.folder } } },
    });
    expect(stage.calls).toEqual([]);
  });

  test('names the sets of tools that the client is to get', async ({ stage }) => {
    expect(await stage.run('mcp', 'config', '--json', '--tools', 'chrome,default')).toBe(0);
    expect(JSON.parse(stage.out)).toMatchObject({ mcpServers: { pilotfish: { args: ['mcp', '--tools', 'default,chrome'] } } });
    expect(await stage.run('mcp', 'config', '--tools', 'crome')).toBe(2);
    expect(stage.err).toContain('crome is no set of tools; there are default, chrome');
  });

  test('asks the daemon for an address with a token', async ({ stage }) => {
    expect(await stage.run('mcp', 'config', '--http', '--json')).toBe(0);

    expect(JSON.parse(stage.out)).toMatchObject({ mcpServers: { pilotfish: { type: 'http' } } });
  });

  test('installed for a client says where the file is kept as it was, once', async ({ stage }) => {
    stage.env['HOME'] = stage.folder;
    const file = path.join(stage.folder, '.cursor', 'mcp.json');
    mkdirSync(path.dirname(file));
    writeFileSync(file, '{ "mine": 1 }\n');

    expect(await stage.run('mcp', 'config', 'cursor', '--install')).toBe(0);

    expect(stage.out).toContain(`As it was before: ${file}.before-pilotfish\n`);
    stage.out = '';
    expect(await stage.run('mcp', 'config', 'cursor', '--install', '--json')).toBe(0);
    expect(JSON.parse(stage.out)).toEqual({ client: 'cursor', file, state: 'unchanged', backup: null });
  });

  test('knows no other client, and names the nearest', async ({ stage }) => {
    expect(await stage.run('mcp', 'config', 'emacs')).toBe(2);
    expect(await stage.run('mcp', 'config', 'vscoed')).toBe(2);
    expect(stage.err).toContain('Did you mean vscode?');
    expect(await stage.run('mcp', 'config', 'vs-code')).toBe(0);
    expect(await stage.run('mcp', 'config', 'claude-code')).toBe(0);
    expect(await stage.run('mcp', 'config', '--install')).toBe(2);
  });
});

describe('settings', () => {
  test('are listed with what they mean, and set', async ({ stage }) => {
    await stage.run('settings');
    await stage.run('settings', 'set', 'closeTabs', 'false');
    await stage.run('settings', 'set', 'dailyCostUsd', '2.50');
    await stage.run('settings', 'set', 'dailyTokens', 'none');
    await stage.run('settings', 'set', 'keepDays', '90');
    await stage.run('settings', 'set', 'defaultBrowser', 'browser_one');
    await stage.run('settings', 'set', 'engineOrder', 'codex, claude');
    const printed = stage.out.split('\n').map((line) => line.split(':')[0]);
    expect(printed).toEqual(expect.arrayContaining(['engineOrder none', 'engineOrder codex,claude']));
    expect(printed.slice(0, 3)).toEqual(['dailyCostUsd none', 'dailyTokens none', 'notifyApproval true']);
    expect(printed).toEqual(expect.arrayContaining(['closeTabs false', 'dailyCostUsd 2.5', 'keepDays 90', 'defaultBrowser browser_one']));
  });

  test('of another name or value are refused', async ({ stage }) => {
    expect(await stage.run('settings', 'set', 'allowedRoots', 'true')).toBe(2);
    for (const [name, value] of [
      ['closeTabs', 'maybe'],
      ['closeTabs', 'none'],
      ['dailyCostUsd', '0'],
      ['dailyCostUsd', 'true'],
      ['dailyTokens', '1.5'],
      ['keepDays', '0'],
      ['defaultBrowser', '7'],
      ['engineOrder', 'codex,,claude'],
    ] as const)
      expect(await stage.run('settings', 'set', name, value)).toBe(2);
    expect(await stage.run('settings', 'set', 'closeTabs')).toBe(2);
    expect(await stage.run('settings', 'drop')).toBe(2);
  });
});

describe('roots', () => {
  test('are listed, added by full path and removed', async ({ stage }) => {
    await stage.run('roots');
    expect(stage.out).toBe('/srv\n');
    stage.out = '';
    await stage.run('roots', 'add', 'sub', '--json');
    expect(JSON.parse(stage.out)).toEqual({ roots: ['/srv', path.resolve('sub')] });
    stage.out = '';
    await stage.run('roots', 'remove', '/srv');
    expect(stage.out).toContain('No folder beside');
    expect(await stage.run('roots', 'remove', '/nosuch')).toBe(2);
    expect(stage.err).toContain('/nosuch is none of these folders.');
  });
});

describe('sites', () => {
  test('get a rule, are listed with it and lose it', async ({ stage }) => {
    await stage.run('sites');
    expect(stage.out).toBe('No site has a rule of its own.\n');
    stage.out = '';

    await stage.run('sites', 'set', 'Bank.example', 'never');
    stage.out = '';
    await stage.run('sites', 'set', 'https://news.example', 'read-only');
    expect(stage.out).toBe('bank.example  never\nhttps://news.example  read-only\n');
    stage.out = '';
    await stage.run('sites', 'remove', 'bank.example', '--json');
    expect(JSON.parse(stage.out)).toEqual({ sites: [{ site: 'https://news.example', rule: 'read_only' }] });
  });

  test('that are none, and rules that are none, are refused with what to do', async ({ stage }) => {
    expect(await stage.run('sites', 'set', 'bank.example', 'sometimes')).toBe(2);
    expect(stage.err).toContain('read-only, never, ask');
    expect(await stage.run('sites', 'set', 'bank.example')).toBe(2);
    expect(await stage.run('sites', 'set')).toBe(2);
    expect(await stage.run('sites', 'close', 'bank.example')).toBe(2);
    stage.err = '';
    expect(await stage.run('sites', 'set', 'https://bank.example/login', 'never')).toBe(2);
    expect(stage.err).toContain('is no site');
    expect(await stage.run('sites', 'remove', 'nosuch.example')).toBe(2);
  });
});

describe('browsers and clients', () => {
  test('are shown with what the system says of them, let in, turned away and forgotten, each by its own command', async ({ stage }) => {
    stage.admissions.meet(comer('b1', { name: 'Chromium ab12' }));
    stage.admissions.meet(comer('c1', { kind: 'client', name: 'Editor', origin: 'unknown', program: null, pid: null, folder: null }));
    await stage.run('browsers');
    await stage.run('clients');
    expect(stage.out.split('\n')).toEqual([
      'b1  waiting  calls itself "Chromium ab12"  /usr/lib/chromium/chromium  process 1234  in /home/tester  an installed browser  1970-01-01T00:00:00.007Z',
      'c1  waiting  calls itself "Editor"  program not known  not checked: this system does not tell what it is  1970-01-01T00:00:00.007Z',
      '',
    ]);

    expect(await stage.run('browsers', 'allow', 'b1')).toBe(0);
    expect(await stage.run('clients', 'deny', 'c1')).toBe(0);
    expect(stage.admissions.list().map(({ state }) => state)).toEqual(['allowed', 'denied']);
    expect(await stage.run('browsers', 'remove', 'b1')).toBe(0);
    expect(stage.admissions.list().map(({ id }) => id)).toEqual(['c1']);

    expect(await stage.run('browsers', 'allow', 'c1')).toBe(2);
    expect(stage.err).toContain('pilotfish browsers');
    expect(await stage.run('clients', 'allow')).toBe(2);
    expect(await stage.run('clients', 'trust', 'c1')).toBe(2);
  });
});

describe('what others have named', () => {
  test('is one line of its list each, and none of them passes for another', async ({ stage }) => {
    const forged = 'x"\n\u202es-9999999999  done  \u001b[2Jb9  allowed  calls itself "Claude"\r\u2028b8';
    stage.admissions.meet(comer('c1', { kind: 'client', name: forged, program: `/tmp/${forged}`, folder: `/tmp/${forged}` }));
    stage.grants = [{ ...sampleGrant, client: { id: 'c1', name: forged } }];
    stage.sessions[0] = summary({ name: forged, openRequests: 1 });
    stage.requests = [
      {
        requestId: 'r1',
        request: { kind: 'permission', title: forged, options: [{ optionId: 'once', label: forged, kind: 'allow_once' }] },
      },
    ];

    for (const [lines, ...command] of [
      [1, 'clients'],
      [1, 'grants'],
      [1, 'sessions'],
      [2, 'approve'],
    ] as const) {
      stage.out = '';
      await stage.run(...command);
      expect([command, stage.out.split(/[\n\r\u2028\u2029\u0085]/).length - 1]).toEqual([command, lines]);
      expect(stage.out).not.toMatch(/(?!\n)\p{Cc}|\u202e/u);
    }
  });
});

describe('grants', () => {
  test('are shown and taken back', async ({ stage }) => {
    await stage.run('grants');
    expect(stage.out).toBe('g1  https://bank.example  write  always  for claude  since 1970-01-01T00:00:00.000Z\n');
    stage.out = '';
    expect(await stage.run('grants', 'remove', 'g1')).toBe(0);
    expect(stage.out).toContain('Nothing is allowed without asking');
    expect(await stage.run('grants', 'remove')).toBe(2);
  });

  test('are given for several sites and a session at once, with an end', async ({ stage }) => {
    const [session] = stage.sessions;
    const sites = ['https://a.example', 'https://b.example'];

    expect(await stage.run('grants', 'add', session?.id ?? '', ...sites, '--minutes', '30')).toBe(0);
    expect(stage.calls).toContainEqual(['grant', { sessionId: session?.id, origins: sites, minutes: 30 }]);
    expect(await stage.run('grants', 'add', session?.id ?? '')).toBe(2);
    expect(await stage.run('grants', 'add', session?.id ?? '', ...sites, '--minutes', 'long')).toBe(2);
    expect(await stage.run('grants', 'list', 'g1', 'https://a.example')).toBe(2);
  });

  test('that are not there cannot be taken back', async ({ stage }) => {
    expect(await stage.run('grants', 'remove', 'nosuch')).toBe(2);

    expect(stage.err).toContain('"nosuch" is no id of a grant');
    expect(stage.grants).toHaveLength(1);
  });
});

describe('trust', () => {
  test('is shown and taken back', async ({ stage }) => {
    await stage.run('trust');
    expect(stage.out).toBe('/home/me/project  2026-01-01T00:00:00.000Z  .mcp.json, tools/server.js\n');
    stage.out = '';
    expect(await stage.run('trust', 'revoke', '/home/me/project/', '--json')).toBe(0);
    expect(JSON.parse(stage.out)).toEqual({ projects: [] });
    stage.out = '';
    await stage.run('trust', 'list');
    expect(stage.out).toBe('No project is trusted.\n');
  });

  test('says what is wrong with what was asked', async ({ stage }) => {
    expect(await stage.run('trust', 'revoke')).toBe(2);
    expect(await stage.run('trust', 'add', '/home/me/project')).toBe(2);
    expect(await stage.run('trust', 'list', '/home/me/project')).toBe(2);
    expect(await stage.run('trust', 'revoke', '/home/me/other')).toBe(2);
    expect(stage.err).toContain('/home/me/other is not a trusted project');
    expect(stage.trusted).toHaveLength(1);
  });
});

describe('logs', () => {
  const write = (stage: Stage, text: string): void => {
    mkdirSync(path.join(stage.folder, 'logs'), { recursive: true });
    writeFileSync(path.join(stage.folder, 'logs', 'daemon.log'), text, { flag: 'a' });
  };

  test('prints the last lines', async ({ stage }) => {
    write(stage, Array.from({ length: 500 }, (_, index) => `line ${index}\n`).join(''));

    expect(await stage.run('logs', '-n', '2')).toBe(0);
    expect(stage.out).toBe('line 498\nline 499\n');
  });

  test('prints what is from a moment on, with the file before where it reaches back so far', async ({ stage }) => {
    const at = (agoMs: number): string => `{"at":"${new Date(Date.now() - agoMs).toISOString()}","event":"${agoMs / 60_000}"}`;
    const [old, before, late, now] = [at(86_400_000), at(5_400_000), at(1_200_000), at(0)];
    write(stage, `${old}\n${before}\n`);
    const file = path.join(stage.folder, 'logs', 'daemon.log');
    renameSync(file, `${file}.1`);
    write(stage, `${late}\nwithout a time\n${now}\n`);
    const since = async (...args: string[]): Promise<string> => {
      const printed = stage.out.length;
      expect(await stage.run('logs', ...args)).toBe(0);
      return stage.out.slice(printed);
    };

    expect(await since('--since', '2h')).toBe(`${before}\n${late}\nwithout a time\n${now}\n`);
    expect(await since('--since', '30m')).toBe(`${late}\nwithout a time\n${now}\n`);
    expect(await since('--since', '30m', '-n', '1')).toBe(`${now}\n`);
    expect(await since('--since', new Date(Date.now() - 3_600_000).toISOString())).toBe(`${late}\nwithout a time\n${now}\n`);
    expect(await since('--since', '2026-01-31')).toContain(old);
    expect(await since('--since', '2999-01-31')).toBe('');
    expect(await since()).toBe(`${old}\n${before}\n${late}\nwithout a time\n${now}\n`);
    for (const time of ['yesterday', '5', '-1h', '1999', '2026-13-45', '']) expect(await stage.run('logs', `--since=${time}`)).toBe(2);
    expect(stage.err).toContain('--since yesterday is no time such as 30m');
  });

  test('says that there is none yet, as long as nothing is in it, and where it will be', async ({ stage }) => {
    expect(await stage.run('logs')).toBe(0);
    expect(stage.err).toContain('Nothing was logged yet');
    write(stage, '');
    const before = stage.err;
    expect(await stage.run('logs')).toBe(0);
    expect(stage.err.slice(before.length)).toContain('Nothing was logged yet');
    await stage.run('logs', '--path');
    expect(stage.out).toBe(`${path.join(stage.folder, 'logs', 'daemon.log')}\n`);
  });

  test('follows what is added until ctrl+c', async ({ stage }) => {
    write(stage, 'first\n');
    const running = stage.run('logs', '--follow');
    const seen = (text: string): Promise<true> => until(() => stage.out.includes(text), { what: `${text} to be printed` });
    await seen('first');

    write(stage, 'second\n');
    await seen('second');
    stage.interrupt.abort();

    expect(await running).toBe(0);
    expect(stage.out).toBe('first\nsecond\n');
  });
});

describe('sessions', () => {
  test('are listed with what each is at, the one that waits first', async ({ stage }) => {
    const id = 's-9' as ReturnType<typeof summary>['id'];
    stage.sessions = [
      summary({ lastOutcome: 'failed' }),
      summary({ id, name: '', preview: '**Tides**', openRequests: 1, status: 'waiting' }),
    ];

    expect(await stage.run('sessions')).toBe(0);

    expect(stage.out).toBe('s-9  claude    waits for you  Tides\ns-0123456789  claude    failed         A session\n');
  });

  test('are listed with what is pinned first, and what was put away last', async ({ stage }) => {
    const id = (text: string) => text as ReturnType<typeof summary>['id'];
    stage.sessions = [
      summary({ id: id('s-away'), isArchived: true, isPinned: true, openRequests: 1 }),
      summary({ id: id('s-wants'), openRequests: 1 }),
      summary({ id: id('s-pinned'), isPinned: true }),
    ];

    await stage.run('sessions');

    const lines = stage.out.split('\n');
    expect(lines.map((line) => line.split(' ')[0])).toEqual(['s-pinned', 's-wants', 's-away', '']);
    expect(lines[0]).toMatch(/A session {2}\(pinned\)$/u);
    expect(lines[2]).toMatch(/A session {2}\(put away\)$/u);
  });

  test('are changed by id, beginning of the id, or name', async ({ stage }) => {
    const flags = ['--max-minutes', '10', '--max-silence', '0', '--mode', 'plan', '--name', 'Tides', '--project', process.cwd()];

    expect(await stage.run('sessions', 'set', 's-01', ...flags)).toBe(0);

    const change = { maxTurnMs: 600_000, maxSilenceMs: null, mode: 'plan', name: 'Tides', projectId: 'p1' };
    expect(stage.calls).toContainEqual(['update', summary().id, change]);
  });

  test('are renamed, pinned, put away and taken out again, deleted and brought back', async ({ stage }) => {
    stage.removed = [summary({ name: 'Gone' })];

    for (const args of [
      ['rename', 's-01', 'Tides'],
      ['pin', 's-01'],
      ['unpin', 's-01'],
      ['archive', 's-01'],
      ['unarchive', 's-01'],
      ['delete', 's-01'],
      ['delete', 's-01', '--forever'],
      ['restore', 'Gone'],
    ])
      expect(await stage.run('sessions', ...args)).toBe(0);

    const { id } = summary();
    expect(stage.calls.filter(([name]) => name !== 'connect')).toEqual([
      ['update', id, { name: 'Tides' }],
      ['update', id, { isPinned: true }],
      ['update', id, { isPinned: false }],
      ['update', id, { isArchived: true }],
      ['update', id, { isArchived: false }],
      ['remove', id],
      ['remove', id, 'forever'],
      ['restore', id],
    ]);
    expect(stage.out).toContain(`\`pilotfish sessions restore ${id}\` brings it back within an hour.`);
  });

  test('are gone on from, after a turn and with another agent', async ({ stage }) => {
    expect(await stage.run('sessions', 'fork', 's-01', '--turn', 'turn_2', '--engine', 'codex', '--name', 'Again', '--json')).toBe(0);

    expect(stage.calls).toContainEqual(['fork', summary().id, { turnId: 'turn_2', engineName: 'codex', name: 'Again' }]);
    expect(JSON.parse(stage.out)).toMatchObject({ session: { id: 's-forked' } });
  });

  test.for([
    [['sets'], 'there are list, set, rename, pin, unpin, archive, unarchive, delete, restore, fork. Did you mean set?'],
    [['delete'], 'needs a session'],
    [['pin'], 'needs a session'],
    [['unpn', 's-01'], 'Did you mean unpin?'],
    [['pin', 's-01', 'x'], '"x" is one argument too many'],
    [['rename', 's-01'], 'needs the new name'],
    [['rename', 's-01', ' '], 'needs the new name'],
    [['rename', 's-01', 'x', '--turn', 't'], 'takes no --engine, --turn.'],
    [['archive', 's-01', '--forever'], '--forever is for'],
    [['restore', 's-01', '--engine', 'codex'], 'takes no --engine'],
    [['set'], 'needs a session'],
    [['set', 's-01'], 'at least one flag'],
    [['set', 's-01', '--max-minutes', 'x'], '--max-minutes "x": Minutes above 0'],
  ] as const)('%j is refused before anything is asked of the daemon', async ([args, problem], { stage }) => {
    expect(await stage.run('sessions', ...args)).toBe(2);

    expect(stage.err).toContain(problem);
    expect(stage.calls).toEqual([]);
  });
});

describe('export', () => {
  type Item = Stage['items'][number];
  const item = (body: object) => ({ itemId: 'i', turnId: 't', parentItemId: null, status: 'completed', at: 0, body }) as Item;

  test('writes markdown that a code block in the output cannot break', async ({ stage }) => {
    stage.items = [
      item({ kind: 'message', role: 'user', text: 'Hello' }),
      item({ kind: 'thought', text: 'Hm' }),
      item({ kind: 'message', role: 'assistant', text: 'Hi' }),
      item({ kind: 'tool', tool: 'Bash', toolKind: 'execute', title: 'cat x', text: 'a\n````\nb' }),
    ];

    expect(await stage.run('export', 's-01')).toBe(0);

    expect(stage.out).toBe(
      '# A session\n\nclaude, begun 2026-01-01T00:00:00.000Z\n\n## You\n\nHello\n\n> *thought*\n> Hm\n\n## Agent\n\nHi\n\n**Bash: cat x**\n\n`````\na\n````\nb\n`````\n',
    );
  });

  test('writes a file for the user alone', async ({ stage }) => {
    const file = path.join(stage.folder, 'out.json');

    expect(await stage.run('export', 'A session', '--json', '--output', file)).toBe(0);

    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ session: { name: 'A session' }, items: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('leaves the file as it was, and nothing beside it, when the answer breaks off', async ({ stage }) => {
    const folder = path.join(stage.folder, 'exported');
    const file = path.join(folder, 'out.json');
    mkdirSync(folder);
    writeFileSync(file, 'the last one');
    stage.exportBreaks = new CompanionError('DAEMON_NOT_RUNNING', 'The connection to it broke.');

    expect(await stage.run('export', 's-01', '--json', '--output', file)).toBe(1);

    expect(stage.out).toContain('The connection to it broke.');
    expect(readdirSync(folder)).toEqual(['out.json']);
    expect(readFileSync(file, 'utf8')).toBe('the last one');
  });

  test('writes through a link into its file, into what is no file as it is, and says where it cannot', async ({ stage }) => {
    const file = path.join(stage.folder, 'kept', 'out.md');
    const link = path.join(stage.folder, 'link.md');
    mkdirSync(path.dirname(file));
    writeFileSync(file, 'old');
    symlinkSync(file, link);

    expect(await stage.run('export', 's-01', '--output', link)).toBe(0);
    expect(await stage.run('export', 's-01', '--output', '/dev/null')).toBe(0);
    expect(await stage.run('export', 's-01', '--output', path.join(stage.folder, 'nowhere', 'out.md'))).toBe(1);

    expect(readlinkSync(link)).toBe(file);
    expect(readFileSync(file, 'utf8')).toContain('# A session');
    expect(stage.err).toMatch(/The session: ENOENT.*\n.*Name a file in a folder/su);
  });

  test('names the sessions a short id could mean', async ({ stage }) => {
    stage.sessions = [summary(), summary({ id: summary().id.replace('9', '8') as (typeof stage.sessions)[0]['id'] })];

    expect(await stage.run('export', 's-01')).toBe(2);
    expect(stage.err).toContain('is 2 sessions');
    expect(await stage.run('export', 'nothing')).toBe(2);
  });

  test('says that there is no session, by its exit code too, and writes no file of a list', async ({ stage }) => {
    stage.sessions = [];

    expect(await stage.run('export')).toBe(1);
    expect(stage.out).toBe('');
    expect(stage.err).toContain('There is no session yet');
    expect(await stage.run('export', '--json')).toBe(1);
    expect(JSON.parse(stage.out)).toEqual({ sessions: [] });
    expect(await stage.run('export', '--output', path.join(stage.folder, 'all.md'))).toBe(2);
    expect(stage.err).toContain('--output needs a session');
  });

  describe('of several sessions', () => {
    const ids = (stage: Stage): string[] => stage.exported.splice(0).map((id) => id.slice(0, 7));
    const three = (): SessionSummary[] =>
      ['s-one00', 's-two00', 's-three'].map((id, index) =>
        summary({
          id: SessionId.parse(id),
          updatedAt: `2026-01-0${index + 1}T00:00:00.000Z`,
          projectId: ProjectId.parse(index === 1 ? 'p2' : 'p1'),
        }),
      );

    test('is one file, a line for each as JSON and a rule between them as markdown', async ({ stage }) => {
      stage.sessions = three();
      const file = path.join(stage.folder, 'all.jsonl');

      expect(await stage.run('export', '--all', '--json', '--output', file)).toBe(0);
      expect(ids(stage)).toEqual(['s-three', 's-two00', 's-one00']);
      const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
      expect(lines.map((line) => (JSON.parse(line) as { session: unknown }).session)).toHaveLength(3);
      expect(await stage.run('export', 's-two00', 's-one00')).toBe(0);
      expect(ids(stage)).toEqual(['s-two00', 's-one00']);
      expect(stage.out.split('\n---\n\n# ')).toHaveLength(2);
    });

    test('is all of a project, by its folder', async ({ stage }) => {
      stage.sessions = three();

      expect(await stage.run('export', '--all', '--project', stage.projects[0]?.rootPath ?? '')).toBe(0);
      expect(ids(stage)).toEqual(['s-three', 's-one00']);
      expect(await stage.run('export', '--all', '--project', '/elsewhere')).toBe(2);
      expect(stage.err).toContain('There is no such project');
      expect(await stage.run('export', 's-one00', '--all')).toBe(2);
      expect(await stage.run('export', 's-one00', '--project', '/elsewhere')).toBe(2);
    });

    test('of which there is none is said, by its exit code too', async ({ stage }) => {
      stage.sessions = [];

      expect(await stage.run('export', '--all', '--output', path.join(stage.folder, 'all.md'))).toBe(1);

      expect(stage.err).toContain('There is no session yet');
    });
  });
});

describe('import', () => {
  test('makes a session of a file in the project of the folder', async ({ stage }) => {
    expect(await stage.run('import', 'talk.json', '--engine', 'codex')).toBe(0);

    expect(stage.calls).toContainEqual([
      'import',
      { uploadId: 'upload of talk.json', projectId: 'p1', engineName: 'codex' },
      expect.anything(),
    ]);
    expect(stage.out).toBe(`${summary().id}  A session\n`);
    expect(await stage.run('import')).toBe(2);
    expect(await stage.run('import', 'talk.json', '--engine', 'codx')).toBe(2);
    expect(stage.err).toContain('Did you mean codex?');
  });

  test('takes what is piped in, as - says, and leaves no file of it', async ({ stage }) => {
    stage.stdin.end('{"piped":true}');

    expect(await stage.run('import', '-')).toBe(0);

    const [, file, text] = stage.calls.find(([name]) => name === 'uploadSession') ?? [];
    expect(text).toBe('{"piped":true}');
    expect(existsSync(path.dirname(String(file)))).toBe(false);
  });

  test('makes a session of each line of a file whose name says so, and leaves no other file', async ({ stage }) => {
    const file = path.join(stage.folder, 'all.jsonl');
    const long = `{"text":"${'潮'.repeat(100_000)}"}`;
    writeFileSync(file, `{"a":1}\n\n${long}\n{"b":2}`);

    expect(await stage.run('import', file)).toBe(0);

    const sent = stage.calls.filter(([name]) => name === 'uploadSession');
    expect(sent.map(([, , text]) => text)).toEqual(['{"a":1}', long, '{"b":2}']);
    expect(sent.some(([, line]) => existsSync(path.dirname(String(line))))).toBe(false);
    expect(stage.out.trimEnd().split('\n')).toHaveLength(3);
    expect(await stage.run('import', path.join(stage.folder, 'gone.jsonl'))).toBe(2);
    expect(stage.err).toContain('gone.jsonl cannot be read.');
  });

  test('makes no project of the folder for a file that is not there', async ({ stage }) => {
    stage.uploadFault = new CompanionError('INPUT_INVALID', 'gone.json cannot be read.');

    expect(await stage.run('import', 'gone.json', '--project', '/elsewhere')).toBe(2);

    expect(stage.err).toContain('gone.json cannot be read.');
    expect(stage.calls).toEqual([['connect', true]]);
  });

  test('of a file that is too large says how else the session is read, and nothing of prompts', async ({ stage }) => {
    stage.uploadFault = whyNotImported(4097 * 2 ** 20, Infinity);

    expect(await stage.run('import', 'large.json')).toBe(1);

    expect(stage.err).toContain('4097.0 MiB');
    expect(stage.err).toContain('Export the session without');
    expect(stage.err).not.toContain('prompt');
    expect(stage.calls.filter(([name]) => name === 'save')).toEqual([]);
  });
});

describe('stop', () => {
  test('returns when the daemon has gone, and does nothing where none runs', async ({ stage }) => {
    expect(await stage.run('stop', '--json')).toBe(0);
    expect(JSON.parse(stage.out)).toEqual({ wasRunning: true });
    stage.out = '';

    expect(await stage.run('stop')).toBe(0);
    expect(stage.out).toContain('No daemon was running');
  });
});

describe('search', () => {
  const hit = (extra: Partial<SearchHit> = {}): SearchHit => ({
    sessionId,
    sessionName: 'Login',
    projectId: null,
    engineName: 'claude',
    turnId: TurnId.parse('turn_1'),
    itemId: ItemId.parse('item_1'),
    kind: 'answer',
    at: AT,
    snippet: { text: 'the login page', marks: [[4, 9]] },
    ...extra,
  });
  const page = (extra: Partial<SearchAnswer>): SearchAnswer => ({ titles: [], hits: [], next: null, indexing: null, ...extra });

  test('prints sessions first, then what was said, with the words between stars', async ({ stage }) => {
    stage.found = [page({ titles: [{ session: summary({ name: 'Login' }), marks: [[0, 5]] }], hits: [hit()] })];

    expect(await stage.run('search', 'login')).toBe(0);

    expect(stage.out).toBe(
      `${sessionId}  Login\n${sessionId}  ${AT.slice(0, 16).replace('T', ' ')}  answer  Login\n    the *login* page\n`,
    );
  });

  test('asks for the next page until there is enough, and only where it is told to look', async ({ stage }) => {
    stage.found = [page({ hits: [], next: '9' }), page({ hits: [hit(), hit()], next: '7' })];

    expect(
      await stage.run('search', '--limit', '2', '--project', 'here', '--agent', 'claude', '--kind', 'tool', '--json', '--', 'two', 'words'),
    ).toBe(0);

    expect(stage.calls.filter(([name]) => name === 'search').map(([, query]) => query)).toEqual([
      { q: 'two words', projectId: stage.projects[0]?.id, engineName: 'claude', kind: 'tool', limit: 2 },
      { q: 'two words', projectId: stage.projects[0]?.id, engineName: 'claude', kind: 'tool', limit: 2, cursor: '9' },
    ]);
    expect(JSON.parse(stage.out)).toMatchObject({ next: '7', hits: [{}, {}] });
  });

  test('says that nothing was found, and what is not read in yet', async ({ stage }) => {
    stage.found = [page({ indexing: { done: 1, total: 3 } })];

    expect(await stage.run('search', 'nothing')).toBe(1);

    expect(stage.out).toContain('Nothing was found.');
    expect(stage.out).toContain('1 of 3');
  });

  test('knows its kinds', async ({ stage }) => {
    expect(await stage.run('search', '--kind', 'toll', 'x')).toBe(2);
    expect(stage.err).toContain('prompt, answer, thought, tool, plan, notice');
  });

  test.for([
    [['x'.repeat(5000)], 'The words have 5000 characters; at most 500 can be looked for.'],
    [['--since', 'yesterday', 'x'], '--since yesterday is no day or time such as 2026-01-31.'],
    [['--until', '', 'x'], '--until  is no day or time such as 2026-01-31.'],
  ] as const)('asks nothing where the line is wrong: %#', async ([args, fault], { stage }) => {
    expect(await stage.run('search', ...args)).toBe(2);

    expect(stage.err).toContain(fault);
    expect(stage.calls).toEqual([]);
  });
});

describe('attachments', () => {
  test('are listed with their sizes, also of a project that was forgotten', async ({ stage }) => {
    expect(await stage.run('attachments')).toBe(0);

    expect(stage.out).toBe('project_old (forgotten)  3 files  3.0 MiB\n3 files, 3.0 MiB of 1024.0 MiB\n');
  });

  test('are removed by project, or all when that is said', async ({ stage }) => {
    expect(await stage.run('attachments', 'remove')).toBe(2);
    expect(await stage.run('attachments', 'remove', 'here')).toBe(0);
    expect(await stage.run('attachments', 'remove', 'project_old')).toBe(0);
    expect(await stage.run('attachments', 'remove', '--all')).toBe(0);

    const removed = stage.calls.filter(([name]) => name === 'attachments.remove').map(([, ids]) => ids);
    expect(removed).toEqual([[stage.projects[0]?.id], ['project_old'], undefined]);
    expect(stage.out).toContain('Removed 2 files, 1.0 MiB.');
  });
});

describe('usage', () => {
  test('is printed by day with what is left of it, and asked for by what is wanted', async ({ stage }) => {
    await stage.run('usage');
    await stage.run('usage', '--by', 'engine', '--since', '2026-01-01', '--agent', 'claude', '--limit', '5', '--json');

    expect(stage.out).toContain('2026-01-31  1 turn  18 tokens (10 in, 5 out)  $0.25  2 s');
    expect(stage.out).toContain('today: 18 tokens, $0.004 of $2.50');
    expect(stage.calls.filter(([name]) => name === 'usage')).toEqual([
      ['usage', { by: 'day' }],
      ['usage', { by: 'engine', since: '2026-01-01', engineName: 'claude', limit: 5 }],
    ]);
  });

  test('by something else, or from no day, is refused', async ({ stage }) => {
    for (const wrong of [
      ['--by', 'week'],
      ['--since', 'yesterday'],
      ['--limit', '0'],
    ])
      expect(await stage.run('usage', ...wrong)).toBe(2);
  });
});
