/** What may name a file in a project's settings: a command's program, a script it is given, a folder it runs in. Pure. */
import type { FileForm } from '#companion/engines/project-traits.ts';
import type { ProjectRules } from './project-rules.ts';
import { parseSettings } from './settings-lines.ts';

/** Every word of a file that may name another, each once: whole texts, and their parts as a shell would see them. */
export const wordsIn = (content: string, form: FileForm['type'], rules: ProjectRules): string[] => {
  const value = form === 'json' ? parseSettings(content.replace(/^\uFEFF/, '')) : undefined;
  const texts = value === undefined ? unescaped(content).split(/["'`\n]/) : textsIn(value);
  const words = texts.flatMap((text) => {
    const here = rules.withRootAsDot(text.trim());
    // Quotes end a word, or stand in the middle of one.
    const parts = [here, here.replaceAll(/["']/g, '')].flatMap((each) => each.split(/[\s"'`;|&()<>${}[\],=]+/));
    return [here, ...parts, ...parts.flatMap((part) => part.split(/[:@]/))];
  });
  // Of a program's own words only those count that are written as a path beside it.
  return [...new Set(words)].filter((word) => isName(word) && (form !== 'code' || /^\.\.?\//.test(word)));
};

const isName = (word: string): boolean => word !== '' && word.length < 1000 && !/[\0\n]/.test(word) && /\w/.test(word);

const textsIn = (value: unknown): string[] => {
  const texts: string[] = [];
  // It does not recurse, so that endless nesting cannot stop it.
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') texts.push(next);
    else if (typeof next === 'object' && next !== null) open.push(...Object.values(next).map((each: unknown) => each ?? ''));
  }
  return texts;
};

const unescaped = (text: string): string =>
  text
    .replaceAll(/\\u\{?([\da-f]{1,6})\}?/gi, (whole, hex: string) => toCharacter(hex) ?? whole)
    .replaceAll(/\\x([\da-f]{2})/gi, (whole, hex: string) => toCharacter(hex) ?? whole)
    .replaceAll(/\\([/\\"'])/g, '$1');

const toCharacter = (hex: string): string | null => {
  const code = Number.parseInt(hex, 16);
  return code > 0x10_ff_ff ? null : String.fromCodePoint(code);
};

/** Files that say what a word like `make` runs. */
const RECIPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['make', ['GNUmakefile', 'makefile', 'Makefile']],
  ['just', ['justfile', 'Justfile', '.justfile']],
  ['task', ['Taskfile.yml', 'Taskfile.yaml']],
]);

const PACKAGE_RUNNERS = ['npm', 'npx', 'pnpm', 'yarn', 'bun', '--run'];

/** Files that a command reads although nothing names them. */
export const recipesOf = (words: readonly string[]): string[] => words.flatMap((word) => RECIPES.get(word) ?? []);

/** The scripts of a package.json that the words run, with those that these run; null when they run no script. */
export const packageScripts = (
  words: readonly string[],
  manifest: string,
  rules: ProjectRules,
): { text: string; words: string[] } | null => {
  const value = parseSettings(manifest);
  const scripts = typeof value === 'object' && value !== null && 'scripts' in value ? Object.entries(value.scripts ?? {}) : [];
  const all = new Set(words);
  const run = new Map<string, unknown>();
  if (!words.some((word) => PACKAGE_RUNNERS.includes(word))) return null;
  for (let before = -1; run.size > before;) {
    before = run.size;
    for (const [name, script] of scripts) {
      // npm runs scripts with these prefixes before and after the script of that name.
      if (run.has(name) || !(all.has(name) || all.has(name.replace(/^(?:pre|post)/, '')))) continue;
      run.set(name, script);
      for (const word of wordsIn(JSON.stringify([script]), 'json', rules)) all.add(word);
    }
  }
  return run.size === 0 ? null : { text: JSON.stringify([...run]), words: [...all].filter((word) => !words.includes(word)) };
};
