/** The Windows registry and start menu. Argument vectors only, no shell. Written from documentation, not tested on Windows. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { HOST_NAME } from '#protocol/version.ts';
import { lookAt } from './files.ts';

/** Points a browser's registry key at our manifest. */
export const registerHost = (registryKey: string, manifestFile: string): 'written' | 'unchanged' => {
  if (registeredManifest(registryKey) === manifestFile) return 'unchanged';
  reg('ADD', hostKey(registryKey), '/ve', '/t', 'REG_SZ', '/d', manifestFile, '/f');
  return 'written';
};

/** The manifest a browser's registry key points at, or null. */
export const registeredManifest = (registryKey: string): string | null => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pilotfish-reg-'));
  try {
    const file = path.join(folder, 'key.reg');
    // What `reg query` prints is in the code page of the console, in which a user's name may not be written at all.
    reg('EXPORT', hostKey(registryKey), file, '/y');
    return defaultValueIn(readFileSync(file, 'utf16le'));
  } catch {
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The text of the unnamed value in an exported key, in which quotes and backslashes are escaped; null when it has none. */
export const defaultValueIn = (exported: string): string | null =>
  /^@="((?:[^"\\]|\\.)*)"\r?$/mu.exec(exported)?.[1]?.replaceAll(/\\(.)/gu, '$1') ?? null;

/** Removes our key from a browser's; says whether there was one. */
export const unregisterHost = (registryKey: string): boolean => {
  if (registeredManifest(registryKey) === null) return false;
  reg('DELETE', hostKey(registryKey), '/f');
  return true;
};

/** The shortcut in the start menu. */
export const shortcutFile = (env: NodeJS.ProcessEnv): string =>
  path.win32.join(env['APPDATA'] ?? '', 'Microsoft', 'Windows', 'Start Menu', 'Programs', 'Pilotfish.lnk');

/** A console program opens a console of its own on a double click, so the shortcut needs no arguments. */
export const writeShortcut = (env: NodeJS.ProcessEnv, executable: string): void => {
  const file = shortcutFile(env);
  const script = '$s = (New-Object -ComObject WScript.Shell).CreateShortcut($env:PF_LINK); $s.TargetPath = $env:PF_TARGET; $s.Save()';
  execFileSync(systemProgram('WindowsPowerShell', 'v1.0', 'powershell.exe'), ['-NoProfile', '-NonInteractive', '-Command', script], {
    // Values travel in the environment: nothing is quoted into the script.
    env: { ...env, PF_LINK: file, PF_TARGET: executable },
    windowsHide: true,
    stdio: 'ignore',
  });
  // Where scripts are forbidden it may end as if all were well.
  if (lookAt(file) === undefined) throw new Error('PowerShell ended without an error, but Pilotfish.lnk was not made.');
};

/** Removes the shortcut; returns what was there. */
export const removeShortcut = (env: NodeJS.ProcessEnv): string[] => {
  const file = shortcutFile(env);
  if (lookAt(file) === undefined) return [];
  rmSync(file);
  return [file];
};

/** By its full path: a program of this name elsewhere on the PATH is not meant. */
const systemProgram = (...parts: string[]): string => path.win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32', ...parts);

const hostKey = (registryKey: string): string => `HKCU\\${registryKey}\\${HOST_NAME}`;

const reg = (...args: string[]): string =>
  execFileSync(systemProgram('reg.exe'), args, { encoding: 'utf8', windowsHide: true, stdio: ['ignore', 'pipe', 'ignore'] });
