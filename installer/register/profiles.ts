/** What a browser has written down of our extension in each of its profiles. It does so some seconds after a change. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { EXTENSION_ID } from '#protocol/version.ts';
import { lookAt } from './files.ts';

export interface Profile {
  /** The name of its folder, and what the browser calls it. */
  readonly folder: string;
  readonly name: string;
  /** Null where it is not loaded. */
  readonly extension: LoadedExtension | null;
}

interface LoadedExtension {
  /** Null for one of the browser's store. */
  readonly path: string | null;
  readonly isOff: boolean;
}

/** Browsers keep it in the second of these on Windows and macOS. */
const FILES = ['Preferences', 'Secure Preferences'];

const Kept = z.object({
  path: z.string(),
  state: z.number().optional(),
  // Older browsers write one number with a bit for each reason.
  disable_reasons: z.union([z.number(), z.array(z.number())]).optional(),
});
const Preferences = z.object({ extensions: z.object({ settings: z.object({ [EXTENSION_ID]: Kept }) }) });

const LocalState = z.object({ profile: z.object({ info_cache: z.record(z.string(), z.object({ name: z.string() })) }) });

/** The profiles below a `--user-data-dir`, in the order of their folders. */
export const readProfiles = (userDataDir: string): Profile[] => {
  const names = LocalState.safeParse(readJson(path.join(userDataDir, 'Local State'))).data?.profile.info_cache ?? {};
  return profileFolders(userDataDir).map((folder) => ({
    folder,
    name: Object.hasOwn(names, folder) ? (names[folder]?.name ?? folder) : folder,
    extension: readExtensionIn(path.join(userDataDir, folder)),
  }));
};

/** Those that are no profiles of a person. */
const INTERNAL = new Set(['Guest Profile', 'System Profile']);

const profileFolders = (userDataDir: string): string[] => {
  try {
    return readdirSync(userDataDir)
      .filter((name) => !INTERNAL.has(name) && lookAt(path.join(userDataDir, name, 'Preferences'))?.isFile() === true)
      .toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  } catch {
    // The browser was never started.
    return [];
  }
};

const readExtensionIn = (profile: string): LoadedExtension | null => {
  for (const file of FILES) {
    const kept = Preferences.safeParse(readJson(path.join(profile, file))).data?.extensions.settings[EXTENSION_ID];
    if (kept === undefined) continue;
    const reasons = kept.disable_reasons ?? [];
    const isOff = kept.state === 0 || (typeof reasons === 'number' ? reasons !== 0 : reasons.length > 0);
    return { path: path.isAbsolute(kept.path) ? kept.path : null, isOff };
  }
  return null;
};

const readJson = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return null;
  }
};
