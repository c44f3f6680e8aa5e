/** What the doctor does beside looking: mending, and a report that tells nothing of the person. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, onTestFinished } from 'vitest';
import { BrowserId } from '#protocol/ids.ts';
import { VERSION } from '#protocol/version.ts';
import { WARNINGS, toldAs, warn } from '#protocol/warnings.ts';
import { createPaths } from '#companion/lib/paths.ts';
import { engine, test, type Stage } from './stage.ts';

const WAY_BACK: readonly unknown[] = ['service.stop', 'shutdown', 'restoreData', 'putBack', 'service.start'];

/** What was done on the way back from an update, in its order. */
const wayBack = (stage: Stage): unknown[] => stage.calls.map(([name]) => name).filter((name) => WAY_BACK.includes(name));

describe('doctor', () => {
  test('with --fix mends first, and has a daemon of another version make room', async ({ stage }) => {
    stage.status = { ...stage.status, version: '0.0.1' };

    await stage.run('doctor', '--fix');

    expect(stage.out).toContain('[done] The manifest is there again.');
    expect(stage.out).toContain(`[done] A daemon of another version was stopped; the next start is version ${VERSION}.`);
    expect(stage.calls).toContainEqual(['shutdown']);
  });

  test('leaves a daemon of this version alone', async ({ stage }) => {
    await stage.run('doctor', '--fix', '--json');

    expect(stage.calls).not.toContainEqual(['shutdown']);
    expect(JSON.parse(stage.out)).toMatchObject({ fixed: ['The manifest is there again.'] });
  });

  test('with --fix goes back from an update that was cut off, data first, and mends nothing with the program that goes', async ({
    stage,
  }) => {
    stage.trial = { version: '999.0.0', isCutOff: true, isIn: true };

    expect(await stage.run('update', '--from', 'x')).toBe(1);
    expect(stage.err).toContain('An update to version 999.0.0 was cut off.\nRun `pilotfish doctor --fix` first.');
    expect(await stage.run('doctor', '--fix')).toBe(0);

    expect(stage.out).toContain('[done] The update to version 999.0.0 was cut off: the program and the data of before it are back.');
    expect(stage.out).not.toContain('The manifest is there again.');
    expect(wayBack(stage)).toEqual(['service.stop', 'shutdown', 'restoreData', 'putBack']);
  });

  test('with --fix starts the service again, with the program of before', async ({ stage }) => {
    stage.trial = { version: '999.0.0', isCutOff: true, isIn: true };
    stage.isServiceRunning = true;

    expect(await stage.run('doctor', '--fix')).toBe(0);

    expect(wayBack(stage)).toEqual(['service.stop', 'shutdown', 'restoreData', 'putBack', 'service.start']);
  });

  test.for([
    ['whose daemon comes up', { version: VERSION, isCutOff: true, isIn: true }, true],
    ['that had changed nothing yet', { version: '999.0.0', isCutOff: true, isIn: false }, true],
    ['that goes on', { version: '999.0.0', isCutOff: false, isIn: true }, false],
  ] as const)('with --fix does not go back from an update %s', async ([, trial, isSettled], { stage }) => {
    stage.trial = trial;

    await stage.run('doctor', '--fix');

    expect(stage.out).toContain('The manifest is there again.');
    expect(stage.calls).not.toContainEqual(['putBack']);
    expect(stage.trial === null).toBe(isSettled);
  });

  test.for([
    ['0.0.1', 'the extension is older'],
    ['999.0.0', 'pilotfish is older'],
  ] as const)('says which is older: an extension of %s', async ([extensionVersion, says], { stage }) => {
    const browser = { browserId: BrowserId.parse('b1'), name: 'Chromium', label: '', extensionVersion, connectedAt: 0, toolCount: 1 };
    stage.status = { ...stage.status, browsers: [browser] };

    await stage.run('doctor', '--json');

    const check = JSON.parse(stage.out).checks.find(({ id }: { id: string }) => id === 'age.b1');
    expect(check).toMatchObject({ status: 'warning', detail: expect.stringContaining(says), remedy: expect.any(String) });
  });

  test('says what the daemon warns of and what to do about it apart', async ({ stage }) => {
    const waits = { what: warn('browser_waits', { who: 'B' }), remedy: warn('allow_browser', { id: 'b1' }) };
    stage.status = { ...stage.status, ...toldAs([waits, { what: warn('project_damaged') }]) };

    await stage.run('doctor', '--json');

    const found = JSON.parse(stage.out).checks.filter(({ id }: { id: string }) => id.startsWith('warning.'));
    expect(found).toEqual([
      { id: 'warning.1', title: 'Daemon', status: 'warning', detail: waits.what.text, remedy: waits.remedy.text },
      { id: 'warning.2', title: 'Daemon', status: 'warning', detail: WARNINGS.project_damaged, remedy: 'See `pilotfish logs`.' },
    ]);
  });

  test('says what a daemon of an earlier version warns of as it came', async ({ stage }) => {
    stage.status = { ...stage.status, warnings: ['Something is wrong. Run `x`.'] };

    await stage.run('doctor', '--json');

    const check = JSON.parse(stage.out).checks.find(({ id }: { id: string }) => id === 'warning.1');
    expect(check).toMatchObject({ detail: 'Something is wrong. Run `x`.', remedy: 'See `pilotfish logs`.' });
  });

  test.for([
    ['that the settings name', true, /\(200\)$/u],
    ['that they do not name', false, /because the one of the settings, \d+, was taken/u],
  ] as const)('knows the port %s', async ([, isNamed, says], { stage }) => {
    const server = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    stage.status = { ...stage.status, port };
    writeFileSync(createPaths(stage.env).settingsFile, JSON.stringify({ port: isNamed ? port : port - 1 }));

    await stage.run('doctor', '--json');

    const check = JSON.parse(stage.out).checks.find(({ id }: { id: string }) => id === 'port');
    expect(check).toMatchObject({ status: isNamed ? 'ok' : 'warning', detail: expect.stringMatching(says) });
  });

  test('names the program in what mends an agent as a shell finds it', async ({ stage }) => {
    stage.command = '/opt/my/pilotfish';
    stage.engines = [engine('claude', 'not_logged_in', { fix: 'pilotfish engine key claude KEY' })];

    await stage.run('doctor', '--json');

    const check = JSON.parse(stage.out).checks.find(({ id }: { id: string }) => id === 'engine.claude');
    expect(check.remedy).toBe('Run: /opt/my/pilotfish engine key claude KEY');
  });

  test('says the name of an agent once', async ({ stage }) => {
    stage.engines = [engine('goose', 'not_installed', { label: 'Goose' })];

    await stage.run('doctor');

    expect(stage.out).toContain('Agent: Goose is not installed.');
    expect(stage.out.match(/Goose/gu)).toHaveLength(1);
  });

  test('tells how long what answers took', async ({ stage }) => {
    await stage.run('doctor', '--json');

    const timed = JSON.parse(stage.out).checks.filter(({ ms }: { ms?: number }) => ms !== undefined);
    expect(timed.map(({ id }: { id: string }) => id)).toEqual(['port', 'engines', 'engine.claude', 'audit']);
  });

  test('with --live ends at the hop that fails, with one thing to do, and ends the browser', async ({ stage }) => {
    let isClosed = false;
    stage.live = {
      find: () => ({ name: 'Chromium', program: '/usr/bin/chromium' }),
      open: () => ({
        start: async () => 'Chrome/1',
        loadExtension: () => Promise.reject(new Error('Extensions.loadUnpacked: refused')),
        close: async () => void (isClosed = true),
      }),
    };

    expect(await stage.run('doctor', '--live', '--json')).toBe(1);

    const live = JSON.parse(stage.out).checks.filter(({ id }: { id: string }) => id.startsWith('live.'));
    expect(live).toMatchObject([
      { id: 'live.browser', status: 'ok', detail: 'Chromium: Chrome/1', ms: expect.any(Number) },
      {
        id: 'live.extension',
        status: 'failed',
        detail: 'Extensions.loadUnpacked: refused.',
        remedy: expect.stringContaining('Update the browser'),
      },
    ]);
    expect(isClosed).toBe(true);
  });

  test('with --live says so where no browser is found', async ({ stage }) => {
    await stage.run('doctor', '--live');
    expect(stage.out).toContain('No browser is found');
  });

  test('says which report could not be written, and why', async ({ stage }) => {
    expect(await stage.run('doctor', '--report', path.join(stage.folder, 'nowhere', 'report.json'))).toBe(1);

    expect(stage.err).toMatch(/A file or a folder could not be used\. The report: .*ENOENT.*\n.*Name a file in a folder/su);
  });

  test('writes a report without a secret that nobody has told it of', async ({ stage }) => {
    const file = path.join(stage.folder, 'report.json');
    const { daemonLog } = createPaths(stage.env);
    const planted = {
      keyOfThisShell: 'a0-of-this-shell',
      keyOfTheLoginShell: 'sk-ant-api03-b1b1b1b1b1',
      tokenByItsForm: 'ghp_c2c2c2c2c2c2c2c2c2',
      passwordInAnAddress: 'd3-in-an-address',
      keyInAnAddress: 'e4-in-an-address',
      argument: 'f5-argument',
      variableOfAnAgent: 'g6-variable',
      cookie: 'h7-cookie',
      bearer: 'i8-bearer-of-a-header',
      basic: 'ajk6OWI5Yjk=',
      privateKey: 'MIIEvQIBADANk0k0k0',
      inAWarning: 'l1-in-a-warning',
      acrossTheCut: 'm2-across-the-cut',
    };
    stage.env['SERVICE_TOKEN'] = planted.keyOfThisShell;
    stage.status = { ...stage.status, warnings: [`The proxy http://me:${planted.inAWarning}@proxy.example does not answer.`] };
    const entries = [
      { stderr: `login with ${planted.keyOfTheLoginShell} failed; ${planted.tokenByItsForm}` },
      { stderr: `GET https://me:${planted.passwordInAnAddress}@api.example/v1?api_key=${planted.keyInAnAddress}` },
      { args: ['--api-key', planted.argument, '--verbose'], env: { DATABASE_PASSWORD: planted.variableOfAnAgent } },
      { stderr: `DATABASE_PASSWORD=${planted.variableOfAnAgent} --token=${planted.argument} --token ${planted.argument}` },
      {
        stderr: `> Cookie: theme=dark; sid=${planted.cookie}\n> Authorization: Bearer ${planted.bearer}`,
        headers: { cookie: planted.cookie },
      },
      { stderr: JSON.stringify({ authorization: `Basic ${planted.basic}`, accessToken: planted.bearer }) },
      { stderr: `-----BEGIN PRIVATE KEY-----\n${planted.privateKey}\n` },
      { stderr: `${'.'.repeat(1970)} ${planted.keyOfThisShell} token=${planted.acrossTheCut}` },
      { event: 'kept', detail: 'the basic settings; 2 tokens: 12; key: up' },
    ];
    mkdirSync(path.dirname(daemonLog), { recursive: true });
    writeFileSync(daemonLog, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));

    await stage.run('doctor', '--report', file);

    const text = readFileSync(file, 'utf8');
    // A part of a secret tells of it, too.
    expect(Object.entries(planted).filter(([, secret]) => text.includes(secret.slice(0, 7)))).toEqual([]);
    const report = JSON.parse(text);
    expect(report.log).toHaveLength(entries.length);
    expect(report.log.at(-1)).toContain('the basic settings; 2 tokens: 12; key: up');
  });

  test('writes a report without keys, without the home folder and without what was worked on', async ({ stage }) => {
    const file = path.join(stage.folder, 'report.json');
    const { daemonLog } = createPaths(stage.env);
    stage.env['HOME'] = '/home/somebody-special';
    stage.env['SERVICE_API_KEY'] = 'k-0123456789abcdef';
    // The shell's own names for folders are no passwords.
    stage.env['PWD'] = '/home/somebody-special/work';
    mkdirSync(path.dirname(daemonLog), { recursive: true });
    const entry = {
      event: 'engine.started',
      command: 'rm secret-plan',
      url: 'https://bank.example/account',
      cwd: '/home/somebody-special/work',
      env: 'k-0123456789abcdef',
      proxy: 'http://me:hunter2222@proxy.example',
    };
    writeFileSync(daemonLog, `${JSON.stringify(entry)}\n`);

    await stage.run('doctor', '--report', file);

    const text = readFileSync(file, 'utf8');
    for (const secret of ['k-0123456789abcdef', 'hunter2222', 'somebody-special', 'secret-plan', 'bank.example'])
      expect(text).not.toContain(secret);
    const report = JSON.parse(text);
    expect(report).toMatchObject({ pilotfish: VERSION, checks: expect.any(Array) });
    expect(report.log[0]).toContain('engine.started');
    expect(report.log[0]).toContain('~/work');
    expect(statSync(file).mode & 0o077).toBe(0);
  });
});
