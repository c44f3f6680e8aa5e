/** Completion for shells, made from the subcommands themselves: their names, and the flags that their pages name. */
import { CompanionError } from '#protocol/errors.ts';
import { mcpClients } from './mcp-clients.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** `pilotfish completion`, for these commands. */
export const completionOf = (commands: () => readonly Subcommand[]): Subcommand => ({
  name: 'completion',
  summary: 'print the completion for bash, zsh or fish',
  usage: [
    'bash|zsh|fish [--json]',
    'bash  pilotfish completion bash > ~/.local/share/bash-completion/completions/pilotfish',
    'zsh   pilotfish completion zsh > a folder of $fpath, as _pilotfish',
    'fish  pilotfish completion fish > ~/.config/fish/completions/pilotfish.fish',
    '--json  print the shell and its completion as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { least: 1, most: 1 });
    const shell = shells.find((name) => name === positionals[0]);
    if (shell === undefined)
      throw new CompanionError('CLI_USAGE', `The shell ${positionals[0]} is not known; there are ${shells.join(', ')}.`);
    const script = scripts[shell](commands().map(wordsOf));
    if (values.json === true) io.json({ shell, script });
    else io.print(script);
    return 0;
  },
});

interface CommandWords {
  readonly name: string;
  readonly summary: string;
  /** What may follow: flags, actions, names. */
  readonly words: readonly string[];
}

const wordsOf = ({ name, summary, usage }: Subcommand): CommandWords => {
  const [form = ''] = usage;
  const flags = usage.join('\n').match(/--[a-z][a-z-]*/gu) ?? [];
  // The actions stand in lower case in the first line, flags' values behind a flag.
  const actions = form.replaceAll(/--[a-z-]+ [^\]\s]+/gu, '').match(/(?<![\w-])[a-z]+(?![\w-])/gu) ?? [];
  const names = name === 'mcp' ? mcpClients.map((client) => client.name) : [];
  return { name, summary, words: [...new Set([...actions, ...names, ...flags])] };
};

/** For a shell's own quotes: no summary has one, and none ever gets through. */
const plain = (text: string): string => text.replaceAll(/[`'"\\$:[\]]/gu, '');

const scripts: Readonly<Record<Shell, (commands: readonly CommandWords[]) => string>> = {
  bash: (commands) =>
    [
      '_pilotfish() {',
      '  local word=${COMP_WORDS[COMP_CWORD]} words',
      '  if [ "$COMP_CWORD" -eq 1 ]; then',
      `    words='${commands.map(({ name }) => name).join(' ')}'`,
      '  else',
      '    case ${COMP_WORDS[1]} in',
      ...commands.map(({ name, words }) => `      ${name}) words='${words.join(' ')}' ;;`),
      '    esac',
      '  fi',
      '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
      '}',
      'complete -o default -F _pilotfish pilotfish',
    ].join('\n'),
  zsh: (commands) =>
    [
      '#compdef pilotfish',
      '_pilotfish() {',
      '  if (( CURRENT == 2 )); then',
      '    local -a commands=(',
      ...commands.map(({ name, summary }) => `      '${name}:${plain(summary)}'`),
      '    )',
      "    _describe 'command' commands",
      '  else',
      '    case $words[2] in',
      ...commands.map(({ name, words }) => `      ${name}) compadd -- ${words.join(' ')}; _files ;;`),
      '    esac',
      '  fi',
      '}',
      '# Sourced or found in $fpath.',
      'if [ "$funcstack[1]" = "_pilotfish" ]; then _pilotfish "$@"; else compdef _pilotfish pilotfish; fi',
    ].join('\n'),
  fish: (commands) =>
    commands
      .flatMap(({ name, summary, words }) => [
        `complete -c pilotfish -n __fish_use_subcommand -f -a ${name} -d '${plain(summary)}'`,
        ...words.map(
          (word) =>
            `complete -c pilotfish -n '__fish_seen_subcommand_from ${name}' ${word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`}`,
        ),
      ])
      .join('\n'),
};
