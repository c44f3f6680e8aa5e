/** Tells whether a build result still belongs to its sources, so that `npm start` and `npm test` build only when something changed. */
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Everything the executable and the extension are made from. */
const INPUTS = [
  'companion',
  'extension',
  'installer',
  'native-manifests',
  'package.json',
  'package-lock.json',
  'sea-config.json',
  'tsconfig.base.json',
];

/** A hash over the sources under `rootDir`, the Node that builds, and what comes from elsewhere. */
export const hashInputs = async (rootDir: string, other = ''): Promise<string> => {
  const hash = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}\n${other}\n`);
  for (const file of (await Promise.all(INPUTS.map((input) => listFiles(path.join(rootDir, input))))).flat()) {
    hash.update(`${path.relative(rootDir, file)}\n`).update(
      createHash('sha256')
        .update(await readFile(file))
        .digest(),
    );
  }
  return hash.digest('hex');
};

/** Whether `stampFile` was written for this hash. */
export const isFresh = async (stampFile: string, hash: string): Promise<boolean> => {
  try {
    return (await readFile(stampFile, 'utf8')) === hash;
  } catch {
    // There is no stamp: it was never built, or a build did not finish.
    return false;
  }
};

/** Remembers what the finished build was made from. */
export const writeStamp = (stampFile: string, hash: string): Promise<void> => writeFile(stampFile, hash);

const listFiles = async (start: string): Promise<string[]> => {
  try {
    const entries = await readdir(start, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return [start];
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
};
