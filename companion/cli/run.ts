import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { Project, SessionInput, SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError } from '#protocol/errors.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { readAllowedTools, readMaxCost, readMaxTurns, readSystemPrompt } from '#display/settings-text.ts';
import { randomId } from '#companion/lib/random-id.ts';
import type { Io } from './io.ts';
import { readArgs, type Subcommand } from './subcommand.ts';
import { followTurn } from './turn.ts';

/** `pilotfish run` */
export const run: Subcommand = {
  name: 'run',
  summary: 'send one prompt to an agent and print its answer as it comes',
  usage: [
    '[--engine NAME] [--project FOLDER] [--session ID] [--model ID] [--mode ID] [--max-turns N] [--max-cost USD] … -- PROMPT',
    'PROMPT            what follows --; without it the prompt is read from stdin',
    '--engine NAME     the agent; otherwise the first that is ready',
    '--project FOLDER  where it works; otherwise here',
    '--session ID      go on with a session instead of beginning one',
    '--model ID        the model',
    '--mode ID         how much the agent asks',
    '--max-turns N     stop after so many answers of the model to one prompt; 0 ends the limit',
    '--max-cost USD    stop when the session has cost so much; 0 ends the limit',
    '--system-prompt T what the agent is told beside its own instructions',
    '--allow-tool NAME may run without asking, as Read or "Bash(git status:*)"; again for each',
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
        'max-turns': { type: 'string' },
        'max-cost': { type: 'string' },
        'system-prompt': { type: 'string' },
        'allow-tool': { type: 'string', multiple: true },
        json: { type: 'boolean' },
      },
      { least: 0, most: Infinity },
    );
    const prompt = (positionals.length > 0 ? positionals.join(' ') : io.isInteractive ? '' : await readAll(io.stdin)).trim();
    if (prompt === '') throw new CompanionError('CLI_USAGE', 'A prompt is missing: write it after --, or pipe it in.');
    const settings = readSettings(values);
    await io.client.connect({ start: true, signal: io.signal });
    const sessionId = values.session === undefined ? (await beginSession(io, values, settings)).id : SessionId.parse(values.session);
    if (values.session !== undefined && Object.keys(settings).length > 0) await io.client.sessions.update(sessionId, settings);
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

type Settings = Partial<Pick<SessionInput, 'model' | 'permissionMode' | 'maxTurns' | 'maxCostUsd' | 'systemPrompt' | 'allowedTools'>>;

const readSettings = (wish: {
  model?: string;
  mode?: string;
  'max-turns'?: string;
  'max-cost'?: string;
  'system-prompt'?: string;
  'allow-tool'?: string[];
}): Settings => ({
  ...(wish.model === undefined ? {} : { model: wish.model }),
  ...(wish.mode === undefined ? {} : { permissionMode: wish.mode }),
  ...(wish['max-turns'] === undefined ? {} : { maxTurns: readLimit('max-turns', wish['max-turns'], readMaxTurns) }),
  ...(wish['max-cost'] === undefined ? {} : { maxCostUsd: readLimit('max-cost', wish['max-cost'], readMaxCost) }),
  ...(wish['system-prompt'] === undefined ? {} : { systemPrompt: readSystemPrompt(wish['system-prompt']) }),
  ...(wish['allow-tool'] === undefined ? {} : { allowedTools: readTools(wish['allow-tool']) }),
});

const readLimit = (flag: string, text: string, read: (text: string) => number | null | undefined): number | null => {
  const limit = text === '0' ? null : text.trim() === '' ? undefined : read(text);
  if (limit === undefined) throw new CompanionError('CLI_USAGE', `--${flag}: "${text}" is no limit.`);
  return limit;
};

const readTools = (texts: readonly string[]): string[] => {
  const read = readAllowedTools(texts.join('\n'));
  if ('wrong' in read)
    throw new CompanionError('CLI_USAGE', `--allow-tool: "${read.wrong}" is no tool; one looks like Read or Bash(git status:*).`);
  return read.tools;
};

const beginSession = async (io: Io, wish: { engine?: string; project?: string }, settings: Settings): Promise<SessionSummary> => {
  const engine = wish.engine ?? (await firstReady(io)).name;
  const project = await projectAt(io, path.resolve(wish.project ?? '.'));
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

const projectAt = async ({ client }: Io, rootPath: string): Promise<Project> => {
  const known = (await client.projects.list()).find((project) => project.rootPath === rootPath);
  return known ?? client.projects.save({ name: path.basename(rootPath) || rootPath, rootPath });
};
