/** Builtins only, because the host loads it. */
import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeDir } from './make-dir.ts';

/**
 * Makes a file that only its owner reads, and its folder. It appears whole or not at all, because a link does, so another process never
 * reads half of it; one that is there already stays as it is.
 */
export const makeNewFile = (file: string, text: string): void => {
  makeDir(path.dirname(file));
  const draft = `${file}.${process.pid}.${randomBytes(8).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx', flush: true });
    linkSync(draft, file);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
};
