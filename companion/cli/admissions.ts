import type { Admission } from '#protocol/admission.ts';
import { CompanionError } from '#protocol/errors.ts';
import { pairBrowser } from './pair.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

const createSubcommand = (name: 'browsers' | 'clients', kind: Admission['kind'], summary: string): Subcommand => ({
  name,
  summary,
  usage:
    name === 'browsers'
      ? [
          'list | allow ID | deny ID | remove ID | revoke ID | pair [--address ADDRESS] [--json]',
          '--json             print them as JSON',
          '--address ADDRESS  of `pair`: where the browser comes to, as wss://name; without it a tunnel to the port of this machine',
        ]
      : ['list | allow ID | deny ID | remove ID | revoke ID [--json]', '--json  print them as JSON'],
  run: async (args, io) => {
    const actions = ['list', 'allow', 'deny', 'remove', 'revoke', ...(name === 'browsers' ? ['pair'] : [])];
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' }, address: { type: 'string' } }, { most: 2 });
    const [action = 'list', id] = positionals;
    if (!actions.includes(action)) throw unknownAction(name, action, actions);
    if (action === 'pair' && id === undefined) return pairBrowser(io, { address: values.address, isJson: values.json === true });
    if (values.address !== undefined) throw new CompanionError('CLI_USAGE', '"--address" belongs to "browsers pair".');
    if (action === 'pair') throw new CompanionError('CLI_USAGE', '"browsers pair" takes no id.');
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
      if (action === 'remove' || action === 'revoke') await admissions.remove(id);
      else await admissions.decide(id, action === 'allow');
    }
    const found = await listed();
    if (values.json === true) io.json({ [name]: found });
    else for (const line of found.length > 0 ? found.map(describe) : ['None has come yet.']) io.line(line);
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
  paired: 'a browser elsewhere, paired with its key',
};

/** `pilotfish browsers` */
export const browsers = createSubcommand(
  'browsers',
  'browser',
  'the browsers that may lend their tabs, those that wait, and taking it back',
);

/** `pilotfish clients` */
export const clients = createSubcommand('clients', 'client', 'the MCP clients of yours that may use the browser, and taking it back');
