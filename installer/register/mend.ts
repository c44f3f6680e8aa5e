/** What `pilotfish doctor --fix` mends: only what Pilotfish itself has put there. */
import { accessSync, chmodSync, constants, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { findBrowsers, manifestFileIn } from './browsers.ts';
import { lookAt } from './files.ts';
import { installing, type InstallContext } from './install.ts';
import { readRegistrations } from './registrations.ts';
import { finish } from './steps.ts';

/** What was done, a sentence each. A part that cannot be mended is left to the check that names it. */
export const mend = (context: InstallContext): string[] => {
  const { executable, paths, env, platform } = context;
  const done: string[] = [];
  const attempt = (work: () => void, sentence: string): void => {
    try {
      work();
      done.push(sentence);
    } catch {
      // The check that found it says what a person can do.
    }
  };

  if (platform !== 'win32') {
    if (lookAt(executable)?.isFile() === true && !canExecute(executable)) {
      attempt(() => chmodSync(executable, 0o755), `${executable} may be executed again.`);
    }
    const { socket, socketDir } = paths;
    const folder = lookAt(socketDir);
    if (folder !== undefined && !folder.isDirectory()) attempt(() => rmSync(socketDir), `${socketDir} was no folder and is gone.`);
    else if (folder !== undefined && (folder.mode & 0o077) !== 0) {
      attempt(() => chmodSync(socketDir, 0o700), `${socketDir} is for you alone again.`);
    }
    if (lookAt(socket)?.isSocket() === false)
      attempt(() => renameSync(socket, `${socket}.old`), `${socket} was no socket and is ${socket}.old.`);
  }
  attempt(() => {
    const report = finish(installing(context));
    const changed = [report.extension, ...report.browsers, report.menuEntry, report.command].filter((part) => part?.state === 'written');
    if (changed.length === 0) throw new Error('nothing was to be done');
  }, 'What `pilotfish install` writes is there again.');
  if (platform === 'win32') return done;
  const machine = { env, platform, root: paths.root };
  const manifests = [
    ...findBrowsers(machine).flatMap(({ manifestFile, otherManifestFiles }) => [manifestFile, ...otherManifestFiles]),
    ...readRegistrations(paths.root).map(manifestFileIn),
  ];
  for (const place of [...manifests, ...treeOf(paths.extensionDir)]) {
    const stat = lookAt(place);
    if (stat === undefined || stat.isSymbolicLink() || (stat.mode & 0o022) === 0) continue;
    attempt(() => chmodSync(place, stat.mode & 0o7755), `Others may not change ${place} any more.`);
  }
  return done;
};

const canExecute = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const treeOf = (folder: string): string[] =>
  lookAt(folder)?.isDirectory() === true
    ? [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name))]
    : [];
