/** What `pilotfish doctor` finds out by itself: files, rights, and one live exchange with the host. */
import { accessSync, constants, readFileSync, type Stats } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { oldProgram, readTrial } from '#companion/lib/update-trial.ts';
import type { Check } from '#protocol/setup.ts';
import { EXTENSION_ID } from '#protocol/version.ts';
import { findBrowsers, findSandboxed, manifestFileIn, type BrowserTarget } from './browsers.ts';
import { isLinked, pathHint } from './command-link.ts';
import { differences, readExtension } from './extension.ts';
import { closingCommand, looseRights, lookAt, quotedForShell } from './files.ts';
import { shakeHands } from './handshake.ts';
import type { InstallContext } from './install.ts';
import { manifestProblem } from './manifest-check.ts';
import { menuEntryPath } from './menu.ts';
import { policyFolderOf, policyProblem } from './policies.ts';
import { readProfiles, type Profile } from './profiles.ts';
import { readRegistrations } from './registrations.ts';
import { registeredManifest } from './windows.ts';

const REINSTALL = 'Run `pilotfish install`.';
const REBUILD = 'Build or download pilotfish again, then run `pilotfish install`.';

/** All checks in the order in which one thing builds on another. */
export const examine = async (context: InstallContext, signal: AbortSignal): Promise<Check[]> => {
  const checks = [
    checkExecutable(context),
    ...checkBrowsers(context),
    checkExtension(context),
    ...checkProfiles(context),
    await checkSocket(context),
    checkMenuEntry(context),
    ...checkCommand(context),
    await checkHandshake(context, signal),
  ];
  // The daemon that has answered by now may have settled it.
  return [...checkUpdate(context), ...checks];
};

const checkUpdate = ({ paths, platform }: InstallContext): Check[] => {
  const trial = readTrial(paths);
  if (trial === null) return [];
  const { version, isCutOff, executable } = trial;
  const base = { id: 'update', title: 'Update' };
  if (!isCutOff) return [{ ...base, status: 'warning', detail: `An update to version ${version} goes on.`, remedy: 'Wait for its end.' }];
  const old = oldProgram(executable);
  return [
    {
      ...base,
      status: 'failed',
      detail: `The update to version ${version} was cut off before it was known to work.`,
      remedy: `Go back with \`pilotfish doctor --fix\`; where that does not start: ${platform === 'win32' ? `"${old}"` : quotedForShell(old)} doctor --fix`,
    },
  ];
};

const checkExecutable = ({ executable }: InstallContext): Check => {
  const base = { id: 'executable', title: 'Executable' };
  if (lookAt(executable, 'follow')?.isFile() !== true) {
    return {
      ...base,
      status: 'failed',
      detail: `${executable} is not there.`,
      remedy: REBUILD,
    };
  }
  try {
    accessSync(executable, constants.X_OK);
  } catch {
    return {
      ...base,
      status: 'failed',
      detail: `${executable} cannot be executed.`,
      remedy: `Run: chmod 755 ${quotedForShell(executable)}`,
    };
  }
  const loose = looseRights(executable);
  if (loose.length > 0) {
    return { ...base, status: 'warning', detail: `${loose.join('; ')}.`, remedy: closing([executable]) };
  }
  return { ...base, status: 'ok', detail: executable };
};

const checkBrowsers = (context: InstallContext): Check[] => {
  const machine = { env: context.env, platform: context.platform, root: context.paths.root };
  const targets = findBrowsers(machine);
  const checks = targets.map((target) => checkBrowser(target, context));
  for (const profile of readRegistrations(context.paths.root)) {
    if (lookAt(profile) === undefined) continue;
    checks.push(checkManifest(`browser.${profile}`, `Profile ${profile}`, manifestFileIn(profile), context.executable));
  }
  for (const name of findSandboxed(machine)) {
    checks.push({
      id: `sandbox.${name}`,
      title: name,
      status: 'warning',
      detail: 'This browser runs in a sandbox that cannot start programs of the system.',
      remedy: "Use a browser from your system's packages with Pilotfish.",
    });
  }
  if (checks.length > 0) return checks;
  return [
    {
      id: 'browsers',
      title: 'Browsers',
      status: 'failed',
      detail: 'No Chromium-family browser was found.',
      remedy: 'Install Chrome, Chromium, Edge, Brave, Vivaldi, Opera or Arc, then run `pilotfish install`.',
    },
  ];
};

