/** The help pages, drawn from the subcommands themselves. */
import { exitCodeLine } from './exit-code.ts';
import type { Subcommand } from './subcommand.ts';

/** The page of all commands. */
export const describeCommands = (commands: readonly Subcommand[]): string => {
  const column = Math.max(...commands.map(({ name }) => name.length)) + 2;
  return [
    'Pilotfish runs your coding agents, shows them in the side panel and the terminal, and gives them your own browser.',
    '',
    'pilotfish             open the terminal UI',
    'pilotfish COMMAND     one of these; `pilotfish help COMMAND` says more',
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(column)}${summary}`),
    '',
    exitCodeLine,
    'PILOTFISH_HOME=FOLDER puts everything pilotfish keeps under one folder.',
  ].join('\n');
};

/** The page of one command. */
export const describeCommand = ({ name, summary, usage: [form = '', ...flags] }: Subcommand): string =>
  [`pilotfish ${name} ${form}`.trim(), '', `  ${summary}`, ...(flags.length > 0 ? ['', ...flags.map((flag) => `  ${flag}`)] : [])].join(
    '\n',
  );
