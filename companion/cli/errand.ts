/**
 * What runs in a terminal window that the panel has asked for. The panel has chosen neither this command nor its id; what is to be done
 * comes from the daemon.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { CompanionError, toErrorBody } from '#protocol/errors.ts';
import type { LogInEngine } from '#protocol/errands.ts';
import { describeAgent } from './engine.ts';
import type { Io } from './io.ts';
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
    const code = await doErrand(io, id).catch((error: unknown) => {
      io.signal.throwIfAborted();
      const { message, remedy } = toErrorBody(error);
      io.note(`${message}\n${remedy}`);
      return 1;
    });
    // The window closes with this command.
    await askLine(io, 'Press Enter to close this window. ');
    return code;
  },
};

const doErrand = async (io: Io, id: string): Promise<number> => {
  await io.client.connect({ start: false, signal: io.signal });
  return logIn(io, await io.client.engines.errand(id));
};

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

/** What the person types; empty at the end of the input and after ctrl+c. */
const askLine = async (io: Io, question: string): Promise<string> => {
  if (io.signal.aborted) return '';
  const reader = createInterface({ input: io.stdin, output: io.stderr });
  const close = (): void => reader.close();
  io.signal.addEventListener('abort', close, { once: true });
  // While it edits a line, readline gets ctrl+c instead of the process.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  reader.setPrompt(question);
  reader.prompt();
  try {
    const line = await reader[Symbol.asyncIterator]().next();
    return line.done === true ? '' : line.value;
  } finally {
    io.signal.removeEventListener('abort', close);
    reader.close();
  }
};
