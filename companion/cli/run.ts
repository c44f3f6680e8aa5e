import type { Project, SessionSummary } from '#protocol/api.ts';
import type { EngineInfo } from '#protocol/engines.ts';
import { CompanionError, fromErrorBody } from '#protocol/errors.ts';
import type { Budget } from '#protocol/events.ts';
import { SessionId, TurnId } from '#protocol/ids.ts';
import { agentOfProject } from '#protocol/project-defaults.ts';
import { randomId } from '#companion/lib/random-id.ts';
import { readMaxCost, readMaxTokens } from '#display/settings-text.ts';
import { worktreeWords } from '#display/work-words.ts';
import { type OnAsk, onAskUsage, readOnAsk } from './ask.ts';
import { knownEngine } from './find-engine.ts';
import type { Io } from './io.ts';
import { readPiped } from './piped-input.ts';
import { projectAt, readSettings, settingFlags, settingUsage, type SessionWish } from './session-flags.ts';
import { readArgs, type Subcommand, unknownValue } from './subcommand.ts';
import { FollowedTurn } from './turn.ts';

/** `pilotfish run` */
export const run: Subcommand = {
  name: 'run',
  summary: 'send one prompt to an agent and print its answer as it comes',
  usage: [
    '[--engine NAME] [--project FOLDER] [--session ID] [--model ID] [--mode ID] [--max-turns N] [--max-cost USD] [--max-minutes N] [--budget AMOUNT] [--on-ask deny|allow|wait] [--if-taken refuse|queue|worktree|anyway] [--worktree] [--attach FILE] … -- PROMPT',
    'PROMPT            what follows --; without it the prompt is read from stdin',
    '--engine NAME     the agent; otherwise the one of the project, or the first that is ready',
    '--project FOLDER  where it works; otherwise here',
    '--session ID      go on with a session instead of beginning one',
    '--worktree        work in a git worktree with a branch of its own; see `pilotfish worktree`',
    '--if-taken WHAT   when another agent works in the folder: refuse, queue (wait for its end), worktree, or anyway; without it you are told here, and where no terminal is, it waits',
    '--budget AMOUNT   stop while it runs when this prompt has used so much: US dollars, as 0.50, or tokens, as 20000tokens',
    '--attach FILE     a file or picture for the agent; may be given several times',
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
        worktree: { type: 'boolean' },
        budget: { type: 'string' },
        'if-taken': { type: 'string' },
        attach: { type: 'string', multiple: true },
        ...settingFlags,
        'on-ask': { type: 'string' },
        json: { type: 'boolean' },
      },
      { most: Infinity },
    );
    const prompt = (positionals.length > 0 ? positionals.join(' ') : io.isInteractive ? '' : await readPiped(io)).trim();
    if (prompt === '') throw new CompanionError('CLI_USAGE', 'A prompt is missing: write it after --, or pipe it in.');
    const settings = readSettings(values);
    const budget = readBudget(values.budget);
    const onAsk = readOnAsk(values['on-ask'], io.isInteractive);
    const ifTaken = readIfTaken(values['if-taken'], io.isInteractive);
    if (values.worktree === true && values.session !== undefined)
      throw new CompanionError('CLI_USAGE', '--worktree is for a new session; the one of --session has its folder already.');
    await io.client.connect({ start: true, signal: io.signal });
    const uploads = await io.client.upload(values.attach ?? []);
    const prepared = { values, prompt, uploads, budget, settings, ifTaken, onAsk };
    const known = values.session === undefined ? null : SessionId.parse(values.session);
    if (known !== null && Object.keys(settings).length > 0) await io.client.sessions.update(known, settings);
    return runPrompt(io, prepared, known);
  },
};

interface Prepared {
  readonly values: { readonly engine?: string; readonly project?: string; readonly worktree?: boolean; readonly json?: boolean };
  readonly prompt: string;
  /** What is attached, by the ids of its uploads. */
  readonly uploads: readonly string[];
  readonly budget: Budget | null;
  readonly settings: SessionWish;
  readonly ifTaken: IfTaken;
  readonly onAsk: OnAsk;
}

/** What is done when another agent works in the folder. */
type IfTaken = 'refuse' | 'queue' | 'worktree' | 'anyway';

const readBudget = (text: string | undefined): Budget | null => {
  if (text === undefined) return null;
  const [, count] = /^([\d,_ ]+)\s*(?:tokens?|t)$/i.exec(text.trim()) ?? [];
  const amount = count === undefined ? readMaxCost(text) : readMaxTokens(count);
  if (typeof amount === 'number') return count === undefined ? { costUsd: amount } : { tokens: amount };
  throw new CompanionError(
    'CLI_USAGE',
    `--budget "${text}" is no amount of US dollars, such as 0.50, and no number of tokens, such as 20000tokens.`,
  );
};

