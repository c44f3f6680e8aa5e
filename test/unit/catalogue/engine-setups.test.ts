import { readFileSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { EngineSetups } from '#companion/catalogue/engine-setups.ts';
import { Secrets } from '#companion/store/secrets.ts';
import type { EngineSettings } from '#companion/store/settings.ts';
import { CompanionError } from '#protocol/errors.ts';
import { engineDouble } from '#test/fixtures/engine-double-codec.ts';
import { codeOf, isIdle, said, test, type Stage } from '#test/unit/sessions/stage.ts';

const create = (stage: Stage, hasKeychain = false): EngineSetups & { changed: string[]; kept: Map<string, string> } => {
  const { settings } = stage.store;
  const kept = new Map<string, string>();
  const changed: string[] = [];
  const secrets = new Secrets({
    vaultFile: stage.paths.vaultFile,
    settings,
    log: nullLog,
    loadKeychain: () => {
      if (!hasKeychain) throw new Error('no keychain');
      return {
        get: async (account) => kept.get(account) ?? null,
        set: async (account, secret) => void kept.set(account, secret),
        remove: async (account) => void kept.delete(account),
      };
    },
  });
  const setups = new EngineSetups({
    store: { settings, secrets },
    catalogue: stage.catalogue,
    log: nullLog,
    onChange: (name) => void changed.push(name),
  });
  return Object.assign(setups, { changed, kept });
};
const stored = (stage: Stage, name: string): EngineSettings | undefined => stage.store.settings.current().engines.byName[name];
const thrown = (work: () => unknown): string => {
  try {
    work();
    return 'none';
  } catch (error) {
    return error instanceof CompanionError ? error.code : String(error);
  }
};

describe('the setup of an engine', () => {
  test('of an agent that is named like what every object inherits is its own', async ({ stage }) => {
    const setups = create(stage);

    const setup = setups.add({ name: 'constructor', command: 'an-agent', args: [] });

    expect(setup).toMatchObject({ isDisabled: false, settings: { args: [], envNames: [] } });
    expect(setup.secrets.every(({ isSet }) => !isSet)).toBe(true);
    await setups.remove('constructor');
    expect(setups.list().map(({ engine }) => engine.name)).not.toContain('constructor');
  });

  test('a key stays with the address it was stored for', async ({ stage }) => {
    stage.engines.push({
      ...engineDouble(),
      name: 'loop',
      type: 'loop',
      secretNames: ['KEY'],
      probe: async () => ({ account: '', models: [] }),
      turn: async () => {},
    });
    const setups = create(stage);
    setups.change('loop', { endpoint: 'https://models.test/v1' });
    await setups.setSecret('loop', 'KEY', 'sk-mine');

    for (const endpoint of ['https://evil.test/v1', 'http://models.test/v1', 'https://models.test:8443', null])
      expect(thrown(() => setups.change('loop', { endpoint }))).toBe('INPUT_INVALID');
    setups.change('loop', { endpoint: 'https://models.test/v2' });
    await setups.setSecret('loop', 'KEY', null);
    setups.change('loop', { endpoint: 'https://other.test' });

    expect(stored(stage, 'loop')).toEqual({ endpoint: 'https://other.test' });
  });

  test('changes what is given, keeps what is absent, drops what is null', ({ stage }) => {
    const setups = create(stage);

    setups.change('fake', { path: '/opt/fake', args: ['--x'], env: { A: '1', B: '2' } });
    const after = setups.change('fake', { path: null, env: { A: null, C: '3' } });

    expect(stored(stage, 'fake')).toEqual({ args: ['--x'], env: { B: '2', C: '3' } });
    expect(after.settings).toEqual({ args: ['--x'], envNames: ['B', 'C'] });
    expect(setups.changed).toEqual(['fake', 'fake']);
    setups.change('fake', { args: null, env: { B: null, C: null } });
    expect(stored(stage, 'fake')).toBeUndefined();
  });

  test('switches an engine off, and shows it so that it can be switched on again', ({ stage }) => {
    const setups = create(stage);

    setups.change('fake', { isDisabled: true });

    expect(stage.catalogue.list().map(({ name }) => name)).not.toContain('fake');
    expect(setups.list().find(({ engine }) => engine.name === 'fake')?.isDisabled).toBe(true);
    setups.change('fake', { isDisabled: false });
    expect(stage.catalogue.list().map(({ name }) => name)).toContain('fake');
  });

  test('tells of a secret that it is set and where, never what it is', async ({ stage }) => {
    const inFile = create(stage);
    const inKeychain = create(stage, true);

    const first = await inFile.setSecret('fake', 'apiKey', 'a-secret-value');
    const second = await inKeychain.setSecret('fake', 'apiKey', 'a-secret-value');

    expect(first.secrets).toEqual([{ name: 'apiKey', isSet: true, place: 'file' }]);
    expect(second.secrets).toEqual([{ name: 'apiKey', isSet: true, place: 'keychain' }]);
    expect([...inKeychain.kept.values()]).toEqual(['a-secret-value']);
    expect(JSON.stringify([first, second, inFile.list()])).not.toContain('a-secret-value');
    // It has left the file.
    expect(readFileSync(stage.paths.vaultFile, 'utf8')).not.toContain('a-secret-value');
    expect((await inKeychain.setSecret('fake', 'apiKey', null)).secrets).toEqual([{ name: 'apiKey', isSet: false }]);
  });

  test('refuses what makes no sense', async ({ stage }) => {
    const setups = create(stage);

    expect(thrown(() => setups.change('nobody', {}))).toBe('ENGINE_UNKNOWN');
    expect(thrown(() => setups.change('fake', { endpoint: 'http://x' }))).toBe('INPUT_INVALID');
    expect(thrown(() => setups.change('fake', { env: { apiKey: 'x' } }))).toBe('INPUT_INVALID');
    expect(await codeOf(setups.setSecret('fake', 'other', 'x'))).toBe('INPUT_INVALID');
    expect(await codeOf(setups.remove('fake'))).toBe('INPUT_INVALID');
    expect(thrown(() => setups.add({ name: 'fake', command: 'x', args: [] }))).toBe('INPUT_INVALID');
  });

  test('adds an agent of the user’s own, and removes it with all that was set for it', async ({ stage }) => {
    const setups = create(stage);
    setups.add({ name: 'mine', label: 'Mine', command: 'my-agent', args: ['acp'] });
    const added = setups.add({ name: 'mine', command: 'my-agent', args: ['acp', '-v'] });
    setups.change('mine', { isDisabled: true });

    await setups.remove('mine');

    expect(added.engine).toMatchObject({ name: 'mine', isCustom: true });
    expect(stage.store.settings.current().engines).toEqual({ byName: {}, custom: [] });
    expect(setups.list().map(({ engine }) => engine.name)).not.toContain('mine');
  });
});

describe('what a process is started with', () => {
  test('the user’s variables come before an engine’s, but not before those it relies on', async ({ stage }) => {
    const engine = engineDouble({ name: 'mixed', env: { OURS: 'ours', BOTH: 'ours' } });
    stage.engines.push({ ...engine, launch: (options) => ({ ...engine.launch(options), fixedEnv: { FIXED: 'ours' } }) });
    stage.store.settings.change({ engines: { byName: { mixed: { env: { BOTH: 'mine', FIXED: 'mine' } } }, custom: [] } });
    const sessionId = await stage.create('mixed');

    for (const name of ['OURS', 'BOTH', 'FIXED']) await stage.turn(sessionId, `echo-env ${name}`);

    expect(said(stage.sessions.view(sessionId))).toEqual(['OURS=ours', 'BOTH=mine', 'FIXED=ours']);
  });

  test('a change of its settings starts a new process for the next turn', async ({ stage }) => {
    const sessionId = await stage.create();
    await stage.turn(sessionId, 'say one');

    stage.store.settings.change({ engines: { byName: { fake: { env: { NEW: 'yes' } } }, custom: [] } });
    stage.sessions.renew('fake');
    const view = await stage.turn(sessionId, 'echo-env NEW');

    expect(said(view)).toEqual(['one', 'NEW=yes']);
  });

  test('a mode in which nothing asks is entered and left by a new process, any other is not', async ({ stage }) => {
    const [fake] = stage.engines;
    if (fake === undefined) throw new Error('the engine double is there');
    const modes = [
      ...fake.modes,
      { modeId: 'plan', label: 'Plan', isDangerous: false },
      { modeId: 'yolo', label: 'Yolo', isDangerous: true },
    ];
    stage.engines.push({ ...fake, name: 'modal', modes });
    const sessionId = await stage.create('modal');
    const starts = (): number => stage.trace().filter((line) => line.startsWith('start')).length;
    const counts: number[] = [];

    for (const mode of ['default', 'plan', 'yolo', 'default']) {
      await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { mode } });
      await stage.turn(sessionId, 'say hello');
      counts.push(starts());
    }

    expect(counts).toEqual([1, 1, 2, 3]);
  });

  test('a turn that runs leaves such a mode at once', async ({ stage }) => {
    const [fake] = stage.engines;
    if (fake === undefined) throw new Error('the engine double is there');
    stage.engines.push({ ...fake, name: 'modal', modes: [...fake.modes, { modeId: 'yolo', label: 'Yolo', isDangerous: true }] });
    const sessionId = await stage.create('modal');
    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { mode: 'yolo' } });
    await stage.send(sessionId, 'slow');
    await stage.until(sessionId, (view) => said(view).length > 0);

    await stage.sessions.dispatch({ type: 'session.update', sessionId, settings: { mode: 'default' } });
    await stage.sessions.dispatch({ type: 'turn.cancel', sessionId });
    await stage.until(sessionId, isIdle);

    expect(stage.trace().some((line) => line.startsWith('configure') && line.includes('"mode":"default"'))).toBe(true);
  });
});
