/** The person's own git, run for our purposes: with limits, and so that nothing that a repository names is started by it. */
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { childEnvironment } from '#companion/process/environment.ts';
import { findExecutable } from '#companion/process/find.ts';
import { readLoginEnv } from '#companion/process/login-env.ts';
import { isOlder } from '#companion/process/version.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import { configEnv, GUARD_ENV, type ConfigEntry } from './guard.ts';

/** Ubuntu 22.04 has 2.34. Settings by environment variables, which the guard needs, are there since 2.31. */
const OLDEST = '2.31.0';
/** Merging without touching a folder: https://git-scm.com/docs/git-merge-tree, since 2.38. */
const MERGES_ASIDE = '2.38.0';

const LIMIT_MS = 30_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface GitCall {
  readonly cwd: string;
  /** Settings of this call beside those of the guard. */
  readonly config?: readonly ConfigEntry[];
  /** Variables of this call, `GIT_INDEX_FILE` for instance. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  /** Exit codes beside 0 that are an answer and no failure. */
  readonly codes?: readonly number[];
  readonly maxBytes?: number;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: string;
}

interface FoundGit {
  readonly path: string;
  readonly version: string;
  readonly env: Record<string, string>;
}

export interface GitOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Folders whose own programs are never started, whatever PATH says. */
  readonly projectRoots: () => readonly string[];
}

export class Git {
  readonly #options: GitOptions;
  #found: Promise<FoundGit> | null = null;

  constructor(options: GitOptions) {
    this.#options = options;
  }

  /** Throws GIT_NOT_FOUND, GIT_TOO_OLD, or what git itself says in GIT_FAILED. */
  async run(args: readonly string[], call: GitCall): Promise<GitAnswer> {
    const found = await this.#find();
    const env = { ...found.env, ...GUARD_ENV, ...configEnv(call.config ?? []), ...call.env };
    return start(found.path, args, { ...call, env });
  }

  /** Throws GIT_TOO_OLD when this git cannot merge without touching a folder. */
  async checkMerges(): Promise<void> {
    const { version } = await this.#find();
    if (isOlder(version, MERGES_ASIDE))
      throw new CompanionError('GIT_TOO_OLD', explain('merging_needs', { version, needed: MERGES_ASIDE }));
  }

  /** What was not found is looked for again: the person may have installed it meanwhile. */
  async #find(): Promise<FoundGit> {
    this.#found ??= this.#locate().catch((error: unknown) => {
      this.#found = null;
      throw error;
    });
    return this.#found;
  }

  async #locate(): Promise<FoundGit> {
    const own = Object.fromEntries(Object.entries(this.#options.env).filter((entry): entry is [string, string] => entry[1] !== undefined));
    // The login shell takes long to ask, and git lies in the same place for nearly everybody.
    const found = (await this.#look(own)) ?? (await this.#look(await this.#login()));
    if (found === null) throw new CompanionError('GIT_NOT_FOUND');
    if (isOlder(found.version, OLDEST))
      throw new CompanionError('GIT_TOO_OLD', explain('git_needed', { version: found.version, needed: OLDEST }));
    return found;
  }

  async #look(loginEnv: Record<string, string>): Promise<FoundGit | null> {
    const { env, projectRoots } = this.#options;
    const homeDir = env['HOME'] ?? homedir();
    const found = await findExecutable(
      { commands: ['git'], knownPaths: ['/usr/bin/git', 'C:/Program Files/Git/cmd/git.exe'] },
      { loginEnv, homeDir, projectRoots: projectRoots() },
    );
    if (found === null) return null;
    const childEnv = childEnvironment({ loginEnv, allow: [], extra: { LC_ALL: 'C' }, binDirs: found.binDirs });
    // On a Mac without developer tools there is a git that only says so.
    const told = await start(found.path, ['version'], { cwd: homeDir, env: { ...childEnv, ...GUARD_ENV } }).catch(() => null);
    const version = /\d+\.\d+\.\d+/.exec(told?.stdout ?? '')?.[0];
    return version === undefined ? null : { path: found.path, version, env: childEnv };
  }

  async #login(): Promise<Record<string, string>> {
    return readLoginEnv({ env: this.#options.env, signal: AbortSignal.timeout(LIMIT_MS) });
  }
}

const start = (
  path: string,
  args: readonly string[],
  call: Pick<GitCall, 'cwd' | 'input' | 'signal' | 'codes' | 'maxBytes'> & { readonly env: Record<string, string> },
): Promise<GitAnswer> => {
  const { promise, resolve, reject } = Promise.withResolvers<GitAnswer>();
  const child = execFile(
    path,
    [...args],
    {
      cwd: call.cwd,
      env: call.env,
      encoding: 'utf8',
      maxBuffer: call.maxBytes ?? MAX_OUTPUT_BYTES,
      // A caller with a limit of its own may give it longer.
      timeout: call.signal === undefined ? LIMIT_MS : 0,
      killSignal: 'SIGKILL',
      windowsHide: true,
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    },
    (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      if (typeof code === 'number' && (code === 0 || call.codes?.includes(code) === true)) resolve({ code, stdout });
      else reject(toGitError(args, stderr, error));
    },
  );
  // It may end before it has read everything; its own words say why.
  child.stdin?.on('error', () => {});
  child.stdin?.end(call.input ?? '');
  return promise;
};

const MAX_WORDS = 600;

/** Whether the time was up: git itself says nothing then. */
const wasEnded = (cause: unknown): boolean => cause instanceof Error && 'killed' in cause && cause.killed === true;

/** What git says, as an error with a remedy where one is known. */
export const toGitError = (args: readonly string[], stderr: string, cause: unknown): CompanionError => {
  const said = stderr.replaceAll(/^(?:fatal|error|hint|warning): /gm, '').trim();
  const words =
    said === '' ? (wasEnded(cause) ? `it took longer than ${LIMIT_MS / 1000} s.` : cause instanceof Error ? cause.message : '') : said;
  const detail = `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}: ${words.slice(0, MAX_WORDS)}`;
  if (/not a git repository|must be run in a work tree/.test(said))
    return new CompanionError('GIT_NO_REPOSITORY', said.slice(0, MAX_WORDS), { cause });
  if (/dubious ownership/.test(said)) {
    const remedy = explain('take_over_or_trust');
    return new CompanionError('GIT_FAILED', detail, { cause, remedy });
  }
  if (/Read-only file system|Permission denied|insufficient permission|unable to create directory for/i.test(said)) {
    const remedy = explain('check_repository_rights');
    return new CompanionError('GIT_FAILED', detail, { cause, remedy });
  }
  if (/\.lock': File exists/.test(said)) {
    const remedy = explain('wait_for_git');
    return new CompanionError('GIT_FAILED', detail, { cause, remedy });
  }
  return new CompanionError('GIT_FAILED', detail, { cause });
};
