/** A folder that lies in a git repository: where that is, what is checked out, and git run there with what the repository names switched off. */
import { lstatSync, type Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { isInside } from '#companion/lib/inside.ts';
import { CompanionError } from '#protocol/errors.ts';
import { explain } from '#protocol/faults.ts';
import type { Git, GitAnswer, GitCall } from './git.ts';
import { type ConfigEntry, PROGRAM_KEYS, switchedOff } from './guard.ts';

type Call = Omit<GitCall, 'cwd' | 'config'> & { readonly cwd?: string };

export class Repository {
  /** The folder that was asked for, a real path. */
  readonly folder: string;
  /** The top of what is checked out. */
  readonly top: string;
  /** The file in which git keeps what the person has staged. */
  readonly index: string;
  /** The folder below the top, with `/` at its end; empty for the top itself. */
  readonly prefix: string;
  /** Whether the repository names filters of its own, which are switched off here: what they would change stays as it is. */
  readonly hasOwnFilters: boolean;
  readonly #git: Git;
  readonly #config: readonly ConfigEntry[];

  private constructor(git: Git, { folder, top, index }: Pick<Repository, 'folder' | 'top' | 'index'>, config: readonly ConfigEntry[]) {
    this.#git = git;
    this.folder = folder;
    this.top = top;
    this.index = index;
    this.#config = config;
    const below = path.relative(top, folder);
    this.prefix = below === '' ? '' : `${below.split(path.sep).join('/')}/`;
    this.hasOwnFilters = config.some(([key]) => key.startsWith('filter.'));
  }

  /** Throws GIT_NO_REPOSITORY, also for one without a working folder. `given` is a real path. */
  static async open(git: Git, folder: string, signal?: AbortSignal): Promise<Repository> {
    if (!mayBeRepository(folder)) throw new CompanionError('GIT_NO_REPOSITORY', folder);
    const ask = (...args: string[]): Promise<GitAnswer> => git.run(args, { cwd: folder, signal, codes: [1, 128] });
    const [place, programs] = await Promise.all([
      ask('rev-parse', '--is-inside-work-tree', '--is-bare-repository', '--show-cdup', '--git-path', 'index'),
      ask('config', '-z', '--show-scope', '--get-regexp', PROGRAM_KEYS),
    ]);
    // Two words and the way up to the top on a line each, then a path, which may hold newlines; git adds one to it.
    const [, up, index] = /^true\n(?:true|false)\n((?:\.\.\/)*)\n([\s\S]+)\n$/.exec(place.stdout) ?? [];
    const top = path.resolve(await realpath(folder), up ?? '');
    if (up === undefined || index === undefined || !isInside(top, folder)) throw await whyNone(git, { folder, place, signal });
    return new Repository(git, { folder, top, index: path.resolve(folder, index) }, switchedOff(programs.stdout));
  }

  /** Runs git in the folder; resolves with what it wrote. */
  async run(args: readonly string[], call: Call = {}): Promise<string> {
    return (await this.ask(args, call)).stdout;
  }

  /** The same with the exit code, for calls whose code is an answer. */
  async ask(args: readonly string[], { cwd = this.folder, ...call }: Call = {}): Promise<GitAnswer> {
    return this.#git.run(args, { ...call, cwd, config: this.#config });
  }

  /** The commit that a name stands for, or null. */
  async commitOf(name: string, signal?: AbortSignal): Promise<string | null> {
    const { code, stdout } = await this.ask(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], {
      codes: [1, 128],
      signal,
    });
    return code === 0 ? stdout.trim() : null;
  }

  /** The branch that is checked out, or null when none is. */
  async branch(): Promise<string | null> {
    const { code, stdout } = await this.ask(['symbolic-ref', '--quiet', '--short', 'HEAD'], { codes: [1, 128] });
    return code === 0 ? stdout.trim() : null;
  }

  /** Another working folder of the same repository. */
  async at(folder: string): Promise<Repository> {
    return Repository.open(this.#git, await realpath(folder));
  }

  /** Throws GIT_TOO_OLD. */
  async checkMerges(): Promise<void> {
    await this.#git.checkMerges();
  }
}

/** Why git works with nothing in a folder, as an error. `place` is how it answered. */
const whyNone = async (
  git: Git,
  { folder, place, signal }: { readonly folder: string; readonly place: GitAnswer; readonly signal: AbortSignal | undefined },
): Promise<CompanionError> => {
  if (place.stdout.startsWith('false\ntrue\n')) {
    return new CompanionError('GIT_NO_REPOSITORY', explain('bare_repository', { folder }), {
      remedy: explain('clone_it'),
    });
  }
  // What git says is told: that the folder belongs to somebody else, for instance.
  const { stdout } = await git.run(['rev-parse', '--show-toplevel'], { cwd: folder, signal });
  const top = stdout.replace(/\n$/, '');
  return new CompanionError('GIT_NO_REPOSITORY', top === '' ? folder : explain('works_elsewhere', { folder, place: top }));
};

/** Whether git could find a repository from this folder upwards. It costs no process, and most folders that are none are told so. */
export const mayBeRepository = (folder: string): boolean => {
  const look = (...names: string[]): Stats | undefined => lstatSync(path.join(folder, ...names), { throwIfNoEntry: false });
  const git = look('.git');
  // A worktree and a submodule have a file there, which says where the rest is.
  if (git?.isFile() === true || (git !== undefined && look('.git', 'HEAD') !== undefined)) return true;
  if (look('HEAD') !== undefined && look('objects') !== undefined) return true;
  const parent = path.dirname(folder);
  return parent !== folder && mayBeRepository(parent);
};
