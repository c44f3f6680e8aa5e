/** The environment the user has in a terminal, rebuilt for a daemon that a browser started. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { delimiter } from 'node:path';
import { signalGroup } from './group.ts';
import { knownDirs } from './known-dirs.ts';

const LIMIT_MS = 5_000;
/** A profile that prints without end must not fill our memory. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;
/** Keeps frameworks from updating themselves or opening a multiplexer in a shell nobody sees. */
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
  const env = Object.fromEntries(Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
  if (process.platform === 'win32') return withKnownDirs(env);
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(options.limitMs ?? LIMIT_MS)]);
  return (await askShell(env['SHELL'] ?? loginShell(), env, signal)) ?? withKnownDirs(env);
};

const askShell = async (shell: string, env: Record<string, string>, signal: AbortSignal): Promise<Record<string, string> | null> => {
  // Banners come before and after, so the answer stands between two words that no profile prints.
  const mark = randomBytes(16).toString('hex');
  const [begin, end] = [`<${mark}`, `${mark}>`];
  const command = `printf '%s' '${begin}'; /usr/bin/env -0 2>/dev/null || /usr/bin/env; printf '%s' '${end}'`;
  const output = await read(shell, ['-ilc', command], { ...env, ...QUIET }, end, signal);
  const from = output.indexOf(begin);
  const to = output.indexOf(end, from);
  if (from === -1 || to === -1) return null;
  const found = parseEnv(output.slice(from + begin.length, to));
  return found['PATH'] === undefined ? null : found;
};

/** Resolves with what came until `end`, the shell's own end, or the signal. */
const read = async (shell: string, args: string[], env: Record<string, string>, end: string, signal: AbortSignal): Promise<string> => {
  if (signal.aborted) return '';
  const { promise, resolve } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  // `detached` gives it a session of its own: an interactive shell would otherwise grab the terminal of `pilotfish`, or stop.
  // At home, as a terminal begins: profiles look into the folder they start in, and that may be anybody's project.
  const child = spawn(shell, args, { cwd: homedir(), env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  let isDone = false;
  const finish = (): void => {
    if (isDone) return;
    isDone = true;
    signal.removeEventListener('abort', finish);
    // Also ends a shell that hangs in its exit hooks, and keeps this line out of its history.
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    child.stdout.destroy();
    resolve(text());
  };
  signal.addEventListener('abort', finish, { once: true });
  child.once('error', finish);
  child.once('close', finish);
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_OUTPUT_BYTES || Buffer.concat(chunks.slice(-2)).includes(end)) finish();
  });
  return promise;
};

/** `NAME=value`, separated by NUL; by newline where `env` has no `-0`, and then a line without a name continues the value. */
const parseEnv = (text: string): Record<string, string> => {
  const entries = text.includes('\0') ? text.split('\0') : text.split(/\n(?=[A-Za-z_][A-Za-z0-9_]*=)/);
  const env: Record<string, string> = {};
  for (const entry of entries) {
    const at = entry.indexOf('=');
    const name = entry.slice(0, at);
    // Exported functions and the names that only describe this one shell.
    if (at > 0 && !name.includes('%') && !['_', 'SHLVL', 'PWD', 'OLDPWD', ...Object.keys(QUIET)].includes(name)) {
      env[name] = entry.slice(at + 1).replace(/\n$/, text.includes('\0') ? '\n' : '');
    }
  }
  return env;
};

const loginShell = (): string => {
  try {
    return userInfo().shell ?? '/bin/sh';
  } catch {
    // No entry in the user database, as in some containers.
    return '/bin/sh';
  }
};

const withKnownDirs = (env: Record<string, string>): Record<string, string> => {
  const key = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  const home = env['HOME'] ?? homedir();
  const own = (env[key] ?? '').split(delimiter).filter((dir) => dir !== '');
  return { ...env, [key]: [...new Set([...own, ...knownDirs(home)])].join(delimiter) };
};
