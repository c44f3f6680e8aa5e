/** What a subcommand is, and how its arguments are read. */
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { nearest } from '#display/nearest.ts';
import { CompanionError } from '#protocol/errors.ts';
import type { Io } from './io.ts';

export interface Subcommand {
  readonly name: string;
  /** One line for the list of all. */
  readonly summary: string;
  /** What follows `pilotfish NAME`, then the flags, one line each. */
  readonly usage: readonly string[];
  /** The exit code, see exit-code.ts. */
  run(args: readonly string[], io: Io): Promise<number>;
}

/** Reads the arguments strictly; the error names what is not understood, or the first argument where it may not be left out. */
export const readArgs = <T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
  { needs, most }: { readonly needs?: string; readonly most: number } = { most: 0 },
) => {
  const parsed = attempt(args, options);
  const tooMany = parsed.positionals[most];
  if (tooMany !== undefined) throw new CompanionError('CLI_USAGE', `"${tooMany}" is one argument too many.`);
  if (needs !== undefined && parsed.positionals.length === 0) {
    throw new CompanionError('CLI_USAGE', `An argument is missing: ${needs}.`);
  }
  // An empty one is a variable that a script has not set, and would be the beginning of every name, or the folder one is in.
  if (parsed.positionals.includes('')) throw new CompanionError('CLI_USAGE', 'An argument is empty.');
  return parsed;
};

const attempt = <T extends ParseArgsOptionsConfig>(args: readonly string[], options: T) => {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const unknown = /^Unknown option '(-[^']*)'/u.exec(message)?.[1];
    const flags = Object.entries(options).flatMap(([name, { short }]) => [`--${name}`, ...(short === undefined ? [] : [`-${short}`])]);
    const fault = valueFault(message) ?? `${(message.split(/\. |\n/u)[0] ?? '').replace(/\.$/u, '')}.`;
    throw new CompanionError('CLI_USAGE', unknown === undefined ? fault : `${fault}${didYouMean(unknown, flags)}`, { cause });
  }
};

/** A value that is missing or too much, in our words; null for another fault, of which the first sentence of Node's message is enough. */
const valueFault = (message: string): string | null => {
  const [, flag = '', what = ''] =
    /^Option '(?:-\w, )?(--[\w-]+|-\w)(?: <value>)?' (argument is ambiguous|argument missing|does not take an argument)/u.exec(message) ??
    [];
  if (what === 'argument is ambiguous')
    return `${flag} needs a value; one that begins with a dash is written ${flag.startsWith('--') ? `${flag}=` : flag}-1.`;
  const number = /^Unknown option '(-\d)'/u.exec(message)?.[1];
  if (number !== undefined) return `What begins with a dash, such as ${number}, stands behind --, or is written --NAME=${number}.`;
  if (what === 'argument missing') return `${flag} needs a value.`;
  return what === '' ? null : `${flag} takes no value.`;
};

/** What is said when a command does not know its first word. */
export const unknownAction = (command: string, given: string, known: readonly string[], more = ''): CompanionError => {
  const listed = `there ${known.length === 1 ? 'is' : 'are'} ${known.join(', ')}`;
  return new CompanionError('CLI_USAGE', `"${command} ${given}" is not known; ${listed}.${more}${didYouMean(given, known)}`);
};

/** What is said when a value is none of those that there are; `what` names its place, such as `--kind x`. */
export const unknownValue = (what: string, given: string, known: readonly string[]): CompanionError =>
  new CompanionError('CLI_USAGE', `${what} is not known; there are ${known.join(', ')}.${didYouMean(given, known)}`);

/** A sentence that names the word which was probably meant, with a space before it; empty when none is near. */
export const didYouMean = (given: string, known: readonly string[]): string => {
  const meant = nearest(given, known);
  return meant === null ? '' : ` Did you mean ${meant}?`;
};
