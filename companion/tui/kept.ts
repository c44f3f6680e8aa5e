/** What the terminal UI keeps between two starts, in a file of this user: the colours and the language that were chosen. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from '#companion/lib/make-dir.ts';
import * as z from 'zod';
import { languages } from './say.ts';

/** The name of a file of the person's own, or of a theme that Pilotfish brings. */
const THEME_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u;

const Kept = z.object({ theme: z.string().regex(THEME_NAME).optional(), language: z.enum(languages).optional() });
type Kept = z.infer<typeof Kept>;

/** What was chosen last; nothing before that, and when the file cannot be read. */
export const readKept = (file: string): Kept => {
  try {
    return Kept.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
};

/** Keeps a choice beside the others. The old file stays whole until the new one is. */
export const keep = (file: string, choice: Kept): void => {
  makeDir(path.dirname(file));
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, JSON.stringify({ ...readKept(file), ...choice }), { mode: 0o600 });
  renameSync(draft, file);
};
