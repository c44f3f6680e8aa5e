import type { Grant } from '#protocol/browser.ts';
import { CompanionError } from '#protocol/errors.ts';
import { findSession } from './find-session.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish grants` */
export const grants: Subcommand = {
  name: 'grants',
  summary: 'what you allowed the browser tools for good or for a session, and taking it back',
  usage: [
    'list | add SESSION ORIGIN... [--minutes N] | remove ID [--json]',
    'add        lets the agent of a session change pages of these sites without a question, for an hour or so long',
    '--minutes  how long, up to 1440',
    '--json     print the grants as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(args, { json: { type: 'boolean' }, minutes: { type: 'string' } }, { most: 52 });
    const [action = 'list', id, ...origins] = positionals;
    if (action !== 'list' && action !== 'add' && action !== 'remove') throw unknownAction('grants', action, ['list', 'add', 'remove']);
    if (action !== 'add' && (origins.length > 0 || values.minutes !== undefined))
      throw new CompanionError('CLI_USAGE', `"grants ${action}" takes neither sites nor minutes.`);
    const minutes = Number(values.minutes ?? 60);
    if (!Number.isInteger(minutes) || minutes < 1 || minutes > 1440)
      throw new CompanionError('CLI_USAGE', `"${values.minutes}" is no number of minutes from 1 to 1440.`);
    await io.client.connect({ start: true, signal: io.signal });
    if (action === 'add') {
      if (id === undefined || origins.length === 0) throw new CompanionError('CLI_USAGE', '"grants add" needs a session and sites.');
      const { id: sessionId } = findSession(await io.client.sessions.list(), id);
      await io.client.grants.add({ sessionId, origins, minutes });
    }
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
    else for (const line of found.length > 0 ? found.map(describe) : ['Nothing is allowed without asking.']) io.line(line);
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
