import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base, vi } from 'vitest';
import { Desktop } from '#companion/desktop/desktop.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { editors, folderDialogs, notifiers, terminals, terminalsWith } from '#companion/desktop/programs.ts';

interface Stage {
  readonly home: string;
  /** A program that writes down how it was started, then does what `body` says. */
  readonly program: (file: string, body?: string) => void;
  /** How a program was started: its folder, then its arguments; null when it was not. */
  readonly started: (name: string) => string[] | null;
  readonly desktop: (env?: Record<string, string>) => Desktop;
}

const test = base.extend<{ stage: Stage }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the pattern to know what a fixture needs
  stage: async ({}, use) => {
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'pf-desktop-')));
    const bin = path.join(home, 'bin');
    await use({
      home,
      program: (file, body = '') => {
        const full = path.join(home, file);
        mkdirSync(path.dirname(full), { recursive: true });
        const note = path.join(home, `${path.basename(file)}.started`);
        writeFileSync(
          full,
          `#!/bin/sh\n{ pwd; for a in "$@"; do printf '%s\\n' "$a"; done; } > '${note}.part'; mv '${note}.part' '${note}'\n${body}\n`,
        );
        chmodSync(full, 0o755);
      },
      started: (name) => {
        const note = path.join(home, `${name}.started`);
        return existsSync(note) ? readFileSync(note, 'utf8').trimEnd().split('\n') : null;
      },
      desktop: (env = { DISPLAY: ':9' }) =>
        new Desktop({
          env: { HOME: home, PATH: `${path.join(home, 'project')}:${bin}:/usr/bin:/bin`, SHELL: '/bin/false', ...env },
          projectRoots: () => [path.join(home, 'project')],
          platform: 'linux',
        }),
    });
    rmSync(home, { recursive: true });
  },
});

const LIMIT_MS = 60_000;

describe('the desktop', () => {
  test('opens a file at its line in the editor that is found, as one argument, whatever the name says', async ({ stage }) => {
    stage.program('bin/code');
    const file = path.join(stage.home, '$(touch owned); "a" --wait.ts');

    await stage.desktop().openEditor({ file, line: 3, column: 5 }, stage.home);

    await expect.poll(() => stage.started('code'), { timeout: LIMIT_MS }).toEqual([stage.home, '--goto', `${file}:3:5`]);
    expect(existsSync(path.join(stage.home, 'owned'))).toBe(false);
  });

  test('opens a terminal in the folder, and never a program that lies in a project', async ({ stage }) => {
    stage.program('project/xdg-terminal-exec');
    // The machine may have terminals of its own, which come later in PATH.
    stage.program('bin/x-terminal-emulator');
    const folder = path.join(stage.home, 'work here');
    mkdirSync(folder);

    await stage.desktop().openTerminal(folder);

    await expect.poll(() => stage.started('x-terminal-emulator'), { timeout: LIMIT_MS }).toEqual([folder]);
    expect(stage.started('xdg-terminal-exec')).toBeNull();
  });

  test('runs Pilotfish in a terminal, in the home folder, with what was given and the home that this daemon has', async ({ stage }) => {
    stage.program('bin/x-terminal-emulator');
    stage.program('project/xdg-terminal-exec');
    const { command, args } = selfCommand();

    await stage.desktop({ DISPLAY: ':9', PILOTFISH_HOME: '/srv/my fish' }).openTerminalWith(['errand', 'errand_x']);

    await expect
      .poll(() => stage.started('x-terminal-emulator'), { timeout: LIMIT_MS })
      .toEqual([stage.home, '-e', '/usr/bin/env', 'PILOTFISH_HOME=/srv/my fish', command, ...args, 'errand', 'errand_x']);
    expect(stage.started('xdg-terminal-exec')).toBeNull();
    await expect(stage.desktop({}).openTerminalWith(['errand', 'errand_y'])).rejects.toMatchObject({ code: 'DESKTOP_FAILED' });
  });

  test('tells when a terminal ends at once with an error, and takes one that ends well for a window of another process', async ({
    stage,
  }) => {
    // A busy machine takes its time to start a program.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    try {
      stage.program('bin/xdg-terminal-exec', 'exit 3');
      const broken = await stage.desktop().openTerminalWith(['errand', 'errand_x']);
      await expect(broken.settled).rejects.toMatchObject({ code: 'DESKTOP_FAILED', message: expect.stringContaining('closed at once') });
      stage.program('bin/xdg-terminal-exec');
      const good = await stage.desktop().openTerminalWith(['errand', 'errand_y']);
      // It has written all that it writes, and has nothing left to do but to end.
      while (stage.started('xdg-terminal-exec')?.at(-1) !== 'errand_y') await new Promise((resolve) => setImmediate(resolve));
      vi.advanceTimersByTime(2_000);
      await good.settled;
    } finally {
      vi.useRealTimers();
    }
  });

  test('notifies with the program of the system: what an agent wrote is no markup, no flag and no script', async ({ stage }) => {
    stage.program('bin/notify-send');
    const notice = { title: 'Pilotfish: an agent has a question', text: '--urgency=critical <b>$(touch owned)</b> & more' };

    await stage.desktop({}).notify(notice);
    expect(stage.started('notify-send')).toBeNull();
    await stage.desktop().notify(notice);

    await expect
      .poll(() => stage.started('notify-send'), { timeout: LIMIT_MS })
      .toEqual([stage.home, '--app-name=Pilotfish', '--', notice.title, '--urgency=critical &lt;b&gt;$(touch owned)&lt;/b&gt; &amp; more']);
    expect(existsSync(path.join(stage.home, 'owned'))).toBe(false);
    expect(notifiers(notice, 'darwin')[0]?.args.slice(-2)).toEqual([notice.title, notice.text]);
    expect(JSON.stringify(notifiers(notice, 'win32'))).not.toContain('owned');
  });

  test('notifies whatever an agent wrote: what is hidden is shown, and a long text is cut', async ({ stage }) => {
    stage.program('bin/notify-send');

    await stage.desktop().notify({ title: 'Pilotfish', text: `a\0b\u202ec\u001b[2J\ud800${'x'.repeat(1_000_000)}` });

    await expect
      .poll(() => stage.started('notify-send')?.at(-1), { timeout: LIMIT_MS })
      .toMatch(/^a⟨U\+0000⟩b⟨U\+202E⟩c⟨U\+001B⟩\[2J\ufffdx{500,1000}$/u);
  });

  test('asks for a folder with the dialog of the system; closing it is no error, and no second one opens', async ({ stage }) => {
    stage.program('bin/zenity', `echo '${stage.home}/chosen one'`);
    const { signal } = new AbortController();
    const desktop = stage.desktop();

    const [first, second] = await Promise.all([desktop.chooseFolder(signal), desktop.chooseFolder(signal)]);
    stage.program('bin/zenity', 'exit 1');
    const closed = await desktop.chooseFolder(signal);

    expect([first, second, closed]).toEqual([`${stage.home}/chosen one`, `${stage.home}/chosen one`, null]);
    expect(stage.started('zenity')?.slice(1)).toEqual(['--file-selection', '--directory', '--title=Choose a project folder']);
  });

  test(
    'takes a dialog away whose caller has gone',
    async ({ stage }) => {
      stage.program('bin/zenity', 'exec sleep 600');
      const gone = new AbortController();

      const choosing = stage.desktop().chooseFolder(gone.signal);
      await expect.poll(() => stage.started('zenity'), { timeout: LIMIT_MS }).not.toBeNull();
      gone.abort();

      expect(await choosing).toBeNull();
    },
    LIMIT_MS,
  );

  test('says that there is no screen, or no program, and what to do instead', async ({ stage }) => {
    const { signal } = new AbortController();

    await expect(stage.desktop({}).chooseFolder(signal)).rejects.toMatchObject({
      code: 'DESKTOP_FAILED',
      message: expect.stringContaining('no screen'),
    });
    await expect(stage.desktop({ DISPLAY: ':9', PATH: stage.home }).openEditor({ file: '/x' }, stage.home)).rejects.toMatchObject({
      code: 'DESKTOP_FAILED',
      remedy: expect.stringContaining('Type the path'),
    });
  });
});

