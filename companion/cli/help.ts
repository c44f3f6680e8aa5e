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
    'PILOTFISH_THEME=terminal|dark|light|none chooses the colours of the terminal UI; NO_COLOR takes them away.',
  ].join('\n');
};

/** The page of one command. */
export const describeCommand = ({ name, summary, usage: [form = '', ...flags] }: Subcommand): string =>
  [`pilotfish ${name} ${form}`.trim(), '', `  ${summary}`, ...(flags.length > 0 ? ['', ...flags.map((flag) => `  ${flag}`)] : [])].join(
    '\n',
  );

/** All pages as one manual page, in the language of man(7). */
export const describeMan = (commands: readonly Subcommand[], version: string): string =>
  [
    `.TH PILOTFISH 1 "" "Pilotfish ${version}" "User Commands"`,
    '.SH NAME',
    String.raw`pilotfish \- coding agents that see and drive your browser`,
    '.SH SYNOPSIS',
    '.B pilotfish',
    '.br',
    '.B pilotfish',
    String.raw`\fICOMMAND\fR [\fIARGUMENT\fR ...]`,
    '.SH DESCRIPTION',
    'Pilotfish runs your coding agents, shows them in the side panel and the terminal, and gives them your own browser.',
    'Without a command it opens the terminal UI.',
    '.SH COMMANDS',
    ...commands.flatMap(({ name, summary, usage: [form = '', ...lines] }) => [
      '.TP',
      `.B ${roff(`pilotfish ${name}`)}`,
      roff(form),
      '.br',
      roff(summary),
      ...(lines.length > 0 ? ['.RS', '.nf', ...lines.map(roff), '.fi', '.RE'] : []),
    ]),
    '.SH EXIT STATUS',
    roff(exitCodeLine),
    '.SH ENVIRONMENT',
    '.TP',
    '.B PILOTFISH_HOME',
    'The folder under which everything is that pilotfish keeps.',
    '.TP',
    '.B PILOTFISH_THEME',
    roff('The colours of the terminal UI: terminal (its own 16), dark or light (24 bits), none. NO_COLOR takes them away.'),
  ]
    .filter((line) => line !== '')
    .join('\n');

/** A backslash, a hyphen and a dot at the beginning of a line mean something there, and it is ASCII. */
const roff = (line: string): string =>
  line
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll(/[^\u0020-\u007e]/gu, (sign) => String.raw`\[u${sign.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}]`)
    .replace(/^(?=[.'])/u, String.raw`\&`);