const readIfTaken = (value: string | undefined, isInteractive: boolean): IfTaken => {
  if (value === undefined) return isInteractive ? 'refuse' : 'queue';
  if (value === 'refuse' || value === 'queue' || value === 'worktree' || value === 'anyway') return value;
  throw unknownValue(`--if-taken ${value}`, value, ['refuse', 'queue', 'worktree', 'anyway']);
};

/** Sends the prompt to a session that is known, or to a new one; resolves with the exit code. */
const runPrompt = async (io: Io, prepared: Prepared, known: SessionId | null): Promise<number> => {
  const { ifTaken, values } = prepared;
  const sessionId = known ?? (await beginSession(io, prepared, values.worktree === true)).id;
  // The events carry the id.
  const tell = (line: string): void => void (values.json === true || io.note(line));
  if (known === null) tell(`Session ${sessionId}`);
  try {
    return await follow(io, prepared, sessionId, ifTaken === 'anyway' ? 'anyway' : 'refuse');
  } catch (error) {
    if (!(error instanceof CompanionError) || error.code !== 'FOLDER_TAKEN') throw error;
    if (ifTaken === 'queue') {
      io.note(`${error.message} This waits for its end; --if-taken anyway does not.`);
      return follow(io, prepared, sessionId, 'queue');
    }
    const other =
      ifTaken !== 'worktree' ? null : known === null ? await beginSession(io, prepared, true) : await apart(io, known, prepared);
    // Nothing was said in it.
    if (known === null) await io.client.sessions.remove(sessionId, { isForever: true });
    if (other === null) {
      const remedy = 'Say what to do: --if-taken queue (wait for its end), worktree, or anyway.';
      throw fromErrorBody({ ...error.toBody(), remedy });
    }
    tell(`${error.message} Session ${other.id} has a worktree of its own: ${other.worktree?.branch ?? ''}`);
    return follow(io, prepared, other.id, 'anyway');
  }
};

const follow = async (
  io: Io,
  { prompt, uploads, budget, values, onAsk }: Prepared,
  sessionId: SessionId,
  ifTaken: 'refuse' | 'queue' | 'anyway',
): Promise<number> => {
  const turnId = TurnId.parse(randomId('turn'));
  const turn = new FollowedTurn({ io, sessionId, turnId, isJson: values.json === true, onAsk });
  try {
    const limited = budget === null ? {} : { budget };
    const attached = uploads.length === 0 ? {} : { uploads: [...uploads] };
    await io.client.startTurn(sessionId, { text: prompt, turnId, ifTaken, ...limited, ...attached });
    return await turn.ended;
  } finally {
    turn.stop();
  }
};

const NAME_CHARS = 40;

/** Its branch is called as the prompt begins. */
const branchName = (prompt: string): string => prompt.split('\n', 1)[0]?.slice(0, NAME_CHARS) ?? '';

const beginSession = async (io: Io, { values, settings, prompt }: Prepared, isApart: boolean): Promise<SessionSummary> => {
  const named = values.engine === undefined ? null : { engineName: await knownEngine(io, values.engine) };
  const project = await projectAt(io, values.project ?? '.');
  const agent = named ?? (await usualAgent(io, project));
  if (settings.mode !== undefined) await learnModes(io, agent.engineName);
  const made = await io.client.sessions.create(project.id, {
    ...agent,
    ...(isApart ? { worktree: branchName(prompt) } : {}),
    ...settings,
  });
  if (!isApart) return made;
  const { worktree } = await io.client.sessions.read(made.id);
  if (worktree !== null) io.note(worktreeWords(worktree, 'en'));
  return made;
};

/** Many agents tell their modes only when they are started: then a mode that there is not is refused before anything is begun. */
const learnModes = async ({ client, signal }: Io, engineName: string): Promise<void> => {
  const engine = (await client.engines.list()).find(({ name }) => name === engineName);
  if (engine?.status === 'unchecked' && engine.modes.length === 0) await client.engines.refresh(engineName, signal);
};

/** Another session that goes on from this one, in a worktree. */
const apart = (io: Io, sessionId: SessionId, { prompt }: Prepared): Promise<SessionSummary> =>
  io.client.sessions.fork(sessionId, { worktree: branchName(prompt) });

/** The project's own agent with its model, where that is ready; otherwise the first that is. */
const usualAgent = async (io: Io, project: Project): Promise<{ engineName: string; model?: string }> => {
  const { client, signal } = io;
  const usual = agentOfProject(project, await client.sessions.list());
  if (usual !== null) {
    const isThere = ({ name, status }: EngineInfo): boolean => name === usual.engine && status === 'ready';
    const isReady = (await client.engines.list()).some(isThere) || (await client.engines.refresh(usual.engine, signal)).some(isThere);
    if (isReady) return { engineName: usual.engine, ...(usual.model === null ? {} : { model: usual.model }) };
  }
  return { engineName: (await firstReady(io)).name };
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
