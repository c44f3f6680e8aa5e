/** Finds an agent's executable in the way the user's terminal would, and in the folders that people add to PATH by hand. */
import { accessSync, constants, readFileSync, realpathSync, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { fileNames, isWithin, pathFolders } from './candidates.ts';
import { parseCmdShim } from './cmd-shim.ts';
import { knownDirs } from './known-dirs.ts';

/** How often a shim may start another shim; yarn's do so once. */
const MAX_SHIMS = 4;

export interface Found {
  readonly path: string;
  /** Arguments that come before all others: the script, when a Windows shim starts one. */
  readonly leadingArgs: readonly string[];
  readonly source: 'settings' | 'login shell' | 'known folder';
  /** A folder that must come first on the process's PATH: a script needs the `node` beside it. */
  readonly binDirs: readonly string[];
}

/** A program of the right name that is not started, because somebody else than the user could have put it there. */
export interface Refusal {
  readonly path: string;
  readonly why: 'in a project' | 'open to others';
}

/** The questions to the file system. */
export interface Disk {
  isExecutable(path: string): boolean;
  readText(path: string): string | null;
  realPath(path: string): string;
  /** Whether every user of the machine may write to it. */
  isOpenToOthers(path: string): boolean;
}

/**
 * Looks for the first of `finding.commands`. An `overridePath` from the settings is the only place looked at when given, and
 * the only one that is not questioned: what lies in one of `projectRoots`, or in a folder anybody may write to, is passed over.
 */
export const findExecutable = async (
  finding: { readonly commands: readonly string[]; readonly knownPaths: readonly string[] },
  options: {
    readonly loginEnv: Readonly<Record<string, string | undefined>>;
    readonly homeDir: string;
    readonly overridePath?: string | null | undefined;
    readonly projectRoots?: readonly string[];
    readonly onRefused?: (refusal: Refusal) => void;
    readonly platform?: NodeJS.Platform;
    readonly disk?: Disk;
  },
): Promise<Found | null> => {
  const { loginEnv, homeDir, platform = process.platform, disk = realDisk } = options;
  const paths = platform === 'win32' ? win32 : posix;
  const pathDirs = pathFolders(loginEnv, platform);
  const known = knownDirs(homeDir, loginEnv, platform);
  const everywhere = [...pathDirs, ...known];
  const namesOf = (path: string): readonly string[] => fileNames(path, loginEnv, platform);
  const inDirs = (command: string, dirs: readonly string[]): string[] => dirs.flatMap((dir) => namesOf(paths.join(dir, command)));

  const refusalOf = (path: string): Refusal['why'] | null => {
    const folder = paths.dirname(path);
    const target = disk.realPath(path);
    const real = [folder, disk.realPath(folder)];
    if (options.projectRoots?.some((root) => real.some((dir) => isWithin(root, dir, platform))) === true) return 'in a project';
    return [folder, target, paths.dirname(target)].some((each) => disk.isOpenToOthers(each)) ? 'open to others' : null;
  };
  /** The program that runs in the end when `path` is started, or null for a batch file that cannot be read. */
  const startOf = (path: string, depth = 0): { path: string; leadingArgs: readonly string[] } | null => {
    if (!/\.(?:cmd|bat)$/i.test(path)) return { path, leadingArgs: [] };
    // A batch file needs cmd.exe, whose quoting cannot be made safe, so the program that it would start is run instead.
    const shim = depth < MAX_SHIMS ? parseCmdShim(disk.readText(path) ?? '', path) : null;
    if (shim === null) return null;
    const program = paths.isAbsolute(shim.program)
      ? [shim.program]
      : inDirs(shim.program, [paths.dirname(path), ...everywhere]).filter((name) => name.endsWith('.exe'));
    const first = program.find((candidate) => disk.isExecutable(candidate));
    const started = first === undefined ? null : startOf(first, depth + 1);
    return started === null ? null : { path: started.path, leadingArgs: [...started.leadingArgs, ...shim.args] };
  };
  const choose = (candidates: readonly string[], source: Found['source']): Found | null => {
    for (const path of candidates) {
      if (!disk.isExecutable(path)) continue;
      const why = source === 'settings' ? null : refusalOf(path);
      if (why !== null) {
        options.onRefused?.({ path, why });
        continue;
      }
      const start = startOf(path);
      if (start === null) continue;
      const binDirs = [...new Set([paths.dirname(path), paths.dirname(disk.realPath(path))])];
      return { ...start, source, binDirs };
    }
    return null;
  };

  const override = options.overridePath ?? null;
  if (override !== null) {
    const expanded = expandHome(override, homeDir, paths);
    return choose(paths.isAbsolute(expanded) ? namesOf(expanded) : inDirs(expanded, everywhere), 'settings');
  }
  const knownPaths = finding.knownPaths.flatMap((path) => ofPerson(expandHome(path, homeDir, paths), homeDir, platform));
  return (
    choose(
      finding.commands.flatMap((command) => inDirs(command, pathDirs)),
      'login shell',
    ) ?? choose([...knownPaths.flatMap(namesOf), ...finding.commands.flatMap((command) => inDirs(command, known))], 'known folder')
  );
};

const realDisk: Disk = {
  isExecutable: (path) => {
    try {
      if (!statSync(path).isFile()) return false;
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  },
  readText: (path) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return null;
    }
  },
  realPath: (path) => {
    try {
      return realpathSync(path);
    } catch {
      return path;
    }
  },
  isOpenToOthers: (path) => {
    // Windows has no such permission bits.
    if (process.platform === 'win32') return false;
    try {
      return (statSync(path).mode & 0o002) !== 0;
    } catch {
      return false;
    }
  },
};

/** Apps of a Mac are installed in one of two folders. */
const ofPerson = (path: string, home: string, platform: NodeJS.Platform): string[] =>
  platform === 'darwin' && path.startsWith('/Applications/') ? [path, posix.join(home, path)] : [path];

const expandHome = (path: string, home: string, paths: typeof posix): string =>
  path.startsWith('~/') || path.startsWith('~\\') ? paths.join(home, path.slice(2)) : path;
