/** Reads a host manifest the way a browser does and says what is wrong with it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { found } from '#protocol/checks.ts';
import type { Said } from '#protocol/said.ts';
import { EXTENSION_ORIGIN, HOST_NAME } from '#protocol/version.ts';
import { lookAt } from './files.ts';

const Manifest = z.looseObject({ name: z.string(), path: z.string(), type: z.string(), allowed_origins: z.array(z.string()) });

/** Why a browser would not start `executable` through this file; null when it would. */
export const manifestProblem = (file: string, executable: string): Said | null => {
  if (lookAt(file) === undefined) return found('no_manifest');
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return found('manifest_unreadable');
  }
  if (text.startsWith('\uFEFF')) return found('manifest_with_mark');
  const manifest = parse(text);
  if (manifest === null) return found('manifest_invalid');
  if (manifest.name !== HOST_NAME) return found('manifest_of_other', { name: manifest.name });
  if (manifest.type !== 'stdio') return found('manifest_type', { type: manifest.type });
  if (!path.isAbsolute(manifest.path)) return found('manifest_relative', { path: manifest.path });
  if (manifest.allowed_origins.some((origin) => origin.includes('*'))) return found('manifest_wildcard');
  if (!manifest.allowed_origins.includes(`${EXTENSION_ORIGIN}/`)) return found('manifest_without_us');
  if (manifest.allowed_origins.length > 1) return found('manifest_with_others');
  if (manifest.path !== executable) return found('manifest_program', { path: manifest.path, executable });
  return null;
};

/** Whether the file is a manifest of our host; a broken file under our name counts, because only we write it. */
export const isOurManifest = (file: string): boolean => {
  if (lookAt(file)?.isDirectory() !== false) return false;
  try {
    const manifest = parse(readFileSync(file, 'utf8').replace(/^\uFEFF/u, ''));
    return manifest === null || manifest.name === HOST_NAME;
  } catch {
    return true;
  }
};

const parse = (text: string): z.infer<typeof Manifest> | null => {
  try {
    return Manifest.parse(JSON.parse(text));
  } catch {
    return null;
  }
};
