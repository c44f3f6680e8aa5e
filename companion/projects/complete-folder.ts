/** What a path that is being typed may become. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { CompanionError } from '#protocol/errors.ts';
import { checkWorkspace } from './workspace.ts';

const MOST = 50;

/** The folders that go on from a typed path, as they would be typed; none of a folder in which agents may not work, or that cannot be read. */
export const foldersLike = async (typed: string, allowedRoots: readonly string[]): Promise<string[]> => {
  const end = Math.max(typed.lastIndexOf('/'), typed.lastIndexOf(path.sep)) + 1;
  const [above, begun] = [typed.slice(0, end), typed.slice(end)];
  if (above === '') return [];
  try {
    const folder = await checkWorkspace(above, { allowedRoots, allowCreate: false });
    const entries = await readdir(folder, { withFileTypes: true });
    const fitting = entries
      .filter(({ name }) => name.startsWith(begun) && (!name.startsWith('.') || begun.startsWith('.')))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const found: string[] = [];
    for (const entry of fitting) {
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path.join(folder, entry.name)))))
        found.push(above + entry.name);
      if (found.length === MOST) break;
    }
    return found;
  } catch (error) {
    if (error instanceof CompanionError || (error instanceof Error && 'code' in error)) return [];
    throw error;
  }
};

const isFolder = async (place: string): Promise<boolean> =>
  stat(place).then(
    (found) => found.isDirectory(),
    () => false,
  );