const checkBrowser = (target: BrowserTarget, { executable, platform }: InstallContext): Check => {
  const { id, name, registryKey, systemManifestFile } = target;
  if (registryKey !== null && registeredManifest(registryKey) !== target.manifestFile) {
    return { id: `browser.${id}`, title: name, status: 'failed', detail: 'The registry does not name our manifest.', remedy: REINSTALL };
  }
  const check = [target.manifestFile, ...target.otherManifestFiles]
    .map((file) => checkManifest(`browser.${id}`, name, file, executable))
    .toSorted((one, other) => severity(other) - severity(one))[0];
  if (check !== undefined && check.status !== 'ok') return check;
  const ok: Check = { id: `browser.${id}`, title: name, status: 'ok', detail: target.manifestFile };
  if (systemManifestFile === null) return ok;
  const isForAll = lookAt(systemManifestFile) !== undefined;
  const policy = platform === 'linux' ? policyProblem(policyFolderOf(systemManifestFile), isForAll) : null;
  if (policy !== null) {
    const { file, says, remedy } = policy;
    return { id: `browser.${id}`, title: name, status: 'failed', detail: `A policy of your administrator, ${file}, ${says}.`, remedy };
  }
  if (!isForAll) return ok;
  const systemProblem = manifestProblem(systemManifestFile, executable);
  if (systemProblem !== null) {
    return {
      id: `browser.${id}`,
      title: name,
      status: 'warning',
      detail: `There is a second manifest for all users, ${systemManifestFile}: ${systemProblem}.`,
      remedy: `Update the package that installed it, or run: sudo rm ${quotedForShell(systemManifestFile)}`,
    };
  }
  return ok;
};

const checkManifest = (id: string, title: string, file: string, executable: string): Check => {
  const problem = manifestProblem(file, executable);
  if (problem !== null) return { id, title, status: 'failed', detail: `${file}: ${problem}.`, remedy: REINSTALL };
  const loose = looseRights(file);
  if (loose.length > 0) {
    return {
      id,
      title,
      status: 'warning',
      detail: `${loose.join('; ')}.`,
      remedy: closing([file]),
    };
  }
  return { id, title, status: 'ok', detail: file };
};

const closing = (files: readonly string[]): string => {
  const command = closingCommand(files);
  return command === null ? 'Move pilotfish and its files into folders that only you can change.' : `Run: ${command}`;
};

const severity = ({ status }: Check): number => ['skipped', 'ok', 'warning', 'failed'].indexOf(status);

const checkExtension = ({ paths, extensionFiles }: InstallContext): Check => {
  const base = { id: 'extension', title: 'Extension' };
  const { version, embeddedVersion, isCurrent } = readExtension(paths.extensionDir, extensionFiles);
  if (embeddedVersion === null) {
    return {
      ...base,
      status: 'skipped',
      detail: 'This build carries no extension.',
      remedy: 'Use the executable that `npm run build` makes.',
    };
  }
  if (version === null) return { ...base, status: 'failed', detail: `It is not unpacked at ${paths.extensionDir}.`, remedy: REINSTALL };
  const remedy = `${REINSTALL} Then reload the extension at chrome://extensions.`;
  if (version !== embeddedVersion) {
    return { ...base, status: 'failed', detail: `Version ${version} is unpacked and the executable carries ${embeddedVersion}.`, remedy };
  }
  if (!isCurrent) {
    const names = differences(paths.extensionDir, extensionFiles);
    return { ...base, status: 'failed', detail: `Files that differ: ${names.length}, ${names[0]} first.`, remedy };
  }
  const manifest = path.join(paths.extensionDir, 'manifest.json');
  const loose = looseRights(manifest);
  if (loose.length > 0) {
    return {
      ...base,
      status: 'warning',
      detail: `${loose.join('; ')}.`,
      remedy: closing([manifest]),
    };
  }
  return { ...base, status: 'ok', detail: `Version ${version}, id ${EXTENSION_ID}, at ${paths.extensionDir}` };
};

/** Each profile of each browser, as its browser has written it down. */
const checkProfiles = ({ env, platform, paths }: InstallContext): Check[] => {
  const browsers = [
    ...findBrowsers({ env, platform, root: paths.root }),
    ...readRegistrations(paths.root).map((folder) => ({ id: folder, name: folder, userDataDir: folder })),
  ];
  const found = browsers.flatMap(({ id, name, userDataDir }) => readProfiles(userDataDir).map((profile) => ({ id, name, profile })));
  const isLoadedAnywhere = found.some(({ profile }) => profile.extension !== null);
  return found.map(({ id, name, profile }) => ({
    id: `profile.${id}.${profile.folder}`,
    title: `Extension in ${name}, profile ${profile.name}`,
    ...checkProfile(profile.extension, paths.extensionDir, isLoadedAnywhere),
  }));
};

/** Nobody needs it in every profile, but in one. */
const checkProfile = (
  extension: Profile['extension'],
  extensionDir: string,
  isLoadedElsewhere: boolean,
): Pick<Check, 'status' | 'detail' | 'remedy'> => {
  const remedy = `Load it from ${extensionDir} at chrome://extensions, in this profile.`;
  if (extension === null) return { status: isLoadedElsewhere ? 'skipped' : 'warning', detail: 'It is not loaded there.', remedy };
  if (extension.isOff) return { status: 'warning', detail: 'It is switched off there.', remedy: 'Switch it on at chrome://extensions.' };
  const { path: folder } = extension;
  if (folder === null || folder === extensionDir) return { status: 'ok', detail: 'It is loaded there.' };
  const isGone = lookAt(path.join(folder, 'manifest.json')) === undefined;
  return {
    status: 'warning',
    detail: isGone
      ? `It is loaded from ${folder}, which is gone.`
      : `It is loaded from ${folder}, which \`pilotfish install\` does not renew.`,
    remedy: `Remove it at chrome://extensions, then: ${remedy}`,
  };
};

