/** What `pilotfish doctor` finds out by itself: files, rights, and one live exchange with the host. */
import { accessSync, constants, readFileSync, type Stats } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { oldProgram, readTrial } from '#companion/lib/update-trial.ts';
import { found } from '#protocol/checks.ts';
import { asItCame, type Said } from '#protocol/said.ts';
import type { Finding } from '#protocol/setup.ts';
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

const REINSTALL = found('reinstall');
const REBUILD = found('rebuild');

/** All checks in the order in which one thing builds on another. */
export const examine = async (context: InstallContext, signal: AbortSignal): Promise<Finding[]> => {
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

const checkUpdate = ({ paths, platform }: InstallContext): Finding[] => {
  const trial = readTrial(paths);
  if (trial === null) return [];
  const { version, isCutOff, executable } = trial;
  const base = { id: 'update', title: found('update') };
  if (!isCutOff) return [{ ...base, status: 'warning', detail: found('update_goes_on', { version }), remedy: found('wait_for_end') }];
  const old = oldProgram(executable);
  return [
    {
      ...base,
      status: 'failed',
      detail: found('update_cut_off', { version }),
      remedy: found('go_back', { command: `${platform === 'win32' ? `"${old}"` : quotedForShell(old)} doctor --fix` }),
    },
  ];
};

const checkExecutable = ({ executable }: InstallContext): Finding => {
  const base = { id: 'executable', title: found('executable') };
  if (lookAt(executable, 'follow')?.isFile() !== true) {
    return {
      ...base,
      status: 'failed',
      detail: found('not_there', { file: executable }),
      remedy: REBUILD,
    };
  }
  try {
    accessSync(executable, constants.X_OK);
  } catch {
    return {
      ...base,
      status: 'failed',
      detail: found('not_executable', { file: executable }),
      remedy: found('run_command', { command: `chmod 755 ${quotedForShell(executable)}` }),
    };
  }
  const loose = looseRights(executable);
  if (loose.length > 0) {
    return { ...base, status: 'warning', detail: found('loose', { places: loose }), remedy: closing([executable]) };
  }
  return { ...base, status: 'ok', detail: asItCame(executable) };
};

const checkBrowsers = (context: InstallContext): Finding[] => {
  const machine = { env: context.env, platform: context.platform, root: context.paths.root };
  const targets = findBrowsers(machine);
  const checks = targets.map((target) => checkBrowser(target, context));
  for (const profile of readRegistrations(context.paths.root)) {
    if (lookAt(profile) === undefined) continue;
    checks.push(checkManifest(`browser.${profile}`, found('profile', { folder: profile }), manifestFileIn(profile), context.executable));
  }
  for (const name of findSandboxed(machine)) {
    checks.push({
      id: `sandbox.${name}`,
      title: asItCame(name),
      status: 'warning',
      detail: found('sandboxed'),
      remedy: found('use_packaged'),
    });
  }
  if (checks.length > 0) return checks;
  return [
    {
      id: 'browsers',
      title: found('browsers'),
      status: 'failed',
      detail: found('no_browser_found'),
      remedy: found('install_browser'),
    },
  ];
};

const checkBrowser = (target: BrowserTarget, { executable, platform }: InstallContext): Finding => {
  const { registryKey, systemManifestFile } = target;
  const [id, title] = [`browser.${target.id}`, asItCame(target.name)];
  if (registryKey !== null && registeredManifest(registryKey) !== target.manifestFile) {
    return { id, title, status: 'failed', detail: found('not_in_registry'), remedy: REINSTALL };
  }
  const check = [target.manifestFile, ...target.otherManifestFiles]
    .map((file) => checkManifest(id, title, file, executable))
    .toSorted((one, other) => severity(other) - severity(one))[0];
  if (check !== undefined && check.status !== 'ok') return check;
  const ok: Finding = { id, title, status: 'ok', detail: asItCame(target.manifestFile) };
  if (systemManifestFile === null) return ok;
  const isForAll = lookAt(systemManifestFile) !== undefined;
  const policy = platform === 'linux' ? policyProblem(policyFolderOf(systemManifestFile), isForAll) : null;
  if (policy !== null) return { id, title, status: 'failed', ...policy };
  if (!isForAll) return ok;
  const systemProblem = manifestProblem(systemManifestFile, executable);
  if (systemProblem !== null) {
    return {
      id,
      title,
      status: 'warning',
      detail: found('second_manifest', { file: systemManifestFile, problem: systemProblem }),
      remedy: found('update_package', { command: `sudo rm ${quotedForShell(systemManifestFile)}` }),
    };
  }
  return ok;
};

const checkManifest = (id: string, title: Said, file: string, executable: string): Finding => {
  const problem = manifestProblem(file, executable);
  if (problem !== null) return { id, title, status: 'failed', detail: found('manifest_problem', { file, problem }), remedy: REINSTALL };
  const loose = looseRights(file);
  if (loose.length > 0) {
    return {
      id,
      title,
      status: 'warning',
      detail: found('loose', { places: loose }),
      remedy: closing([file]),
    };
  }
  return { id, title, status: 'ok', detail: asItCame(file) };
};

const closing = (files: readonly string[]): Said => {
  const command = closingCommand(files);
  return command === null ? found('move_to_own') : found('run_command', { command });
};

const severity = ({ status }: Finding): number => ['skipped', 'ok', 'warning', 'failed'].indexOf(status);

const checkExtension = ({ paths, extensionFiles }: InstallContext): Finding => {
  const base = { id: 'extension', title: found('extension') };
  const { version, embeddedVersion, isCurrent } = readExtension(paths.extensionDir, extensionFiles);
  if (embeddedVersion === null) {
    return {
      ...base,
      status: 'skipped',
      detail: found('no_extension'),
      remedy: found('use_built'),
    };
  }
  if (version === null)
    return { ...base, status: 'failed', detail: found('not_unpacked', { folder: paths.extensionDir }), remedy: REINSTALL };
  const remedy = found('reinstall_and_reload');
  if (version !== embeddedVersion) {
    return { ...base, status: 'failed', detail: found('other_version', { version, other: embeddedVersion }), remedy };
  }
  if (!isCurrent) {
    const names = differences(paths.extensionDir, extensionFiles);
    return { ...base, status: 'failed', detail: found('files_differ', { count: names.length, name: names[0] ?? '' }), remedy };
  }
  const manifest = path.join(paths.extensionDir, 'manifest.json');
  const loose = looseRights(manifest);
  if (loose.length > 0) {
    return {
      ...base,
      status: 'warning',
      detail: found('loose', { places: loose }),
      remedy: closing([manifest]),
    };
  }
  return { ...base, status: 'ok', detail: found('unpacked', { version, id: EXTENSION_ID, folder: paths.extensionDir }) };
};

/** Each profile of each browser, as its browser has written it down. */
const checkProfiles = ({ env, platform, paths }: InstallContext): Finding[] => {
  const browsers = [
    ...findBrowsers({ env, platform, root: paths.root }),
    ...readRegistrations(paths.root).map((folder) => ({ id: folder, name: folder, userDataDir: folder })),
  ];
  const profiles = browsers.flatMap(({ id, name, userDataDir }) => readProfiles(userDataDir).map((profile) => ({ id, name, profile })));
  const isLoadedAnywhere = profiles.some(({ profile }) => profile.extension !== null);
  return profiles.map(({ id, name, profile }) => ({
    id: `profile.${id}.${profile.folder}`,
    title: found('extension_in', { browser: name, name: profile.name }),
    ...checkProfile(profile.extension, paths.extensionDir, isLoadedAnywhere),
  }));
};

/** Nobody needs it in every profile, but in one. */
const checkProfile = (
  extension: Profile['extension'],
  extensionDir: string,
  isLoadedElsewhere: boolean,
): Pick<Finding, 'status' | 'detail' | 'remedy'> => {
  const remedy = found('load_from', { folder: extensionDir });
  if (extension === null) return { status: isLoadedElsewhere ? 'skipped' : 'warning', detail: found('not_loaded'), remedy };
  if (extension.isOff) return { status: 'warning', detail: found('switched_off'), remedy: found('switch_on') };
  const { path: folder } = extension;
  if (folder === null || folder === extensionDir) return { status: 'ok', detail: found('loaded') };
  const isGone = lookAt(path.join(folder, 'manifest.json')) === undefined;
  return {
    status: 'warning',
    detail: found(isGone ? 'loaded_from_gone' : 'loaded_from_other', { folder }),
    remedy: found('remove_then', { remedy }),
  };
};

const checkSocket = async ({ paths, platform }: InstallContext): Promise<Finding> => {
  const base = { id: 'socket', title: found('private_socket') };
  if (platform === 'win32') return { ...base, status: 'ok', detail: asItCame(paths.socket) };
  const stat = lookAt(paths.socketDir);
  if (stat === undefined) return { ...base, status: 'ok', detail: found('made_at_start', { folder: paths.socketDir }) };
  const problem = socketProblem(stat);
  if (problem !== null) {
    const { says, command } = problem;
    return {
      ...base,
      status: 'failed',
      detail: found(says, { folder: paths.socketDir }),
      remedy: found('run_command', { command: `${command} ${quotedForShell(paths.socketDir)}` }),
    };
  }
  const there = lookAt(paths.socket);
  if (there !== undefined && !there.isSocket()) {
    const [file, aside] = [paths.socket, `${paths.socket}.old`].map(quotedForShell);
    return {
      ...base,
      status: 'failed',
      detail: found('not_a_socket', { socket: paths.socket }),
      remedy: found('run_command', { command: `mv ${file} ${aside}` }),
    };
  }
  if (there === undefined || (await answers(paths.socket))) return { ...base, status: 'ok', detail: asItCame(paths.socket) };
  return {
    ...base,
    status: 'warning',
    detail: found('socket_left', { socket: paths.socket }),
    remedy: found('start_new'),
  };
};

/** What is wrong with the folder of the socket, and which command on it mends that; pilotfish makes a folder that is gone anew. */
const socketProblem = (
  stat: Stats,
): { readonly says: 'folder_is_link' | 'folder_is_file' | 'folder_of_other' | 'folder_is_open'; readonly command: string } | null => {
  if (stat.isSymbolicLink()) return { says: 'folder_is_link', command: 'rm' };
  if (!stat.isDirectory()) return { says: 'folder_is_file', command: 'rm' };
  if (stat.uid !== process.getuid?.()) return { says: 'folder_of_other', command: 'sudo rm -r' };
  return (stat.mode & 0o077) === 0 ? null : { says: 'folder_is_open', command: 'chmod 700' };
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

const checkMenuEntry = ({ env, platform, executable }: InstallContext): Finding => {
  const base = { id: 'menu', title: found('menu_entry') };
  const file = menuEntryPath(env, platform);
  if (lookAt(file) === undefined) return { ...base, status: 'warning', detail: found('none_at', { file }), remedy: REINSTALL };
  // The entry of other systems is a bundle or a binary link; only the text file can be read.
  const isStale = platform === 'linux' && !readFileSync(file, 'utf8').includes(executable.replaceAll('%', '%%'));
  if (isStale) return { ...base, status: 'warning', detail: found('starts_other', { file }), remedy: REINSTALL };
  return { ...base, status: 'ok', detail: asItCame(file) };
};

const checkCommand = ({ env, platform, executable, paths }: InstallContext): Finding[] => {
  // Where everything is under one folder there is no command.
  if (platform === 'win32' || paths.isPortable) return [];
  const base = { id: 'command', title: found('command') };
  const hint = pathHint({ env, platform, executable });
  if (hint === null) return [{ ...base, status: 'ok', detail: found('command_works') }];
  const remedy = isLinked({ env, platform, executable }) ? hint : REINSTALL;
  return [{ ...base, status: 'warning', detail: found('command_unknown'), remedy }];
};

const checkHandshake = async ({ executable, env }: InstallContext, signal: AbortSignal): Promise<Finding> => {
  const base = { id: 'handshake', title: found('native_messaging') };
  const result = await shakeHands(executable, env, signal);
  switch (result.reached) {
    case 'daemon':
      return { ...base, status: 'ok', detail: found('all_answered', { ms: result.hostMs }), ms: result.daemonMs };
    case 'host':
      return {
        ...base,
        status: 'failed',
        detail: found('daemon_silent', { ms: result.hostMs, reason: result.reason }),
        remedy: result.remedy ?? found('stop_and_try'),
      };
    case 'nothing':
      return { ...base, status: 'failed', detail: found('host_silent', { reason: result.reason }), remedy: REBUILD };
  }
};
