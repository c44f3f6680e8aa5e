import { byAttention, byPlace, sessionTitle, withSeen } from '#display/attention.ts';
import type { SessionSummary } from '#protocol/api.ts';
import { CompanionError } from '#protocol/errors.ts';
import { toVisible } from '#protocol/foreign-name.ts';
import { findSession } from './find-session.ts';
import type { Io } from './io.ts';
import { actOnSession, checkWish, sessionActions } from './session-actions.ts';
import { projectAt, readSettings, settingFlags, settingUsage } from './session-flags.ts';
import { readArgs, type Subcommand, unknownAction } from './subcommand.ts';

/** `pilotfish sessions` */
export const sessions: Subcommand = {
  name: 'sessions',
  summary: 'all sessions: names, settings, pinning, putting away, deleting and bringing back, going on from one',
  usage: [
    '[list | set SESSION [--name TEXT] [--project FOLDER] [--max-minutes N] … | rename SESSION NAME | pin SESSION | unpin SESSION | archive SESSION | unarchive SESSION | delete SESSION [--forever] | restore SESSION | fork SESSION [--turn ID] [--engine NAME] [--name TEXT]] [--json]',
    'SESSION           its id, the beginning of it, or its name',
    '--name TEXT       what it is called',
    '--project FOLDER  where it works from now on; for a session whose project was forgotten',
    ...settingUsage,
    '--forever         delete it for ever; otherwise it can be brought back within an hour',
    '--turn ID         the last turn that the new session knows; otherwise all of them',
    '--engine NAME     the agent that goes on; it is told what was said',
    '--json            print the sessions, or the one that was acted on, as JSON',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      {
        ...settingFlags,
        name: { type: 'string' },
        project: { type: 'string' },
        forever: { type: 'boolean' },
        turn: { type: 'string' },
        engine: { type: 'string' },
        json: { type: 'boolean' },
      },
      { most: 3 },
    );
    const [action = 'list', wanted, given] = positionals;
    const known = sessionActions.find((name) => name === action);
    if (given !== undefined && known !== 'rename') throw new CompanionError('CLI_USAGE', `"${given}" is one argument too many.`);
    if (known !== undefined) {
      const wish = { ...values, ...(given === undefined ? {} : { name: given }) };
      const session = checkWish(known, wanted, wish);
      await io.client.connect({ start: true, signal: io.signal });
      const acted = await actOnSession(io, known, session, wish);
      if (values.json === true) io.json({ session: acted.session });
      else io.print(toVisible(acted.done));
      return 0;
    }
    if (action !== 'list' && action !== 'set') {
      throw unknownAction('sessions', action, ['list', 'set', ...sessionActions]);
    }
    if (action === 'set') await changeSession(io, wanted, { ...values, settings: readSettings(values) });
    else await io.client.connect({ start: true, signal: io.signal });
    const all = await io.client.sessions.list();
    // A command line does not know what the person has looked at, so an answer does not count as news.
    const found = byPlace(byAttention(all, withSeen({}, all)));
    if (values.json === true) io.json({ sessions: found });
    else for (const line of found.length > 0 ? found.map(describe) : ['There is no session yet.']) io.line(line);
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
    session.isArchived === true ? '(put away)' : session.isPinned === true ? '(pinned)' : '',
  ]
    .join('  ')
    .trimEnd();
