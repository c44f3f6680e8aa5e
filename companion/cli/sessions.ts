import { byAttention, sessionTitle, withSeen } from '#display/attention.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { projectAt, readSettings, settingFlags, settingUsage } from './session-flags.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** `pilotfish sessions` */
export const sessions: Subcommand = {
  name: 'sessions',
  summary: 'all sessions, and changing the settings of one',
  usage: [
    '[list | set SESSION [--name TEXT] [--project FOLDER] [--max-minutes N] …] [--json]',
    'SESSION           its id, the beginning of it, or its name',
    '--name TEXT       what it is called',
    '--project FOLDER  where it works from now on; for a session whose project was forgotten',
    ...settingUsage,
    '--json            print the sessions as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      { ...settingFlags, name: { type: 'string' }, project: { type: 'string' }, json: { type: 'boolean' } },
      { least: 0, most: 2 },
    );
    const [action = 'list', wanted] = positionals;
    if (action !== 'list' && action !== 'set') {
      throw new CompanionError('CLI_USAGE', `"sessions ${action}" is not known; there are list and set.`);
    }
    if (action === 'set') await changeSession(io, wanted, { ...values, settings: readSettings(values) });
    else await io.client.connect({ start: true, signal: io.signal });
    const known = await io.client.sessions.list();
    // A command line does not know what the person has looked at, so an answer does not count as news.
    const found = byAttention(known, withSeen({}, known));
    if (values.json === true) io.json({ sessions: found });
    else for (const line of found.length > 0 ? found.map(describe) : ['There is no session yet.']) io.print(line);
    return 0;
  },
};

const changeSession = async (
  io: Io,
  wanted: string | undefined,
  { name, project, settings }: { name?: string; project?: string; settings: ReturnType<typeof readSettings> },
): Promise<void> => {
  if (wanted === undefined) throw new CompanionError('CLI_USAGE', '"sessions set" needs a session.');
  if (name === undefined && project === undefined && Object.keys(settings).length === 0) {
    throw new CompanionError('CLI_USAGE', '"sessions set" needs at least one flag that says what to change.');
  }
  await io.client.connect({ start: true, signal: io.signal });
  const { id } = findSession(await io.client.sessions.list(), wanted);
  const projectId = project === undefined ? undefined : (await projectAt(io, project)).id;
  await io.client.sessions.update(id, {
    ...settings,
    ...(name === undefined ? {} : { name }),
    ...(projectId === undefined ? {} : { projectId }),
  });
};

const describe = (session: SessionSummary): string =>
  [
    session.id,
    session.engineName.padEnd(8),
    (session.openRequests > 0 ? 'waits for you' : session.status === 'idle' ? (session.lastOutcome ?? 'new') : session.status).padEnd(13),
    sessionTitle(session),
  ]
    .join('  ')
    .trimEnd();
