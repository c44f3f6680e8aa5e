/** A double click starts the executable without a terminal: this opens one with it. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** Terminal emulators in the order they are tried, and what stands between each and the program it is to run. */
const emulators: readonly { readonly name: string; readonly before: readonly string[] }[] = [
  { name: 'xdg-terminal-exec', before: [] },
  { name: 'x-terminal-emulator', before: ['-e'] },
  { name: 'gnome-terminal', before: ['--'] },
  { name: 'kgx', before: ['--'] },
  { name: 'konsole', before: ['-e'] },
  { name: 'xfce4-terminal', before: ['-x'] },
  { name: 'kitty', before: [] },
  { name: 'alacritty', before: ['-e'] },
  { name: 'foot', before: [] },
  { name: 'wezterm', before: ['start', '--'] },
  { name: 'xterm', before: ['-e'] },
];

/** The program and arguments that open a terminal with the request's program, or null where there is none. */
export const terminalCommand = ({ command, args, env, platform }: TerminalRequest): { command: string; args: string[] } | null => {
  // Terminal runs a file that is opened with it; it takes no arguments. Not tested on a Mac.
  if (platform === 'darwin') return { command: '/usr/bin/open', args: ['-a', 'Terminal', command] };
  // A console program gets a console of its own.
  if (platform === 'win32') return null;
  if ((env['DISPLAY'] ?? '') === '' && (env['WAYLAND_DISPLAY'] ?? '') === '') return null;
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const { name, before } of emulators) {
    const found = folders.map((folder) => path.join(folder, name)).find(isExecutable);
    if (found !== undefined) return { command: found, args: [...before, command, ...args] };
  }
  return null;
};

/** Opens the terminal; returns false when this system has none that could be opened. */
export const openTerminal = async (request: TerminalRequest): Promise<boolean> => {
  const terminal = terminalCommand(request);
  if (terminal === null) return false;
  const child = spawn(terminal.command, terminal.args, { env: request.env, detached: true, stdio: 'ignore', windowsHide: true });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  child.once('spawn', () => resolve(true));
  child.once('error', () => resolve(false));
  child.unref();
  return promise;
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
