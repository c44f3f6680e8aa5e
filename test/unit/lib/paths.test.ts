import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test as base } from 'vitest';
import { readLinkKey } from '#companion/reach/link-key.ts';
import { createPaths, ensurePrivateDir, ForeignDirectoryError } from '#companion/lib/paths.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { selfCommand } from '#companion/lib/self.ts';

const test = base.extend<{ home: string }>({
  // eslint-disable-next-line no-empty-pattern
  home: async ({}, use) => {
    const home = realpathSync(mkdtempSync(path.join(tmpdir(), 'pilotfish-')));
    await use(home);
    rmSync(home, { recursive: true, force: true });
  },
});

describe('paths', () => {
  test.for([
    ['linux', { HOME: '/home/me', XDG_DATA_HOME: '/home/me/.data' }],
    ['darwin', { HOME: '/Users/me' }],
    ['win32', { USERPROFILE: '/Users/me', LOCALAPPDATA: '/Users/me/AppData/Local' }],
  ] as const)('the extension is where a file chooser shows it: %s', ([platform, env]) => {
    const { extensionDir } = createPaths(env, platform);

    expect(extensionDir).toMatch(/^\/(?:home|Users)\/me\/Pilotfish-Extension$/);
  });

  test('are all under PILOTFISH_HOME when it is set', ({ home }) => {
    const { isPortable, ...paths } = createPaths({ PILOTFISH_HOME: home, HOME: '/somewhere' });

    expect(isPortable).toBe(true);
    expect(Object.values(paths).every((each) => each.startsWith(home))).toBe(true);
    expect(paths.socket).toBe(path.join(home, 'run', 'pilotfish.sock'));
  });

  test('keep the socket short enough, and apart for each home', ({ home }) => {
    const deep = path.join(home, 'x'.repeat(90));
    const [one, other] = [createPaths({ PILOTFISH_HOME: deep }), createPaths({ PILOTFISH_HOME: `${deep}y` })];

    expect(Buffer.byteLength(one.socket)).toBeLessThanOrEqual(100);
    expect(one.socket).not.toBe(other.socket);
    expect(one.socket).toBe(createPaths({ PILOTFISH_HOME: deep, TMPDIR: '/elsewhere' }).socket);
  });

  test('lead past a socket folder that somebody else has made, or that is a link', ({ home, skip }) => {
    skip(process.getuid?.() !== 0, 'only root can make a folder of another user');
    const env = { PILOTFISH_HOME: path.join(home, 'x'.repeat(90)) };
    const free = createPaths(env).socketDir;
    const made = [free, `${free}-1`];
    mkdirSync(free);
    chownSync(free, 65_534, 65_534);
    symlinkSync(home, `${free}-1`);

    const { socketDir } = createPaths(env);

    for (const place of made) rmSync(place, { recursive: true });
    expect(free.startsWith('/tmp/')).toBe(true);
    expect(socketDir).toBe(`${free}-2`);
  });

  test('take no runtime folder of somebody else, and none in a folder that all may write where the home will do', ({ home, skip }) => {
    skip(process.getuid?.() !== 0, 'only root can make a folder of another user');
    const runtime = path.join(home, 'runtime');
    mkdirSync(runtime);
    chownSync(runtime, 65_534, 65_534);

    const { socket } = createPaths({ HOME: home, XDG_RUNTIME_DIR: runtime }, 'linux');

    expect(socket.startsWith(runtime)).toBe(false);
    expect(socket).toMatch(new RegExp(`^(?:${home}/.local/share/pilotfish/run|/run/user/0/pilotfish)`));
  });

  test('follow the customs of each system', ({ home }) => {
    const linux = createPaths({ HOME: '/home/a', XDG_RUNTIME_DIR: home, XDG_DATA_HOME: 'relative/is/ignored' }, 'linux');
    const mac = createPaths({ HOME: '/Users/a' }, 'darwin');
    const windows = createPaths({ USERPROFILE: 'C:\\Users\\a' }, 'win32');

    expect(linux.root).toBe('/home/a/.local/share/pilotfish');
    expect(linux.socket).toMatch(new RegExp(`^${home}/pilotfish/[0-9a-f]{16}/pilotfish\\.sock$`));
    expect(createPaths({ HOME: '/home/b', XDG_RUNTIME_DIR: home }, 'linux').socket).not.toBe(linux.socket);
    expect(mac.root).toBe('/Users/a/Library/Application Support/Pilotfish');
    expect(windows.socket).toMatch(/^\\\\\.\\pipe\\pilotfish-[0-9a-f]{16}$/);
  });
});

describe('a private folder', () => {
  test('is made, or its mode is mended', ({ home }) => {
    const folder = path.join(home, 'a', 'b');

    ensurePrivateDir(folder);
    chmodSync(folder, 0o755);
    ensurePrivateDir(folder);

    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  test('is refused when it is a link or a file', ({ home }) => {
    symlinkSync(home, path.join(home, 'link'));
    writeFileSync(path.join(home, 'file'), '');

    expect(() => ensurePrivateDir(path.join(home, 'link'))).toThrow(ForeignDirectoryError);
    expect(() => ensurePrivateDir(path.join(home, 'file'))).toThrow(ForeignDirectoryError);
  });

  test('is refused when it belongs to another user, and stays as it is', ({ home, skip }) => {
    skip(process.getuid?.() !== 0, 'only root can make a folder of another user');
    const folder = path.join(home, 'theirs');
    mkdirSync(folder, { mode: 0o755 });
    chownSync(folder, 65_534, 65_534);

    expect(() => ensurePrivateDir(folder)).toThrow('belongs to another user');
    expect(statSync(folder)).toMatchObject({ uid: 65_534, mode: 0o40755 });
  });
});

describe('the link key', () => {
  test('is made once, 0600, and the same for all', ({ home }) => {
    const keyFile = path.join(home, 'data', 'link.key');

    const key = readLinkKey({ keyFile });

    expect(key).toHaveLength(32);
    expect(readLinkKey({ keyFile })).toEqual(key);
    expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  });

  test('is made anew when it is damaged, and refused when it is no file', ({ home }) => {
    const keyFile = path.join(home, 'link.key');
    writeFileSync(keyFile, 'short');
    mkdirSync(path.join(home, 'dir.key'));

    expect(readLinkKey({ keyFile })).toHaveLength(32);
    expect(() => readLinkKey({ keyFile: path.join(home, 'dir.key') })).toThrow(ForeignDirectoryError);
  });
});

describe('ids', () => {
  test('are long, lower-case and never the same', () => {
    const ids = Array.from({ length: 1000 }, () => randomId('turn'));

    expect(new Set(ids).size).toBe(1000);
    expect(ids.every((id) => /^turn_[a-z2-7]{32}$/.test(id))).toBe(true);
  });
});

describe('the program itself', () => {
  test('is started from its entry file when it is not an executable', () => {
    const { command, args } = selfCommand();

    expect(command).toBe(process.execPath);
    expect(args.at(-1)).toBe(path.resolve('companion/main.ts'));
    expect(args).toContain('--disable-sigusr1');
  });
});
