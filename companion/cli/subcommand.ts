/** What a subcommand is, and how its arguments are read. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';

export interface Subcommand {
  readonly name: string;
  /** One line for the list of all. */
  readonly summary: string;
  /** What follows `pilotfish NAME`, then the flags, one line each. */
  readonly usage: readonly string[];
  /** The exit code: 0 done, 1 failed. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** Reads the arguments strictly; what is not understood is named. */
export const readArgs = <T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  positionals: { readonly least: number; readonly most: number } = { least: 0, most: 0 },
) => {
  const parsed = attempt(args, options);
  if (parsed.positionals.length > positionals.most) {
    throw new CompanionError('CLI_USAGE', `"${parsed.positionals[positionals.most]}" is one argument too many.`);
  }
  if (parsed.positionals.length < positionals.least) throw new CompanionError('CLI_USAGE', 'An argument is missing.');
  return parsed;
};

const attempt = <T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) => {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    // The first sentence names the option; what follows is advice about Node's own syntax.
    throw new CompanionError('CLI_USAGE', `${message.split(/\. |\n/u)[0]}.`, { cause });
  }
};
