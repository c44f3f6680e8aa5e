/** How this very program is started again. */
import path from 'node:path';
import { isSea } from 'node:sea';

/** Command and leading arguments that run pilotfish: the executable itself, or Node with the entry file when run from source. */
export const selfCommand = (): { command: string; args: string[] } =>
  isSea()
    ? { command: process.execPath, args: [] }
    : { command: process.execPath, args: [path.resolve(import.meta.dirname, '..', 'main.ts')] };
