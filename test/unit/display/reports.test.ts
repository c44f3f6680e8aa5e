import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { nullLog } from '#companion/lib/log.ts';
import { keychainRemedy } from '#companion/store/keychain-remedy.ts';
import { Secrets } from '#companion/store/secrets.ts';
import { Settings } from '#companion/store/settings.ts';
import { reportIn } from '#display/reports.ts';

/** Names, and what a person types. */
const NAMES =
  /libsecret(?:-1-0)?|Debian|Ubuntu|Fedora|Arch|gnome-keyring(?:-daemon)?|KWallet|KDE|SSH|`[^`]+`|Linux|macOS|Login|Pilotfish|browser_\w+|\/\S+?\.json/gu;

const englishIn = (text: string): string[] =>
  reportIn('zh-CN', text)
    .replaceAll(NAMES, '')
    .match(/[a-z]+/giu) ?? [];

describe('what the daemon reports, in Chinese', () => {
  test('has a keychain that cannot be used, whatever is the matter with it', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'pilotfish-'));
    const settings = new Settings(path.join(home, 'settings.json'), nullLog);
    const loadKeychain = (): never => {
      throw new Error('libsecret-1.so.0: cannot open shared object file');
    };
    const secrets = new Secrets({ vaultFile: path.join(home, 'vault.json'), settings, loadKeychain, log: nullLog });
    try {
      await secrets.set('glm', 'apiKey', 'sk-1234');
      const one = secrets.warning ?? '';
      await secrets.set('glm', 'other', 'sk-5678');

      expect(one).toContain('a secret is kept in');
      for (const warning of [one, secrets.warning ?? '']) expect(englishIn(warning)).toEqual([]);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  });

  test.for(['', 'ServiceUnknown', 'Cannot autolaunch D-Bus', 'The keychain did not answer.', 'Object does not exist at path'])(
    'has what to do about "%s" of the keychain on every system',
    (fault) => {
      for (const platform of ['linux', 'darwin', 'win32'] as const) {
        expect(englishIn(keychainRemedy(new Error(fault), platform))).toEqual([]);
      }
    },
  );

  test('has tools that are others than before, with their names', () => {
    const warning =
      'The browser tools are not the ones of the last session: new browser_a, browser_b; changed browser_c; gone browser_d. If you have not updated Pilotfish since, run `pilotfish doctor`.';

    expect(englishIn(warning)).toEqual([]);
    expect(reportIn('zh', warning)).toContain('新增 browser_a, browser_b；改变 browser_c；消失 browser_d');
  });

  test('leaves what has no form, and every other language, as it is', () => {
    expect(reportIn('zh', 'Nobody knows this yet.')).toBe('Nobody knows this yet.');
    expect(reportIn('en', 'See `pilotfish logs`.')).toBe('See `pilotfish logs`.');
  });
});
