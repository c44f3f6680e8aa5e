import path from 'node:path';
import { EngineName } from '#protocol/engine-setup.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { asCommand } from '#display/command-name.ts';
import { describeEngine } from '#display/overview.ts';
import { describeSetup, readSettings } from './engine-settings.ts';
import { knownEngine } from './find-engine.ts';
import type { Io } from './io.ts';
import { readSecret } from './secret-input.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish engine` */
export const engine: Subcommand = {
  name: 'engine',
  summary: 'the agents: list, check, set them up, store their keys, add one that speaks ACP',
  usage: [
    'list | check [NAME] | set NAME [KEY=VALUE…] [-- ARGS…] | key NAME SECRET [--remove] | add NAME -- COMMAND ARGS… | remove NAME [--json]',
    'list      what is known of each agent; starts no agent',
    'check     start each agent for a moment, as a session would',
    'set       path=PROGRAM, endpoint=URL, env.NAME=VALUE, disabled=yes; what follows -- are further arguments; an empty value takes a setting away, and without any the settings are shown',
    'key       store a key in the keychain: it is asked for, or read from the standard input',
    'add       an agent of your own that speaks the Agent Client Protocol',
    '--remove  take the key away',
    '--json    print the result as JSON',
  ],
  run: async (args, io) => {
    // What follows -- belongs to the agent's command line, not to this one.
    const cut = args.indexOf('--');
    const { values, positionals } = readArgs(
      cut < 0 ? args : args.slice(0, cut),
      { json: { type: 'boolean' }, remove: { type: 'boolean' } },
      { most: Number.POSITIVE_INFINITY },
    );
    const [name = 'list', ...words] = positionals;
    const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
    if (action === undefined) {
      throw unknownAction('engine', name, Object.keys(actions));
    }
    if (words.length > action.words) throw new CompanionError('CLI_USAGE', `"${words[action.words]}" is one argument too many.`);
    const result = await action.run(io, { words, rest: cut < 0 ? null : args.slice(cut + 1), isRemoval: values.remove === true });
    if (values.json === true) io.json(result.json);
    else for (const line of result.lines) io.print(line);
    return 0;
  },
};

interface Given {
  readonly words: readonly string[];
  /** The words after `--`. */
  readonly rest: readonly string[] | null;
  readonly isRemoval: boolean;
}

interface Result {
  readonly json: unknown;
  readonly lines: readonly string[];
}

interface Action {
  /** How many words it takes at most. */
  readonly words: number;
  run(io: Io, given: Given): Promise<Result>;
}

const connect = ({ client, signal }: Io): Promise<unknown> => client.connect({ start: true, signal });

/** Checks the agent with its current settings; one that is switched off is not started. */
const checked = async (io: Io, name: string, lines: readonly string[]): Promise<Result> => {
  const { isDisabled } = await io.client.engines.setup(name);
  if (!isDisabled) await io.client.engines.refresh(name, io.signal);
  const setup = await io.client.engines.setup(name);
  return { json: setup, lines: isDisabled ? lines : [...lines, ...describeAgent(io, setup.engine)] };
};

/** Asks for the secret and stores it, or takes it away. */
const storeSecret = async (io: Io, name: string, secretName: string, isRemoval: boolean): Promise<Result> => {
  await connect(io);
  await knownEngine(io, name);
  // It is asked first, so that an unknown secret is refused before anything is typed.
  const { secrets, hasOpenSecrets } = await io.client.engines.setup(name);
  const names = secrets.map((secret) => secret.name);
  if (!names.includes(secretName) && !hasOpenSecrets) {
    throw new CompanionError('CLI_USAGE', `${name} reads ${names.length === 0 ? 'no key' : `these keys: ${names.join(', ')}`}.`);
  }
  const setup = await io.client.engines.setSecret(name, secretName, isRemoval ? null : await readSecret(io, secretName));
  const { warning } = await io.client.engines.setups();
  if (warning !== null) io.note(warning);
  return checked(io, name, describeSetup(setup));
};

