/** The environment the user has in a terminal, rebuilt for a daemon that a browser started. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { basename, delimiter } from 'node:path';
import { isWithin, pathFolders, withPath } from './candidates.ts';
import { signalGroup } from './group.ts';
import { knownDirs } from './known-dirs.ts';

const LIMIT_MS = 5_000;
/** How long the output of a shell that has ended may still take to arrive. */
const DRAIN_MS = 200;
/** The limit for a profile that prints without end. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Keeps shell frameworks from updating themselves and from opening a terminal multiplexer in a shell that nobody sees. */
const QUIET = { DISABLE_AUTO_UPDATE: 'true', ZSH_TMUX_AUTOSTART: 'false', TERM: 'dumb' };

/**
 * Asks the user's login shell (bash, zsh, fish and their like) for its environment. Never rejects: when the shell is
 * broken, slow or silent, the answer is `env` with the folders added where agents are usually installed.
 */
export const readLoginEnv = async (options: {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
}): Promise<Record<string, string>> => {
  const env = withoutProjectTools(
    Object.fromEntries(Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    process.platform,
  );
  if (process.platform === 'win32') return withKnownDirs(env);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.limitMs ?? LIMIT_MS)]);
  const shell = env['SHELL'] === undefined || env['SHELL'] === '' ? loginShell() : env['SHELL'];
  for (const args of invocations(shell)) {
    const found = await askShell(shell, args, env, signal);
    if (found !== null) return found;
  }
  return withKnownDirs(env);
};

/**
 * Who is started by `npx`, `npm run` or in a folder of direnv's has a PATH that begins with programs of that folder; in the
 * user's own terminal it does not, and the folder's owner could have put an agent there.
 */
export const withoutProjectTools = (env: Readonly<Record<string, string>>, platform: NodeJS.Platform): Record<string, string> => {
  const isOfNpm = env['npm_execpath'] !== undefined || env['npm_lifecycle_event'] !== undefined;
  const direnv = env['DIRENV_DIR']?.replace(/^-/, '');
  const isOfProject = (folder: string): boolean =>
    (isOfNpm && /[\\/](?:node_modules[\\/]\.bin|node-gyp-bin)[\\/]?$/.test(folder)) ||
    (direnv !== undefined && direnv !== '' && isWithin(direnv, folder, platform));
  const folders = pathFolders(env, platform);
  const own = folders.filter((folder) => !isOfProject(folder));
  return own.length === folders.length ? { ...env } : withPath(env, own, platform);
};

/**
 * An interactive shell is asked first, because many profiles set up nothing otherwise; then one that is not interactive,
 * because some interactive profiles start another shell.
 */
const invocations = (shell: string): string[][] =>
  // These shells take `-l` only by itself or not at all.
  /^t?csh$/.test(basename(shell))
    ? [['-ic'], ['-c']]
    : [
        ['-i', '-l', '-c'],
        ['-l', '-c'],
      ];

const askShell = async (
  shell: string,
  args: readonly string[],
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<Record<string, string> | null> => {
  // Banners come before and after, so the answer stands between two words that no profile prints. Neither stands in the
  // command as it is printed, for shells that show what they run.
  const mark = randomBytes(16).toString('hex');
  const [begin, end] = [`<${mark}`, `${mark}>`];
  // The command is one word in single quotes for /bin/sh: every shell understands that, whatever it calls its own commands.
  const command = `/bin/sh -c 'printf "<%s" ${mark}; /usr/bin/env -0 2>/dev/null || /usr/bin/env; printf "%s>" ${mark}'`;
  const output = await read(shell, [...args, command], { ...env, ...QUIET }, end, signal);
  const from = output.indexOf(begin);
  const to = output.indexOf(end, from);
  if (from === -1 || to === -1) return null;
  const found = parseEnv(output.slice(from + begin.length, to));
  return found['PATH'] === undefined ? null : found;
};

/** Resolves with what has come when `end` appears, the shell ends, or the signal is aborted. */
const read = async (shell: string, args: string[], env: Record<string, string>, end: string, signal: AbortSignal): Promise<string> => {
  if (signal.aborted) return '';
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  // `detached` gives it a session of its own: an interactive shell would otherwise grab the terminal of `pilotfish`, or stop.
  // It starts in the home folder, as a terminal does: profiles look into the folder they start in, which may be anybody's project.
  const child = spawn(shell, args, { cwd: homedir(), env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  // Where no file descriptor is left, Node does not even make the pipe.
  if (child.pid === undefined) {
    child.once('error', () => {});
    return '';
  }
  let isDone = false;
  const finish = (): void => {
    if (isDone) return;
    isDone = true;
    signal.removeEventListener('abort', finish);
    // This also ends a shell that hangs in its exit hooks, and keeps the command out of its history.
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    child.stdout.destroy();
    resolve(text());
  };
  signal.addEventListener('abort', finish, { once: true });
  child.once('error', finish);
  child.once('close', finish);
  // A program that the profile left running may keep the pipe open for ever.
  child.once('exit', () => setTimeout(finish, DRAIN_MS).unref());
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_OUTPUT_BYTES || Buffer.concat(chunks.slice(-2)).includes(end)) finish();
  });
  return promise;
};

/** Reads `NAME=value`, separated by NUL. Where `env` has no `-0`, newlines separate, and a line without a name continues the value. */
const parseEnv = (text: string): Record<string, string> => {
  const entries = text.includes('\0') ? text.split('\0') : text.split(/\n(?=[A-Za-z_][A-Za-z0-9_]*=)/);
  const env = new Map<string, string>();
  for (const entry of entries) {
    const at = entry.indexOf('=');
    // A shell that prints each command it runs may have printed one before the first name.
    const name = entry.slice(0, at).split('\n').at(-1) ?? '';
    // Exported functions and names that describe only this one shell are left out.
    if (at > 0 && !name.includes('%') && !['_', 'SHLVL', 'PWD', 'OLDPWD', ...Object.keys(QUIET)].includes(name)) {
      env.set(name, entry.slice(at + 1).replace(/\n$/, text.includes('\0') ? '\n' : ''));
    }
  }
  return Object.fromEntries(env);
};

const loginShell = (): string => {
  try {
    const { shell } = userInfo();
    if (shell !== null && shell !== '') return shell;
  } catch {
    // The user database has no entry, as in some containers.
  }
  return '/bin/sh';
};

const withKnownDirs = (env: Record<string, string>): Record<string, string> => {
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const own = pathFolders(env, process.platform);
  return { ...env, [key]: [...new Set([...own, ...knownDirs(env['HOME'] ?? homedir(), env)])].join(delimiter) };
};
