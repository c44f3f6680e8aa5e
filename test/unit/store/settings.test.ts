import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepOne } from '#test/fixtures/keep-one.ts';
import { describe, expect, onTestFinished, test as base, vi } from 'vitest';
import { KnownSecrets } from '#companion/lib/known-secrets.ts';
import { nullLog } from '#companion/lib/log.ts';
import { Attachments } from '#companion/store/attachments.ts';
import type { Keychain } from '#companion/store/keychain.ts';
import { Secrets } from '#companion/store/secrets.ts';
import { Settings } from '#companion/store/settings.ts';
import { codeOf } from '#test/fixtures/code-of.ts';
import { warningText } from '#protocol/warnings.ts';

const told = (secrets: Secrets): string => secrets.warnings.map(warningText).join('\n');

const test = base.extend<{ home: string; file: string }>({
  // eslint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    await use(home);
    rmSync(home, { recursive: true, force: true });
  },
  file: async ({ home }, use) => use(path.join(home, 'settings.json')),
});

describe('settings', () => {
  test('have defaults, and keep what was changed', ({ file }) => {
    const before = new Settings(file, nullLog).current();
    new Settings(file, nullLog).change({ allowedRoots: ['/srv'], port: 4000 });

    const settings = new Settings(file, nullLog);

    expect(before).toMatchObject({ port: 56889, idleExitMs: 60_000, allowedRoots: [] });
    expect(settings.current()).toMatchObject({ port: 4000, allowedRoots: ['/srv'] });
    expect(settings.warnings).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('lose one wrong value and nothing else, with a warning and the file as it was', ({ file }) => {
    const text = JSON.stringify({ port: 'many', allowedRoots: ['/srv'], future: { kept: true } });
    writeFileSync(file, text);
    const settings = new Settings(file, nullLog);

    const current = settings.current();
    const untouched = readFileSync(file, 'utf8');
    settings.change({ idleExitMs: 5 });

    expect(current).toMatchObject({ port: 56889, allowedRoots: ['/srv'] });
    expect(settings.warnings).toHaveLength(1);
    expect(settings.warnings.map(warningText)[0]).toContain('"port"');
    expect(untouched).toBe(text);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ port: 'many', allowedRoots: ['/srv'], future: { kept: true }, idleExitMs: 5 });
  });

  test('close a site whose rule was misspelled by hand, and keep the other rules', ({ file }) => {
    writeFileSync(file, JSON.stringify({ sites: { 'bank.example': 'nevr', 'news.example': 'read_only' } }));

    expect(new Settings(file, nullLog).current().sites).toEqual({ 'bank.example': 'never', 'news.example': 'read_only' });
  });

  test('that are no JSON are kept aside and told of', ({ home, file }) => {
    writeFileSync(file, '{"port": 4000,');

    const settings = new Settings(file, nullLog);

    expect(settings.current().port).toBe(56889);
    expect(settings.warnings.map(warningText)[0]).toContain('is kept as');
    const aside = readdirSync(home).find((name) => name.includes('.damaged-')) ?? '';
    expect(readFileSync(path.join(home, aside), 'utf8')).toBe('{"port": 4000,');
    expect(settings.change({ port: 4001 }).port).toBe(4001);
  });

  test('of any hostile form leave the defaults and never a fault', ({ file }) => {
    for (const text of [
      'null',
      '[]',
      '[1]',
      '"text"',
      '7',
      '',
      '{"__proto__":{"port":1}}',
      '{"constructor":{"prototype":{"port":1}}}',
      '\u0000',
      `${'['.repeat(100_000)}`,
    ]) {
      writeFileSync(file, text);
      const settings = new Settings(file, nullLog);

      expect(settings.current().port, text.slice(0, 40)).toBe(56889);
      expect(settings.change({ port: 4000 }).port).toBe(4000);
    }
    expect(({} as { port?: number }).port).toBeUndefined();
  });

  test('that another program damages while they are in use count as empty, and nothing falls', ({ file }) => {
    const settings = new Settings(file, nullLog);
    settings.change({ port: 4000 });

    writeFileSync(file, '{"port":');

    expect(settings.current().port).toBe(56889);
  });

  test('are made out once for as long as the file is the same, and anew when another program has written it', ({ file }) => {
    const settings = new Settings(file, nullLog);
    settings.change({ hangMs: 5000 });
    const first = settings.current();
    const again = settings.current();
    writeFileSync(file, readFileSync(file, 'utf8').replace('5000', '6000'));

    expect(again).toBe(first);
    expect(settings.current().hangMs).toBe(6000);
  });

  test('are read anew when another program writes as many characters over a file that was the same for long', ({ file }) => {
    const settings = new Settings(file, nullLog);
    settings.change({ hangMs: 5000 });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect([settings.current().hangMs, settings.current().hangMs]).toEqual([5000, 5000]);
    const { ctimeMs } = statSync(file);

    // A file system may give the same time to what is written within a few milliseconds.
    do writeFileSync(file, readFileSync(file, 'utf8').replace('5000', '6000'));
    while (statSync(file).ctimeMs === ctimeMs);

    expect(settings.current().hangMs).toBe(6000);
  });

  test('have no engine that nobody set, whatever its name', ({ file }) => {
    const settings = new Settings(file, nullLog);

    for (const name of ['constructor', 'toString', '__proto__', 'hasOwnProperty']) {
      const { engines, keychainNames, trustedProjects } = settings.current();
      expect([engines.byName[name], keychainNames[name], trustedProjects[name]]).toEqual([undefined, undefined, undefined]);
    }
  });

  test('refuse what is not valid', ({ file }) => {
    const settings = new Settings(file, nullLog);

    expect(codeOf(() => settings.change({ port: 0 }))).toBe('INPUT_INVALID');
    expect(
      codeOf(() => settings.change({ engines: { byName: {}, custom: [{ name: '../x', command: 'x', args: [], dialect: 'acp' }] } })),
    ).toBe('INPUT_INVALID');
  });
});

