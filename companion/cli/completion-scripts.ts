/** The completion as each shell reads it. What can be named now is asked of the program itself, when a tab is pressed. */

/** A kind of thing that has names of its own on this machine. */
export type NameKind = 'sessions' | 'projects' | 'engines' | 'browsers' | 'clients';

/** What is offered in one place. */
export interface Offer {
  readonly words: readonly string[];
  readonly kinds: readonly NameKind[];
}

export interface CommandWords extends Offer {
  /** The name of the command, and its other names. */
  readonly names: readonly string[];
  readonly summary: string;
  /** What may follow each flag; null behind one that takes no value. */
  readonly flags: ReadonlyMap<string, Offer | null>;
}

/** The script for a shell. */
export const completionScripts: Readonly<Record<'bash' | 'zsh' | 'fish', (commands: readonly CommandWords[]) => string>> = {
  bash: (commands) =>
    [
      '_pilotfish() {',
      '  local word=${COMP_WORDS[COMP_CWORD]} words= kinds= kind',
      '  if [ "$COMP_CWORD" -eq 1 ]; then',
      `    words='${commands.map(({ names: [name] }) => name).join(' ')}'`,
      '  else',
      '    case "${COMP_WORDS[1]} ${COMP_WORDS[COMP_CWORD-1]}" in',
      ...placesOf(commands).map(({ patterns, offer }) => `      ${patterns.join('|')}) ${setOffer(offer)} ;;`),
      '    esac',
      '  fi',
      '  for kind in $kinds; do',
      '    words="$words $("${COMP_WORDS[0]}" completion --names "$kind" 2>/dev/null | cut -d " " -f 1)"',
      '  done',
      '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
      '}',
      'complete -o default -F _pilotfish pilotfish',
    ].join('\n'),
  zsh: (commands) =>
    [
      '#compdef pilotfish',
      '_pilotfish() {',
      '  local words_here= kinds= kind',
      '  if (( CURRENT == 2 )); then',
      '    local -a commands=(',
      ...commands.map(({ names: [name], summary }) => `      '${name}:${plain(summary)}'`),
      '    )',
      "    _describe 'command' commands",
      '    return',
      '  fi',
      '  case "$words[2] $words[CURRENT-1]" in',
      ...placesOf(commands).map(({ patterns, offer }) => `    ${patterns.join('|')}) ${setOffer(offer, 'words_here')} ;;`),
      '  esac',
      '  compadd -- ${=words_here}',
      '  for kind in ${=kinds}; do',
      '    local -a found=("${(@f)$("$words[1]" completion --names $kind 2>/dev/null)}")',
      '    found=("${(@)${(@)found:#}/ /:}")',
      '    _describe "$kind" found',
      '  done',
      '  _files',
      '}',
      '# Sourced or found in $fpath.',
      'if [ "$funcstack[1]" = "_pilotfish" ]; then _pilotfish "$@"; else compdef _pilotfish pilotfish; fi',
    ].join('\n'),
  fish: (commands) =>
    commands
      .flatMap(({ names, summary, words, kinds, flags }) => {
        const inside = `complete -c pilotfish -n '__fish_seen_subcommand_from ${names.join(' ')}'`;
        return [
          `complete -c pilotfish -n __fish_use_subcommand -f -a ${names[0]} -d '${plain(summary)}'`,
          ...words.map((word) => `${inside} -a ${word}`),
          ...kinds.map((kind) => `${inside} -a '${askFish(kind)}'`),
          ...[...flags].map(([flag, offer]) => `${inside} -l ${flag.slice(2)}${offer === null ? '' : fishValue(offer)}`),
        ];
      })
      .join('\n'),
};

const askFish = (kind: NameKind): string => `(pilotfish completion --names ${kind} 2>/dev/null | string replace " " \\t)`;

const fishValue = ({ words, kinds }: Offer): string =>
  words.length + kinds.length === 0 ? ' -r' : ` -x -a '${[...words, ...kinds.map(askFish)].join(' ')}'`;

/** A place in the line: behind a flag that takes a value, or anywhere else in a command. */
const placesOf = (commands: readonly CommandWords[]): { patterns: string[]; offer: Offer }[] =>
  commands.flatMap(({ names, words, kinds, flags }) => [
    ...[...flags].flatMap(([flag, offer]) => (offer === null ? [] : [{ patterns: names.map((name) => `"${name} ${flag}"`), offer }])),
    { patterns: names.map((name) => `"${name} "*`), offer: { words: [...words, ...flags.keys()], kinds } },
  ]);

const setOffer = ({ words, kinds }: Offer, name = 'words'): string => `${name}='${words.join(' ')}' kinds='${kinds.join(' ')}'`;

/** For a shell's own quotes: no summary has one, and none ever gets through. */
const plain = (text: string): string => text.replaceAll(/[`'"\\$:[\]]/gu, '');
