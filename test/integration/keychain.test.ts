/** Keys of the user in the system's real keychain, by the keytar that is built into the executable. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect } from 'vitest';
import { answerOf, startConversation } from '#test/fixtures/conversation.ts';
import { startKeychain, type TestKeychain } from '#test/fixtures/keychain.ts';
import { test as base } from '#test/fixtures/stage.ts';

const test = base.extend<{ keychain: TestKeychain }>({
  keychain: async ({ home }, use) => {
    const keychain = await startKeychain(home);
    await use(keychain);
    await keychain.close();
  },
});

const KEY = 'glm-key-7f3a';

describe.skipIf(process.platform !== 'linux')('a key', () => {
  test(
    'is kept in the keychain, reaches the agent only, and goes with uninstall --purge',
    { tags: 'whole' },
    async ({ companion, home, keychain, model }) => {
      const { env } = keychain;
      home.installClaude('http://127.0.0.1:1');
      model.script('hello', { parts: [{ text: 'Hello from GLM.' }] });
      await companion.startDaemon({ env });

      const stored = await companion.run(['engine', 'key', 'glm', 'GLM_API_KEY'], { input: KEY, env });

      expect(stored).toMatchObject({ code: 0, stderr: '' });
      expect(stored.stdout).toContain('keychain');
      expect(existsSync(companion.paths.vaultFile)).toBe(false);
      await companion.api.send('PUT', '/api/engines/glm/settings', { env: { ANTHROPIC_BASE_URL: model.url } });
      // Another daemon, that was never told the key. What was unpacked to open the keychain is not run when it is not what was packed.
      await companion.stopDaemon();
      const unpacked = globSync('.cache/pilotfish/keytar-*.node', { cwd: home.dir });
      for (const name of unpacked) writeFileSync(path.join(home.dir, name), 'changed');
      await companion.startDaemon({ env });
      const conversation = await startConversation(companion, { engine: 'glm' });
      await conversation.act('hello');
      expect(unpacked).toHaveLength(1);
      expect(answerOf(await conversation.waitFor(({ turns, status }) => turns.length > 0 && status === 'idle'))).toBe('Hello from GLM.');
      conversation.close();
      expect(new Set(model.requests.map(({ apiKey }) => apiKey))).toEqual(new Set([KEY]));
      await companion.stopDaemon();
      expect(filesWith(companion.paths.root)).toEqual([]);

      const removed = await companion.run(['uninstall', '--purge'], { env });

      expect(removed).toMatchObject({ code: 0, stderr: '' });
      expect(removed.stdout).toContain('Removed the key GLM_API_KEY of glm');
      // One that believes the key is there looks for it and finds none.
      companion.writeSettings({ keychainNames: { glm: ['GLM_API_KEY'] } });
      await companion.startDaemon({ env });
      const { json } = await companion.api.send('POST', '/api/engines/refresh', { name: 'glm' });
      expect(json).toMatchObject({ engines: expect.arrayContaining([expect.objectContaining({ name: 'glm', status: 'not_logged_in' })]) });
    },
  );

  test('that the keychain cannot take lies in a 0600 file, and is said to', { tags: 'whole' }, async ({ companion }) => {
    // A session without anybody who keeps secrets.
    const env = { DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent' };
    await companion.startDaemon({ env });

    const stored = await companion.run(['engine', 'key', 'glm', 'GLM_API_KEY'], { input: KEY, env });

    expect(stored.code).toBe(0);
    expect(readFileSync(companion.paths.vaultFile, 'utf8')).toContain(KEY);
    const { stdout } = await companion.run(['doctor'], { env });
    expect(stdout).toContain('not encrypted');
    expect(stdout).toContain('There is no desktop session');
  });
});

/** Files that hold the key in the clear. */
const filesWith = (folder: string): string[] => {
  try {
    return execFileSync('grep', ['-rlaF', KEY, folder], { encoding: 'utf8' }).trim().split('\n');
  } catch {
    // What grep says of none.
    return [];
  }
};