describe('the list of programs', () => {
  base('has for each system a terminal in which a command runs, as words of its own or quoted for a shell', () => {
    const command = ["/opt/it's; $(me)/pilotfish", 'errand', 'errand_x'];
    const first = (platform: NodeJS.Platform) => terminalsWith(command, platform)[0];

    expect(terminalsWith(command, 'linux').map(({ commands, args }) => [...commands, ...args.slice(0, -3)])).toEqual([
      ['xdg-terminal-exec'],
      ['x-terminal-emulator', '-e'],
      ['gnome-terminal', '--'],
      ['kgx', '--'],
      ['ptyxis', '--'],
      ['konsole', '-e'],
      ['xfce4-terminal', '-x'],
      ['kitty'],
      ['alacritty', '-e'],
      ['foot'],
      ['wezterm', 'start', '--'],
      ['xterm', '-e'],
    ]);
    for (const { args } of terminalsWith(command, 'linux')) expect(args.slice(-3)).toEqual(command);
    expect(first('darwin')?.knownPaths).toEqual(['/usr/bin/osascript']);
    const typed = first('darwin')?.args.at(-1) ?? '';
    expect(execFileSync('/bin/sh', ['-c', `printf '%s\\n' ${typed}`], { encoding: 'utf8' })).toBe(`${command.join('\n')}\n`);
    expect(first('darwin')?.args.slice(0, -1).join(' ')).not.toContain('pilotfish');
    expect(first('win32')).toEqual({ commands: ['wt'], args: ['-d', '.', String.raw`/opt/it's\; $(me)/pilotfish`, 'errand', 'errand_x'] });
    expect(terminalsWith(command, 'win32')[1]).toEqual({ commands: ['conhost'], args: command });
  });

  base('begins no argument with anything that a caller chose, on any system', () => {
    const folder = '/x;--evil';
    for (const platform of ['linux', 'darwin', 'win32'] as const) {
      const all = [...terminals(folder, platform), ...editors({ file: folder, line: 1 }), ...folderDialogs('/home/x', platform)];
      for (const { commands, knownPaths = [], args } of all) {
        expect(commands.length + knownPaths.length).toBeGreaterThan(0);
        for (const arg of args) expect(arg.startsWith('--evil')).toBe(false);
        if (platform === 'win32' && commands.includes('wt')) expect(args.join(' ')).not.toContain(';');
      }
    }
  });
});
