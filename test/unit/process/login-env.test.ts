import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { readLoginEnv } from '#companion/process/login-env.ts';

const SHELLS = [
  { shell: '/bin/bash', profile: '.bash_profile', line: 'export PATH="/opt/own/bin:$PATH" OWN="two\nlines = ok"' },
  { shell: '/usr/bin/zsh', profile: '.zshrc', line: 'export PATH="/opt/own/bin:$PATH" OWN="two\nlines = ok"' },
  { shell: '/usr/bin/fish', profile: '.config/fish/config.fish', line: 'set -gx PATH /opt/own/bin $PATH; set -gx OWN "two\nlines = ok"' },
];

const test = base.extend<{ home: string; write: (path: string, text: string) => string }>({
  // oxlint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = mkdtempSync(join(tmpdir(), 'pilotfish-login-'));
    await use(home);
    rmSync(home, { recursive: true, force: true });
  },
  write: async ({ home }, use) => {
    await use((path, text) => {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), text);
      return join(home, path);
    });
  },
});

const signal = (): AbortSignal => AbortSignal.timeout(15_000);
/** Almost what Chrome gives its hosts. */
const env = (home: string, shell: string) => ({ HOME: home, SHELL: shell, PATH: '/usr/bin:/bin' });

describe.for(SHELLS.filter(({ shell }) => existsSync(shell)))('login environment of $shell', ({ shell, profile, line }) => {
  test("the profile's exports arrive whole, banners around them do not", async ({ home, write }) => {
    write(profile, `echo Welcome to OWN=banner\n${line}\necho; printf 'no newline'`);

    const found = await readLoginEnv({ env: env(home, shell), signal: signal() });

    expect(found['PATH']?.startsWith('/opt/own/bin')).toBe(true);
    expect(found['OWN']).toBe('two\nlines = ok');
    expect(found['HOME']).toBe(home);
  });

  test('a broken profile still gives what it got to', async ({ home, write }) => {
    write(profile, `${line}\nno-such-command-here --at all\n`);

    expect((await readLoginEnv({ env: env(home, shell), signal: signal() }))['OWN']).toBe('two\nlines = ok');
  });

  test('a profile that hangs falls back to known folders when the limit is over', async ({ home, write }) => {
    write(profile, `${line}\nsleep 600\n`);

    const found = await readLoginEnv({ env: env(home, shell), signal: signal(), limitMs: 500 });

    expect(found['OWN']).toBeUndefined();
    expect(found['PATH']).toContain(join(home, '.local/bin'));
    expect(found['PATH']?.startsWith('/usr/bin:/bin')).toBe(true);
  });
});

describe('login environment', () => {
  test('a process a profile leaves behind does not hold us up, and is ended', async ({ home, write }) => {
    write('.bash_profile', `sleep 600 & echo $! > ${home}/pid\nexport OWN=1\n`);

    expect((await readLoginEnv({ env: env(home, '/bin/bash'), signal: signal() }))['OWN']).toBe('1');

    const pid = readFileSync(join(home, 'pid'), 'utf8').trim();
    await expect.poll(() => existsSync(`/proc/${pid}`) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))).toBe(false);
  });

  test('a profile that exits, or a shell that is none, falls back', async ({ home, write }) => {
    write('.bash_profile', 'exit 3\n');
    const noShell = write('not-a-shell', '#!/bin/sh\necho hello\n');
    chmodSync(noShell, 0o755);

    for (const shell of ['/bin/bash', noShell, join(home, 'none')]) {
      expect((await readLoginEnv({ env: env(home, shell), signal: signal() }))['PATH']).toContain(join(home, '.volta/bin'));
    }
  });

  test('an aborted signal gives the fallback at once', async ({ home }) => {
    expect((await readLoginEnv({ env: env(home, '/bin/bash'), signal: AbortSignal.abort() }))['PATH']).toContain('/usr/local/bin');
  });
});
