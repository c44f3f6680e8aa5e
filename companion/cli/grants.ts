import type { Grant } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish grants` */
export const grants: Subcommand = {
  name: 'grants',
  summary: 'what you allowed the browser tools for good or for a session, and taking it back',
  usage: ['list | remove ID [--json]', '--json  print the grants as JSON'],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' } }, { least: 0, most: 2 });
    const [action = 'list', id] = positionals;
    if (action !== 'list' && action !== 'remove') {
      throw unknownAction('grants', action, ['list', 'remove']);
    }
    await io.client.connect({ start: true, signal: io.signal });
    if (action === 'remove') {
      if (id === undefined) throw new CompanionError('CLI_USAGE', '"grants remove" needs the id of one.');
      const known = await io.client.grants.list();
      if (!known.some((grant) => grant.id === id)) {
        throw new CompanionError('CLI_USAGE', `"${id}" is no id of a grant.`, { remedy: 'See the ids with `pilotfish grants`.' });
      }
      await io.client.grants.remove(id);
    }
    const found = await io.client.grants.list();
    if (values.json === true) io.json({ grants: found });
    else for (const line of found.length > 0 ? found.map(describe) : ['Nothing is allowed without asking.']) io.print(line);
    return 0;
  },
};

const describe = ({ id, origin, toolClass, tool, sessionId, client, createdAt, expiresAt }: Grant): string =>
  [
    id,
    origin,
    tool === null ? toolClass : `${toolClass} (${tool})`,
    sessionId === null ? 'always' : `in session ${sessionId}`,
    `for ${client.name}`,
    `since ${new Date(createdAt).toISOString()}`,
    ...(expiresAt === null ? [] : [`until ${new Date(expiresAt).toISOString()}`]),
  ].join('  ');
