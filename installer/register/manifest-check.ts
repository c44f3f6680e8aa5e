/** Reads a host manifest the way a browser does and says what is wrong with it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import { EXTENSION_ORIGIN, HOST_NAME } from '#protocol/version.ts';
import { lookAt } from './files.ts';

const Manifest = z.looseObject({ name: z.string(), path: z.string(), type: z.string(), allowed_origins: z.array(z.string()) });

/** Why a browser would not start `executable` through this file; null when it would. */
export const manifestProblem = (file: string, executable: string): string | null => {
  if (lookAt(file) === undefined) return 'there is no manifest';
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return 'the manifest cannot be read';
  }
  if (text.startsWith('\uFEFF')) return 'the manifest begins with a byte order mark, which browsers do not read over';
  const manifest = parse(text);
  if (manifest === null) return 'the manifest is not valid JSON of the expected form';
  if (manifest.name !== HOST_NAME) return `the manifest is for ${manifest.name}`;
  if (manifest.type !== 'stdio') return `the manifest has the type ${manifest.type} instead of stdio`;
  if (!path.isAbsolute(manifest.path)) return `the manifest names the relative path ${manifest.path}`;
  if (manifest.allowed_origins.some((origin) => origin.includes('*'))) return 'the manifest has a wildcard origin';
  if (!manifest.allowed_origins.includes(`${EXTENSION_ORIGIN}/`)) return 'the manifest does not admit our extension';
  if (manifest.allowed_origins.length > 1) return 'the manifest admits other extensions too';
  if (manifest.path !== executable) return `the manifest starts ${manifest.path} instead of ${executable}`;
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
