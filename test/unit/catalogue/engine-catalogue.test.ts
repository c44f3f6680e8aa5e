import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { EngineCatalogue } from '#companion/catalogue/engine-catalogue.ts';
import { customEngine } from '#companion/engines/acp.ts';
import type { LoopEngine } from '#companion/engines/engine.ts';
import { local } from '#companion/engines/local.ts';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { nullLog } from '#companion/lib/log.ts';
import { ProcessRun } from '#companion/runs/process-run.ts';
import { CompanionError } from '#protocol/errors.ts';
import { defaultSettings } from '#protocol/events.ts';
import { engineDouble } from '#test/fixtures/engine-double-codec.ts';
import { codeOf, said, test } from '#test/unit/sessions/stage.ts';

const signal = new AbortController().signal;

/** An ACP agent that opens a session and tells its commands in the same breath. */
const acpDouble = `
import { createInterface } from 'node:readline';
const answers = { initialize: { protocolVersion: 1 }, 'session/new': { sessionId: 's' } };
const update = { sessionUpdate: 'available_commands_update', availableCommands: [{ name: 'tides', description: 'Shows the tides' }, { name: 'bare' }] };
const toLine = (message) => JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const told = method === 'session/new' ? toLine({ method: 'session/update', params: { sessionId: 's', update } }) : '';
  if (method in answers) process.stdout.write(toLine({ id, result: answers[method] }) + told);
});
`;

describe('the engine directory', () => {
  test('checks every engine by really starting it, and leaves nothing behind', async ({ stage }) => {
    const before = stage.catalogue.list().map((info) => info.status);

    const infos = await stage.catalogue.refresh(undefined, signal);

    const byName = Object.fromEntries(infos.map((info) => [info.name, info]));
    expect(new Set(before)).toEqual(new Set(['unchecked']));
    expect(byName['fake']).toMatchObject({ status: 'ready', version: '1.2.3', account: 'somebody', models: [{ modelId: 'm1' }] });
    expect(byName['logged-out']).toMatchObject({
      status: 'not_logged_in',
      fix: 'fake-agent login',
      loginCommand: 'fake-agent login',
      error: { code: 'ENGINE_NOT_LOGGED_IN' },
    });
    expect(byName['missing']).toMatchObject({ status: 'not_installed', fix: 'npm install -g fake-agent' });
    expect(byName['dies']).toMatchObject({ status: 'failed', error: { code: 'ENGINE_START_FAILED' } });
    expect(byName['dies']?.error?.message).toContain('no luck today');
    expect(byName['never-ready']).toMatchObject({ status: 'failed' });
    expect(readdirSync(stage.paths.runsDir)).toEqual([]);
  });

  test('is looked at when somebody asks, once, and not where an engine was checked already', async ({ stage }) => {
    const [checked] = await stage.catalogue.refresh('fake', signal);
    const before = stage.trace().length;

    const [first, second] = await Promise.all([stage.catalogue.look(), stage.catalogue.look()]);
    const looked = stage.trace().length;
    const third = await stage.catalogue.look();

    expect(first.map(({ status }) => status)).not.toContain('unchecked');
    expect(first[0]).toEqual(checked);
    expect([second, third]).toEqual([first, first]);
    expect(looked).toBeGreaterThan(before);
    expect(stage.trace()).toHaveLength(looked);
  });

  test('asks no login shell when the daemon ends', async ({ stage }) => {
    const shell = path.join(stage.home, 'shell');
    const asked = path.join(stage.home, 'asked');
    writeFileSync(shell, `#!/bin/sh\ntouch ${asked}\n`);
    chmodSync(shell, 0o755);
    const catalogue = new EngineCatalogue({
      store: stage.store,
      paths: stage.paths,
      log: nullLog,
      env: { HOME: stage.home, PATH: '/usr/bin:/bin', SHELL: shell },
      engines: [engineDouble({ name: 'absent', command: ['/nowhere/agent'] })],
      fromCustom: () => engineDouble(),
      ending: AbortSignal.abort(),
    });

    expect(await codeOf(catalogue.resolve('absent'))).toBe('ENGINE_NOT_FOUND');
    expect(existsSync(asked)).toBe(false);
  });

  test('says of an agent without a program that its server is missing', async ({ stage }) => {
    stage.engines.push(local);
    stage.store.settings.change({ engines: { byName: { local: { endpoint: 'http://127.0.0.1:1' } }, custom: [] } });

    const infos = await stage.catalogue.refresh('local', signal);

    expect(infos.find(({ name }) => name === 'local')).toMatchObject({
      status: 'not_installed',
      error: { code: 'ENGINE_SERVER_NOT_FOUND', message: 'No model server answers. Looked at http://127.0.0.1:1.' },
    });
  });

  test('names a version that is too old', async ({ stage }) => {
    const bin = path.join(stage.home, 'bin');
    mkdirSync(bin);
    writeFileSync(path.join(bin, 'old-agent'), '#!/bin/sh\necho "old-agent 1.9.12 (stable)"\n');
    chmodSync(path.join(bin, 'old-agent'), 0o755);
    const engine = engineDouble({ name: 'old', command: [path.join(bin, 'old-agent')] });
    stage.engines.push({ ...engine, finding: { ...engine.finding, versionArgs: ['--version'], minVersion: '1.10.0' } });

    const infos = await stage.catalogue.refresh('old', signal);

    expect(infos.find((info) => info.name === 'old')).toMatchObject({
      status: 'too_old',
      version: '1.9.12',
      fix: 'npm install -g fake-agent',
      error: { code: 'ENGINE_TOO_OLD' },
    });
  });

  test('knows the agents a user added by name, and uses the path a user set', async ({ stage }) => {
    const [node = '', script = ''] = engineDouble().command ?? [];
    stage.store.settings.change({ engines: { byName: {}, custom: [{ name: 'mine', command: node, args: [script], dialect: 'acp' }] } });

    const infos = await stage.catalogue.refresh('mine', signal);
    const sessionId = await stage.create('mine');

    expect(infos.find((info) => info.name === 'mine')).toMatchObject({
      status: 'ready',
      isCustom: true,
      pathSource: 'settings',
      path: node,
    });
    expect(said(await stage.turn(sessionId, 'say hello'))).toEqual(['hello']);
  });

  test('knows the slash commands of an agent that tells them when it is ready', async ({ stage }) => {
    const script = path.join(stage.home, 'acp-double.mjs');
    writeFileSync(script, acpDouble);
    stage.engines.push(customEngine('commands', [process.execPath, script]));

    const infos = await stage.catalogue.refresh('commands', signal);

    expect(infos.find((info) => info.name === 'commands')).toMatchObject({
      status: 'ready',
      commands: [{ name: 'tides', description: 'Shows the tides' }, { name: 'bare' }],
    });
  });

  test('hides an engine that was switched off', async ({ stage }) => {
    stage.store.settings.change({ engines: { byName: { fake: { isDisabled: true } }, custom: [] } });

    expect(stage.catalogue.list().map((info) => info.name)).not.toContain('fake');
    expect(() => stage.catalogue.find('fake')).toThrow(CompanionError);
  });

  test('has the order that the person gave, and what has no place follows in its own', async ({ stage }) => {
    const before = stage.catalogue.list().map((info) => info.name);
    const seen: string[][] = [];
    stage.catalogue.subscribe((infos) => seen.push(infos.map((info) => info.name)));
    const last = before.at(-1) ?? '';

    stage.store.settings.change({ engineOrder: [last, 'nobody'] });
    stage.catalogue.tell();

    expect(before.length).toBeGreaterThan(1);
    expect(seen).toEqual([[last, ...before.slice(0, -1)]]);
  });

  test('tells who watches', async ({ stage }) => {
    const seen: string[] = [];
    stage.catalogue.subscribe((infos) => seen.push(infos.find((info) => info.name === 'missing')?.status ?? ''));

    await stage.catalogue.refresh('missing', signal);

    expect(seen).toEqual(['not_installed']);
  });
});

