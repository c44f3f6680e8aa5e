/** Registers the executable with every browser found, unpacks the extension and adds a menu entry. Running it again repairs. */
import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { found } from '#protocol/checks.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { Said } from '#protocol/said.ts';
import type { InstallReport, StepState } from '#protocol/setup.ts';
import { manifestText } from '#native-manifests/manifest.ts';
import { findBrowsers, findSandboxed, manifestFileIn, type BrowserTarget, type Machine } from './browsers.ts';
import { commandLink, linkCommand, pathHint } from './command-link.ts';
import { readExtension, unpackExtension, type ExtensionFiles } from './extension.ts';
import { failureAt } from './failure.ts';
import { looseRights, lookAt, writeWhole } from './files.ts';
import { menuEntryPath, writeMenuEntry } from './menu.ts';
import { readRegistrations, rememberRegistration } from './registrations.ts';
import type { Steps } from './steps.ts';
import { registerHost } from './windows.ts';

/** The folders that are needed for registering; a part of `Paths`. */
export interface InstallPaths {
  readonly root: string;
  readonly extensionDir: string;
  readonly socket: string;
  readonly socketDir: string;
  readonly keyFile: string;
  readonly logDir: string;
  readonly runsDir: string;
  readonly restingDir: string;
  readonly updateTrialFile: string;
  readonly defaultWorkspace: string;
  readonly worktreesDir: string;
  readonly isPortable: boolean;
}

export interface InstallContext {
  /** Absolute path of the executable that browsers shall start. */
  readonly executable: string;
  readonly extensionFiles: ExtensionFiles;
  readonly icon: Buffer | null;
  /** The public key with which packages to update from are checked, in PEM. */
  readonly releaseKey: string;
  readonly paths: InstallPaths;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** The steps of `pilotfish install`. A failure is in the report, and the other steps are still done. */
export function* installing(context: InstallContext, userDataDir?: string): Steps<InstallReport> {
  const { executable, extensionFiles, icon, paths, env, platform } = context;
  assertExecutable(executable);
  const machine = { env, platform, root: paths.root };

  const unpacked = yield* attempt(paths.extensionDir, unpackExtension(paths.extensionDir, extensionFiles));
  const browsers: InstallReport['browsers'][number][] = [];
  for (const target of findBrowsers(machine)) {
    const outcome = yield* attempt(target.manifestFile, register(target, executable));
    browsers.push({ id: target.id, name: target.name, manifestFile: target.manifestFile, ...outcome });
  }
  for (const profile of profilesOf(paths.root, userDataDir)) {
    const manifestFile = manifestFileIn(profile);
    const outcome = yield* attempt(manifestFile, registerProfile(paths.root, profile, executable));
    browsers.push({ id: 'custom', name: `Profile ${profile}`, manifestFile, ...outcome });
  }
  const menuPath = menuEntryPath(env, platform);
  const menu = yield* attempt(
    menuPath,
    writeMenuEntry({ env, platform, executable, portableHome: paths.isPortable ? paths.root : null, icon }),
  );

  // Where everything is under one folder, the command would not lead there.
  const hasCommand = platform !== 'win32' && !paths.isPortable;
  const linkPath = commandLink(env);
  const command = hasCommand ? { path: linkPath, ...(yield* attempt(linkPath, linkCommand({ env, platform, executable }))) } : null;

  return {
    executable,
    command,
    extension: { path: paths.extensionDir, version: readExtension(paths.extensionDir, extensionFiles).version, ...unpacked },
    browsers,
    menuEntry: { path: menuPath, ...menu },
    warnings: [
      ...findWarnings(context, machine, browsers),
      ...(command?.state === 'failed' ? [] : hasCommand ? findCommandWarnings(context) : []),
    ],
    isComplete: [unpacked, menu, ...(command === null ? [] : [command]), ...browsers].every(({ state }) => state !== 'failed'),
  };
}

/** The profile that is named now, and those named earlier that are still there. */
const profilesOf = (root: string, named: string | undefined): string[] => [
  ...new Set([
    ...readRegistrations(root).filter((profile) => lookAt(profile) !== undefined),
    ...(named === undefined ? [] : [path.resolve(named)]),
  ]),
];

function* register(target: BrowserTarget, executable: string): Steps<'written' | 'unchanged'> {
  const states: StepState[] = [];
  for (const file of [target.manifestFile, ...target.otherManifestFiles])
    states.push(yield* writeWhole(file, manifestText(executable), 0o644));
  if (target.registryKey !== null) {
    states.push(registerHost(target.registryKey, target.manifestFile));
    yield `registered ${target.name}`;
  }
  return states.includes('written') ? 'written' : 'unchanged';
}

function* registerProfile(root: string, profile: string, executable: string): Steps<'written' | 'unchanged'> {
  yield* rememberRegistration(root, profile);
  return yield* writeWhole(manifestFileIn(profile), manifestText(executable), 0o644);
}

function* attempt(place: string, steps: Steps<'written' | 'unchanged'>): Steps<{ state: StepState; error?: ErrorBody }> {
  try {
    return { state: yield* steps };
  } catch (error) {
    return { state: 'failed', error: failureAt(place, error, 'install') };
  }
}

const assertExecutable = (executable: string): void => {
  if (!path.isAbsolute(executable)) throw new CompanionError('INSTALL_FAILED', found('not_absolute_path', { file: executable }));
  try {
    accessSync(executable, constants.X_OK);
  } catch (cause) {
    throw new CompanionError('INSTALL_FAILED', found('not_executable', { file: executable }), { cause });
  }
  if (!statSync(executable).isFile()) throw new CompanionError('INSTALL_FAILED', found('not_a_file', { file: executable }));
};

const findCommandWarnings = ({ env, platform, executable }: InstallContext): Said[] => {
  const hint = pathHint({ env, platform, executable });
  return hint === null ? [] : [hint];
};

const findWarnings = ({ executable, paths }: InstallContext, machine: Machine, browsers: InstallReport['browsers']): Said[] => {
  const loose = [executable, ...browsers.map(({ manifestFile }) => manifestFile)].flatMap(looseRights);
  return [
    // Several files lie in one folder.
    ...new Map(loose.map((place) => [place.text, found('loose', { places: place })])).values(),
    ...findSandboxed(machine).map((browser) => found('sandboxed_browser', { browser })),
    ...(paths.isPortable ? [found('portable_home', { folder: paths.root })] : []),
    ...(browsers.length === 0 ? [found('no_browser_install')] : []),
  ];
};
