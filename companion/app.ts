/** The second tier: every role but the host. With app/ the only code that sees every room. */
import { exitCodeOf } from '#companion/cli/exit-code.ts';
import { toErrorBody } from '#protocol/errors.ts';

/** A role is loaded when it is wanted: the daemon does not wait for the terminal UI's code, nor `pilotfish mcp` for the daemon's. */
const roles = {
  daemon: () => import('./app/daemon.ts'),
  mcp: () => import('./app/mcp.ts'),
  frontEnd: () => import('./app/front-end.ts'),
};

/** Runs the role that the arguments name; the exit code. */
export const run = async (args: readonly string[]): Promise<number> => {
  const [name, ...rest] = args;
  try {
    if (name === 'daemon' && rest.every((arg) => arg === '--keep-alive')) {
      const { runDaemon } = await roles.daemon();
      return await runDaemon({ env: process.env, isKeptAlive: rest.length > 0 });
    }
    if (name === 'mcp' && (rest.length === 0 || rest[0]?.startsWith('--tools') === true)) {
      const { runMcp } = await roles.mcp();
      return await runMcp(process.env, rest);
    }
    const { runTerminal, runCommand } = await roles.frontEnd();
    return await (name === undefined || (name === 'tui' && rest.length === 0) ? runTerminal(process.env) : runCommand(args, process.env));
  } catch (error) {
    const body = toErrorBody(error);
    if (args.includes('--json')) console.log(JSON.stringify({ error: body }));
    else console.error(`${body.message}\n${body.remedy}`);
    return exitCodeOf(body.code);
  }
};

/** For the build: loads every role once, so that the code cache holds them all. */
export const loadAll = async (): Promise<void> => {
  await Promise.all([...Object.values(roles).map((load) => load()), import('#companion/mcp/http.ts')]);
};
