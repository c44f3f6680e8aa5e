/** What git obeys in a folder: its configuration, wherever a pointer leads, and the hook that a mere `git status` runs. */
import { homedir } from 'node:os';
import path from 'node:path';
import { explain } from '#protocol/faults.ts';
import { readGitConfig } from './git-config.ts';
import { isThere, kindOf, readBounded, tooMuch } from './trust-read.ts';

/** How deep git itself follows includes. */
const MAX_CONFIGS = 50;

export interface GitFiles {
  /** These are whole paths. */
  readonly configs: readonly string[];
  readonly hooks: readonly string[];
  /** The folder of the repository that this one is a worktree of; some agents read their settings there too. */
  readonly mainFolder: string | null;
}

const NONE: GitFiles = { configs: [], hooks: [], mainFolder: null };

/** Empty when the folder, which contains these `names`, is not the top of a repository. */
export const findGitFiles = async (folder: string, names: ReadonlySet<string> | null): Promise<GitFiles> => {
  const mayBe = names === null || names.has('.git') || names.has('head');
  const gitDir = mayBe ? await gitDirOf(folder) : null;
  if (gitDir === null) return NONE;
  const common = path.resolve(gitDir, (await textOf(path.join(gitDir, 'commondir'))) ?? '.');
  const configs = new Set([path.join(common, 'config'), path.join(gitDir, 'config.worktree')]);
  const hookFolders = new Set([path.join(common, 'hooks')]);
  for (const config of configs) {
    const text = await textOf(config);
    if (text === null) continue;
    const { includes, hooksPaths } = readGitConfig(text);
    for (const include of includes) configs.add(resolve(path.dirname(config), include));
    for (const hooksPath of hooksPaths) hookFolders.add(resolve(folder, hooksPath));
    if (configs.size > MAX_CONFIGS) throw tooMuch(explain('too_many_configs', { file: config, count: MAX_CONFIGS }));
  }
  return {
    configs: [...configs],
    hooks: [...hookFolders].map((hooks) => path.join(hooks, 'post-index-change')),
    mainFolder: mainFolderOf(folder, common),
  };
};

/** Whether the folder is the top of a repository. */
export const isRepository = async (folder: string): Promise<boolean> => {
  const gitDir = await gitDirOf(folder);
  return gitDir !== null && isThere(path.join(gitDir, 'HEAD'));
};

/** A folder, or a file that points to one; a folder that is laid out like a repository is one itself. */
const gitDirOf = async (folder: string): Promise<string | null> => {
  const git = path.join(folder, '.git');
  const kind = await kindOf(git);
  if (kind === 'folder') return git;
  if (kind === 'file') {
    const [, target] = /^gitdir:\s*(.+)$/.exec((await textOf(git)) ?? '') ?? [];
    return target === undefined ? null : path.resolve(folder, target);
  }
  const parts = await Promise.all(['HEAD', 'objects', 'refs'].map((name) => isThere(path.join(folder, name))));
  return parts.every(Boolean) ? folder : null;
};

const mainFolderOf = (folder: string, common: string): string | null => {
  const parts = common.split(path.sep);
  const main = parts.slice(0, parts.lastIndexOf('.git')).join(path.sep);
  return parts.includes('.git') && main !== folder && main !== '' ? main : null;
};

const textOf = async (file: string): Promise<string | null> => (await readBounded(file))?.bytes.toString('utf8').trim() ?? null;

const resolve = (folder: string, written: string): string =>
  written.startsWith('~/') ? path.join(homedir(), written.slice(2)) : path.resolve(folder, written);
