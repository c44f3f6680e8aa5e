/** The help pages, drawn from the subcommands themselves. */
import { exitCodeLine } from './exit-code.ts';
import type { Subcommand } from './subcommand.ts';

/** What every terminal shows without breaking a line in a word. */
const WIDTH = 80;

/** Where man(1) begins the lines of a command, and keeps free on the right. */
const MAN_INDENT = 16;

/** The page of all commands. */
export const describeCommands = (commands: readonly Subcommand[]): string => {
  const column = Math.max(...commands.map(({ name }) => name.length)) + 4;
  return [
    ...wrap('Pilotfish runs your coding agents, shows them in the side panel and the terminal, and gives them your own browser.', 0),
    '',
    'pilotfish             open the terminal UI',
    'pilotfish COMMAND     one of these; `pilotfish help COMMAND` says more',
    '',
    ...commands.flatMap(({ name, summary }) => wrap(`  ${name}`.padEnd(column) + summary, column)),
    '',
    ...wrap(exitCodeLine, 12),
    'PILOTFISH_HOME=FOLDER  puts everything pilotfish keeps under one folder.',
    'PILOTFISH_THEME=terminal|dark|light|none  chooses the colours of the terminal',
    '                       UI, or a theme of your own; NO_COLOR takes them away.',
    'PILOTFISH_READ_ONLY=1  opens a terminal UI that changes nothing.',
  ].join('\n');
};

/** The page of one command. */
export const describeCommand = ({ name, summary, usage: [form = '', ...lines] }: Subcommand): string =>
  [
    ...wrapForm(`pilotfish ${name} ${form}`.trim(), WIDTH),
    '',
    ...wrap(`  ${summary}`, 2),
    ...(lines.length > 0 ? ['', ...wrapLines(lines, WIDTH - 2).map((line) => `  ${line}`)] : []),
  ].join('\n');

/** The lines of a command: what is explained, two spaces or more, and the explanation, which goes on below itself. */
const wrapLines = (lines: readonly string[], width: number): string[] =>
  lines.flatMap((line) => {
    const [head = ''] = /^ *\S.*?\s{2,}(?=\S)|^-\S+ [A-Z]+ |^ +/u.exec(line) ?? [];
    return wrap(line, head.length > width / 2 ? 4 : head.length, width);
  });

/** A line, broken between words; what is broken off begins in that column. */
const wrap = (line: string, column: number, width = WIDTH): string[] => fill(line, /(?<=\S) (?=\S)/u, column, width);

/** The form of a command, broken before a bracket, a bar or a flag, so that what belongs together stays so. */
const wrapForm = (form: string, width: number): string[] =>
  fill(form, / (?=[[|…]|--)/u, 4, width).flatMap((line, at) => (line.length > width ? wrap(line, at === 0 ? 4 : 6, width) : [line]));

const fill = (text: string, between: RegExp, column: number, width: number): string[] => {
  const lines: string[] = [];
  for (const part of text.split(between)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + part.length <= width) lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? part : `${' '.repeat(column)}${part}`);
  }
  return lines;
};

/** All pages as one manual page, in the language of man(7); `date` is the day of its sources, or of today. */
export const describeMan = (commands: readonly Subcommand[], version: string, date: Date): string =>
  [
    `.TH PILOTFISH 1 ${date.toISOString().slice(0, 10)} "Pilotfish ${version}" "User Commands"`,
    // Words are neither spread over a line nor broken: a form would be copied with what does not belong to it.
    '.ad l',
    '.nh',
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
      ...(lines.length > 0 ? ['.RS', '.nf', ...wrapLines(lines, WIDTH - MAN_INDENT).map(roff), '.fi', '.RE'] : []),
    ]),
    '.SH EXIT STATUS',
    roff(exitCodeLine),
    '.SH ENVIRONMENT',
    '.TP',
    '.B PILOTFISH_HOME',
    'The folder under which everything is that pilotfish keeps.',
    '.TP',
    '.B PILOTFISH_THEME',
    roff(
      'The colours of the terminal UI: terminal (its own 16), dark or light (24 bits), none, or the name of a file in the folder themes. NO_COLOR takes them away.',
    ),
    '.TP',
    '.B PILOTFISH_READ_ONLY',
    'When it is not empty, the terminal UI only looks: it sends, answers, stops and changes nothing.',
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
