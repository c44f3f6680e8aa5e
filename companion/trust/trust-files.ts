/** Reads what a project's own files would do when an agent starts in it, and what else belongs to that. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import type { OwnFolder } from '#companion/engines/project-traits.ts';
import { explain } from '#protocol/faults.ts';
import { finding, type Pieces } from '#protocol/findings.ts';
import type { ProjectRules } from './project-rules.ts';
import { scanFile } from './project-scan.ts';
import { wordsIn } from './project-words.ts';
import { printable } from './settings-lines.ts';
import { isInside } from '#companion/lib/inside.ts';
import { findGitFiles, isRepository } from './trust-git.ts';
import { fold, hashProgram, listFiles, namesIn, readBounded, tooMuch } from './trust-read.ts';
import { findScripts } from './trust-scripts.ts';

const MAX_FOLDER_FILES = 200;
/** The limit for all files in an agent's own folder that count. */
const MAX_OWN_FILES = 1000;

/** A file of the project that starts, redirects or allows something. */
export interface ActiveFile {
  /** The path below the project's folder, or the whole path when the file is above it. */
  readonly path: string;
  readonly lines: readonly Pieces[];
  readonly sha256: string;
  /** Files of the project that it names, and so may run. */
  readonly scripts: readonly { readonly path: string; readonly sha256: string }[];
}

/** Where a file counts as lying: a worktree's files count as those of the folder it was made from. */
export type Moved = (file: string) => string;

const asItIs: Moved = (file) => file;

/**
 * The files that act in `root`, a real path, and in the folders above it, where agents look too: up to the home folder, whose
 * files are the user's own settings. Throws WORKSPACE_NOT_TRUSTED for what cannot be looked through.
 */
export const findActiveFiles = async (root: string, rules: ProjectRules, moved = asItIs): Promise<ActiveFile[]> =>
  (await Promise.all(foldersOf(root, await realOr(homedir())).map((folder) => readFolder(folder, root, rules, moved)))).flat();

/** Each file by its path with the hash of its content. The answer of the person holds for exactly these. */
export const hashesOf = (files: readonly ActiveFile[]): Record<string, string> =>
  Object.fromEntries(files.flatMap((file) => [file, ...file.scripts]).map(({ path: name, sha256 }) => [name, sha256]));

const foldersOf = (root: string, home: string): string[] => {
  if (root === home) return [];
  const parent = path.dirname(root);
  return parent === root ? [root] : [root, ...foldersOf(parent, home)];
};

/** A file to be looked at: where it is, what it is read as, and the folder its own kind of settings belongs to. */
interface Place {
  readonly file: string;
  readonly name: string;
  readonly folder: string;
}

const readFolder = async (folder: string, root: string, rules: ProjectRules, moved: Moved): Promise<ActiveFile[]> => {
  const names = await namesIn(folder);
  const git = await findGitFiles(folder, names);
  const places = [
    ...(await placesIn(folder, names, rules, () => true)),
    ...git.configs.map((file) => ({ file, name: '.git/config', folder })),
    ...git.hooks.map((file) => ({ file, name: '.git/hooks/post-index-change', folder })),
    ...(git.mainFolder === null ? [] : await placesIn(git.mainFolder, null, rules, (name) => rules.isReadInMainFolder(name))),
  ];
  const found = await Promise.all(places.map((place) => readActive(place, root, rules, moved)));
  return found.filter((file) => file !== null);
};

