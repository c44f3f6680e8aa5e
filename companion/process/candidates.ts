/** Where a system looks for a program, and under which names. Pure, and for any system. */
import { posix, win32 } from 'node:path';

/** The value of an environment variable; Windows ignores the case of names. */
export const variableOf = (
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined => (platform === 'win32' ? Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1] : env[name]);

/**
 * The folders of a PATH. Relative folders are left out: their meaning depends on the working folder, and a project could put
 * programs there.
 */
export const pathFolders = (env: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): string[] => {
  const value = variableOf(env, 'PATH', platform) ?? '';
  return platform === 'win32'
    ? value
        .split(';')
        .map((dir) => dir.replaceAll('"', '').trim())
        .filter((dir) => /^(?:[a-z]:[\\/]|\\\\)/i.test(dir))
    : value.split(':').filter((dir) => posix.isAbsolute(dir));
};

/** The environment with these folders as its PATH, without repetition. */
export const withPath = (
  env: Readonly<Record<string, string>>,
  folders: readonly string[],
  platform: NodeJS.Platform,
): Record<string, string> => {
  const others = Object.entries(env).filter(([name]) => (platform === 'win32' ? name.toUpperCase() : name) !== 'PATH');
  return { ...Object.fromEntries(others), PATH: [...new Set(folders)].join(platform === 'win32' ? ';' : ':') };
};

/** The endings that start without a shell that interprets the arguments, in the order of Windows itself. */
const STARTABLE = ['.COM', '.EXE', '.BAT', '.CMD'];

/** The file names that `command` may have. The extensionless script npm puts beside its `.cmd` is for other systems. */
export const fileNames = (
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: NodeJS.Platform,
): readonly string[] => {
  if (platform !== 'win32') return [command];
  if (STARTABLE.includes(win32.extname(command).toUpperCase())) return [command];
  const told = (variableOf(env, 'PATHEXT', platform) ?? '').split(';').map((extension) => extension.trim().toUpperCase());
  const order = told.filter((extension) => STARTABLE.includes(extension));
  return [...new Set([...order, ...STARTABLE])].map((extension) => command + extension.toLowerCase());
};

/** Whether `path` is `folder` or in it. */
export const isWithin = (folder: string, path: string, platform: NodeJS.Platform): boolean => {
  const { relative, isAbsolute } = platform === 'win32' ? win32 : posix;
  const way = relative(folder, path);
  return way !== '..' && !/^\.\.[\\/]/.test(way) && !isAbsolute(way);
};
