/** The entry in the system's menu, one way per system. */
import { VERSION } from '#protocol/version.ts';
import { desktopFiles, removeDesktopEntry, writeDesktopEntry } from './desktop-entry.ts';
import { applicationDir, removeApplication, writeApplication } from './macos.ts';
import type { Steps } from './steps.ts';
import { removeShortcut, shortcutFile, writeShortcut } from './windows.ts';

export interface MenuOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  readonly executable: string;
  /** PILOTFISH_HOME, when everything lies under one folder. */
  readonly portableHome: string | null;
  readonly icon: Buffer | null;
}

/** Where the entry is, or will be. */
export const menuEntryPath = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string => {
  if (platform === 'win32') return shortcutFile(env);
  return platform === 'darwin' ? applicationDir(env) : desktopFiles(env).entry;
};

/** Puts Pilotfish into the menu. */
export function* writeMenuEntry({ env, platform, executable, portableHome, icon }: MenuOptions): Steps<'written' | 'unchanged'> {
  if (platform === 'darwin') return yield* writeApplication(env, executable, VERSION);
  if (platform !== 'win32') return yield* writeDesktopEntry(env, executable, portableHome, icon);
  writeShortcut(env, executable);
  yield 'wrote the shortcut';
  return 'written';
}

/** Takes it out again; returns what was there. */
export const removeMenuEntry = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string[] => {
  if (platform === 'win32') return removeShortcut(env);
  return platform === 'darwin' ? removeApplication(env) : removeDesktopEntry(env);
};