/** `there` is what is known to be in the folder. */
const placesIn = async (
  folder: string,
  there: ReadonlySet<string> | null,
  rules: ProjectRules,
  counts: (name: string) => boolean,
): Promise<Place[]> => {
  const isThere = (name: string): boolean => there === null || there.has(fold(topOf(name)));
  const names = rules.files.filter(counts);
  const folders = rules.folders.filter(({ name }) => counts(name));
  const listed = await Promise.all(
    folders
      .filter(({ name }) => isThere(name))
      .map(async ({ name, ends }) => {
        const files = (await listFiles(path.join(folder, name))).filter((file) => ends.some((end) => file.endsWith(end)));
        if (files.length > MAX_FOLDER_FILES)
          throw tooMuch(explain('too_many_files', { folder: path.join(folder, name), count: MAX_FOLDER_FILES }));
        return files.map((file) => `${name}/${file}`);
      }),
  );
  const own = await Promise.all(
    rules.ownFolders.filter(({ name }) => counts(`${name}/`) && isThere(name)).map(async (each) => ownFilesIn(folder, each, rules)),
  );
  const found = new Set([...names.filter((name) => isThere(name)), ...listed.flat(), ...own.flat()]);
  return [...found].map((name) => ({ file: path.join(folder, name), name, folder }));
};

const ownFilesIn = async (folder: string, own: OwnFolder, rules: ProjectRules): Promise<string[]> => {
  const files = await listFiles(path.join(folder, own.name), (inner) => rules.isHarmless(own, inner));
  const names = files.map((file) => `${own.name}/${file}`).filter((name) => rules.formOf(name) !== null);
  if (names.length > MAX_OWN_FILES)
    throw tooMuch(explain('too_many_that_count', { folder: path.join(folder, own.name), count: MAX_OWN_FILES }));
  return names;
};

const topOf = (name: string): string => name.split('/', 1)[0] ?? name;

const readActive = async ({ file, name, folder }: Place, root: string, rules: ProjectRules, moved: Moved): Promise<ActiveFile | null> => {
  const shown = (each: string): string => (isInside(root, each) ? path.relative(root, each) : each);
  // These are not read: what belongs to a skill may be large, and is not shown.
  if (rules.formOf(name)?.type === 'unknown') {
    const sha256 = await hashProgram(file, moved);
    return sha256 === null ? null : { path: shown(file), lines: scanFile({ name, content: '' }, rules), sha256, scripts: [] };
  }
  const read = await readBounded(file);
  if (read === null) return null;
  const content = read.bytes.toString('utf8');
  const form = rules.formOf(name)?.type ?? 'lines';
  const scanned = scanFile({ name, content: form === 'git' ? withoutOwnWorktree(content, file, folder) : content }, rules);
  if (scanned.length === 0) return null;
  // A link to a file elsewhere is shown as a link; the content of that file is kept out of cards and logs.
  const isLinked = form !== 'git' && !isInside(folder, read.real);
  const words = wordsIn(content, form, rules);
  const projects = new Set(await Promise.all([root, folder].map(async (each) => (await repositoryOf(each)) ?? each)));
  const scripts = await Promise.all(
    [...projects].map(async (project) =>
      findScripts(
        words,
        [...new Set([root, folder, path.dirname(file)])].filter((base) => isInside(project, base)),
        project,
        rules,
        moved,
      ),
    ),
  );
  return {
    path: shown(file),
    lines: isLinked ? [[finding('a_link', { file: printable(read.real) })]] : scanned,
    sha256: createHash('sha256').update(moved(read.real)).update('\0').update(read.bytes).digest('hex'),
    scripts: scripts
      .flat()
      .filter((script) => script.file !== file)
      .map((script) => ({ path: shown(script.file), sha256: script.sha256 })),
  };
};

/** The nearest folder above that is a repository: commands name files from anywhere in it. */
const repositoryOf = async (folder: string): Promise<string | null> => {
  if (await isRepository(folder)) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? null : repositoryOf(parent);
};

/** Git writes into the configuration of a submodule where its files are: here. */
const withoutOwnWorktree = (content: string, file: string, folder: string): string =>
  content.replaceAll(/^[^\S\n]*worktree[^\S\n]*=[^\S\n]*(\S+)[^\S\n]*$/gm, (line, worktree: string) =>
    path.resolve(path.dirname(file), worktree) === folder ? '' : line,
  );

const realOr = async (folder: string): Promise<string> => {
  try {
    return await realpath(folder);
  } catch {
    return folder;
  }
};