const checkSocket = async ({ paths, platform }: InstallContext): Promise<Check> => {
  const base = { id: 'socket', title: 'Private socket' };
  if (platform === 'win32') return { ...base, status: 'ok', detail: paths.socket };
  const stat = lookAt(paths.socketDir);
  if (stat === undefined) return { ...base, status: 'ok', detail: `${paths.socketDir} is made when pilotfish starts.` };
  const problem = socketProblem(stat);
  if (problem !== null) {
    const { says, command } = problem;
    return {
      ...base,
      status: 'failed',
      detail: `${paths.socketDir} ${says}.`,
      remedy: `Run: ${command} ${quotedForShell(paths.socketDir)}`,
    };
  }
  const there = lookAt(paths.socket);
  if (there !== undefined && !there.isSocket()) {
    const [file, aside] = [paths.socket, `${paths.socket}.old`].map(quotedForShell);
    return { ...base, status: 'failed', detail: `${paths.socket} is not a socket.`, remedy: `Run: mv ${file} ${aside}` };
  }
  if (there === undefined || (await answers(paths.socket))) return { ...base, status: 'ok', detail: paths.socket };
  return {
    ...base,
    status: 'warning',
    detail: `Nobody answers at ${paths.socket}: a daemon that was killed left it.`,
    remedy: 'Start `pilotfish`; the new daemon takes its place.',
  };
};

/** What is wrong with the folder of the socket, and which command on it mends that; pilotfish makes a folder that is gone anew. */
const socketProblem = (stat: Stats): { readonly says: string; readonly command: string } | null => {
  if (stat.isSymbolicLink()) return { says: 'is a symbolic link', command: 'rm' };
  if (!stat.isDirectory()) return { says: 'is not a folder', command: 'rm' };
  if (stat.uid !== process.getuid?.()) return { says: 'belongs to another user', command: 'sudo rm -r' };
  return (stat.mode & 0o077) === 0 ? null : { says: 'is open to other users', command: 'chmod 700' };
};

/** Whether anybody listens there; one who is slow to say so does. */
const answers = (socket: string): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = connect(socket);
    probe.on('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', (error) => resolve(!('code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ENOENT'))));
  });

const checkMenuEntry = ({ env, platform, executable }: InstallContext): Check => {
  const base = { id: 'menu', title: 'Menu entry' };
  const file = menuEntryPath(env, platform);
  if (lookAt(file) === undefined) return { ...base, status: 'warning', detail: `There is none at ${file}.`, remedy: REINSTALL };
  // The entry of other systems is a bundle or a binary link; only the text file can be read.
  const isStale = platform === 'linux' && !readFileSync(file, 'utf8').includes(executable.replaceAll('%', '%%'));
  if (isStale) return { ...base, status: 'warning', detail: `${file} starts another executable.`, remedy: REINSTALL };
  return { ...base, status: 'ok', detail: file };
};

const checkCommand = ({ env, platform, executable, paths }: InstallContext): Check[] => {
  // Where everything is under one folder there is no command.
  if (platform === 'win32' || paths.isPortable) return [];
  const base = { id: 'command', title: 'Command' };
  const hint = pathHint({ env, platform, executable });
  if (hint === null) return [{ ...base, status: 'ok', detail: 'pilotfish starts this executable.' }];
  const remedy = isLinked({ env, platform, executable }) ? `${sentence(hint)}.` : REINSTALL;
  return [{ ...base, status: 'warning', detail: 'The shell does not find this executable by its name.', remedy }];
};

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const checkHandshake = async ({ executable, env }: InstallContext, signal: AbortSignal): Promise<Check> => {
  const base = { id: 'handshake', title: 'Native messaging' };
  const result = await shakeHands(executable, env, signal);
  switch (result.reached) {
    case 'daemon':
      return { ...base, status: 'ok', detail: `The host answered after ${result.hostMs} ms, the daemon behind it.`, ms: result.daemonMs };
    case 'host':
      return {
        ...base,
        status: 'failed',
        detail: `The host answered after ${result.hostMs} ms, the daemon did not: ${result.reason}`,
        remedy: result.remedy ?? 'See `pilotfish logs`, then `pilotfish stop` and try again.',
      };
    case 'nothing':
      return { ...base, status: 'failed', detail: `Started as a browser does it, ${result.reason}.`, remedy: REBUILD };
  }
};
