/** One build at a time in one folder, also when two terminals start one. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** Runs `work` while this process holds `file`; a lock whose process has died counts as free. */
export const withLock = async <T>(file: string, work: () => Promise<T>): Promise<T> => {
  while (!take(file)) await delay(200);
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
};

const take = (file: string): boolean => {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isHeld(file)) rmSync(file, { force: true });
    return false;
  }
};

const isHeld = (file: string): boolean => {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch {
    // No such process, or the file went away meanwhile: both mean that nobody holds it.
    return false;
  }
};
