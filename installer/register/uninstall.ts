/** Removes everything install made and a daemon left, except the user's history, settings and projects. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { UninstallReport } from '#protocol/setup.ts';
import { browserTargets, manifestFileIn } from './browsers.ts';
import { unlinkCommand } from './command-link.ts';
import { extensionDirs } from './extension.ts';
import { failureAt } from './failure.ts';
import { lookAt, removeEmptyDir, removeFile } from './files.ts';
import type { InstallContext } from './install.ts';
import { isOurManifest } from './manifest-check.ts';
import { removeMenuEntry } from './menu.ts';
import { readRegistrations, registrationsFile } from './registrations.ts';
import { removeService } from './service.ts';
import type { Steps } from './steps.ts';
import { unregisterHost } from './windows.ts';

/**
 * The steps of `pilotfish uninstall`. With `purge` the data folder goes too; the projects in the default workspace never do, nor do the
 * worktrees of sessions, in which there may be work that is nowhere else.
 */
export function* uninstalling(context: Omit<InstallContext, 'extensionFiles' | 'icon'>, purge: boolean): Steps<UninstallReport> {
  const { paths, env, platform } = context;
  const removed: string[] = [];
  const failed: UninstallReport['failed'][number][] = [];
  const attempt = (place: string, remove: () => string[]): void => {
    try {
      removed.push(...remove());
    } catch (error) {
      failed.push({ path: place, error: failureAt(place, error, 'uninstall') });
    }
  };

  for (const target of browserTargets({ env, platform, root: paths.root })) {
    const { registryKey } = target;
    if (registryKey !== null) attempt(registryKey, () => (unregisterHost(registryKey) ? [`HKCU\\${registryKey}`] : []));
    for (const file of [target.manifestFile, ...target.otherManifestFiles]) {
      attempt(file, () => removeManifest(file));
      yield `unregistered ${target.name}`;
    }
  }
  for (const profile of readRegistrations(paths.root)) {
    attempt(profile, () => removeManifest(manifestFileIn(profile)));
    yield `unregistered ${profile}`;
  }
  attempt(registrationsFile(paths.root), () => (removeFile(registrationsFile(paths.root)) ? [registrationsFile(paths.root)] : []));
  attempt('the command', () => unlinkCommand({ env, executable: context.executable }));
  yield 'unlinked the command';
  attempt('the service', () =>
    removeService({
      env,
      platform,
      executable: context.executable,
      root: paths.root,
      portableHome: paths.isPortable ? paths.root : null,
    }),
  );
  yield 'removed the service';
  attempt('menu entry', () => removeMenuEntry(env, platform));
  yield 'removed the menu entry';
  for (const place of [
    ...extensionDirs(paths.extensionDir),
    paths.runsDir,
    paths.restingDir,
    paths.logDir,
    paths.keyFile,
    paths.updateTrialFile,
  ]) {
    attempt(place, () => removeTree(place));
    yield `removed ${place}`;
  }
  if (platform !== 'win32') {
    attempt(paths.socket, () => removeTree(paths.socket));
    removeEmptyDir(paths.socketDir);
    // In the folder for what is of this login it stands in a folder of Pilotfish that other homes share.
    const above = path.dirname(paths.socketDir);
    if (path.basename(above) === 'pilotfish') removeEmptyDir(above);
  }
  yield 'removed the socket';
  if (purge) for (const place of purgeable(context)) attempt(place, () => removeTree(place));
  removeEmptyDir(paths.defaultWorkspace);
  removeEmptyDir(paths.worktreesDir);
  removeEmptyDir(paths.root);
  return {
    removed,
    kept: [paths.root, paths.defaultWorkspace, paths.worktreesDir].filter(exists),
    failed,
    isComplete: failed.length === 0,
  };
}

/** Removes a manifest only when it is for our host, whatever executable it names; its drafts go with it. */
const removeManifest = (file: string): string[] => {
  const isRemoved = isOurManifest(file) && removeFile(file);
  rmSync(`${file}.new`, { force: true });
  removeEmptyDir(path.dirname(file));
  removeEmptyDir(path.dirname(path.dirname(file)));
  return isRemoved ? [file] : [];
};

const removeTree = (place: string): string[] => {
  if (!exists(place)) return [];
  rmSync(place, { recursive: true });
  return [place];
};

/** Everything in the data folder but what holds the user's own files. */
const purgeable = ({ paths }: Pick<InstallContext, 'paths'>): string[] =>
  exists(paths.root)
    ? readdirSync(paths.root)
        .map((entry) => path.join(paths.root, entry))
        .filter((place) => place !== paths.defaultWorkspace && place !== paths.worktreesDir)
    : [];

const exists = (place: string): boolean => lookAt(place) !== undefined;