describe('secrets', () => {
  const keychain = (): Keychain & { entries: Map<string, string> } => {
    const entries = new Map<string, string>();
    return {
      entries,
      get: async (account) => entries.get(account) ?? null,
      set: async (account, secret) => void entries.set(account, secret),
      remove: async (account) => void entries.delete(account),
    };
  };

  test('lie in the keychain, and only their names in a file', async ({ home, file }) => {
    const chain = keychain();
    const secrets = new Secrets({
      vaultFile: path.join(home, 'vault.json'),
      settings: new Settings(file, nullLog),
      loadKeychain: () => chain,
      log: nullLog,
    });

    await secrets.set('glm', 'apiKey', 'sk-1234');

    expect(await secrets.all('glm')).toEqual({ apiKey: 'sk-1234' });
    expect(secrets.names()).toEqual({ glm: ['apiKey'] });
    expect(secrets.warnings).toEqual([]);
    expect(
      readdirSync(home)
        .map((name) => readFileSync(path.join(home, name), 'utf8'))
        .join(),
    ).not.toContain('sk-1234');
    await secrets.remove('glm', 'apiKey');
    expect([secrets.names(), [...chain.entries]]).toEqual([{}, []]);
  });

  test('lie in a 0600 file with a warning where there is no keychain', async ({ home, file }) => {
    const vaultFile = path.join(home, 'vault.json');
    const loadKeychain = (): Keychain => {
      throw new Error('libsecret-1.so.0: cannot open shared object file');
    };
    const secrets = new Secrets({ vaultFile, settings: new Settings(file, nullLog), loadKeychain, log: nullLog });

    await secrets.set('glm', 'apiKey', 'sk-1234');

    expect(await secrets.all('glm')).toEqual({ apiKey: 'sk-1234' });
    expect(statSync(vaultFile).mode & 0o777).toBe(0o600);
    expect(told(secrets)).toContain(vaultFile);
    expect(told(secrets)).toContain('libsecret-1-0 on Debian and Ubuntu');
    await secrets.remove('glm', 'apiKey');
    expect(secrets.warnings).toEqual([]);
    expect(readFileSync(vaultFile, 'utf8')).not.toContain('sk-1234');
  });

  test('that lie in the file go into the keychain when they are entered again, and a copy in the making that a crash left goes too', async ({
    home,
    file,
  }) => {
    const vaultFile = path.join(home, 'vault.json');
    for (const name of [vaultFile, `${vaultFile}.new`])
      writeFileSync(name, '{"glm":{"apiKey":"sk-1234","other":"sk-5678"}}', { mode: 0o644 });
    const secrets = new Secrets({ vaultFile, settings: new Settings(file, nullLog), loadKeychain: keychain, log: nullLog });
    expect(told(secrets)).toContain('2 secrets');

    await secrets.set('glm', 'apiKey', 'sk-1234');

    expect(await secrets.all('glm')).toEqual({ apiKey: 'sk-1234', other: 'sk-5678' });
    const left = readdirSync(home).filter((name) => readFileSync(path.join(home, name), 'utf8').includes('sk-'));
    expect(left.map((name) => [name, statSync(path.join(home, name)).mode & 0o777])).toEqual([['vault.json', 0o600]]);
    expect(readFileSync(vaultFile, 'utf8')).not.toContain('sk-1234');
  });

  test('that go from the keychain into the file leave nothing there, or it is said', async ({ home, file }) => {
    const chain = keychain();
    let removes = true;
    const refuse = (): Promise<never> => Promise.reject(new Error('Cannot write to it.'));
    const secrets = new Secrets({
      vaultFile: path.join(home, 'vault.json'),
      settings: new Settings(file, nullLog),
      loadKeychain: () => chain,
      log: nullLog,
    });
    for (const name of ['one', 'two']) await secrets.set('glm', name, `old-${name}`);
    const [take, remove] = [chain.set, chain.remove];
    Object.assign(chain, { set: refuse, remove: (account: string) => (removes ? remove(account) : refuse()) });

    await secrets.set('glm', 'one', 'new-one');
    expect([...chain.entries.keys()]).toEqual(['glm/two']);
    expect(told(secrets)).not.toContain('still holds');
    removes = false;
    await secrets.set('glm', 'two', 'new-two');
    expect(told(secrets)).toContain('The keychain still holds what glm/two was before');

    expect(await secrets.all('glm')).toEqual({ one: 'new-one', two: 'new-two' });
    Object.assign(chain, { set: take });
    await secrets.set('glm', 'two', 'new-two');
    expect(told(secrets)).not.toContain('still holds');
  });

  test('that an earlier daemon was told are left out of what this one writes: from the file, from the keychain, from the settings', async ({
    home,
    file,
  }) => {
    const vaultFile = path.join(home, 'vault.json');
    writeFileSync(vaultFile, '{"glm":{"apiKey":"in-the-file"}}');
    const byName = { own: { env: { SERVICE_KEY: 'in-a-variable' }, args: ['--api-key', 'in-an-argument'] } };
    writeFileSync(file, JSON.stringify({ keychainNames: { qwen: ['apiKey'] }, engines: { byName } }));
    const chain = keychain();
    chain.entries.set('qwen/apiKey', 'in-the-keychain');
    const known = new KnownSecrets();

    const settings = new Settings(file, nullLog, known);
    const secrets = new Secrets({ vaultFile, settings, loadKeychain: () => chain, log: nullLog, known });
    await secrets.all('qwen');

    for (const secret of ['in-the-file', 'in-the-keychain', 'in-a-variable', 'in-an-argument'])
      expect(known.redact(`It is ${secret}.`)).toBe('It is [secret].');
  });

  test('that a locked keychain does not give are warned of until it gives them', async ({ home, file }) => {
    const chain = keychain();
    let isLocked = false;
    const secrets = new Secrets({
      vaultFile: path.join(home, 'vault.json'),
      settings: new Settings(file, nullLog),
      loadKeychain: () => ({
        ...chain,
        get: async (account) => {
          if (isLocked) throw new Error('The keychain did not answer.');
          return chain.get(account);
        },
      }),
      log: nullLog,
    });
    await secrets.set('glm', 'apiKey', 'sk-1234');
    expect(secrets.warnings).toEqual([]);

    isLocked = true;
    expect(await secrets.all('glm')).toEqual({});
    expect(told(secrets)).toMatch(/^The keychain did not give a stored key.* It is locked: unlock it/u);

    isLocked = false;
    expect(await secrets.all('glm')).toEqual({ apiKey: 'sk-1234' });
    expect(secrets.warnings).toEqual([]);

    isLocked = true;
    await secrets.all('glm');
    await secrets.remove('glm', 'apiKey');
    expect(secrets.warnings).toEqual([]);
  });

  test('in a file that is damaged are put aside, never written over', async ({ home, file }) => {
    const vaultFile = path.join(home, 'vault.json');
    writeFileSync(vaultFile, '{"glm":{"apiKey":"sk-12');
    const loadKeychain = (): Keychain => {
      throw new Error('no keychain');
    };
    const secrets = new Secrets({ vaultFile, settings: new Settings(file, nullLog), loadKeychain, log: nullLog });

    await secrets.set('glm', 'other', 'sk-5678');

    const aside = readdirSync(home).find((name) => name.startsWith('vault.json.damaged-'));
    expect(readFileSync(path.join(home, aside ?? ''), 'utf8')).toContain('sk-12');
    expect(await secrets.all('glm')).toEqual({ other: 'sk-5678' });
    expect(told(secrets)).toContain('have to be entered again');
  });

  test('in a file that cannot be read stop nobody and are not written over', async ({ home, file }) => {
    const vaultFile = path.join(home, 'vault.json');
    mkdirSync(vaultFile);
    const loadKeychain = (): Keychain => {
      throw new Error('no keychain');
    };
    const secrets = new Secrets({ vaultFile, settings: new Settings(file, nullLog), loadKeychain, log: nullLog });

    expect(await secrets.all('glm')).toEqual({});
    expect(told(secrets)).toContain('could not be read');
    await expect(secrets.set('glm', 'apiKey', 'x')).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  test('of an engine with the name of a prototype are its own, in the keychain and in the file', async ({ home, file }) => {
    const fails = (): Keychain => {
      throw new Error('no keychain');
    };
    const chain = keychain();
    for (const [index, loadKeychain] of [() => chain, fails].entries()) {
      const vaultFile = path.join(home, `vault-${index}.json`);
      const secrets = new Secrets({ vaultFile, settings: new Settings(file, nullLog), loadKeychain, log: nullLog });

      expect(await secrets.all('constructor')).toEqual({});
      await secrets.set('constructor', 'toString', 'sk-1234');
      expect(await secrets.all('constructor')).toEqual({ toString: 'sk-1234' });
      expect(secrets.names()).toEqual({ constructor: ['toString'] });
      await secrets.remove('constructor', 'toString');
      expect(secrets.names()).toEqual({});
    }
  });

  test('open no keychain for an engine that has none', async ({ home, file }) => {
    let loads = 0;
    const loadKeychain = (): Keychain => {
      loads += 1;
      return keychain();
    };
    const secrets = new Secrets({
      vaultFile: path.join(home, 'vault.json'),
      settings: new Settings(file, nullLog),
      loadKeychain,
      log: nullLog,
    });

    expect(await secrets.all('claude')).toEqual({});
    expect(loads).toBe(0);
  });
});

describe('attachments', () => {
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');
  const attach = (more: object) =>
    ({ kind: 'image', name: 'a.png', mimeType: 'image/png', dataBase64: png.toString('base64'), ...more }) as const;

  test('come back as they went in, under a name that we chose', ({ home }) => {
    const attachments = new Attachments(home);

    const ref = keepOne(attachments, { ...attach({ name: '../../evil.sh' }) });
    const loaded = attachments.load(ref);

    expect(loaded.dataBase64).toBe(png.toString('base64'));
    expect(path.dirname(loaded.path)).toBe(home);
    expect(path.basename(loaded.path)).toMatch(/^att_[a-z2-7]{32}\.png$/);
    expect(statSync(loaded.path).mode & 0o777).toBe(0o600);
    attachments.remove(ref);
    expect(codeOf(() => attachments.load(ref))).toBe('ATTACHMENT_GONE');
  });

  test('are images only when their bytes say so', ({ home }) => {
    const attachments = new Attachments(home);
    const html = Buffer.from('<script>').toString('base64');

    expect(codeOf(() => keepOne(attachments, attach({ dataBase64: html })))).toBe('INPUT_INVALID');
    expect(codeOf(() => keepOne(attachments, attach({ kind: 'file', dataBase64: html })))).toBe('INPUT_INVALID');
    expect(keepOne(attachments, attach({ mimeType: 'image/webp' })).mimeType).toBe('image/png');
    expect(keepOne(attachments, attach({ kind: 'file', mimeType: 'text/html', dataBase64: html })).mimeType).toBe('text/html');
  });

  test('have a size limit, and text must be text', ({ home }) => {
    const attachments = new Attachments(home);
    const large = Buffer.alloc(21 * 1024 * 1024, 32).toString('base64');

    expect(codeOf(() => keepOne(attachments, attach({ dataBase64: large })))).toBe('INPUT_TOO_LARGE');
    expect(codeOf(() => keepOne(attachments, attach({ kind: 'selection', mimeType: 'text/plain', dataBase64: '//79' })))).toBe(
      'INPUT_INVALID',
    );
  });

  test('with an id that is a path are refused', ({ home }) => {
    const ref = { attachmentId: '../settings' as never, kind: 'file', name: 'x', mimeType: 'text/plain', sizeBytes: 1 } as const;

    expect(codeOf(() => new Attachments(home).load(ref))).toBe('INPUT_INVALID');
  });
});
