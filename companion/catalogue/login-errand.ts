/** How an agent is logged in: its own command, with the program, arguments and environment that its runs have. */
import type { Engine } from '#companion/engines/engine.ts';
import { selfCommand } from '#companion/lib/self.ts';
import { childEnvironment } from '#companion/process/environment.ts';
import type { ResolvedEngine } from '#companion/runs/run.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { LogInEngine } from '#protocol/errands.ts';
import { explain } from '#protocol/faults.ts';

/** Throws where the agent has no such command, and what `resolve` throws. */
export const loginErrand = async (engine: Engine, resolve: (name: string) => Promise<ResolvedEngine>): Promise<LogInEngine> => {
  const shown = engine.type === 'loop' ? '' : engine.finding.loginCommand;
  const { name, label } = engine;
  const [program = '', ...args] = shown.split(' ');
  if (program === '') throw new CompanionError('ENGINE_UNSUPPORTED', explain('no_login_command', { label }));
  const common = { type: 'log_in', name, label, shown } as const;
  // Its login is a key, which Pilotfish itself asks for.
  if (program === 'pilotfish') {
    const { command, args: leading } = selfCommand();
    return { ...common, command, args: [...leading, ...args], env: null };
  }
  const found = await resolve(name);
  if (found.type === 'loop') throw new CompanionError('ENGINE_UNSUPPORTED', explain('no_login_command', { label }));
  const { place } = found;
  const { loginEnv, env: extra, binDirs } = place;
  const env = childEnvironment({ loginEnv, allow: found.engine.envAllow, extra, binDirs });
  return { ...common, command: place.path, args: [...place.leadingArgs, ...args], env };
};
