/** How this very program is started again. */
import path from 'node:path';
import { isSea } from 'node:sea';

/** The flags of Node that the executable has built in, see sea-config.json: a signal must not open an inspector in a program that holds secrets. */
const NODE_FLAGS = ['--disable-warning=ExperimentalWarning', '--disable-sigusr1'];

/** Command and leading arguments that run pilotfish: the executable itself, or Node with the entry file when run from source. */
export const selfCommand = (): { command: string; args: string[] } =>
  isSea()
    ? { command: process.execPath, args: [] }
    : { command: process.execPath, args: [...NODE_FLAGS, path.resolve(import.meta.dirname, '..', 'main.ts')] };
