/** Whether a file is the program of an installed browser: it has the name of one, and only the administrator can have put it there. */
import { statSync, type Stats } from 'node:fs';
import path from 'node:path';
import { linuxPrograms } from '#native-manifests/browsers.ts';

/** Works on Linux only; elsewhere the system does not tell the file of a process's program. */
export const isInstalledBrowser = (program: string): boolean => linuxPrograms.has(path.basename(program)) && isAdministrators(program);

/** The file and each folder above it. */
const isAdministrators = (file: string): boolean => {
  try {
    for (let part = file; ; part = path.dirname(part)) {
      if (!isGuarded(statSync(part))) return false;
      if (part === path.dirname(part)) return true;
    }
  } catch {
    // The file does not exist any more.
    return false;
  }
};

const GROUP_OR_OTHERS_WRITE = 0o022;

const isGuarded = ({ uid, mode }: Stats): boolean => uid === 0 && (mode & GROUP_OR_OTHERS_WRITE) === 0;
