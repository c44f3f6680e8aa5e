/** Finds the browsers of this user and the places where each looks for our manifest. */
import { accessSync, constants, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { browserPlaces, sandboxedPlaces, type BrowserPlace } from '#native-manifests/browsers.ts';
import { manifestFileName } from '#native-manifests/manifest.ts';
import { lookAt } from './files.ts';

/** The user and machine: the environment decides where browsers keep their profiles. */
export interface Machine {
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
  /** Our own data folder. On Windows the manifest is there, and the registry points to it. */
  readonly root: string;
}

export interface BrowserTarget {
  readonly id: string;
  readonly name: string;
  /** How the browser was recognised, or null when it is not installed. */
  readonly evidence: string | null;
  /** Where it keeps its profiles. */
  readonly userDataDir: string;
  readonly manifestFile: string;
  /** Places of another browser that this one reads too. */
  readonly otherManifestFiles: readonly string[];
  /** The manifest for all users, which is read but never written. */
  readonly systemManifestFile: string | null;
  /** Below HKEY_CURRENT_USER; null outside Windows. */
  readonly registryKey: string | null;
}

/** The browsers that are installed. */
export const findBrowsers = (machine: Machine): BrowserTarget[] => browserTargets(machine).filter((target) => target.evidence !== null);

/** Every place we may ever have written to, whether the browser is still there or not. */
export const browserTargets = (machine: Machine): BrowserTarget[] => browserPlaces.flatMap((place) => toTarget(place, machine));

/** Installed browsers whose sandbox keeps them from starting our executable. */
export const findSandboxed = ({ env, platform }: Machine): string[] =>
  platform === 'linux'
    ? sandboxedPlaces.filter(({ folder }) => isDirectory(path.posix.join(homeOf(env), folder))).map(({ name }) => name)
    : [];

/** The manifest of a profile folder that was named with --user-data-dir. */
export const manifestFileIn = (profile: string): string => path.join(profile, 'NativeMessagingHosts', manifestFileName);

/** The user's home folder according to this environment. */
export const homeOf = (env: NodeJS.ProcessEnv): string => env['HOME'] ?? env['USERPROFILE'] ?? homedir();

const toTarget = (place: BrowserPlace, machine: Machine): BrowserTarget[] => {
  if (machine.platform === 'win32') return windowsTarget(place, machine);
  if (machine.platform === 'darwin') return macTarget(place, machine);
  if (place.linux === null) return [];
  const config = configHome(machine.env);
  const { profile, commands } = place.linux;
  const evidence = profileEvidence(path.posix.join(config, profile)) ?? onPath(machine.env, commands);
  return [{ ...unixTarget(place, config, place.linux), evidence }];
};

const macTarget = (place: BrowserPlace, { env }: Machine): BrowserTarget[] => {
  if (place.darwin === null) return [];
  const support = path.posix.join(homeOf(env), 'Library', 'Application Support');
  const { profile, application } = place.darwin;
  const applications = ['/Applications', path.posix.join(homeOf(env), 'Applications')].map((folder) =>
    path.posix.join(folder, application),
  );
  const evidence = profileEvidence(path.posix.join(support, profile)) ?? applications.find(isDirectory) ?? null;
  return [{ ...unixTarget(place, support, place.darwin), evidence }];
};

const windowsTarget = (place: BrowserPlace, { env, root }: Machine): BrowserTarget[] => {
  if (place.win32 === null) return [];
  const { registryKey, profile, isRoaming } = place.win32;
  const userDataDir = path.win32.join((isRoaming === true ? env['APPDATA'] : env['LOCALAPPDATA']) ?? '', profile);
  return [
    {
      id: place.id,
      name: place.name,
      evidence: path.win32.isAbsolute(userDataDir) ? profileEvidence(userDataDir) : null,
      userDataDir,
      manifestFile: path.win32.join(root, manifestFileName),
      otherManifestFiles: [],
      systemManifestFile: null,
      registryKey,
    },
  ];
};

const unixTarget = (
  { id, name }: BrowserPlace,
  base: string,
  { profile, alsoReads, systemDir }: { profile: string; alsoReads?: readonly string[]; systemDir?: string },
): Omit<BrowserTarget, 'evidence'> => ({
  id,
  name,
  userDataDir: path.posix.join(base, profile),
  manifestFile: manifestFileIn(path.posix.join(base, profile)),
  otherManifestFiles: (alsoReads ?? []).map((other) => manifestFileIn(path.posix.join(base, other))),
  systemManifestFile: systemDir === undefined ? null : path.posix.join(systemDir, manifestFileName),
  registryKey: null,
});

/** The XDG specification says that relative paths are to be ignored. */
const configHome = (env: NodeJS.ProcessEnv): string => {
  const configured = env['XDG_CONFIG_HOME'];
  return configured !== undefined && path.posix.isAbsolute(configured) ? configured : path.posix.join(homeOf(env), '.config');
};

/** A profile folder proves a browser, unless a native messaging host was the only one to write into it. */
const profileEvidence = (profile: string): string | null => {
  try {
    const entries = readdirSync(profile);
    return entries.length === 0 || entries.some((entry) => entry !== 'NativeMessagingHosts') ? profile : null;
  } catch {
    return null;
  }
};

/** The first of the commands that is found in a folder of PATH. */
export const onPath = (env: NodeJS.ProcessEnv, commands: readonly string[]): string | null => {
  const folders = (env['PATH'] ?? '').split(':').filter((folder) => path.posix.isAbsolute(folder));
  return commands.flatMap((command) => folders.map((folder) => path.posix.join(folder, command))).find(isExecutable) ?? null;
};

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return lookAt(file, 'follow')?.isFile() ?? false;
  } catch {
    return false;
  }
};

const isDirectory = (folder: string): boolean => lookAt(folder, 'follow')?.isDirectory() ?? false;
