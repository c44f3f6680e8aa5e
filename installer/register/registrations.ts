/** Remembers the profile folders named with --user-data-dir, so that uninstall finds their manifests again. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { writeWhole } from './files.ts';
import type { Steps } from './steps.ts';

const Registrations = z.object({ userDataDirs: z.array(z.string()) });

/** Its place in the data folder. */
export const registrationsFile = (root: string): string => path.join(root, 'registrations.json');

/** The remembered folders; a damaged file remembers none. */
export const readRegistrations = (root: string): string[] => {
  try {
    return Registrations.parse(JSON.parse(readFileSync(registrationsFile(root), 'utf8'))).userDataDirs;
  } catch {
    return [];
  }
};

/** Remembers one more, before its manifest is written. */
export function* rememberRegistration(root: string, userDataDir: string): Steps<void> {
  const known = readRegistrations(root);
  if (known.includes(userDataDir)) return;
  yield* writeWhole(registrationsFile(root), `${JSON.stringify({ userDataDirs: [...known, userDataDir] }, null, 2)}\n`, 0o600);
}
