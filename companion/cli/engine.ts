import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { describeEngine } from '#companion/client/overview.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** As the settings take them: what a person can type and a file name can hold. */
const NAME = /^[a-z0-9][a-z0-9_-]{0,40}$/u;

/** `pilotfish engine` */
export const engine: Subcommand = {
  name: 'engine',
  summary: 'the agents: list, check, add one that speaks ACP, remove it',
  usage: [
    'list | check [NAME] | add NAME -- COMMAND ARGS… | remove NAME [--json]',
    'list    what is known of each agent; starts no agent',
    'check   start each agent for a moment, as a session would',
    'add     an agent of your own that speaks the Agent Client Protocol',
    '--json  print the agents as JSON',
  ],
  run: async (args, io) => {
    // What follows -- is the agent's own command line and none of ours.
    const cut = args.indexOf('--');
    const { values, positionals } = readArgs(cut < 0 ? args : args.slice(0, cut), { json: { type: 'boolean' } }, { least: 0, most: 2 });
    const [action = 'list', name] = positionals;
    const command = cut < 0 ? [] : args.slice(cut + 1);
    const engines = await perform(io, action, name, command);
    if (values.json === true) io.json({ engines });
    else for (const line of engines.flatMap(describe)) io.print(line);
    return 0;
  },
};

const perform = async (io: Io, action: string, name: string | undefined, command: readonly string[]): Promise<EngineInfo[]> => {
  const { client, customEngines, signal } = io;
  const connect = (): Promise<unknown> => client.connect({ start: true, signal });
  switch (action) {
    case 'list':
      await connect();
      return client.engines.list();
    case 'check':
      await connect();
      return client.engines.refresh(name, signal);
    case 'add': {
      const [executable, ...rest] = command;
      if (name === undefined || executable === undefined)
        throw new CompanionError('CLI_USAGE', 'Write: pilotfish engine add NAME -- COMMAND ARGS…');
      if (!NAME.test(name)) throw new CompanionError('CLI_USAGE', `"${name}" cannot be a name; use small letters, digits, - and _.`);
      await connect();
      if ((await client.engines.list()).some((known) => known.name === name && !known.isCustom)) {
        throw new CompanionError('CLI_USAGE', `"${name}" is the name of a built-in agent.`);
      }
      customEngines.add({ name, command: executable, args: rest });
      return client.engines.refresh(name, signal);
    }
    case 'remove':
      if (name === undefined) throw new CompanionError('CLI_USAGE', '"engine remove" needs a name.');
      if (!customEngines.remove(name)) throw new CompanionError('ENGINE_UNKNOWN', `You added none that is called "${name}".`);
      await connect();
      return client.engines.list();
    default:
      throw new CompanionError('CLI_USAGE', `"engine ${action}" is not known; there are list, check, add and remove.`);
  }
};

const describe = (info: EngineInfo): string[] => [
  `${info.name}: ${describeEngine(info)}`,
  ...(info.status === 'ready' || info.fix === undefined ? [] : [`  ${info.fix}`]),
];
