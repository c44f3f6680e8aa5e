/** A double click starts the executable without a terminal: this opens one with it. */
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { emulators } from '#companion/lib/emulators.ts';

export interface TerminalRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

const NO_TERMINAL =
  'Pilotfish runs in a terminal, and none was found on this system. Install one, for instance xterm, or use Pilotfish in the side panel of your browser.';

/** Programs that show a sentence in a window, in the order they are tried; a notification where none can. */
const dialogs: readonly { readonly name: string; readonly args: readonly string[] }[] = [
  { name: 'zenity', args: ['--error', '--title=Pilotfish', '--no-markup', `--text=${NO_TERMINAL}`] },
  { name: 'kdialog', args: ['--title', 'Pilotfish', '--error', NO_TERMINAL] },
  { name: 'yad', args: ['--title=Pilotfish', '--image=dialog-error', '--no-markup', `--text=${NO_TERMINAL}`] },
  { name: 'gxmessage', args: ['-center', NO_TERMINAL] },
  { name: 'xmessage', args: ['-center', NO_TERMINAL] },
  { name: 'notify-send', args: ['--app-name=Pilotfish', 'Pilotfish', NO_TERMINAL] },
];

/** The program and arguments that open a terminal with the request's program, or null where there is none. */
export const terminalCommand = ({ command, args, env, platform }: TerminalRequest): { command: string; args: readonly string[] } | null => {
  // Terminal runs a file that is opened with it; it takes no arguments. Not tested on a Mac.
  if (platform === 'darwin') return { command: '/usr/bin/open', args: ['-a', 'Terminal', command] };
  // A console program gets a console of its own.
  if (platform === 'win32') return null;
  if (!hasScreen(env)) return null;
  return firstFound(
    env,
    emulators.map(({ name, before }) => ({ name, args: [...before, command, ...args] })),
  );
};

/** The program and arguments that say on the screen that there is no terminal, or null where nothing can. */
export const messageCommand = ({ env, platform }: TerminalRequest): { command: string; args: readonly string[] } | null =>
  platform === 'win32' || platform === 'darwin' || !hasScreen(env) ? null : firstFound(env, dialogs);

/** Opens the terminal; returns false when this system has none that could be opened, which is then said on the screen. */
export const openTerminal = async (request: TerminalRequest): Promise<boolean> => {
  if (await isStarted(terminalCommand(request), request.env)) return true;
  await isStarted(messageCommand(request), request.env);
  return false;
};

const hasScreen = (env: NodeJS.ProcessEnv): boolean => (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';

const firstFound = (
  env: NodeJS.ProcessEnv,
  programs: readonly { readonly name: string; readonly args: readonly string[] }[],
): { command: string; args: readonly string[] } | null => {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  for (const { name, args } of programs) {
    const command = folders.map((folder) => path.join(folder, name)).find(isExecutable);
    if (command !== undefined) return { command, args };
  }
  return null;
};

const isStarted = async (program: { command: string; args: readonly string[] } | null, env: NodeJS.ProcessEnv): Promise<boolean> => {
  if (program === null) return false;
  const child = spawn(program.command, program.args, { env, detached: true, stdio: 'ignore', windowsHide: true });
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
