import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { readLoginEnv, withoutProjectTools } from '#companion/process/login-env.ts';
import { HANG_MS } from '#test/fixtures/limits.ts';

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

const signal = (): AbortSignal => AbortSignal.timeout(HANG_MS);
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

test('what npm and direnv put on PATH for a project is not of the user', () => {
  const own = (env: Record<string, string>) => withoutProjectTools(env, 'linux')['PATH'];
  const PATH = '/p/node_modules/.bin:/usr/lib/npm/bin/node-gyp-bin:/home/u/node_modules/.bin-own:/p/bin:/usr/bin';

  expect(own({ PATH })).toBe(PATH);
  expect(own({ PATH, npm_execpath: '/npm-cli.js' })).toBe('/home/u/node_modules/.bin-own:/p/bin:/usr/bin');
  expect(own({ PATH, DIRENV_DIR: '-/p' })).toBe('/usr/lib/npm/bin/node-gyp-bin:/home/u/node_modules/.bin-own:/usr/bin');
  expect(withoutProjectTools({ Path: 'C:\\p\\node_modules\\.bin;C:\\x', npm_lifecycle_event: 'npx' }, 'win32')).toEqual({
    PATH: 'C:\\x',
    npm_lifecycle_event: 'npx',
  });
});

describe('login environment', () => {
  test.for([
    ['reads stdin', 'read line; cat >/dev/null; OWN="$line$OWN"'],
    ['shows each command on stdout', `trap 'echo "$BASH_COMMAND"' DEBUG`],
    ['traces to stdout', 'BASH_XTRACEFD=1; set -xv'],
    ['replaces commands', 'printf() { echo no; }; env() { echo no; }; alias printf=false; export -f printf env'],
    ['waits for a terminal', 'read answer </dev/tty; stty sane; tty'],
    ['ends on the first error', 'set -eu'],
    ['has a trap on exit', `trap 'echo bye; sleep 600' EXIT`],
    ['tells everything to a log as well', 'exec > >(cat)'],
    ['writes much', 'head -c 1000000 /dev/zero | tr "\\0" x'],
    ['leaves a process that holds stdout', '(setsid sleep 600 &)'],
  ])('a profile of bash that %s', async ([, line], { home, write }) => {
    write('.bash_profile', `export OWN=1\n${line}\n`);

    const found = await readLoginEnv({ env: env(home, '/bin/bash'), signal: signal(), limitMs: 12_000 });

    expect(found['OWN']).toBe('1');
    expect(found['PATH']).toContain('/usr/bin');
    expect(Object.keys(found).filter((name) => !/^[A-Za-z_]\w*$/.test(name))).toEqual([]);
  });

  test('an interactive profile that hands over to another shell', async ({ home, write, skip }) => {
    skip(!existsSync('/usr/bin/zsh'), '/usr/bin/zsh is not installed');
    write('.bash_profile', 'export OWN=1\ncase $- in *i*) exec /usr/bin/zsh -l;; esac\n');

    expect((await readLoginEnv({ env: env(home, '/bin/bash'), signal: signal() }))['OWN']).toBe('1');
  });

  test('tcsh, which takes no -l beside other options', async ({ home, write, skip }) => {
    skip(!existsSync('/bin/tcsh'), '/bin/tcsh is not installed');
    write('.tcshrc', 'echo Welcome\nsetenv OWN "one two"\nsetenv PATH /opt/own/bin:$PATH\n');

    const found = await readLoginEnv({ env: env(home, '/bin/tcsh'), signal: signal() });

    expect(found).toMatchObject({ OWN: 'one two', PATH: expect.stringMatching(/^\/opt\/own\/bin:/) });
  });

  test('a plain shell', async ({ home, write, skip }) => {
    skip(!existsSync('/bin/dash'), '/bin/dash is not installed');
    write('.profile', 'OWN=1; export OWN\n');

    expect((await readLoginEnv({ env: env(home, '/bin/dash'), signal: signal() }))['OWN']).toBe('1');
  });

  test('no shell named, or an empty name: the one of the user database', async ({ home }) => {
    for (const unnamed of [{}, { SHELL: '' }]) {
      const found = await readLoginEnv({ env: { HOME: home, PATH: '/usr/bin:/bin', OWN: '1', ...unnamed }, signal: signal() });

      expect(found).toMatchObject({ OWN: '1', PATH: expect.stringContaining('/usr/bin') });
    }
  });

  test('a shell that refuses to be one falls back at once', async ({ home, write }) => {
    const holder = write('holder', '#!/bin/sh\nsleep 600 &\nexit 1\n');
    chmodSync(holder, 0o755);

    for (const shell of ['/usr/sbin/nologin', '/bin/false', 'bash\nnot', './bash', home, holder]) {
      expect((await readLoginEnv({ env: env(home, shell), signal: signal() }))['PATH']).toContain(join(home, '.volta/bin'));
    }
  });

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
