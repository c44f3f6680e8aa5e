/** The commands that set in a terminal what starts an agent, and the proposal that says the same, made of what stands in a form. Pure. */
import { EngineProposal } from '#protocol/errands.ts';
import { EngineName, VariableName } from '#protocol/engine-setup.ts';

export interface EngineForm {
  readonly name: string;
  readonly program: string;
  /** One argument a line. */
  readonly args: string;
  /** `NAME=VALUE`, one a line; without a value the variable is taken away. */
  readonly variables: string;
}

/** What cannot be set as it stands. */
export type FormFault = 'name' | 'program' | 'variables';

/** The first field in which something is missing or wrong; null where commands can be made. */
export const faultOf = ({ name, program, variables }: EngineForm, isNew: boolean): FormFault | null => {
  if (isNew && !EngineName.safeParse(name.trim()).success) return 'name';
  if (isNew && program.trim() === '') return 'program';
  const isGood = linesOf(variables).every((line) => line.includes('=') && VariableName.safeParse(line.split('=', 1)[0]).success);
  return isGood ? null : 'variables';
};

/** What adds the agent; its variables are set by a second command. */
export const addCommands = (form: EngineForm, isWindows: boolean): string[] => {
  const { name, program, args, variables } = form;
  const added = toLine(['pilotfish', 'engine', 'add', name.trim(), '--', program.trim(), ...linesOf(args)], isWindows);
  const set = changeCommand({ ...form, program: '', args: '' }, isWindows);
  return linesOf(variables).length === 0 || set === null ? [added] : [added, set];
};

/** What changes the agent; null where every field is empty. */
export const changeCommand = ({ name, program, args, variables }: EngineForm, isWindows: boolean): string | null => {
  const path = program.trim() === '' ? [] : [`path=${program.trim()}`];
  const env = linesOf(variables).map((line) => `env.${line}`);
  const rest = linesOf(args).length === 0 ? [] : ['--', ...linesOf(args)];
  const words = [...path, ...env, ...rest];
  return words.length === 0 ? null : toLine(['pilotfish', 'engine', 'set', name.trim(), ...words], isWindows);
};

/** The same as one proposal; null for what no window shows, which only a command sets. */
export const toProposal = ({ program, args, variables }: EngineForm, isNew: boolean): EngineProposal | null => {
  const [path, words] = [program.trim(), linesOf(args)];
  const set = linesOf(variables).map((line): [string, string | null] => {
    const value = line.slice(line.indexOf('=') + 1);
    return [line.split('=', 1)[0] ?? '', value === '' ? null : value];
  });
  const env = Object.fromEntries(isNew ? set.filter(([, value]) => value !== null) : set);
  const change = isNew
    ? { type: 'add', command: path, args: words, env }
    : {
        type: 'change',
        ...(path === '' ? {} : { path }),
        ...(words.length === 0 ? {} : { args: words }),
        ...(set.length === 0 ? {} : { env }),
      };
  return EngineProposal.safeParse(change).data ?? null;
};

const linesOf = (text: string): string[] => text.split(/\r?\n/u).filter((line) => line.trim() !== '');

const toLine = (words: readonly string[], isWindows: boolean): string =>
  words.map((word) => (isWindows ? forPowerShell(word) : forShell(word))).join(' ');

/** Between single quotes a shell of Linux or macOS takes every sign as it is. */
const forShell = (word: string): string =>
  /^[\w./:=@%+,-]+$/u.test(word) && !word.startsWith('=') ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

/** The same in PowerShell, which takes typographic single quotes for quotes, too. */
const forPowerShell = (word: string): string =>
  /^(?:[\w./:=\\][\w./:=\\-]*|--)$/u.test(word) ? word : `'${word.replaceAll(/['‘’‚‛]/gu, (quote) => quote + quote)}'`;
