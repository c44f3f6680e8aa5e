/** The files of a project that its settings name: what a trusted command runs is trusted as it is now. */
import { createHash } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { explain } from '#protocol/faults.ts';
import type { ProjectRules } from './project-rules.ts';
import { packageScripts, recipesOf } from './project-words.ts';
import { isInside } from '#companion/lib/inside.ts';
import { fold, hashProgram, kindOf, namesIn, readBounded, tooMuch } from './trust-read.ts';

const MAX_SCRIPTS = 200;
/** No real settings name more than this, and looking for them all would take long. */
const MAX_LOOKS = 20_000;

/** A file that settings name, by whole path. */
export interface Script {
  readonly file: string;
  readonly sha256: string;
}

/**
 * The files that `words` name, looked for in `folders` and in those of their folders that are named too. Only what lies inside
 * `within`: the machine's own programs are not the project's. A program of a package manager, found by its name, is not followed.
 */
export const findScripts = async (
  words: readonly string[],
  folders: readonly string[],
  within: string,
  rules: ProjectRules,
  moved: (file: string) => string,
): Promise<Script[]> => {
  const manifests = await Promise.all(
    [...new Set(folders)].map(async (folder) => readScripts(path.join(folder, 'package.json'), words, rules)),
  );
  const packages = manifests.filter((found) => found !== null);
  const names = [...new Set([...words, ...recipesOf(words), ...packages.flatMap((each) => each.words)])];
  boundLooks(names.length * folders.length, within);
  const finder = new Finder(within);
  const named = await Promise.all(
    folders.flatMap((folder) => names.map(async (name) => finder.find(path.resolve(folder, name), 'folder'))),
  );
  const bases = [...new Set([...folders, ...named.filter((folder) => folder !== null)])];
  boundLooks(names.length * bases.length, within);
  const files = new Set<string>();
  for (const base of bases) {
    for (const found of await Promise.all(names.map(async (name) => fileOf(base, name, finder)))) if (found !== null) files.add(found);
  }
  if (files.size > MAX_SCRIPTS) throw tooMuch(explain('too_many_named', { folder: within, count: MAX_SCRIPTS }));
  const scripts = await Promise.all([...files].toSorted().map(async (file) => ({ file, sha256: await hashOf(file, within, moved) })));
  return [...packages.map(({ file, text }) => ({ file, sha256: sha256(text) })), ...scripts];
};

const boundLooks = (count: number, within: string): void => {
  if (count > MAX_LOOKS) throw tooMuch(explain('too_much_named', { folder: within }));
};

/** Only the scripts of a package.json count, so that a new version of a dependency changes nothing. */
const readScripts = async (
  file: string,
  words: readonly string[],
  rules: ProjectRules,
): Promise<{ file: string; text: string; words: string[] } | null> => {
  const found = (await kindOf(file)) === 'file' ? await readBounded(file) : null;
  const scripts = found === null ? null : packageScripts(words, found.bytes.toString('utf8'), rules);
  return scripts === null ? null : { file, ...scripts };
};

/** Looks for files inside a folder. Each folder is listed once, because most of what is looked for is not there. */
class Finder {
  readonly #within: string;
  readonly #lists = new Map<string, Promise<ReadonlySet<string> | null>>();

  constructor(within: string) {
    this.#within = within;
  }

  names(folder: string): Promise<ReadonlySet<string> | null> {
    const known = this.#lists.get(folder) ?? (isInside(this.#within, folder) ? namesIn(folder) : Promise.resolve(new Set<string>()));
    this.#lists.set(folder, known);
    return known;
  }

  /** `file` itself when there is a file or folder of that kind, or else null. */
  async find(file: string, kind: 'file' | 'folder'): Promise<string | null> {
    if (!isInside(this.#within, file) || (await this.names(path.dirname(file)))?.has(fold(path.basename(file))) === false) return null;
    return (await kindOf(file)) === kind ? file : null;
  }
}

const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.py', '.sh'];
const INDEXES = ['index.js', 'index.mjs', 'index.ts', '__main__.py'];

/** Looks in the way of the usual runtimes: they add endings, take a folder's index, and accept a module's dotted name. */
const fileOf = async (base: string, name: string, finder: Finder): Promise<string | null> => {
  const file = path.resolve(base, name);
  const known = await finder.names(path.dirname(file));
  const isThere = (end: string): boolean => known === null || known.has(fold(path.basename(file) + end));
  const isPlain = /^[\w@./\\-]+$/.test(name) && !name.startsWith('-');
  const module = path.resolve(base, name.replaceAll('.', '/'));
  const guesses = [
    ...(isPlain ? ENDINGS : ['']).filter(isThere).map((end) => file + end),
    ...(isPlain && isThere('') ? INDEXES.map((index) => path.join(file, index)) : []),
    ...(isPlain && /^\w+(?:\.\w+)+$/.test(name) ? [`${module}.py`, path.join(module, '__main__.py')] : []),
  ];
  for (const guess of guesses) {
    // Only the scripts in package.json count; see `readScripts`.
    const found = path.basename(guess) === 'package.json' ? null : await finder.find(guess, 'file');
    if (found !== null) return found;
  }
  return null;
};

/** Of a file outside the project that a link leads to, only its place counts, because it belongs to the machine. */
const hashOf = async (file: string, within: string, moved: (file: string) => string): Promise<string> => {
  const real = await realpath(file).catch(() => file);
  return isInside(within, real) ? ((await hashProgram(file, moved)) ?? '') : sha256(real);
};

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
