/**
 * Which native messaging hosts wait while the daemon rests: one file for each in a folder, named by its process. A host that was
 * killed leaves its file, so only those count whose process lives. It imports builtins only and late, because the host loads it.
 */
import { isAlive } from './alive.ts';
import { makeDir } from './make-dir.ts';

const fs = () => process.getBuiltinModule('node:fs');
const path = () => process.getBuiltinModule('node:path');

/** Notes that this process waits, until the note is disposed. Nobody depends on it, so a full disk is no reason not to wait. */
export const noteResting = (folder: string): Disposable => {
  const file = path().join(folder, String(process.pid));
  const attempt = (act: () => void): void => {
    try {
      act();
    } catch {
      // `pilotfish status` then says "not running", which is true too.
    }
  };
  attempt(() => {
    makeDir(folder);
    fs().writeFileSync(file, '', { mode: 0o600 });
  });
  return { [Symbol.dispose]: () => attempt(() => fs().rmSync(file, { force: true })) };
};

/** How many browsers wait for a daemon that rests. */
export const countResting = (folder: string): number => {
  try {
    return fs()
      .readdirSync(folder)
      .filter((name) => isAlive(Number(name))).length;
  } catch {
    // No host ever waited.
    return 0;
  }
};
