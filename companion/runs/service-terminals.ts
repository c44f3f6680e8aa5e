/** Commands that an agent runs through Pilotfish: inside the project's folder, with limited output, ended with the run. */
import * as z from 'zod';
import { randomId } from '#companion/lib/random-id.ts';
import { type Child, type Exit, startChild } from '#companion/process/child.ts';
import { CompanionError } from '#protocol/errors.ts';
import { realInside } from '#companion/projects/inside-folder.ts';
import { ServiceOutput } from './service-output.ts';

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
  readonly output: ServiceOutput;
  exit: Exit | null;
}

export class ServiceTerminals {
  readonly #root: string;
  readonly #env: Readonly<Record<string, string>>;
  readonly #terminals = new Map<string, Terminal>();
  #starting = 0;
  #isClosed = false;

  /** Terminals in `root`, a real path, with the environment `env`. */
  constructor(root: string, env: Readonly<Record<string, string>>) {
    this.#root = root;
    this.#env = env;
  }

  async create(wanted: z.infer<typeof CreateTerminal>): Promise<{ terminalId: string }> {
    if (this.#terminals.size + this.#starting >= MAX_TERMINALS)
      throw new CompanionError('INPUT_TOO_LARGE', `At most ${MAX_TERMINALS} terminals at a time.`);
    this.#starting += 1;
    try {
      const cwd = await realInside(this.#root, wanted.cwd ?? this.#root);
      if (this.#isClosed) throw new CompanionError('INPUT_INVALID', 'The session has ended.');
      const terminalId = randomId('terminal');
      this.#terminals.set(terminalId, startTerminal(cwd, this.#env, wanted));
      return { terminalId };
    } finally {
      this.#starting -= 1;
    }
  }

  output(terminal: TerminalId): { output: string; truncated: boolean; exitStatus: object | null } {
    const { output, exit } = this.#find(terminal);
    return { ...output.read(), exitStatus: exit === null ? null : toStatus(exit) };
  }

  async waitForExit(terminal: TerminalId): Promise<object> {
    return toStatus(await this.#find(terminal).child.exited);
  }

  async kill(terminal: TerminalId): Promise<void> {
    await this.#find(terminal).child.stop({ graceMs: 0 });
  }

  async release(terminal: TerminalId): Promise<void> {
    const { child } = this.#find(terminal);
    this.#terminals.delete(terminal.terminalId);
    await child.stop({ graceMs: 0 });
  }

  /** Ends all of them, including those that are about to start. */
  close(): void {
    this.#isClosed = true;
    for (const { child } of this.#terminals.values()) void child.stop({ graceMs: 0 });
    this.#terminals.clear();
  }

  #find({ terminalId }: TerminalId): Terminal {
    const found = this.#terminals.get(terminalId);
    if (found === undefined) throw new CompanionError('INPUT_INVALID', `There is no terminal ${terminalId}.`);
    return found;
  }
}

const startTerminal = (cwd: string, env: Readonly<Record<string, string>>, wanted: z.infer<typeof CreateTerminal>): Terminal => {
  const output = new ServiceOutput(Math.min(wanted.outputByteLimit ?? DEFAULT_OUTPUT_BYTES, MAX_OUTPUT_BYTES));
  const extra = Object.fromEntries((wanted.env ?? []).map(({ name, value }) => [name, value]));
  const args = wanted.args ?? [];
  const child = startChild({
    ...(process.platform === 'win32' ? { command: wanted.command, args } : inShell(wanted.command, args)),
    cwd,
    env: { ...env, ...extra },
    onLine: (line) => output.add(line),
    onOverflow: (bytes) => output.add(`… a line of ${bytes} bytes was cut`),
    onExit: (exit) => {
      terminal.exit = exit;
    },
  });
  const terminal: Terminal = { child, output, exit: null };
  return terminal;
};

/**
 * A shell joins both streams into one. A command with arguments is passed word by word and never parsed; one without arguments
 * is a command line.
 */
const inShell = (command: string, args: readonly string[]): { command: string; args: string[] } =>
  args.length === 0
    ? { command: '/bin/sh', args: ['-c', `exec 2>&1\n${command}`] }
    : { command: '/bin/sh', args: ['-c', 'exec "$0" "$@" 2>&1', command, ...args] };

const toStatus = (exit: Exit): { exitCode: number | null; signal: string | null } => ({ exitCode: exit.code, signal: exit.signal });
