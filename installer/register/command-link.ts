/** The command `pilotfish` in the person's shell: a link to the executable in the folder for the user's own programs. */
import { readlinkSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { found } from '#protocol/checks.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Said } from '#protocol/said.ts';
import { makeDir } from '#companion/lib/make-dir.ts';
import { homeOf } from './browsers.ts';
import { lookAt, removeFile } from './files.ts';
import type { Steps } from './steps.ts';

export interface CommandOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly executable: string;
}

const NAME = 'pilotfish';

/** https://www.freedesktop.org/software/systemd/man/latest/file-hierarchy.html#~/.local/bin/ */
export const commandLink = (env: NodeJS.ProcessEnv): string => path.join(homeOf(env), '.local', 'bin', NAME);

/** How the person's shell starts this executable: by its name where PATH leads to it, or else by its path. */
export const commandName = (options: CommandOptions): string => (isCommand(options) ? NAME : quoted(options.executable));

/** Links the executable, unless its name leads to it already. What somebody else put there is left alone. */
export function* linkCommand(options: CommandOptions): Steps<'written' | 'unchanged'> {
  const { env, executable } = options;
  const link = commandLink(env);
  const draft = `${link}.new`;
  rmSync(draft, { force: true });
  if (isCommand(options) || leadsTo(link, executable)) return 'unchanged';
  if (lookAt(link) !== undefined && !isOurs(link, executable))
    throw new CompanionError('INSTALL_FAILED', found('place_taken', { place: link }));
  makeDir(path.dirname(link));
  symlinkSync(executable, draft);
  yield `drafted ${link}`;
  renameSync(draft, link);
  yield `linked ${link}`;
  return 'written';
}

/** Removes the link; returns what was there. */
export const unlinkCommand = ({ env, executable }: Omit<CommandOptions, 'platform'>): string[] => {
  const link = commandLink(env);
  rmSync(`${link}.new`, { force: true });
  return isOurs(link, executable) && removeFile(link) ? [link] : [];
};

/** What the person does so that the shell finds the link; null when it does. */
export const pathHint = (options: CommandOptions): Said | null => {
  if (isCommand(options)) return null;
  const folder = path.dirname(commandLink(options.env));
  const isBehind = pathFolders(options.env).includes(folder);
  return found(isBehind ? 'command_hidden' : 'command_off_path', { folder, step: pathStep(options) });
};

/** Whether the link that `pilotfish install` makes is there. */
export const isLinked = ({ env, executable }: CommandOptions): boolean => leadsTo(commandLink(env), executable);

const pathStep = ({ env, platform }: CommandOptions): Said => {
  const shell = path.basename(env['SHELL'] ?? '');
  if (shell === 'fish') return found('run_line', { line: 'fish_add_path --move ~/.local/bin' });
  const file = shell === 'zsh' ? '~/.zshrc' : platform === 'darwin' ? '~/.bash_profile' : '~/.bashrc';
  return found('add_line', { file, line: 'export PATH="$HOME/.local/bin:$PATH"' });
};

/** Whether the name leads to the executable. */
const isCommand = ({ env, platform, executable }: CommandOptions): boolean => {
  const found = pathFolders(env)
    .map((folder) => path.join(folder, platform === 'win32' ? `${NAME}.exe` : NAME))
    .find((file) => lookAt(file, 'follow')?.isFile() === true);
  return found !== undefined && leadsTo(found, executable);
};

const pathFolders = (env: NodeJS.ProcessEnv): string[] =>
  (env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));

const leadsTo = (file: string, executable: string): boolean => {
  try {
    return realpathSync(file) === realpathSync(executable);
  } catch {
    // One of them is not there.
    return false;
  }
};

/** Whether it is a link to this executable, whatever the person has named it, to another Pilotfish, or to one that is gone. */
const isOurs = (link: string, executable: string): boolean =>
  lookAt(link)?.isSymbolicLink() === true &&
  (path.basename(readlinkSync(link)).startsWith(NAME) || leadsTo(link, executable) || lookAt(link, 'follow') === undefined);

const quoted = (file: string): string => (/^[\w@+=:,./-]+$/u.test(file) ? file : `"${file}"`);
