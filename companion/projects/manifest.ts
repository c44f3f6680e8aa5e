/** Reads the description in a project's own manifest, so that a person need not type it again. */
import { statSync } from 'node:fs';
import path from 'node:path';
import { readPackage } from 'pkg-types';

/** A larger file is not taken for a manifest. */
const MAX_BYTES = 256 * 1024;

/** The description in the `package.json` (or its JSON5 or YAML form) of exactly this folder; undefined when there is none. */
export const readProjectDescription = async (root: string): Promise<string | undefined> => {
  try {
    const { description } = await readPackage(root, { test: (file) => path.dirname(file) === root && isSmallFile(file) });
    return typeof description === 'string' && description.trim() !== '' ? description.trim().slice(0, 1000) : undefined;
  } catch {
    // There is no manifest or it is damaged, so the project has no description.
    return undefined;
  }
};

const isSmallFile = (file: string): boolean => {
  const stat = statSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MAX_BYTES;
};