const actions: Readonly<Record<string, Action>> = {
  list: {
    words: 0,
    run: async (io) => {
      await connect(io);
      const { engines } = await io.client.engines.setups();
      const lines = engines.flatMap(({ engine: info, isDisabled }) =>
        isDisabled ? [`${info.name}: ${info.label} is switched off`] : describeAgent(io, info),
      );
      return { json: { engines: engines.map(({ engine: info }) => info) }, lines };
    },
  },
  check: {
    words: 1,
    run: async (io, { words: [name] }) => {
      await connect(io);
      if (name !== undefined) await knownEngine(io, name);
      const engines = await io.client.engines.refresh(name, io.signal);
      return { json: { engines }, lines: engines.flatMap((info) => describeAgent(io, info)) };
    },
  },
  set: {
    words: Number.POSITIVE_INFINITY,
    run: async (io, { words: [name, ...assignments], rest }) => {
      if (name === undefined) throw new CompanionError('CLI_USAGE', '"engine set" needs the name of an agent.');
      const change = readSettings(assignments, rest);
      await connect(io);
      await knownEngine(io, name);
      if (Object.keys(change).length === 0) {
        const setup = await io.client.engines.setup(name);
        return { json: setup, lines: describeSetup(setup) };
      }
      const found = typeof change.path === 'string' ? { ...change, path: toProgram(change.path) } : change;
      return checked(io, name, describeSetup(await io.client.engines.change(name, found)));
    },
  },
  key: {
    words: 2,
    run: async (io, { words: [name, secretName], isRemoval }) => {
      if (name === undefined || secretName === undefined) throw new CompanionError('CLI_USAGE', 'Write: pilotfish engine key NAME SECRET');
      return storeSecret(io, name, secretName, isRemoval);
    },
  },
  add: {
    words: 1,
    run: async (io, { words: [name], rest }) => {
      const [command, ...args] = rest ?? [];
      if (name === undefined || command === undefined)
        throw new CompanionError('CLI_USAGE', 'Write: pilotfish engine add NAME -- COMMAND ARGS…');
      if (!EngineName.safeParse(name).success) {
        throw new CompanionError('CLI_USAGE', `"${name}" cannot be a name; use small letters, digits, - and _.`);
      }
      await connect(io);
      await io.client.engines.add({ name, command: toProgram(command), args });
      return checked(io, name, []);
    },
  },
  remove: {
    words: 1,
    run: async (io, { words: [name] }) => {
      if (name === undefined) throw new CompanionError('CLI_USAGE', '"engine remove" needs a name.');
      await connect(io);
      await knownEngine(io, name);
      await io.client.engines.remove(name);
      const engines = await io.client.engines.list();
      return { json: { engines }, lines: engines.flatMap((info) => describeAgent(io, info)) };
    },
  },
};

/** `pilotfish secret` */
export const secret: Subcommand = {
  name: 'secret',
  summary: "the keys of the agents, in the system's keychain: which there are, storing one, taking it away",
  usage: [
    'list [NAME] | set NAME SECRET | remove NAME SECRET [--json]',
    'set     it is asked for without being shown, or read from the standard input; it is never an argument',
    '--json  print the result as JSON, without any key',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { most: 3 });
    const [action = 'list', name, secretName] = positionals;
    if (action !== 'list' && action !== 'set' && action !== 'remove') throw unknownAction('secret', action, ['list', 'set', 'remove']);
    if (action === 'list') return listSecrets(io, name, values.json === true);
    if (name === undefined || secretName === undefined)
      throw new CompanionError('CLI_USAGE', `Write: pilotfish secret ${action} NAME SECRET`);
    const { json, lines } = await storeSecret(io, name, secretName, action === 'remove');
    if (values.json === true) io.json(json);
    else for (const line of lines) io.print(line);
    return 0;
  },
};

const listSecrets = async (io: Io, name: string | undefined, isJson: boolean): Promise<number> => {
  await connect(io);
  if (name !== undefined) await knownEngine(io, name);
  const setups = name === undefined ? (await io.client.engines.setups()).engines : [await io.client.engines.setup(name)];
  const secrets = setups.flatMap((setup) => setup.secrets.map((entry) => ({ engine: setup.engine.name, ...entry })));
  if (isJson) io.json({ secrets });
  else if (secrets.length === 0) io.print('No agent reads a key.');
  else for (const { engine: owner, name: key, isSet } of secrets) io.print(`${owner}  ${key}  ${isSet ? 'stored' : 'not stored'}`);
  return 0;
};

/** A relative path starts in this folder, but the daemon works in another; a bare name is looked for where programs are. */
const toProgram = (command: string): string => (command.includes('/') || command.includes(path.sep) ? expand(command) : command);

/** The daemon knows where the home folder is. */
const expand = (command: string): string => (command.startsWith('~') ? command : path.resolve(command));

/** What is known of an agent, with the command that mends it. */
export const describeAgent = ({ installer }: Pick<Io, 'installer'>, info: EngineInfo): string[] => [
  `${info.name}: ${describeEngine(info)}`,
  ...(info.status === 'ready' || info.fix === undefined ? [] : [`  ${asCommand(info.fix, installer.command())}`]),
];
