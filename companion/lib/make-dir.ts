/** Builtins only, because the host loads it. */
import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a folder and those above it that are missing; one that is there keeps its rights. Node's own recursive way never ends where a
 * system has the parent but refuses a folder in it with ENOENT, as Linux does in /proc: it tries again and again.
 */
export const makeDir = (directory: string, mode = 0o700): void => {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (isFolder(directory)) return;
    const parent = path.dirname(directory);
    if (!isMissing(error) || parent === directory || isFolder(parent)) throw error;
    makeDir(parent, mode);
    makeOne(directory, mode);
  }
};

/** Another process may have made it meanwhile. */
const makeOne = (directory: string, mode: number): void => {
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (!isFolder(directory)) throw error;
  }
};

const isFolder = (place: string): boolean => {
  try {
    return statSync(place).isDirectory();
  } catch {
    // It is not there, or may not be looked at.
    return false;
  }
};

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';
