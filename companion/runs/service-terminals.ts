/** Commands an agent runs through us: inside the project's folder, with their output bounded, gone with the run. */
import * as z from 'zod';
import { randomId } from '#companion/lib/random-id.ts';
import { type Child, type Exit, startChild } from '#companion/process/child.ts';
import { CompanionError } from '#protocol/errors.ts';
import { realInside } from './service-files.ts';
import { createOutput, type Output } from './service-output.ts';

const DEFAULT_OUTPUT_BYTES = 1024 * 1024;
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_TERMINALS = 16;

export const CreateTerminal = z.looseObject({
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
  cwd: z.string().nullish(),
  outputByteLimit: z.number().int().min(0).nullish(),
});
export const TerminalId = z.looseObject({ terminalId: z.string() });
type TerminalId = z.infer<typeof TerminalId>;

interface Terminal {
  readonly child: Child;
  readonly output: Output;
  exit: Exit | null;
}

export interface ServiceTerminals {
  create(wanted: z.infer<typeof CreateTerminal>): Promise<{ terminalId: string }>;
  output(terminal: TerminalId): { output: string; truncated: boolean; exitStatus: object | null };
  waitForExit(terminal: TerminalId): Promise<object>;
  kill(terminal: TerminalId): Promise<void>;
  release(terminal: TerminalId): Promise<void>;
  /** Ends all of them, and what is about to start. */
  close(): void;
}

/** Terminals in `root`, a real path, with the environment `env`. */
export const createServiceTerminals = (root: string, env: Readonly<Record<string, string>>): ServiceTerminals => {
  const terminals = new Map<string, Terminal>();
  let starting = 0;
  let isClosed = false;

  const find = ({ terminalId }: TerminalId): Terminal => {
    const found = terminals.get(terminalId);
    if (found === undefined) throw new CompanionError('INPUT_INVALID', `There is no terminal ${terminalId}.`);
    return found;
  };

  return {
    create: async (wanted) => {
      if (terminals.size + starting >= MAX_TERMINALS)
        throw new CompanionError('INPUT_TOO_LARGE', `At most ${MAX_TERMINALS} terminals at a time.`);
      starting += 1;
      try {
        const cwd = await realInside(root, wanted.cwd ?? root);
        if (isClosed) throw new CompanionError('INPUT_INVALID', 'The session has ended.');
        const terminalId = randomId('terminal');
        terminals.set(terminalId, startTerminal(cwd, env, wanted));
        return { terminalId };
      } finally {
        starting -= 1;
      }
    },
    output: (terminal) => {
      const { output, exit } = find(terminal);
      return { ...output.read(), exitStatus: exit === null ? null : toStatus(exit) };
    },
    waitForExit: async (terminal) => toStatus(await find(terminal).child.exited),
    kill: async (terminal) => find(terminal).child.stop(0),
    release: async (terminal) => {
      const { child } = find(terminal);
      terminals.delete(terminal.terminalId);
      await child.stop(0);
    },
    close: () => {
      isClosed = true;
      for (const { child } of terminals.values()) void child.stop(0);
      terminals.clear();
    },
  };
};

const startTerminal = (cwd: string, env: Readonly<Record<string, string>>, wanted: z.infer<typeof CreateTerminal>): Terminal => {
  const output = createOutput(Math.min(wanted.outputByteLimit ?? DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES));
  const extra = Object.fromEntries((wanted.env ?? []).map(({ name, value }) => [name, value]));
  const args = wanted.args ?? [];
  const child = startChild({
    ...(process.platform === 'win32' ? { command: wanted.command, args } : inShell(wanted.command, args)),
    cwd,
    env: { ...env, ...extra },
    onLine: output.add,
    onOverflow: (bytes) => output.add(`… a line of ${bytes} bytes was cut`),
    onExit: (exit) => {
      terminal.exit = exit;
    },
  });
  const terminal: Terminal = { child, output, exit: null };
  return terminal;
};

/** A shell brings both streams into one. A command with arguments is passed as words and never parsed; one without is a command line. */
const inShell = (command: string, args: readonly string[]): { command: string; args: string[] } =>
  args.length === 0
    ? { command: '/bin/sh', args: ['-c', `exec 2>&1\n${command}`] }
    : { command: '/bin/sh', args: ['-c', 'exec "$0" "$@" 2>&1', command, ...args] };

const toStatus = (exit: Exit): { exitCode: number | null; signal: string | null } => ({ exitCode: exit.code, signal: exit.signal });
