/** Completion for shells, made from the subcommands themselves: their names, and the words and flags that their pages name. */
import { toVisible } from '#protocol/foreign-name.ts';
import { sessionTitle } from '#display/attention.ts';
import { CompanionError } from '#protocol/errors.ts';
import { completionScripts, type CommandWords, type NameKind, type Offer } from './completion-scripts.ts';
import type { Io } from './io.ts';
import { mcpClients } from './mcp-clients.ts';
import { readArgs, type Subcommand, unknownValue } from './subcommand.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** `pilotfish completion`, for these commands and their other names. */
export const completionOf = (commands: () => readonly Subcommand[], aliases: () => ReadonlyMap<string, string>): Subcommand => ({
  name: 'completion',
  summary: 'print the completion for bash, zsh or fish',
  usage: [
    `bash|zsh|fish | --names ${nameKinds.join('|')} [--json]`,
    'bash    put it into ~/.local/share/bash-completion/completions/pilotfish',
    'zsh     put it into a folder of $fpath, as _pilotfish',
    'fish    put it into ~/.config/fish/completions/pilotfish.fish',
    '--names KIND  what can be named now, which the completion asks for; starts nothing',
    '--json  print the shell and its completion, or the names, as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { names: { type: 'string' }, json: { type: 'boolean' } }, { most: 1 });
    const isJson = values.json === true;
    if (values.names !== undefined && positionals.length === 0) {
      const names = await namesOf(io, readKind(values.names));
      if (isJson) io.json({ names });
      else for (const { name, about } of names) io.print(`${name} ${about}`);
      return 0;
    }
    const shell = shells.find((name) => name === positionals[0]);
    if (shell === undefined || values.names !== undefined) {
      if (positionals[0] !== undefined) throw unknownValue(`The shell ${positionals[0]}`, positionals[0], shells);
      throw new CompanionError('CLI_USAGE', `Name a shell; there are ${shells.join(', ')}.`);
    }
    const script = completionScripts[shell](commands().map((command) => wordsOf(command, aliases())));
    if (isJson) io.json({ shell, script });
    else io.print(script);
    return 0;
  },
});

const nameKinds = ['sessions', 'projects', 'engines', 'browsers', 'clients'] as const satisfies readonly NameKind[];

const readKind = (given: string): NameKind => {
  const kind = nameKinds.find((name) => name === given);
  if (kind === undefined) throw unknownValue(`--names ${given}`, given, nameKinds);
  return kind;
};

/** Nothing is started by a tab key: without a daemon there are none. */
const namesOf = async (io: Io, kind: NameKind): Promise<{ name: string; about: string }[]> => {
  const isThere = await io.client.connect({ start: false, signal: io.signal }).then(
    () => true,
    () => false,
  );
  const found = isThere ? await readNames(io, kind) : [];
  return found.map(([name, about]) => ({ name, about: toVisible(about).replaceAll(/\s+/gu, ' ').trim() }));
};

const readNames = async ({ client }: Io, kind: NameKind): Promise<[string, string][]> => {
  switch (kind) {
    case 'sessions':
      return (await client.sessions.list()).map((session) => [session.id, sessionTitle(session)]);
    case 'projects':
      return (await client.projects.list()).map(({ id, rootPath }) => [id, rootPath]);
    case 'engines':
      return (await client.engines.list()).map(({ name, label }) => [name, label]);
    case 'browsers':
    case 'clients':
      return (await client.admissions.list()).filter((one) => `${one.kind}s` === kind).map(({ id, name }) => [id, name]);
  }
};

const wordsOf = ({ name, summary, usage }: Subcommand, aliases: ReadonlyMap<string, string>): CommandWords => {
  const [form = ''] = usage;
  const page = usage.join('\n');
  const flags = new Map<string, Offer | null>();
  for (const [, flag = '', value] of page.matchAll(/(--[a-z][a-z-]*)(?: ([A-Z]+(?=[^a-z])|[a-z-]+(?:\|[a-z-]+)+))?/gu)) {
    // The form comes first and lists the values, where there are few.
    flags.set(flag, flags.get(flag) ?? offerOf(flag, value) ?? null);
  }
  // The actions stand in lower case in the first line, the values of flags behind a flag.
  const actions = form.replaceAll(/--[a-z-]+(?: [^\]\s]+)?|\w+:\S+/gu, '').match(/(?<![\w-])[a-z][a-z-]*(?![\w-])/gu) ?? [];
  const clients = name === 'mcp' ? mcpClients.map((client) => client.name) : [];
  return {
    names: [name, ...[...aliases].filter(([alias, of]) => of === name && !alias.startsWith('-')).map(([alias]) => alias)],
    summary,
    words: [...new Set([...actions, ...clients])],
    kinds: [...kindsIn(form.replaceAll(/--[a-z-]+ [A-Z]+/gu, '')), ...(OWN.get(name) ?? [])],
    flags,
  };
};

const kindsIn = (text: string): NameKind[] => [
  ...(/\bSESSION\b/u.test(text) ? (['sessions'] as const) : []),
  ...(/\bPROJECT\b/u.test(text) ? (['projects'] as const) : []),
];

/** Commands that are about one kind of thing, which their pages call NAME or ID. */
const OWN: ReadonlyMap<string, readonly NameKind[]> = new Map([
  ['engine', ['engines']],
  ['secret', ['engines']],
  ['browsers', ['browsers']],
  ['clients', ['clients']],
]);

const OF_FLAGS: ReadonlyMap<string, readonly NameKind[]> = new Map([
  ['--engine', ['engines']],
  ['--agent', ['engines']],
  ['--session', ['sessions']],
]);

/** What can stand behind a flag; undefined for a flag that takes no value. */
const offerOf = (flag: string, value: string | undefined): Offer | undefined => {
  if (value === undefined) return undefined;
  return value.includes('|') ? { words: value.split('|'), kinds: [] } : { words: [], kinds: OF_FLAGS.get(flag) ?? kindsIn(value) };
};
