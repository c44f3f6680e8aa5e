/** The manifests for all users of this machine, in the folders of the administrator. What else `install` does, each user does. */
import path from 'node:path';
import { found } from '#protocol/checks.ts';
import { CompanionError, type ErrorBody } from '#protocol/errors.ts';
import type { SystemInstallReport, UninstallReport } from '#protocol/setup.ts';
import { browserPlaces } from '#native-manifests/browsers.ts';
import { manifestFileName, manifestText } from '#native-manifests/manifest.ts';
import { looseRights, lookAt, quotedForShell, removeEmptyDir, removeFile, writeWhole } from './files.ts';
import { isOurManifest } from './manifest-check.ts';
import type { Steps } from './steps.ts';

/** Where browsers of this system look for what is there for all users; empty where they have no such folder. */
export const systemManifestFiles = (platform: NodeJS.Platform): string[] => {
  const folders = browserPlaces.flatMap(({ linux, darwin }) => (platform === 'darwin' ? darwin : linux)?.systemDir ?? []);
  return platform === 'win32' ? [] : [...new Set(folders)].map((folder) => path.posix.join(folder, manifestFileName));
};

/** The steps of `pilotfish install --system`. */
export function* installingForAll(executable: string, files: readonly string[]): Steps<SystemInstallReport> {
  assertPlace(files);
  const loose = looseRights(executable);
  // Every user would start what one of them can change.
  if (loose.length > 0) {
    throw new CompanionError('INSTALL_FAILED', found('loose', { places: loose }).text, {
      remedy: `Put it where only the administrator writes, and start it from there: sudo install -D ${quotedForShell(executable)} /usr/local/lib/pilotfish/pilotfish`,
    });
  }
  const manifests: SystemInstallReport['manifests'][number][] = [];
  for (const file of files) {
    try {
      manifests.push({ path: file, state: yield* writeWhole(file, manifestText(executable), 0o644) });
    } catch (error) {
      manifests.push({ path: file, state: 'failed', error: refusal(file, error, `sudo ${quotedForShell(executable)} install --system`) });
    }
  }
  return { executable, manifests, isComplete: manifests.every(({ state }) => state !== 'failed') };
}

/** The steps of `pilotfish uninstall --system`. A manifest of another program stays. */
export function* uninstallingForAll(executable: string, files: readonly string[]): Steps<UninstallReport> {
  assertPlace(files);
  const removed: string[] = [];
  const failed: UninstallReport['failed'][number][] = [];
  for (const file of files) {
    try {
      if (lookAt(file) !== undefined && isOurManifest(file) && removeFile(file)) removed.push(file);
      for (const folder of [path.dirname(file), path.dirname(path.dirname(file))]) removeEmptyDir(folder);
    } catch (error) {
      failed.push({ path: file, error: refusal(file, error, `sudo ${quotedForShell(executable)} uninstall --system`) });
    }
    yield `unregistered ${file}`;
  }
  return { removed, kept: [], failed, isComplete: failed.length === 0 };
}

const assertPlace = (files: readonly string[]): void => {
  if (files.length > 0) return;
  throw new CompanionError('CLI_USAGE', 'On Windows each user installs Pilotfish: browsers there have no folder for all users.', {
    remedy: 'Run `pilotfish install` as each user.',
  });
};

const refusal = (file: string, error: unknown, command: string): ErrorBody =>
  new CompanionError('INSTALL_FAILED', `${file}: ${error instanceof Error ? error.message : String(error)}`, {
    remedy: `Only the administrator may write there: ${command}`,
  }).toBody();
