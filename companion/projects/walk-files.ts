/** The files of a folder that is no git repository. Folders that hold what was installed or built are left out, and links are not followed. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';

const LEFT_OUT = new Set(['node_modules', 'target', 'dist', 'build', 'vendor', '__pycache__', 'venv']);
/** So deep nobody looks for a file by its name; and a person's whole home folder may be a project. */
const MAX_DEPTH = 8;
const MAX_FOLDERS = 2_000;

/** At most `limit` paths below the folder, with `/`; the nearest to the top come first. What cannot be read is left out. */
export const walkFiles = async (folder: string, limit: number): Promise<string[]> => {
  const files: string[] = [];
  let level = [''];
  let folders = 0;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const prefix of level) {
      folders += 1;
      if (folders > MAX_FOLDERS || files.length >= limit) return files.slice(0, limit);
      const entries = await readdir(path.join(folder, prefix), { withFileTypes: true }).catch(() => []);
      for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
        if (entry.name.startsWith('.')) continue;
        if (entry.isFile()) files.push(`${prefix}${entry.name}`);
        else if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) next.push(`${prefix}${entry.name}/`);
      }
    }
    level = next;
  }
  return files.slice(0, limit);
};
