/** Where package and version managers put executables: Chrome starts its hosts with almost no PATH. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders of one home and system, likeliest first; `*` stands for every version, newest first. */
const unixDirs = (home: string): string[] => [
  join(home, '.local/bin'),
  join(home, '.claude/local'),
  join(home, '.npm-global/bin'),
  join(home, '.volta/bin'),
  join(home, '.bun/bin'),
  join(home, '.local/share/mise/shims'),
  join(home, '.asdf/shims'),
  ...versions(join(home, '.nvm/versions/node'), 'bin'),
  ...versions(join(home, '.local/share/fnm/node-versions'), 'installation/bin'),
  ...versions(join(home, '.fnm/node-versions'), 'installation/bin'),
  ...versions(join(home, 'Library/Application Support/fnm/node-versions'), 'installation/bin'),
  ...versions(join(home, '.local/share/mise/installs/node'), 'bin'),
  ...versions(join(home, '.asdf/installs/nodejs'), 'bin'),
  join(home, '.local/share/pnpm'),
  join(home, 'Library/pnpm'),
  join(home, '.yarn/bin'),
  join(home, '.opencode/bin'),
  join(home, '.cargo/bin'),
  join(home, '.deno/bin'),
  join(home, 'go/bin'),
  join(home, 'bin'),
  join(home, '.nix-profile/bin'),
  '/opt/homebrew/bin',
  '/home/linuxbrew/.linuxbrew/bin',
  '/usr/local/bin',
  '/run/current-system/sw/bin',
  '/usr/bin',
  '/bin',
  '/snap/bin',
];

const windowsDirs = (home: string): string[] => [
  join(home, '.local\\bin'),
  join(home, 'AppData\\Roaming\\npm'),
  join(home, 'AppData\\Local\\pnpm'),
  join(home, 'AppData\\Local\\Volta\\bin'),
  join(home, 'AppData\\Local\\Microsoft\\WinGet\\Links'),
  join(home, 'scoop\\shims'),
  join(home, '.bun\\bin'),
  'C:\\Program Files\\nodejs',
];

/** Folders worth a look when the login shell's PATH does not have a program. */
export const knownDirs = (home: string): string[] => (process.platform === 'win32' ? windowsDirs(home) : unixDirs(home));

const versions = (root: string, rest: string): string[] => {
  try {
    return readdirSync(root)
      .toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true }))
      .map((version) => join(root, version, rest));
  } catch {
    // The manager is not installed.
    return [];
  }
};
