/** The person's desktop: opens a terminal or an editor there, and asks for a folder with the system's own dialog. */
import { spawn } from 'node:child_process';
import { homedir } from 'node:os';
import { selfCommand } from '#companion/lib/self.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import { startChild } from '#companion/process/child.ts';
import { findExecutable } from '#companion/process/find.ts';
import { readLoginEnv } from '#companion/process/login-env.ts';
import { CompanionError } from '#protocol/errors.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { explain } from '#protocol/faults.ts';
import type { Said } from '#protocol/said.ts';
import {
  editors,
  folderDialogs,
  notifiers,
  terminals,
  terminalsWith,
  type DesktopNotice,
  type FilePlace,
  type Program,
} from './programs.ts';

/** A notification shows no more, and a longer argument could keep its program from starting. */
const MAX_NOTICE_CHARS = 1000;

/** Nothing in it is hidden; with a NUL in it no program could be started. */
const toShown = (text: string): string => toVisible(text.slice(0, MAX_NOTICE_CHARS).toWellFormed());

/** What a window needs beside what every program gets. */
const WINDOW_ENV = [
  'XDG_CURRENT_DESKTOP',
  'XDG_SESSION_DESKTOP',
  'DESKTOP_SESSION',
  'XDG_DATA_DIRS',
  'XDG_CONFIG_DIRS',
  'GDK_*',
  'QT_*',
  'KDE_*',
];
const NO_TERMINAL = explain('no_terminal');
/** A terminal that cannot run here ends sooner. */
const SETTLES_MS = 2000;
const MAX_PATH_BYTES = 16 * 1024;

interface Started {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A window in which a program was started. */
export interface OpenedWindow {
  /**
   * Resolves when it seems to stay, rejects when its program has ended with an error before. Many end well at once: the window is then
   * another process's.
   */
  readonly settled: Promise<void>;
}

interface DesktopOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Folders whose own programs are never started, whatever PATH says. */
  readonly projectRoots: () => readonly string[];
  readonly platform?: NodeJS.Platform;
}

export class Desktop {
  readonly #options: DesktopOptions;
  readonly #platform: NodeJS.Platform;
  #loginEnv: Promise<Record<string, string>> | null = null;
  /** The dialog that is open: a second one would only hide the first. */
  #choosing: Promise<string | null> | null = null;

  constructor(options: DesktopOptions) {
    this.#options = options;
    this.#platform = options.platform ?? process.platform;
  }

  /** Opens a terminal in a folder that was checked. */
  async openTerminal(folder: string): Promise<void> {
    await this.#open(terminals(folder, this.#platform), folder, { none: NO_TERMINAL });
  }

  /** Opens a terminal in which Pilotfish itself runs with these arguments, none of which anybody else has chosen. */
  async openTerminalWith(args: readonly string[]): Promise<OpenedWindow> {
    const { command, args: leading } = selfCommand();
    const { env } = this.#options;
    const { PILOTFISH_HOME: portable = '' } = env;
    // Many a terminal is a window of a process that runs already, with that one's environment.
    const own = portable === '' || this.#platform === 'win32' ? [] : ['/usr/bin/env', `PILOTFISH_HOME=${portable}`];
    return this.#open(terminalsWith([...own, command, ...leading, ...args], this.#platform), env['HOME'] ?? homedir(), {
      none: NO_TERMINAL,
      extra: portable === '' ? {} : { PILOTFISH_HOME: portable },
    });
  }

  /** Opens a folder or a file, which was checked, in an editor. */
  async openEditor(place: FilePlace, folder: string): Promise<void> {
    await this.#open(editors(place), folder, {
      none: explain('no_editor', { editors: 'VS Code, Cursor, VSCodium, Windsurf, Zed, Sublime Text' }),
    });
  }

  /** Resolves with the folder that the person chose, or with null when the dialog was closed. */
  async chooseFolder(signal: AbortSignal): Promise<string | null> {
    this.#choosing ??= this.#choose(signal).finally(() => (this.#choosing = null));
    return this.#choosing;
  }

  /** Shows a notification of the system; where it has none, nothing is shown. */
  async notify({ title, text }: DesktopNotice): Promise<void> {
    const { env } = this.#options;
    if (this.#platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY']) return;
    const notice = { title, text: toShown(text) };
    const texts = { PILOTFISH_TITLE: notice.title, PILOTFISH_TEXT: notice.text };
    await this.#open(notifiers(notice, this.#platform), env['HOME'] ?? homedir(), {
      none: 'There is no program that notifies.',
      extra: texts,
    });
  }

  async #choose(signal: AbortSignal): Promise<string | null> {
    const home = this.#options.env['HOME'] ?? homedir();
    const { command, args, env } = await this.#find(folderDialogs(home, this.#platform), explain('no_folder_dialog'));
    const lines: string[] = [];
    const child = startChild({
      command,
      args,
      cwd: home,
      env,
      maxLineBytes: MAX_PATH_BYTES,
      onLine: (line) => void lines.push(line),
      onOverflow: () => {},
    });
    const stop = (): void => void child.stop({ graceMs: 0 });
    signal.addEventListener('abort', stop, { once: true });
    const { code } = await child.exited;
    signal.removeEventListener('abort', stop);
    const chosen = lines[0]?.trim() ?? '';
    if (code === 0 && chosen !== '') return chosen;
    if (code === 1 || signal.aborted) return null;
    throw new CompanionError('DESKTOP_FAILED', `${command}: ${child.stderrTail().trim().split('\n').at(-1) ?? ''}`);
  }

  async #open(
    programs: readonly Program[],
    folder: string,
    { none, extra = {} }: { readonly none: string | Said; readonly extra?: Readonly<Record<string, string>> },
  ): Promise<OpenedWindow> {
    const { command, args, env } = await this.#find(programs, none);
    const child = spawn(command, [...args], { cwd: folder, env: { ...env, ...extra }, shell: false, detached: true, stdio: 'ignore' });
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const { promise: settled, resolve: settle, reject: fail } = Promise.withResolvers<void>();
    // Most callers do not wait for it.
    settled.catch(() => {});
    child.once('spawn', () => resolve(undefined));
    child.once('error', (error) => reject(new CompanionError('DESKTOP_FAILED', error.message, { cause: error })));
    child.once('exit', (code) => {
      if (code !== 0) fail(new CompanionError('DESKTOP_FAILED', explain('window_closed')));
    });
    child.unref();
    await promise;
    setTimeout(settle, SETTLES_MS).unref();
    return { settled };
  }

  async #find(programs: readonly Program[], none: string | Said): Promise<Started> {
    const { env, projectRoots } = this.#options;
    const loginEnv = await (this.#loginEnv ??= readLoginEnv({ env, signal: AbortSignal.timeout(10_000) }));
    const isHeadless = this.#platform === 'linux' && !loginEnv['DISPLAY'] && !loginEnv['WAYLAND_DISPLAY'];
    for (const { commands, knownPaths = [], args } of isHeadless ? [] : programs) {
      const found = await findExecutable(
        { commands, knownPaths },
        { loginEnv, homeDir: env['HOME'] ?? homedir(), projectRoots: projectRoots(), platform: this.#platform },
      );
      if (found === null) continue;
      return {
        command: found.path,
        args: [...found.leadingArgs, ...args],
        env: childEnvironment({ loginEnv, allow: WINDOW_ENV, extra: {}, binDirs: found.binDirs }),
      };
    }
    throw new CompanionError('DESKTOP_FAILED', isHeadless ? explain('no_screen') : none);
  }
}
