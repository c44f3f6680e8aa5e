/** Where all files of this user are. It imports builtins only, because the native messaging host loads it first. */
import { createHash } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, readlinkSync, statSync, type Stats } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { explainLink } from '#protocol/link-faults.ts';
import type { Said } from '#protocol/said.ts';
import { makeDir } from './make-dir.ts';

export interface Paths {
  /** The folder that contains all the others, except a socket whose path would be too long here. */
  readonly root: string;
  readonly dbFile: string;
  /** What the terminal UI keeps between two starts. */
  readonly tuiFile: string;
  /** Keys of the terminal UI that the person has chosen, and a folder of themes of their own. */
  readonly keysFile: string;
  readonly themesDir: string;
  /** The index for search; it is made again when it is lost. */
  readonly searchFile: string;
  readonly settingsFile: string;
  /** The file for secrets when the system has no keychain. */
  readonly vaultFile: string;
  readonly attachmentsDir: string;
  /** Contains one folder for each session, for what its calls have downloaded in a browser elsewhere. */
  readonly downloadsDir: string;
  /** Contains one folder for each live run, for the files that an agent is started with. */
  readonly runsDir: string;
  /** Names the hosts that wait while the daemon rests. */
  readonly restingDir: string;
  /** Contains one working folder for each session that has a worktree. */
  readonly worktreesDir: string;
  /** Unix socket, or the name of a pipe on Windows. */
  readonly socket: string;
  readonly socketDir: string;
  /** The key with which host and daemon prove themselves to each other. */
  readonly keyFile: string;
  /** The key by which paired browsers know this daemon. */
  readonly remoteKeyFile: string;
  /** Names an update whose program is not known to work yet. */
  readonly updateTrialFile: string;
  readonly logDir: string;
  readonly daemonLog: string;
  /** Where the extension is unpacked to, for "Load unpacked". */
  readonly extensionDir: string;
  /** The folder of sessions without a project. */
  readonly defaultWorkspace: string;
  /** Set when PILOTFISH_HOME names the folder for everything. */
  readonly isPortable: boolean;
}

/** How many folders of other users are skipped before an error names one of them. */
const MAX_TAKEN_FOLDERS = 100;

/** sun_path holds 104 bytes on macOS and 108 on Linux, the closing NUL included. */
const MAX_SOCKET_BYTES = 100;

/** The folders and files of the user to whom this environment belongs; every role must get the same answer. */
export const createPaths = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform = process.platform): Paths => {
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir();
  const portable = env['PILOTFISH_HOME'];
  const isPortable = portable !== undefined && portable !== '';
  const root = isPortable ? path.resolve(portable) : userRoot(env, platform, home);
  const socket = socketPath(env, platform, root, isPortable);
  return {
    root,
    dbFile: path.join(root, 'pilotfish.db'),
    searchFile: path.join(root, 'search.db'),
    tuiFile: path.join(root, 'tui.json'),
    keysFile: path.join(root, 'keys.json'),
    themesDir: path.join(root, 'themes'),
    settingsFile: path.join(root, 'settings.json'),
    vaultFile: path.join(root, 'vault.json'),
    attachmentsDir: path.join(root, 'attachments'),
    downloadsDir: path.join(root, 'downloads'),
    runsDir: path.join(root, 'runs'),
    restingDir: path.join(root, 'resting'),
    worktreesDir: path.join(root, 'worktrees'),
    socket,
    socketDir: platform === 'win32' ? root : path.dirname(socket),
    keyFile: path.join(root, 'link.key'),
    remoteKeyFile: path.join(root, 'remote.key'),
    updateTrialFile: path.join(root, 'update-trial.json'),
    logDir: path.join(root, 'logs'),
    daemonLog: path.join(root, 'logs', 'daemon.log'),
    // File choosers hide folders such as ~/.local and ~/Library.
    extensionDir: isPortable ? path.join(root, 'extension') : path.join(home, 'Pilotfish-Extension'),
    defaultWorkspace: isPortable ? path.join(root, 'workspace') : path.join(home, 'Pilotfish'),
    isPortable,
  };
};

