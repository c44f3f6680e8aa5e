/**
 * What runs in a terminal window that the panel has asked for. The panel has chosen neither this command nor its id; what is to be done
 * comes from the daemon.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { ConfirmEngine, LogInEngine } from '#protocol/errands.ts';
import { errorText } from '#display/error-text.ts';
import { inLanguage, words } from '#display/words.ts';
import { describeAgent } from './engine.ts';
import { errandWords } from './errand-words.ts';
import type { Io } from './io.ts';
import { proposalRows } from './proposal-rows.ts';
import { readArgs, type Subcommand } from './subcommand.ts';

/** Looking for an agent starts it, which takes some of them seconds of the processor. */
const LOOK_MS = 15_000;

/** What belongs to the window that is open, and not to the shell of the login. */
const OF_WINDOW = ['TERM', 'COLORTERM', 'TERM_PROGRAM', 'DISPLAY', 'WAYLAND_DISPLAY', 'XDG_CURRENT_DESKTOP', 'DESKTOP_SESSION', 'BROWSER'];

/** `pilotfish errand` */
export const errand: Subcommand = {
  name: 'errand',
  summary: 'do what the panel has opened this terminal window for; not for typing',
  usage: ['ID', 'ID  what the window was given; it holds once, for three minutes'],
  run: async (args, io) => {
    const { positionals } = readArgs(args, {}, { needs: 'the id that the window was given', most: 1 });
    const [id = ''] = positionals;
    if (!io.isInteractive)
      throw new CompanionError('CLI_USAGE', 'This runs in a terminal window only, where a person can read and answer.');
    let language: ConfirmEngine['language'] = 'en';
    const doErrand = async (): Promise<number> => {
      await io.client.connect({ start: false, signal: io.signal });
      const errand = await io.client.engines.errand(id);
      if (errand.type === 'log_in') return logIn(io, errand);
      ({ language } = errand);
      return confirm(io, errand);
    };
    const code = await doErrand().catch((error: unknown) => {
      io.signal.throwIfAborted();
      const { message, remedy, detail } = errorText(toErrorBody(error), inLanguage(words, language));
      io.note([message, remedy, detail].filter((text) => text !== '').join('\n'));
      return 1;
    });
    // The window closes with this command.
    await askLine(io, inLanguage(errandWords, language)('close'), io.signal);
    return code;
  },
};

/** Shows what is proposed and asks; the panel is told by the daemon. */
const confirm = async (io: Io, errand: ConfirmEngine): Promise<number> => {
  const say = inLanguage(errandWords, errand.language);
  // What stands in quotation marks stays as it is, whatever this program is called here.
  io.stderr.write(`${proposalRows(errand, columnsOf(io.stderr)).join('\n')}\n\n${say('question')}\n`);
  const done = new AbortController();
  const ended = new AbortController();
  const watching = io.client.engines.proposalEnd(errand.answerId, AbortSignal.any([io.signal, done.signal])).then(
    () => ended.abort(null),
    (error: unknown) => ended.abort(error),
  );
  const reply = await askLine(io, say('usual'), AbortSignal.any([io.signal, ended.signal]));
  io.signal.throwIfAborted();
  if (ended.signal.aborted) {
    io.note('');
    if (ended.signal.reason !== null) throw ended.signal.reason;
    io.note(say('ended'));
    return 1;
  }
  const isAllowed = reply.trim().toLowerCase() === 'yes';
  try {
    await io.client.engines.answerProposal(errand.answerId, isAllowed);
  } finally {
    done.abort();
    await watching;
  }
  io.note(say(isAllowed ? 'done' : 'refused'));
  if (!isAllowed || errand.change.type === 'remove') return isAllowed ? 0 : 1;
  const { isDisabled } = await io.client.engines.setup(errand.name);
  const agents = isDisabled ? [] : await io.client.engines.refresh(errand.name, io.signal);
  for (const agent of agents.filter(({ name }) => name === errand.name)) for (const line of describeAgent(io, agent)) io.note(line);
  return 0;
};

/** How wide the window is, where it says so. */
const columnsOf = (stream: Writable): number | undefined =>
  'columns' in stream && typeof stream.columns === 'number' ? stream.columns : undefined;

/** Runs the login, and looks for the agent meanwhile and at the end: the panel is told by the daemon. */
const logIn = async (io: Io, { name, label, shown, command, args, env }: LogInEngine): Promise<number> => {
  io.note(`${label}: ${shown}\n`);
  const child = spawn(command, args, { stdio: 'inherit', env: env === null ? io.env : { ...windowEnv(io.env), ...env } });
  const ended = new AbortController();
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  }).finally(() => ended.abort());
  const [code] = await Promise.all([exited, lookUntilReady(io, name, AbortSignal.any([io.signal, ended.signal]))]);
  io.signal.throwIfAborted();
  const agents = await io.client.engines.refresh(name, io.signal);
  const agent = agents.find((each) => each.name === name);
  io.note('');
  if (agent !== undefined) for (const line of describeAgent(io, agent)) io.note(line);
  return agent?.status === 'ready' ? 0 : code === 0 ? 1 : code;
};

/** Resolves when the agent is there or the window is done; what a look says against it is said by the last one. */
const lookUntilReady = async (io: Io, name: string, signal: AbortSignal): Promise<void> => {
  try {
    for (;;) {
      await pause(LOOK_MS, undefined, { signal });
      const agents = await io.client.engines.refresh(name, signal);
      if (agents.some((each) => each.name === name && each.status === 'ready')) return;
    }
  } catch (error) {
    if (!signal.aborted) io.note(toErrorBody(error).message);
  }
};

const windowEnv = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    OF_WINDOW.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );

/** What the person types; empty at the end of the input, after ctrl+c and when `signal` is aborted. */
const askLine = async (io: Io, question: string, signal: AbortSignal): Promise<string> => {
  if (signal.aborted || io.stdin.readableEnded) return '';
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  const close = (): void => reader.close();
  signal.addEventListener('abort', close, { once: true });
  // While it edits a line, readline gets ctrl+c instead of the process.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  reader.setPrompt(question);
  reader.prompt();
  try {
    const line = await reader[Symbol.asyncIterator]().next();
    return line.done === true ? '' : line.value;
  } finally {
    signal.removeEventListener('abort', close);
    reader.close();
  }
};
