/** The entry in a Linux desktop's menu: a double click opens the terminal UI. */
import path from 'node:path';
import { homeOf } from './browsers.ts';
import { removeEmptyDir, removeFile, writeWhole } from './files.ts';
import type { Steps } from './steps.ts';

/** Where the entry and its icon go: $XDG_DATA_HOME or ~/.local/share. */
export const desktopFiles = (env: NodeJS.ProcessEnv): { entry: string; icon: string } => {
  const configured = env['XDG_DATA_HOME'];
  const data = configured !== undefined && path.isAbsolute(configured) ? configured : path.join(homeOf(env), '.local', 'share');
  return {
    entry: path.join(data, 'applications', 'pilotfish.desktop'),
    icon: path.join(data, 'icons', 'hicolor', '128x128', 'apps', 'pilotfish.png'),
  };
};

/** Writes the entry and, when the build has one, its icon. */
export function* writeDesktopEntry(
  env: NodeJS.ProcessEnv,
  executable: string,
  portableHome: string | null,
  icon: Buffer | null,
): Steps<'written' | 'unchanged'> {
  const files = desktopFiles(env);
  const iconState = icon === null ? 'unchanged' : yield* writeWhole(files.icon, icon, 0o644);
  const entryState = yield* writeWhole(files.entry, desktopEntry(executable, portableHome), 0o644);
  return iconState === 'written' ? 'written' : entryState;
}

/** Removes both and the folders that are empty without them; returns what was there. */
export const removeDesktopEntry = (env: NodeJS.ProcessEnv): string[] => {
  const { entry, icon } = desktopFiles(env);
  const removed = [entry, icon].filter(removeFile);
  removeEmptyDir(path.dirname(entry));
  for (let folder = path.dirname(icon), level = 0; level < 4; folder = path.dirname(folder), level += 1) removeEmptyDir(folder);
  return removed;
};

/** https://specifications.freedesktop.org/desktop-entry-spec/latest/ */
export const desktopEntry = (executable: string, portableHome: string | null): string =>
  [
    '[Desktop Entry]',
    'Type=Application',
    'Name=Pilotfish',
    'Comment=Coding agents that see and drive your browser',
    `Exec=${[...(portableHome === null ? [] : ['env', `PILOTFISH_HOME=${portableHome}`]), executable].map(quoteExec).join(' ')}`,
    'Icon=pilotfish',
    'Terminal=true',
    'Categories=Development;',
    'Keywords=agent;browser;terminal;',
    '',
  ].join('\n');

/** Two layers: the argument is quoted for Exec, and the whole value is a string in which a backslash is doubled. */
const quoteExec = (argument: string): string => {
  const escaped = argument.replaceAll('%', '%%');
  if (/^[\w@+=:,./-]+$/u.test(argument)) return escaped;
  return `"${escaped.replaceAll(/["`$\\]/gu, (character) => `\\${character}`)}"`.replaceAll('\\', '\\\\');
};
