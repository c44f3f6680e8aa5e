/** What the person has written for the terminal UI: keys and themes, in files beside the settings. */
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { bindings } from './bindings.ts';
import { setOwnBindings, withOwnKeys } from './own-keys.ts';
import { readTheme } from './own-themes.ts';
import { setOwnThemes, type Palette } from './palettes.ts';
import { t } from './say.ts';

/** Takes keys and themes into use; returns what in them has no effect, one sentence each. */
export const takeOwnFiles = ({ keysFile, themesDir }: { keysFile: string; themesDir: string }): string[] => {
  const problems: string[] = [];
  const keys = readText(keysFile);
  const own = keys === null ? null : withOwnKeys(bindings, keys);
  setOwnBindings(own?.bindings ?? null);
  for (const problem of own?.problems ?? []) problems.push(t('{file}: {problem}.', { file: keysFile, problem }));
  const themes = new Map<string, Palette>();
  for (const file of filesIn(themesDir)) {
    const read = readTheme(readText(path.join(themesDir, file)) ?? '');
    if ('palette' in read) themes.set(path.parse(file).name, read.palette);
    else problems.push(t('{file}: {problem}.', { file: path.join(themesDir, file), problem: read.problem }));
  }
  setOwnThemes(themes);
  return problems;
};

const readText = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Nobody has written it.
    return null;
  }
};

const filesIn = (directory: string): string[] => {
  try {
    return readdirSync(directory)
      .filter((name) => name.endsWith('.json'))
      .toSorted();
  } catch {
    return [];
  }
};
