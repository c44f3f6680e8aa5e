/** What the terminal UI keeps between two starts, in a file of this user: the colours that were chosen. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { themeNames, type ThemeName } from './palettes.ts';

const Kept = z.object({ theme: z.enum(themeNames) });

/** The colours that were chosen last; null before that, and when the file cannot be read. */
export const readTheme = (file: string): ThemeName | null => {
  try {
    return Kept.parse(JSON.parse(readFileSync(file, 'utf8'))).theme;
  } catch {
    return null;
  }
};

/** The old file stays whole until the new one is. */
export const keepTheme = (file: string, theme: ThemeName): void => {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, JSON.stringify({ theme }), { mode: 0o600 });
  renameSync(draft, file);
};
