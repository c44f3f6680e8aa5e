import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Project, SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';
import { followTurn } from './turn.ts';

/** `pilotfish run` */
export const run: Subcommand = {
  name: 'run',
  summary: 'send one prompt to an agent and print its answer as it comes',
  usage: [
    '[--engine NAME] [--project FOLDER] [--session ID] [--model ID] [--mode ID] [--json] -- PROMPT',
    'PROMPT            what follows --; without it the prompt is read from stdin',
    '--engine NAME     the agent; otherwise the first that is ready',
    '--project FOLDER  where it works; otherwise here',
    '--session ID      go on with a session instead of beginning one',
    '--model ID        the model',
    '--mode ID         how much the agent asks',
    '--json            print the events, one JSON object a line',
  ],
  run: async (args, io) => {
    const { values, positionals } = readArgs(
      args,
      {
        engine: { type: 'string' },
        project: { type: 'string' },
        session: { type: 'string' },
        model: { type: 'string' },
        mode: { type: 'string' },
        json: { type: 'boolean' },
      },
      { least: 0, most: Infinity },
    );
    const prompt = (positionals.length > 0 ? positionals.join(' ') : io.isInteractive ? '' : await readAll(io.stdin)).trim();
    if (prompt === '') throw new CompanionError('CLI_USAGE', 'A prompt is missing: write it after --, or pipe it in.');
    await io.client.connect({ start: true, signal: io.signal });
    const sessionId = values.session === undefined ? (await beginSession(io, values)).id : SessionId.parse(values.session);
    const turnId = TurnId.parse(randomId('turn'));
    const turn = followTurn(io, sessionId, turnId, values.json === true);
    try {
      await io.client.act(sessionId, { instruction: prompt, requestId: turnId });
      return await turn.ended;
    } finally {
      turn.stop();
    }
  },
};

const beginSession = async (
  io: Io,
  wish: { engine?: string; project?: string; model?: string; mode?: string },
): Promise<SessionSummary> => {
  const engine = wish.engine ?? (await firstReady(io)).name;
  const project = await projectAt(io, path.resolve(wish.project ?? '.'));
  return io.client.sessions.create(project.id, {
    engineName: engine,
    ...(wish.model === undefined ? {} : { model: wish.model }),
    ...(wish.mode === undefined ? {} : { permissionMode: wish.mode }),
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

const projectAt = async ({ client }: Io, rootPath: string): Promise<Project> => {
  const known = (await client.projects.list()).find((project) => project.rootPath === rootPath);
  return known ?? client.projects.save({ name: path.basename(rootPath) || rootPath, rootPath });
};
