import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test as base, describe, expect } from 'vitest';
import { messageCommand, openTerminal, terminalCommand } from '#companion/tui/open-terminal.ts';

const test = base.extend<{ folder: string }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixtures a fixture needs from this pattern
  folder: async ({}, use) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'pf-terminal-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
});

const addEmulator = (folder: string, name: string, script = '#!/bin/sh\n'): void => {
  writeFileSync(path.join(folder, name), script);
  chmodSync(path.join(folder, name), 0o755);
};

const requestIn = (folder: string) =>
  ({ command: '/opt/my $(apps)/pilotfish', args: ['tui'], env: { DISPLAY: ':1', PATH: folder }, platform: 'linux' }) as const;

describe('terminalCommand', () => {
  test.for([
    ['x-terminal-emulator', ['-e']],
    ['gnome-terminal', ['--']],
    ['konsole', ['-e']],
    ['xfce4-terminal', ['-x']],
    ['kitty', []],
    ['alacritty', ['-e']],
    ['foot', []],
    ['xterm', ['-e']],
  ] as const)('uses %s', ([name, before], { folder }) => {
    addEmulator(folder, name);

    expect(terminalCommand(requestIn(folder))).toEqual({
      command: path.join(folder, name),
      args: [...before, '/opt/my $(apps)/pilotfish', 'tui'],
    });
  });

  test('finds none without a display, and none where there is none', ({ folder }) => {
    expect(terminalCommand(requestIn(folder))).toBeNull();
    addEmulator(folder, 'xterm');
    expect(terminalCommand({ ...requestIn(folder), env: { PATH: folder } })).toBeNull();
    expect(terminalCommand({ ...requestIn(folder), env: { PATH: folder, WAYLAND_DISPLAY: 'wayland-0' } })).not.toBeNull();
  });

  test('asks macOS for Terminal and leaves the console to Windows', ({ folder }) => {
    expect(terminalCommand({ ...requestIn(folder), platform: 'darwin' })?.args).toEqual(['-a', 'Terminal', '/opt/my $(apps)/pilotfish']);
    expect(terminalCommand({ ...requestIn(folder), platform: 'win32' })).toBeNull();
  });
});

describe('openTerminal', () => {
  test('starts the emulator with the very arguments, without a shell in between', async ({ folder }) => {
    const out = path.join(folder, 'out');
    addEmulator(folder, 'xterm', `#!/bin/sh\nprintf '%s\\n' "$@" > "${out}.part"\n/bin/mv "${out}.part" "${out}"\n`);
    const written = Promise.withResolvers<void>();
    const watcher = watch(folder, (_, name) => {
      if (name === 'out') written.resolve();
    });

    await expect(openTerminal(requestIn(folder))).resolves.toBe(true);

    await written.promise;
    watcher.close();
    expect(readFileSync(out, 'utf8')).toBe('-e\n/opt/my $(apps)/pilotfish\ntui\n');
  });

  test('says when it could not, on the screen too', async ({ folder }) => {
    await expect(openTerminal(requestIn(folder))).resolves.toBe(false);
    const out = path.join(folder, 'out');
    addEmulator(folder, 'xmessage', `#!/bin/sh\nprintf '%s\\n' "$@" > "${out}.part"\n/bin/mv "${out}.part" "${out}"\n`);

    await expect(openTerminal(requestIn(folder))).resolves.toBe(false);

    await expect.poll(() => existsSync(out)).toBe(true);
    expect(readFileSync(out, 'utf8')).toContain('-center\nPilotfish runs in a terminal, and none was found');
  });

  test.for(['zenity', 'kdialog', 'yad', 'gxmessage', 'xmessage', 'notify-send'])('has %s say it', (name, { folder }) => {
    addEmulator(folder, name);

    const message = messageCommand(requestIn(folder));

    expect(message?.command).toBe(path.join(folder, name));
    expect(message?.args.join(' ')).toContain('Install one, for instance xterm');
    expect(messageCommand({ ...requestIn(folder), env: { PATH: folder } })).toBeNull();
  });
});
