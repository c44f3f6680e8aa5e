/** Unpacks the extension that travels inside the executable, for the browser's "Load unpacked". */
import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from '#companion/lib/make-dir.ts';
import type { ExtensionSetup } from '#protocol/setup.ts';
import { lookAt, orNothing } from './files.ts';
import type { Steps } from './steps.ts';

/** Path inside the extension → content. */
export type ExtensionFiles = Readonly<Record<string, Buffer>>;

/** Chrome keeps its own index of an unpacked extension here. */
const chromesOwn = '_metadata';

/** What is unpacked at `directory`, compared with what this executable carries. */
export const readExtension = (directory: string, files: ExtensionFiles): ExtensionSetup => ({
  path: directory,
  version: versionOf(readOrNull(path.join(directory, 'manifest.json'))),
  embeddedVersion: versionOf(files['manifest.json'] ?? null),
  isCurrent: Object.keys(files).length > 0 && differences(directory, files).length === 0,
});

/** Names of files that are missing, changed or too many. */
export const differences = (directory: string, files: ExtensionFiles): string[] => {
  const wrong = Object.entries(files)
    .filter(([name, content]) => readOrNull(path.join(directory, name))?.equals(content) !== true)
    .map(([name]) => name);
  return [...wrong, ...listFiles(directory).filter((name) => files[name] === undefined)].toSorted();
};

/** Replaces the folder as a whole, so that a browser never loads files of two versions. */
export function* unpackExtension(directory: string, files: ExtensionFiles): Steps<'written' | 'unchanged'> {
  const fresh = `${directory}.new`;
  const previous = `${directory}.old`;
  rmSync(fresh, { recursive: true, force: true });
  if (differences(directory, files).length === 0) {
    rmSync(previous, { recursive: true, force: true });
    return 'unchanged';
  }
  orNothing(fresh, () => {
    for (const [name, content] of Object.entries(files)) {
      const file = path.join(fresh, ...safeParts(name));
      makeDir(path.dirname(file));
      writeFileSync(file, content, { mode: 0o644, flush: true });
    }
  });
  yield `drafted ${directory}`;
  rmSync(previous, { recursive: true, force: true });
  if (lookAt(directory) !== undefined) renameSync(directory, previous);
  yield `moved the former ${directory} aside`;
  renameSync(fresh, directory);
  yield `unpacked ${directory}`;
  rmSync(previous, { recursive: true, force: true });
  return 'written';
}

/** The folder and what an interrupted run may have left beside it. */
export const extensionDirs = (directory: string): string[] => [directory, `${directory}.new`, `${directory}.old`];

const safeParts = (name: string): string[] => {
  const parts = name.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new Error(`${name} is no path inside the extension`);
  return parts;
};

const listFiles = (directory: string): string[] => {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
      .filter((name) => !name.startsWith(`${chromesOwn}/`));
  } catch {
    return [];
  }
};

const versionOf = (manifest: Buffer | null): string | null => {
  if (manifest === null) return null;
  try {
    const value: unknown = JSON.parse(manifest.toString('utf8'));
    return typeof value === 'object' && value !== null && 'version' in value && typeof value.version === 'string' ? value.version : null;
  } catch {
    return null;
  }
};

const readOrNull = (file: string): Buffer | null => {
  try {
    return readFileSync(file);
  } catch {
    return null;
  }
};
