import { text as readAll } from 'node:stream/consumers';
import type { SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { onAskUsage, readOnAsk } from './ask.ts';
import type { Io } from './io.ts';
import { projectAt, readSettings, settingFlags, settingUsage, type SessionWish } from './session-flags.ts';
import { readArgs, type Subcommand } from './subcommand.ts';
import { FollowedTurn } from './turn.ts';

/** `pilotfish run` */
export const run: Subcommand = {
  name: 'run',
  summary: 'send one prompt to an agent and print its answer as it comes',
  usage: [
    '[--engine NAME] [--project FOLDER] [--session ID] [--model ID] [--mode ID] [--max-turns N] [--max-cost USD] [--max-minutes N] [--on-ask deny|allow|wait] … -- PROMPT',
    'PROMPT            what follows --; without it the prompt is read from stdin',
    '--engine NAME     the agent; otherwise the first that is ready',
    '--project FOLDER  where it works; otherwise here',
    '--session ID      go on with a session instead of beginning one',
    ...settingUsage,
    ...onAskUsage,
    '--json            print the events, one JSON object a line',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      {
        engine: { type: 'string' },
        project: { type: 'string' },
        session: { type: 'string' },
        ...settingFlags,
        'on-ask': { type: 'string' },
        json: { type: 'boolean' },
      },
      { least: 0, most: Infinity },
    );
    const prompt = (positionals.length > 0 ? positionals.join(' ') : io.isInteractive ? '' : await readAll(io.stdin)).trim();
    if (prompt === '') throw new CompanionError('CLI_USAGE', 'A prompt is missing: write it after --, or pipe it in.');
    const settings = readSettings(values);
    const onAsk = readOnAsk(values['on-ask'], io.isInteractive);
    await io.client.connect({ start: true, signal: io.signal });
    const sessionId = values.session === undefined ? (await beginSession(io, values, settings)).id : SessionId.parse(values.session);
    if (values.session !== undefined && Object.keys(settings).length > 0) await io.client.sessions.update(sessionId, settings);
    const turnId = TurnId.parse(randomId('turn'));
    const isJson = values.json === true;
    // The events carry the id.
    if (!isJson && values.session === undefined) io.note(`Session ${sessionId}`);
    const turn = new FollowedTurn({ io, sessionId, turnId, isJson, onAsk });
    try {
      await io.client.startTurn(sessionId, { text: prompt, turnId });
      return await turn.ended;
    } finally {
      turn.stop();
    }
  },
};

const beginSession = async (io: Io, wish: { engine?: string; project?: string }, settings: SessionWish): Promise<SessionSummary> => {
  const engine = wish.engine ?? (await firstReady(io)).name;
  const project = await projectAt(io, wish.project ?? '.');
  return io.client.sessions.create(project.id, {
    engineName: engine,
    ...settings,
  });
};

const firstReady = async ({ client, signal }: Io): Promise<EngineInfo> => {
  const isReady = ({ status }: EngineInfo): boolean => status === 'ready';
  const found = (await client.engines.list()).find(isReady) ?? (await client.engines.refresh(undefined, signal)).find(isReady);
  if (found === undefined)
    throw new CompanionError('ENGINE_NOT_FOUND', 'None is ready.', {
      remedy: 'Run `pilotfish engine check` to see what each still needs.',
    });
  return found;
};
