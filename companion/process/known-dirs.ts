/** Where package and version managers put executables: Chrome starts its hosts with almost no PATH. */
import { readdirSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { variableOf } from './candidates.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Folders of one home and system, the most likely first. The managers' own variables say where they were moved to. */
const unixDirs = (home: string, env: Variables, platform: NodeJS.Platform): string[] => {
  const at = (path: string): string => posix.join(home, path);
  const moved = (name: string, ...rest: string[]): string[] => {
    const value = env[name] ?? '';
    return posix.isAbsolute(value) ? rest.map((path) => posix.join(value, path)) : [];
  };
  const ofMac = (...paths: string[]): string[] => (platform === 'darwin' ? paths : []);
  const nvm = [...moved('NVM_DIR', 'versions/node'), ...moved('XDG_CONFIG_HOME', 'nvm/versions/node'), at('.nvm/versions/node')];
  const fnm = [
    ...moved('FNM_DIR', 'node-versions'),
    ...moved('XDG_DATA_HOME', 'fnm/node-versions'),
    at('.local/share/fnm/node-versions'),
    at('.fnm/node-versions'),
    ...ofMac(at('Library/Application Support/fnm/node-versions')),
  ];
  return [
    at('.local/bin'),
    at('.npm-global/bin'),
    at('.npm-packages/bin'),
    ...moved('VOLTA_HOME', 'bin'),
    at('.volta/bin'),
    ...moved('BUN_INSTALL', 'bin'),
    at('.bun/bin'),
    ...moved('MISE_DATA_DIR', 'shims'),
    at('.local/share/mise/shims'),
    ...moved('ASDF_DATA_DIR', 'shims'),
    at('.asdf/shims'),
    at('.nodenv/shims'),
    at('.proto/shims'),
    ...nvm.flatMap((root) => versions(root, 'bin')),
    ...fnm.flatMap((root) => versions(root, 'installation/bin')),
    ...moved('MISE_DATA_DIR', 'installs/node').flatMap((root) => versions(root, 'bin')),
    ...versions(at('.local/share/mise/installs/node'), 'bin'),
    ...moved('ASDF_DATA_DIR', 'installs/nodejs').flatMap((root) => versions(root, 'bin')),
    ...versions(at('.asdf/installs/nodejs'), 'bin'),
    ...moved('N_PREFIX', 'bin'),
    at('n/bin'),
    ...moved('PNPM_HOME', '', 'bin'),
    at('.local/share/pnpm'),
    at('.local/share/pnpm/bin'),
    ...ofMac(at('Library/pnpm'), at('Library/pnpm/bin')),
    at('.yarn/bin'),
    at('.config/yarn/global/node_modules/.bin'),
    at('.cargo/bin'),
    at('.deno/bin'),
    at('go/bin'),
    at('bin'),
    at('.nix-profile/bin'),
    ...moved('HOMEBREW_PREFIX', 'bin'),
    ...(platform === 'darwin' ? ['/opt/homebrew/bin', '/opt/local/bin'] : ['/home/linuxbrew/.linuxbrew/bin', at('.linuxbrew/bin')]),
    '/usr/local/bin',
    '/run/current-system/sw/bin',
    '/usr/bin',
    '/bin',
    ...(platform === 'darwin' ? [] : ['/snap/bin']),
  ];
};

const windowsDirs = (home: string, env: Variables): string[] => {
  const of = (name: string, otherwise: string): string => variableOf(env, name, 'win32') ?? otherwise;
  const roaming = of('APPDATA', win32.join(home, 'AppData\\Roaming'));
  const local = of('LOCALAPPDATA', win32.join(home, 'AppData\\Local'));
  return [
    win32.join(home, '.local\\bin'),
    win32.join(roaming, 'npm'),
    of('PNPM_HOME', win32.join(local, 'pnpm')),
    win32.join(of('PNPM_HOME', win32.join(local, 'pnpm')), 'bin'),
    win32.join(local, 'Yarn\\bin'),
    win32.join(of('VOLTA_HOME', win32.join(local, 'Volta')), 'bin'),
    win32.join(local, 'mise\\shims'),
    win32.join(local, 'Microsoft\\WinGet\\Links'),
    win32.join(home, 'scoop\\shims'),
    win32.join(of('BUN_INSTALL', win32.join(home, '.bun')), 'bin'),
    of('NVM_SYMLINK', 'C:\\Program Files\\nodejs'),
    win32.join(of('PROGRAMFILES', 'C:\\Program Files'), 'nodejs'),
    win32.join(of('PROGRAMDATA', 'C:\\ProgramData'), 'chocolatey\\bin'),
  ];
};

/** Folders worth a look when the login shell's PATH does not have a program. */
export const knownDirs = (home: string, env: Variables = {}, platform: NodeJS.Platform = process.platform): string[] => [
  ...new Set(platform === 'win32' ? windowsDirs(home, env) : unixDirs(home, env, platform)),
];

/** The folders of all installed versions, the newest first. */
const versions = (root: string, rest: string): string[] => {
  try {
    return readdirSync(root)
      .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((version) => posix.join(root, version, rest));
  } catch {
    // The manager is not installed.
    return [];
  }
};
