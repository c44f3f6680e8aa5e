/** Finds an agent's executable the way the user's terminal would, and further where terminals are set up by hand. */
import { spawn } from 'node:child_process';
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { knownDirs } from './known-dirs.ts';
import { parseCmdShim } from './cmd-shim.ts';

const isWindows = process.platform === 'win32';
const MAX_VERSION_BYTES = 64 * 1024;

export interface Found {
  readonly path: string;
  /** To be passed before all other arguments: the script, when a Windows shim starts one. */
  readonly leadingArgs: readonly string[];
  readonly source: 'settings' | 'login shell' | 'known folder';
  /** To be put first on the process's PATH: a script beside its `node` needs it. */
  readonly binDirs: readonly string[];
}

/** Looks for the first of `finding.commands`. An `overridePath` from the settings is the only place looked at when given. */
export const findExecutable = async (
  finding: { readonly commands: readonly string[]; readonly knownPaths: readonly string[] },
  options: {
    readonly loginEnv: Readonly<Record<string, string | undefined>>;
    readonly homeDir: string;
    readonly overridePath?: string | null | undefined;
  },
): Promise<Found | null> => {
  const pathDirs = (options.loginEnv['PATH'] ?? options.loginEnv['Path'] ?? '').split(delimiter).filter((dir) => isAbsolute(dir));
  const known = knownDirs(options.homeDir);
  const inDirs = (command: string, dirs: readonly string[]): string | undefined => firstExecutable(dirs.map((dir) => join(dir, command)));

  const override = options.overridePath ?? null;
  if (override !== null) {
    const expanded = expandHome(override, options.homeDir);
    const path = isAbsolute(expanded) ? firstExecutable([expanded]) : inDirs(expanded, [...pathDirs, ...known]);
    return path === undefined ? null : describe(path, 'settings', [...pathDirs, ...known]);
  }
  for (const command of finding.commands) {
    const path = inDirs(command, pathDirs);
    if (path !== undefined) return describe(path, 'login shell', pathDirs);
  }
  const path =
    firstExecutable(finding.knownPaths.map((candidate) => expandHome(candidate, options.homeDir))) ??
    finding.commands.map((command) => inDirs(command, known)).find((candidate) => candidate !== undefined);
  return path === undefined ? null : describe(path, 'known folder', [...pathDirs, ...known]);
};

/** The version a program tells when asked, such as `2.1.329`; null when it tells none before the signal. `cwd` is a folder in which it finds nothing. */
export const readVersion = async (
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  signal: AbortSignal,
  cwd: string = homedir(),
): Promise<string | null> => {
  const { promise, resolve } = Promise.withResolvers<string | null>();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    const child = spawn(path, [...args], {
      cwd,
      env: { ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
      windowsHide: true,
    });
    child.once('error', () => resolve(null));
    child.stdout.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes <= MAX_VERSION_BYTES) chunks.push(chunk);
    });
    child.once('close', () => {
      const match = /\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.-]+)?/.exec(Buffer.concat(chunks).toString('utf8'));
      resolve(match?.[0] ?? null);
    });
  } catch {
    // A path or an environment that cannot be passed to a process at all.
    resolve(null);
  }
  return promise;
};

const firstExecutable = (paths: readonly string[]): string | undefined => {
  const suffixes = isWindows ? ['.exe', '.cmd', '.bat', '.com', ''] : [''];
  return paths.flatMap((path) => suffixes.map((suffix) => path + suffix)).find(isExecutable);
};

const isExecutable = (path: string): boolean => {
  try {
    if (!statSync(path).isFile()) return false;
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const describe = (path: string, source: Found['source'], dirs: readonly string[]): Found | null => {
  const binDirs = [...new Set([dirname(path), dirname(realPath(path))])];
  if (!/\.(?:cmd|bat)$/i.test(path)) return { path, leadingArgs: [], source, binDirs };
  // A batch file needs cmd.exe, and its quoting cannot be made safe (S23): run what it would run.
  const target = parseCmdShim(readFileSync(path, 'utf8'), dirname(path));
  if (target === null) return null;
  if (/\.exe$/i.test(target)) return { path: target, leadingArgs: [], source, binDirs };
  const node = firstExecutable([dirname(path), ...dirs].map((dir) => join(dir, 'node.exe')));
  return node === undefined ? null : { path: node, leadingArgs: [target], source, binDirs };
};

const realPath = (path: string): string => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

const expandHome = (path: string, home: string): string =>
  path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path;
