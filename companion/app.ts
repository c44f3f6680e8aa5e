/** The second tier: every role but the host and the daemon. With app/ the only code that sees every room. */
import { reported } from './app/reported.ts';

/** Runs the role that the arguments name; the exit code. A role is loaded when it is wanted: `pilotfish mcp` does not wait for the terminal UI's code. */
export const run = (args: readonly string[]): Promise<number> =>
  reported(args, async () => {
    const [name, ...rest] = args;
    if (name === 'mcp' && (rest.length === 0 || rest[0]?.startsWith('--tools') === true)) {
      const { runMcp } = await import('./app/mcp.ts');
      return runMcp(process.env, rest);
    }
    const { runTerminal, runCommand } = await import('./app/front-end.ts');
    return name === undefined || (name === 'tui' && rest.length === 0) ? runTerminal(process.env) : runCommand(args, process.env);
  });