/** A folder that must be private is not: it is a link, it belongs to somebody else, or it is not a folder. */
export class ForeignDirectoryError extends Error {
  readonly what: Said;
  readonly remedy: Said;

  constructor(what: Said, remedy: Said) {
    super(what.text);
    this.name = 'ForeignDirectoryError';
    this.what = what;
    this.remedy = remedy;
  }
}

/** What to do about a place that is not this user's own. */
export const moveAway = (folder: string): Said => explainLink('move_folder_away', { folder });

/** Makes `directory` with mode 0700, or proves that the one there is a real folder, belongs to this user, and is closed to others. */
export const ensurePrivateDir = (directory: string): void => {
  makeDir(path.dirname(directory));
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  const found = lstatSync(directory);
  if (found.isSymbolicLink()) {
    const target = readlinkSync(directory);
    throw new ForeignDirectoryError(
      explainLink('place_is_link', { place: directory, target }),
      explainLink('put_real_folder', { folder: path.resolve(path.dirname(directory), target) }),
    );
  }
  if (!found.isDirectory()) throw new ForeignDirectoryError(explainLink('place_not_folder', { place: directory }), moveAway(directory));
  // Windows has no owner and mode here; the user's own profile folder keeps others out.
  if (process.getuid === undefined) return;
  if (found.uid !== process.getuid())
    throw new ForeignDirectoryError(explainLink('place_of_other', { place: directory }), moveAway(directory));
  if ((found.mode & 0o077) !== 0) chmodSync(directory, 0o700);
};

const userRoot = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform, home: string): string => {
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Pilotfish');
  if (platform === 'win32') return path.join(absolute(env['LOCALAPPDATA']) ?? path.join(home, 'AppData', 'Local'), 'Pilotfish');
  return path.join(absolute(env['XDG_DATA_HOME']) ?? path.join(home, '.local', 'share'), 'pilotfish');
};

const socketPath = (env: NodeJS.ProcessEnv, platform: NodeJS.Platform, root: string, isPortable: boolean): string => {
  if (platform === 'win32') return `\\\\.\\pipe\\pilotfish-${hash(`${userInfo().username}\0${root}`)}`;
  const runtime = [absolute(env['XDG_RUNTIME_DIR']), `/run/user/${process.getuid?.() ?? 0}`].find(
    (folder) => folder !== undefined && isOwn(statSync(folder, { throwIfNoEntry: false })),
  );
  // One folder for each root, so that two homes of one user never meet at one daemon.
  const shared = isPortable || platform === 'darwin' || runtime === undefined ? null : path.join(runtime, 'pilotfish', hash(root));
  const folder = [shared, path.join(root, 'run')].find((place) => place !== null && Buffer.byteLength(inFolder(place)) <= MAX_SOCKET_BYTES);
  return inFolder(folder ?? temporaryFolder(root));
};

const inFolder = (folder: string): string => path.join(folder, 'pilotfish.sock');

/** Other users may make a folder of any name in the same place, so the first name that none of them has taken is used. */
const temporaryFolder = (root: string): string => {
  const name = path.join(temporary(), `pilotfish-${process.getuid?.() ?? 0}-${hash(root)}`);
  const names = [name, ...Array.from({ length: MAX_TAKEN_FOLDERS }, (_, index) => `${name}-${index + 1}`)];
  const isFree = (found: Stats | undefined): boolean => found === undefined || isOwn(found);
  return names.find((each) => isFree(lstatSync(each, { throwIfNoEntry: false }))) ?? name;
};

/** $TMPDIR is not used: Chrome and a terminal may have different ones, and both must find the same socket. */
const temporary = (): string => (process.platform === 'win32' ? tmpdir() : '/tmp');

/** The XDG specification says that relative paths are to be ignored. */
const absolute = (value: string | undefined): string | undefined => (value !== undefined && path.isAbsolute(value) ? value : undefined);

/** Whether it is a real folder that belongs to this user. */
const isOwn = (found: Stats | undefined): boolean =>
  found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());

const hash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);
