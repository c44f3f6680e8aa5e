/** Which variables of the user's environment a child process gets. It is an allow-list, so that no new variable gets through unnoticed. */
import { isWithin, pathFolders, withPath } from './candidates.ts';

/**
 * Variables about places, locale, network and toolchains. A trailing `*` matches any rest. There are no keys, no base URLs, and
 * nothing that loads code.
 */
const COMMON = [
  'HOME USER LOGNAME SHELL LANG LANGUAGE LC_* TZ TMPDIR TEMP TMP',
  'XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR XDG_SESSION_TYPE',
  'DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK GNUPGHOME',
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy',
  'SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS',
  'NVM_DIR FNM_DIR VOLTA_HOME ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR BUN_INSTALL PNPM_HOME DENO_DIR',
  'HOMEBREW_PREFIX HOMEBREW_CELLAR HOMEBREW_REPOSITORY PYENV_ROOT RBENV_ROOT SDKMAN_DIR JAVA_HOME',
  'GOPATH GOROOT CARGO_HOME RUSTUP_HOME ANDROID_HOME VIRTUAL_ENV WSL_DISTRO_NAME WSL_INTEROP',
].flatMap((line) => line.split(' '));

/** What Windows programs need in order to start. Their names are compared without case. */
const WINDOWS = [
  'SystemRoot SystemDrive windir ComSpec PATHEXT USERPROFILE USERNAME USERDOMAIN HOMEDRIVE HOMEPATH',
  'APPDATA LOCALAPPDATA ProgramData ProgramFiles ProgramFiles(x86) ProgramW6432 CommonProgramFiles',
  'NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS COMPUTERNAME',
].flatMap((line) => line.split(' '));

/**
 * The environment of an engine's process. `allow` are further names it may take from the login environment; `extra`
 * is set as it is (our launch values and the user's settings); `binDirs` come first on its PATH.
 */
export const childEnvironment = (options: {
  readonly loginEnv: Readonly<Record<string, string | undefined>>;
  readonly allow: readonly string[];
  readonly extra: Readonly<Record<string, string>>;
  readonly binDirs: readonly string[];
  readonly platform?: NodeJS.Platform;
}): Record<string, string> => {
  const { platform = process.platform } = options;
  const isWindows = platform === 'win32';
  const fold = (name: string): string => (isWindows ? name.toUpperCase() : name);
  const names = [...COMMON, ...(isWindows ? WINDOWS : []), ...options.allow].map(fold);
  const exact = new Set(names);
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1));

  const isAllowed = (name: string): boolean => {
    const key = fold(name);
    return exact.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
  };
  const env = Object.entries(options.loginEnv).flatMap(([name, value]) =>
    value !== undefined && isAllowed(name) ? [[name, value] as const] : [],
  );
  return {
    ...Object.fromEntries(env),
    ...withPath({}, [...options.binDirs, ...pathFolders(options.loginEnv, platform)], platform),
    ...options.extra,
  };
};

/**
 * The same environment with the folders of projects at the end of PATH, so that a program in one never comes before the user's
 * own program of that name.
 */
export const withProjectsLast = (
  env: Readonly<Record<string, string>>,
  projectRoots: readonly string[],
  platform: NodeJS.Platform = process.platform,
): Record<string, string> => {
  const folders = pathFolders(env, platform);
  const isOfProject = (folder: string): boolean => projectRoots.some((root) => isWithin(root, folder, platform));
  const own = folders.filter((folder) => !isOfProject(folder));
  if (own.length === folders.length) return { ...env };
  return withPath(env, [...own, ...folders.filter(isOfProject)], platform);
};