test('a program that goes away between the search and the start is told as not installed, with its command', async ({ stage }) => {
  const engine = engineDouble({ name: 'gone' });
  const place = { path: path.join(stage.home, 'gone'), isNamed: false, leadingArgs: [], binDirs: [], loginEnv: {}, env: {} };
  const runDir = path.join(stage.paths.runsDir, 'run_gone');
  const launch = {
    cwd: stage.home,
    settings: defaultSettings,
    engineSessionId: null,
    mcp: null,
    runDir,
    secrets: {},
    userEnv: {},
    isProbe: true,
  };

  const error = await new Promise((resolve) => {
    ProcessRun.start({
      engine,
      place,
      launch,
      services: null,
      log: nullLog,
      known: new KnownSecrets(),
      listener: { onEvent: () => {}, onLine: () => {}, onEnd: resolve },
    });
  });

  expect(error).toMatchObject({ code: 'ENGINE_NOT_FOUND', remedy: 'Install it: `npm install -g fake-agent`.' });
  expect(existsSync(runDir)).toBe(false);
});

describe('an engine without a process', () => {
  const loop = (turn: LoopEngine['turn']): LoopEngine => ({
    ...engineDouble({ name: 'loop' }),
    type: 'loop',
    probe: async () => ({ account: 'here', models: [] }),
    turn,
  });

  test('gets the history and streams into the same log', async ({ stage }) => {
    const histories: unknown[] = [];
    stage.engines.push(
      loop(async ({ prompt, history, emit }) => {
        histories.push(history);
        emit({ type: 'item.started', itemId: 'a', item: { kind: 'message', role: 'assistant', text: `re: ${prompt.text}` } });
        emit({ type: 'item.completed', itemId: 'a', status: 'completed' });
      }),
    );
    const sessionId = await stage.create('loop');

    await stage.turn(sessionId, 'one');
    const view = await stage.turn(sessionId, 'two');

    expect(said(view)).toEqual(['re: one', 're: two']);
    expect(histories[1]).toEqual([
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 're: one' },
    ]);
    expect(view.turns.map((turn) => turn.status)).toEqual(['completed', 'completed']);
  });

  test('is stopped by its signal, and by force when it does not listen', async ({ stage }) => {
    stage.engines.push(loop(async () => new Promise(() => {})));
    const sessionId = await stage.create('loop');
    await stage.send(sessionId, 'for ever');
    await stage.until(sessionId, (view) => view.run.state === 'ready');

    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
    const view = await stage.until(sessionId, (seen) => seen.status === 'idle');

    expect(view.turns[0]?.status).toBe('cancelled');
  });

  test('fails with the error it threw', async ({ stage }) => {
    stage.engines.push(
      loop(async () => {
        throw new CompanionError('ENGINE_MODEL_UNKNOWN', 'm7');
      }),
    );
    const sessionId = await stage.create('loop');

    expect((await stage.turn(sessionId, 'hello')).turns[0]?.error?.code).toBe('ENGINE_MODEL_UNKNOWN');
  });
});
