/** The second tier: every role but the host. The only file that sees every room. */
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import { runDaemon } from './app/daemon.ts';
import { runMcp } from './app/mcp.ts';

/** Runs the role that the arguments name; the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  try {
    return await start(args);
  } catch (error) {
    const { message, remedy } = toErrorBody(error);
    console.error(`${message}\n${remedy}`);
    return 1;
  }
};

const start = async ([name, ...rest]: readonly string[]): Promise<number> => {
  switch (name) {
    case 'daemon':
      return runDaemon({ env: process.env, isKeptAlive: rest.includes('--keep-alive') });
    case 'mcp':
      return runMcp(process.env);
    default:
      throw new CompanionError('CLI_USAGE', name);
  }
};
