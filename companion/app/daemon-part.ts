/** The second tier of the daemon: what it is made of, without the code of the other roles, which would be in its memory for as long as it runs. */
import { runDaemon } from './daemon.ts';
import { reported } from './reported.ts';

/** Runs the daemon; the exit code. */
export const run = (args: readonly string[]): Promise<number> =>
  reported(args, () => runDaemon({ env: process.env, isKeptAlive: args.includes('--keep-alive') }));
