import type { Admission } from '#protocol/admission.ts';
import { CompanionError } from '#protocol/errors.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

const ACTIONS = ['list', 'allow', 'deny', 'remove'];

const createSubcommand = (name: 'browsers' | 'clients', kind: Admission['kind'], summary: string): Subcommand => ({
  name,
  summary,
  usage: ['list | allow ID | deny ID | remove ID [--json]', '--json  print them as JSON'],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { least: 0, most: 2 });
    const [action = 'list', id] = positionals;
    if (!ACTIONS.includes(action)) {
      throw unknownAction(name, action, ['list', 'allow', 'deny', 'remove']);
    }
    if ((action === 'list') !== (id === undefined)) {
      throw new CompanionError('CLI_USAGE', action === 'list' ? `"${name} list" takes no id.` : `"${name} ${action}" needs the id of one.`);
    }
    await io.client.connect({ start: true, signal: io.signal });
    const { admissions } = io.client;
    const listed = async (): Promise<Admission[]> => (await admissions.list()).filter((admission) => admission.kind === kind);
    if (id !== undefined) {
      if (!(await listed()).some((admission) => admission.id === id)) {
        throw new CompanionError('ADMISSION_UNKNOWN', `"${id}".`, { remedy: `See the ids with \`pilotfish ${name}\`.` });
      }
      if (action === 'remove') await admissions.remove(id);
      else await admissions.decide(id, action === 'allow');
    }
    const found = await listed();
    if (values.json === true) io.json({ [name]: found });
    else for (const line of found.length > 0 ? found.map(describe) : ['None has come yet.']) io.print(line);
    return 0;
  },
});

const describe = ({ id, state, name, program, pid, folder, origin, since }: Admission): string =>
  [
    id,
    state,
    `calls itself "${name}"`,
    program ?? 'program not known',
    ...(pid === null ? [] : [`process ${pid}`]),
    ...(folder === null ? [] : [`in ${folder}`]),
    WORDS[origin],
    new Date(since).toISOString(),
  ].join('  ');

const WORDS: Readonly<Record<Admission['origin'], string>> = {
  browser: 'an installed browser',
  program: 'a program',
  agent: 'started by an agent of Pilotfish',
  unknown: 'not checked: this system does not tell what it is',
};

/** `pilotfish browsers` */
export const browsers = createSubcommand(
  'browsers',
  'browser',
  'the browsers that may lend their tabs, those that wait, and taking it back',
);

/** `pilotfish clients` */
export const clients = createSubcommand('clients', 'client', 'the MCP clients of yours that may use the browser, and taking it back');
